"""Verdicts are kept by digest, and a file of them is believed only where it is whole, ours and of these needles."""

import json
import os

import pytest

from benchctl.workspace.leaks import Needles, VerdictCache, cache_folder, scan_tree, verdict
from benchctl.workspace.leaks import cache as caches
from benchctl.workspace.leaks import scan as scanning

CANARY = "benchctl-canary-123e4567-e89b-12d3-a456-426614174000"
PROMPT = "Which function decides that an idle connection is closed, and which setting changes that time?"
NEEDLES = Needles(canary=CANARY, prompts={"timeout": PROMPT}, terms={"timeout": ("the reaper in pool",)})


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    root.mkdir()
    (root / "clean.c").write_text("int main;")
    (root / "leak.md").write_text(f"{PROMPT} {CANARY}")
    (root / "closed.zst").write_bytes(b"\x28\xb5\x2f\xfd rest")
    return root


@pytest.fixture
def examined(monkeypatch):
    """Count the files that are really searched."""
    seen = []
    real = verdict.examine

    def examine(data, search):
        seen.append(data)
        return real(data, search)

    monkeypatch.setattr(scanning, "examine", examine)
    return seen


def scan(tree, folder, needles=NEEDLES):
    with VerdictCache(folder, needles.digest) as cache:
        return scan_tree(tree, needles, cache=cache)


def contents(tree, examined):
    held = {path.read_bytes() for path in tree.iterdir()}
    return sum(data in held for data in examined)


def test_an_unchanged_file_is_searched_once_and_judged_the_same(tree, tmp_path, examined):
    plain = scan_tree(tree, NEEDLES)
    examined.clear()
    first = scan(tree, tmp_path / "cache")
    assert contents(tree, examined) == 3
    examined.clear()
    assert scan(tree, tmp_path / "cache") == first == plain
    assert contents(tree, examined) == 0


def test_a_changed_or_moved_file_is_judged_by_what_it_is(tree, tmp_path, examined):
    scan(tree, tmp_path / "cache")
    examined.clear()
    (tree / "clean.c").write_text(CANARY)
    (tree / "leak.md").rename(tree / "moved.md")
    assert {hit.path for hit in scan(tree, tmp_path / "cache") if hit.decisive} == {"clean.c", "moved.md"}
    assert contents(tree, examined) == 1


def test_a_checked_digest_spares_the_reading(tree, tmp_path, monkeypatch):
    import hashlib

    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in tree.iterdir()}
    scan(tree, tmp_path / "cache")
    monkeypatch.setattr(scanning, "_bytes", lambda path: pytest.fail(f"{path} was read"))
    with VerdictCache(tmp_path / "cache", NEEDLES.digest) as cache:
        assert scan_tree(tree, NEEDLES, digests=digests, cache=cache)


@pytest.mark.parametrize(
    "other",
    [
        Needles(canary=CANARY.replace("1", "2"), prompts=NEEDLES.prompts, terms=NEEDLES.terms),
        Needles(canary=CANARY, prompts={"timeout": PROMPT + " Why?"}, terms=NEEDLES.terms),
        Needles(canary=CANARY, prompts=NEEDLES.prompts, terms={"timeout": ("another",)}),
        Needles(canary=CANARY, prompts=NEEDLES.prompts, terms=NEEDLES.terms, gold={"timeout": ("a.c::b",)}),
    ],
)
def test_other_needles_have_another_cache(tree, tmp_path, examined, other):
    scan(tree, tmp_path / "cache")
    examined.clear()
    scan(tree, tmp_path / "cache", other)
    assert contents(tree, examined) == 3


def flip(file):
    data = bytearray(file.read_bytes())
    data[-40] ^= 1
    file.write_bytes(data)


def clean_everything(file):
    """Write what an attacker would: every file that was found is clean; the digest in the head is right."""
    body = json.dumps({"clean": [f"{n:064x}" for n in range(3)], "found": {}}).encode()
    file.write_bytes(caches._head("sha256:other", body) + b"\n" + body)


