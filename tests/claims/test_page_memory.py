"""A page that was all right is not examined again until something changes that its verdict depends on."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import pytest
from synthetic_run import Recipe, make_project

from benchctl.claims import examine, page_memory, verify
from benchctl.claims.changed import Changes
from benchctl.claims.examine import Examiner
from benchctl.claims.verify import accept, verify_pages
from benchctl.store.disk.verified_file import hash_anew
from benchctl.store.project import Project

PAGE = "<!-- benchctl: run=demo-r1 -->\n\n72<!--= count --> cells, at least 40<!--= count --> of them.\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    made = make_project(tmp_path_factory.mktemp("made"), Recipe(), Recipe(run="other"))
    (made.root / "README.md").write_text(PAGE)
    (made.root / "site").mkdir(exist_ok=True)
    (made.root / "site" / "plain.md").write_text("# Nothing declared, 5\n")
    return made.root


@pytest.fixture(scope="module")
def other_data(tmp_path_factory):
    return make_project(tmp_path_factory.mktemp("other"), Recipe(reps=1)).root / "data/runs/demo-r1"


@pytest.fixture
def project(made, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(made, tmp_path / "project")
    return Project.find(tmp_path / "project")


@pytest.fixture
def examined(monkeypatch):
    """Return the pages that were examined, as a list that grows."""
    seen = []
    read = Examiner.read

    def spied(self, path, text, found=None):
        seen.append(path)
        return read(self, path, text, found)

    monkeypatch.setattr(Examiner, "read", spied)
    return seen


def reports(project):
    report = verify_pages(Project.find(project.root))
    return [asdict(page) for page in report.pages], report.undeclared


def test_an_unchanged_page_is_remembered_with_all_that_was_said(project, examined):
    first = reports(project)
    assert examined == ["README.md", "site/plain.md"]
    assert first == reports(project)
    assert len(examined) == 2
    assert first[0][0]["findings"][0]["slug"] == "bound-slack"


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def flip(path):
    path.chmod(0o600)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


CHANGES = {
    "the page": lambda root: edit(root / "README.md", "cells,", "rows,"),
    "benchctl.toml": lambda root: (root / "benchctl.toml").write_text('title = "another"\n'),
    "the lock": lambda root: accept(Project.find(root), verify_pages(Project.find(root))),
    "a byte of the data": lambda root: flip(root / "data/runs/demo-r1/rows/cells.parquet"),
    "a byte of the record": lambda root: flip(root / "data/runs/demo-r1/run.json"),
    "the manifest": lambda root: flip(root / "data/runs/demo-r1/manifest.json"),
    "the run": lambda root: (root / "data/runs/demo-r1").rename(root / "data/runs/demo-r0"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_changes_under_a_page_has_it_examined_again(project, examined, what):
    assert verify_pages(project).ok
    CHANGES[what](project.root)
    hash_anew()  # as the command does
    examined.clear()
    damaged = what not in ("the page", "benchctl.toml", "the lock")
    assert verify_pages(Project.find(project.root)).ok is not damaged
    assert "README.md" in examined


def test_another_run_of_the_store_changes_nothing(project, examined):
    verify_pages(project)
    (project.root / "data/runs/other").rename(project.root / "data/runs/another")
    examined.clear()
    assert verify_pages(Project.find(project.root)).ok
    assert examined == []


def test_other_options_are_another_question(project, examined):
    verify_pages(project)
    edited = Changes(frozenset({str(project.root / "README.md")}), "the base")
    for options in ({"show_all": True}, {"changes": edited}):
        examined.clear()
        verify_pages(project, **options)
        assert "README.md" in examined


def test_another_program_judges_anew(project, examined, monkeypatch):
    verify_pages(project)
    monkeypatch.setattr(page_memory, "_code", lambda: "another")
    examined.clear()
    verify_pages(project)
    assert "README.md" in examined


@pytest.mark.parametrize(
    "other",
    [
        ("_duckdb", lambda: iter([("elsewhere", 1, 2)])),
        ("sys", SimpleNamespace(version="4.0")),
        ("_FORM", -1),
    ],
    ids=["duckdb", "python", "form"],
)
def test_so_does_another_database_or_language(project, examined, monkeypatch, other):
    verify_pages(project)
    monkeypatch.setattr(page_memory, *other)
    page_memory._code.cache_clear()
    examined.clear()
    verify_pages(project)
    page_memory._code.cache_clear()
    assert "README.md" in examined


def test_what_tells_databases_apart_is_their_version_and_their_binary():
    import duckdb

    said = list(page_memory._duckdb())
    assert f"duckdb-{duckdb.__version__}.dist-info" in str(said)
    assert len([each for each in said if isinstance(each, tuple)]) == 2


@pytest.fixture
def during(monkeypatch):
    """Return a function that has something done once, before or behind the first check of a page."""

    def at(what, *, behind):
        original, left = examine.check, [what]

        def check(sheet):
            todo = left.pop() if left else lambda: None
            if not behind:
                todo()
            original(sheet)
            if behind:
                todo()

        monkeypatch.setattr(examine, "check", check)

    return at


class TestMeanwhile:
    """What moves while a page is examined: what is remembered is what was examined, or nothing."""

    @pytest.fixture
    def move(self, other_data, project):
        """Return a function that gives the run other data."""

        def moved():
            shutil.rmtree(project.root / "data/runs/demo-r1")
            shutil.copytree(other_data, project.root / "data/runs/demo-r1")
            hash_anew()

        return moved

    @pytest.mark.parametrize("behind", [False, True])
    def test_data(self, project, examined, during, move, behind):
        during(move, behind=behind)
        verify_pages(project)
        examined.clear()
        assert not verify_pages(Project.find(project.root)).ok
        assert "README.md" in examined

    def test_data_that_come_back(self, project, during, move):
        shutil.copytree(project.root / "data/runs/demo-r1", project.root / "kept")
        edit(project.root / "README.md", "72<", "36<")  # true of the other data alone
        edit(project.root / "README.md", "40<", "20<")
        during(move, behind=False)
        assert verify_pages(project).ok
        shutil.rmtree(project.root / "data/runs/demo-r1")
        (project.root / "kept").rename(project.root / "data/runs/demo-r1")
        hash_anew()
        assert not verify_pages(Project.find(project.root)).ok

    def test_data_between_two_pages_that_share_what_was_measured(self, project, during, move):
        (project.root / "site/plain.md").write_text(PAGE)
        during(move, behind=True)
        assert verify_pages(project).ok  # both of the old data
        report = verify_pages(Project.find(project.root))
        assert [page.ok for page in report.pages] == [False, False]

    def test_data_that_an_earlier_error_had_asked_for_its_hints(self, project, examined):
        edit(project.root / "README.md", "72<", "73<")
        (project.root / "site/plain.md").write_text(PAGE.replace("demo-r1", "other"))
        for _ in range(2):
            examined.clear()
            assert [page.ok for page in verify_pages(Project.find(project.root)).pages] == [False, True]
            assert examined == ["README.md", "site/plain.md"]

    def test_the_file_beside_the_page(self, project, monkeypatch):
        """It is read once: what was examined is what it is remembered under."""
        page, beside = project.root / "README.md", project.root / "README.claims.toml"
        edit(page, "= count --> cells", "= v --> cells")
        true, false = '[values]\nv = "count"\n', '[values]\nv = "count * 2"\n'
        for first, then in ((true, false), (false, true)):
            beside.write_text(first)
            read = verify.files_beside

            def found(*given, read=read, then=then):
                there = read(*given)
                beside.write_text(then)
                return there

            with monkeypatch.context() as patched:
                patched.setattr(verify, "files_beside", found)
                patched.setattr("benchctl.claims.examine.files_beside", found)
                during = verify_pages(project, [page]).ok
            assert during is (first == true)
            assert verify_pages(project, [page]).ok is (then == true)

    def test_benchctl_toml(self, project, examined):
        """A project that was read from another one remembers nothing and recalls nothing."""
        (project.root / "benchctl.toml").write_text('[values]\nv = "count"\n')
        edit(project.root / "README.md", "= count --> cells", "= v --> cells")
        before = Project.find(project.root)
        (project.root / "benchctl.toml").write_text('[values]\nv = "count * 2"\n')
        page = [project.root / "README.md"]
        assert verify_pages(before, page).ok
        assert not verify_pages(Project.find(project.root), page).ok
        (project.root / "benchctl.toml").write_text("[")
        assert verify_pages(before, page).ok
        assert len(examined) == 3

    def test_the_lock(self, project, monkeypatch):
        """The pins that a page was examined with are those that it is remembered under."""
        accept(project, verify_pages(project))
        good = (project.root / "claims.lock").read_text()
        read = verify.read_lock

        def moved(root):
            lock = read(root)
            (project.root / "claims.lock").write_text(good.replace("sha256:", "sha256:0"))
            return lock

        (project.root / "README.md").write_text(PAGE + "\n")
        with monkeypatch.context() as patched:
            patched.setattr(verify, "read_lock", moved)
            assert verify_pages(project).ok
        assert not verify_pages(project).ok


def test_a_page_with_an_error_is_never_remembered(project, examined):
    edit(project.root / "README.md", "72<", "73<")
    assert not verify_pages(project).ok
    examined.clear()
    assert not verify_pages(project).ok
    assert examined == ["README.md"]


@pytest.mark.parametrize(
    "garbage", ["", "{", "[]", "[1, 2]", '["k", {}, 5]', '["k", [], null]', '["k", {"demo-r1": 1}, {}]']
)
def test_a_cache_that_is_garbage_is_no_cache(project, examined, garbage, tmp_path):
    verify_pages(project)
    for file in (tmp_path / "cache" / "benchctl").glob("page-*.json"):
        key = json.loads(file.read_text())[0]
        file.write_text(garbage.replace('"k"', json.dumps(key)))
    examined.clear()
    assert verify_pages(project).ok
    assert "README.md" in examined


def test_a_cache_that_others_may_write_to_is_not_believed(project, examined, tmp_path):
    verify_pages(project)
    for file in (tmp_path / "cache" / "benchctl").glob("page-*.json"):
        file.chmod(0o666)
    examined.clear()
    assert verify_pages(project).ok
    assert "README.md" in examined


def test_a_remembered_page_loads_no_database(project, tmp_path):
    code = (
        "import sys; from benchctl.cli import main; sys.argv = ['benchctl', 'verify-claims', '-q']\n"
        "try: main()\nexcept SystemExit as end: print(end.code, 'duckdb' in sys.modules, 'altair' in sys.modules)"
    )
    env = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=project.root,
            env=env,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    ]
    assert said == ["0 True False\n", "0 False False\n"]


def test_a_damaged_file_that_no_page_needs_is_no_obstacle(project, examined):
    for file in Path(project.root / "data/runs/demo-r1").rglob("transcripts*.parquet"):
        flip(file)
    hash_anew()
    assert verify_pages(project).ok
    examined.clear()
    assert verify_pages(project).ok
    assert "README.md" not in examined
