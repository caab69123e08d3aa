import html
import json
import textwrap
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.workspace.leaks import (
    DECISIVE_WINDOWS,
    Needles,
    normalise,
    scan,
    scan_objects,
    scan_text,
    scan_tree,
    windows,
)

CANARY = "benchctl-canary-123e4567-e89b-12d3-a456-426614174000"
PROMPTS = {
    "callers": (
        "List every function or method in this repository that calls `click.utils.echo` directly. "
        'Answer with one qualified name per line, like "click.core:Context.exit", and nothing else.'
    ),
    "timeout": (
        "Where does the server decide that an idle connection has waited long enough, and which setting, "
        "by its full name in the configuration file, changes how long that is? Give the file and the line."
    ),
}


def notebook(text):
    return json.dumps({"cells": [{"cell_type": "markdown", "source": text.splitlines(keepends=True)}]})


def concatenated(text):
    return " +\n    ".join(json.dumps(line + " ") for line in textwrap.wrap(text, 30))


DISGUISES = {
    "verbatim": lambda text: text,
    "wrapped": lambda text: textwrap.fill(text, 40),
    "line comments": lambda text: textwrap.fill(text, 60, initial_indent="// ", subsequent_indent="// "),
    "block comment": lambda text: "/*\n" + textwrap.indent(textwrap.fill(text, 60), " * ") + "\n */",
    "hash comments": lambda text: textwrap.indent(textwrap.fill(text, 50), "    # "),
    "concatenated strings": concatenated,
    "upper case": str.upper,
    "curly quotes and hard spaces": lambda text: text.replace('"', "\u201c").replace(" ", "\u00a0"),
    "zero-width letters": "\u200b".join,
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "JSON": lambda text: json.dumps({"prompt": text}),
    "JSON in JSON": lambda text: json.dumps({"body": json.dumps({"prompt": text})}),
    "JSON with every letter escaped": lambda text: "".join(f"\\u{ord(c):04x}" for c in text),
    "HTML entities": html.escape,
    "notebook": lambda text: notebook(textwrap.fill(text, 60)),
    "markdown": lambda text: " ".join(f"**{word}**" for word in text.split()),
    "quoted mail": lambda text: textwrap.indent(textwrap.fill(text, 70), "> > "),
    "table cell": lambda text: f"| 1 | {text} | yes |",
}


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
@pytest.mark.parametrize("disguise", DISGUISES.values(), ids=DISGUISES)
def test_a_disguised_prompt_decides(tmp_path, disguise, prompt):
    (tmp_path / "file.txt").write_text("before\n" + disguise(prompt) + "\nafter", encoding="utf-8")
    (hit,) = scan_tree(tmp_path, {"q": prompt})
    assert (hit.path, hit.needle, hit.kind, hit.windows, hit.decisive) == ("file.txt", "q", "prompt", 5, True)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_an_encoding_hides_nothing(tmp_path, encoding):
    (tmp_path / "file").write_bytes(f"{PROMPTS['callers']} {CANARY}".encode(encoding))
    assert [hit.kind for hit in scan_tree(tmp_path, {**PROMPTS, "canary": CANARY})] == ["canary", "prompt"]


@pytest.mark.parametrize(
    "text",
    [
        CANARY,
        f'{{"canary": "{CANARY}", "answer": 1}}',
        CANARY.upper(),
        CANARY[:30] + "\n# " + CANARY[30:],  # broken by a line's end
        f"prefix_{CANARY}_suffix",
        f"\x00\x01binary\xff{CANARY}\x00",
    ],
)
def test_a_canary_decides_wherever_it_is(tmp_path, text):
    (tmp_path / "rows.jsonl").write_text(text, encoding="latin-1")
    (hit,) = scan_tree(tmp_path, {"canary": CANARY})
    assert (hit.kind, hit.decisive, hit.path) == ("canary", True, "rows.jsonl")


@pytest.mark.parametrize("name", [f"{CANARY}.txt", f"{CANARY}/empty.txt", ".hidden/.ignored"])
def test_names_and_hidden_folders_are_searched(tmp_path, name):
    place = tmp_path / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(CANARY if "hidden" in name else "")
    (tmp_path / ".gitignore").write_text("*\n")
    assert [hit.path for hit in scan_tree(tmp_path, {"canary": CANARY})] == [name]


def test_another_suites_canary_is_none_of_ours(tmp_path):
    (tmp_path / "x").write_text(CANARY.replace("1", "2"))
    assert scan_tree(tmp_path, {"canary": CANARY}) == []