@pytest.mark.parametrize(
    "damage",
    [
        flip,
        clean_everything,
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(file.read_bytes()[:-1]),
        lambda file: file.write_bytes(b"[" * 100_000),
        lambda file: file.chmod(0o666),
        lambda file: file.parent.chmod(0o777),
        lambda file: (file.rename(file.with_suffix(".real")), file.symlink_to(file.with_suffix(".real"))),
        lambda file: file.write_bytes(file.read_bytes().replace(b"verdicts 2 ", b"verdicts 1 ")),
    ],
)
def test_a_damaged_or_foreign_cache_is_not_believed(tree, tmp_path, examined, damage):
    first = scan(tree, tmp_path / "cache")
    (file,) = (tmp_path / "cache").iterdir()
    damage(file)
    examined.clear()
    assert scan(tree, tmp_path / "cache") == first
    assert contents(tree, examined) == 3


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_cache_of_another_user_is_not_believed(tree, tmp_path, examined):
    scan(tree, tmp_path / "cache")
    (file,) = (tmp_path / "cache").iterdir()
    os.chown(file, 65534, 65534)
    examined.clear()
    scan(tree, tmp_path / "cache")
    assert contents(tree, examined) == 3


def test_the_cache_tells_nothing_of_the_key(tree, tmp_path):
    scan(tree, tmp_path / "cache")
    (file,) = (tmp_path / "cache").iterdir()
    text = f"{file.name} {file.read_text()}"
    for secret in ("canary-123e", "idle connection", "reaper"):
        assert secret not in text
    assert file.stat().st_mode & 0o077 == 0


def test_a_place_that_cannot_be_written_costs_nothing_but_time(tree, tmp_path):
    (tmp_path / "cache").write_text("a file where a folder should be")
    assert scan(tree, tmp_path / "cache") == scan(tree, None) == scan_tree(tree, NEEDLES)


def test_the_oldest_caches_are_forgotten(tree, tmp_path, monkeypatch):
    monkeypatch.setattr(caches, "KEPT_FILES", 2)
    digests = []
    for number in range(4):
        needles = Needles(canary=CANARY, terms={"q": (f"term number {number}",)})
        digests.append(needles.digest.removeprefix("sha256:"))
        scan(tree, tmp_path / "cache", needles)
        os.utime(tmp_path / "cache" / f"{digests[-1]}.json", (number, number))
    assert {path.stem for path in (tmp_path / "cache").iterdir()} >= {digests[-1]}
    assert len(list((tmp_path / "cache").iterdir())) == 2


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, "/c/benchctl/leaks"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/benchctl/leaks"),
        ({"HOME": "/h"}, "/h/.cache/benchctl/leaks"),
        ({"HOME": ""}, None),
    ],
)
def test_the_cache_lies_where_the_user_keeps_caches(monkeypatch, environment, folder):
    for variable in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    assert (str(cache_folder()) if cache_folder() else None) == folder


@pytest.mark.parametrize(
    "raw",
    [
        [],
        {"traces": {}},
        {"traces": [[]]},
        {"traces": [{"odd": 1}]},
        {"traces": [{"windows": True}]},
        {"traces": [{"exact": ["x"]}]},
        {"unsearched": [1]},
        {"more": []},
    ],
)
def test_anything_but_a_verdict_is_refused(raw):
    with pytest.raises(ValueError, match="no "):
        verdict.verdict_of_json(raw)


def test_a_verdict_survives_its_json():
    trace = verdict.Trace("q", windows=2, shingles=9, exact=(0, 3), beside=(1, 2), inside="gzip")
    found = verdict.Verdict((trace,), ("a zstd file",))
    assert verdict.verdict_of_json(json.loads(json.dumps(verdict.verdict_json(found)))) == found