def test_a_part_of_a_prompt_is_weak(tmp_path):
    words = PROMPTS["timeout"].split()
    (tmp_path / "x").write_text(" ".join(words[: len(words) // 4]))
    (hit,) = scan_tree(tmp_path, PROMPTS)
    assert 0 < hit.windows < DECISIVE_WINDOWS
    assert not hit.decisive


def test_the_windows_are_spread_over_the_whole_prompt():
    found = windows(" ".join(f"w{n}" for n in range(30)))
    assert [window.split()[0] for window in found] == ["w0", "w6", "w12", "w18", "w24"]
    assert found[-1].split()[-1] == "w29"


@pytest.mark.parametrize(("words", "count"), [(0, 0), (1, 1), (6, 1), (7, 2), (9, 4), (10, 5), (100, 5)])
def test_a_short_prompt_has_fewer_windows(words, count):
    assert len(windows(" ".join(["word"] * words))) == count


def test_a_prompt_without_words_is_found_nowhere(tmp_path):
    (tmp_path / "x").write_text("anything")
    assert scan_tree(tmp_path, {"empty": "…"}) == []


def test_an_unrelated_text_has_no_hit():
    import mkdocs

    assert scan_tree(__import__("pathlib").Path(mkdocs.__file__).parent, {**PROMPTS, "canary": CANARY}) == []


def test_what_cannot_be_searched_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(scan, "MAX_FILE_BYTES", 10)
    (tmp_path / "big").write_text(CANARY)
    (hit,) = scan_tree(tmp_path, {"canary": CANARY})
    assert (hit.path, hit.kind, hit.decisive) == ("big", "unreadable", False)


def test_links_are_not_followed(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "key").write_text(CANARY)
    (tmp_path / "tree" / "link").symlink_to(tmp_path / "key")
    assert scan_tree(tmp_path / "tree", {"canary": CANARY}) == []


def test_a_transcript_is_searched_the_same_way():
    (hit,) = scan_text("transcript", json.dumps({"read": CANARY}), {"canary": CANARY})
    assert hit.path == "transcript"


@given(st.text())
def test_normalising_is_idempotent_and_ignores_case(text):
    once = normalise(text.replace("\\", "").replace("&", ""))
    assert normalise(once) == once
    assert normalise(once.upper().lower()) == normalise(once.upper())


@given(st.text(), st.text())
def test_a_text_around_it_never_hides_a_prompt(before, after):
    hits = scan_text("x", f"{before}\n{PROMPTS['callers']}\n{after}", PROMPTS)
    assert any(hit.needle == "callers" and hit.decisive for hit in hits)


HARNESS = ("bench/**",)


@pytest.mark.parametrize(
    ("path", "decisive"),
    [("bench/runner.py", True), ("docs/bench.md", False)],  # the same line, and where it stands
)
def test_one_line_of_a_prompt_decides_in_source_of_the_benchmark_alone(tmp_path, path, decisive):
    words = PROMPTS["timeout"].split()
    (tmp_path / path).parent.mkdir()
    (tmp_path / path).write_text(" ".join(words[: len(words) // 4]))
    (hit,) = scan_tree(tmp_path, Needles.texts(PROMPTS), harness=HARNESS)
    assert hit.decisive is decisive


def test_a_leak_term_decides_at_one_hit_in_any_disguise(tmp_path):
    needles = Needles(terms={"timeout": ("the reaper in pool.c, not the listener",)})
    (tmp_path / "notes.md").write_text("> it is **the** reaper (in `pool.c`),\n> not the listener!")
    (tmp_path / "other.md").write_text("the listener, not the reaper in pool.c")
    (hit,) = scan_tree(tmp_path, needles)
    assert (hit.path, hit.kind, hit.decisive) == ("notes.md", "term", True)


def test_a_prompt_of_three_words_is_looked_for_nowhere(tmp_path):
    (tmp_path / "x").write_text("Who calls echo?")
    assert scan_tree(tmp_path, {"short": "Who calls echo?"}) == []


def test_a_phrase_in_common_with_a_short_prompt_is_weak(tmp_path):
    (tmp_path / "x").write_text("Whoever wakes in the middle of the night, waits for the morning.")
    prompt = "Which lock is taken in the middle of the write, and who waits for it meanwhile?"
    assert [hit for hit in scan_tree(tmp_path, {"q": prompt}) if hit.decisive] == []


def test_git_objects_are_judged_but_for_those_that_are_files_of_the_tree():
    known = sha256(CANARY.encode()).hexdigest()
    objects = [("git object 1", CANARY.encode()), ("git object 2", b"tree\0" + CANARY.encode())]
    needles = Needles.texts({"the canary": CANARY})
    assert [hit.path for hit in scan_objects(objects, needles, known={known})] == ["git object 2"]


@pytest.mark.parametrize(
    "canary",
    [
        "benchctl-canary-00000000-0000-0000-0000-000000000000",  # of one digit, found everywhere
        "benchctl-canary-00000000-0000-4000-8000-0000000000ff",
        CANARY,
    ],
)
def test_any_canary_is_found_and_a_text_of_its_digits_is_not(canary):
    assert scan_text("x", f"# {canary}", {"the canary": canary})
    assert scan_text("x", f"{canary[16:]} {canary[:16]}", {"the canary": canary}) == []
