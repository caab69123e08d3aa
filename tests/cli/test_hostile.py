"""Whatever a file, a row or a name holds: no command sends a control character to a terminal."""

import ast
import json
import re
import unicodedata
from pathlib import Path

import pytest
from results_file import make_import, plain
from synthetic_run import HOSTILE, RUN, Recipe, make_project

import benchctl.cli
from benchctl.cli import exit_code
from benchctl.cli.console import put, put_json

BAD = "\x1b[2K\r\x9b31m\x7f\u202e\U000e0001"
NAMED = f"evil{BAD}"
PAGE = f"""---
benchctl:
  run: {RUN}
---

# Page {BAD}

It is 0.1<!--= score.macro[arm='{BAD}'] --> and 0.123{BAD} of `x{BAD}`.
"""
COMMANDS = [
    ("runs",),
    ("status",),
    ("show", RUN),
    ("show", RUN, "click-q1/grep/script/none/1"),
    ("show", "imp"),
    ("show", "imp", "CELL"),
    ("show", "imp", f"no{BAD}"),
    ("show", f"no{BAD}"),
    ("report", RUN),
    ("report", RUN, "--format", "md"),
    ("report", RUN, "--format", "html"),
    ("report", RUN, "--stamp"),
    ("report", "imp"),
    ("report", "imp", "--table", f"no{BAD}"),
    ("query", "select * from cells"),
    ("query", "select * from transcripts"),
    ("query", f"select 1 as \"a{BAD}\", '{BAD}' as b"),
    ("query", f"select {BAD}"),
    ("verify-claims",),
    ("verify-claims", "--format", "json"),
    ("verify-claims", "--fix"),
    ("claims", "suggest", f"site/{NAMED}.md"),
    ("verify-store",),
    ("plan",),
    ("plan", f"no{BAD}"),
    ("gc",),
    ("void", RUN, "--all", "--why", BAD, "--dry-run"),
    ("regrade", RUN, "--dry-run"),
    ("backfill", RUN, NAMED, "--as", "jsonl", "--dry-run"),
    ("import", "csv", NAMED, "--dry-run"),
    ("merge", f"no{BAD}", "--dry-run"),
    ("export", "imp", "--to", f"out{BAD}"),
    ("site", "render", "--out", f"out{BAD}"),
    (f"no{BAD}",),
    ("runs", f"--no{BAD}"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    root = tmp_path_factory.mktemp("hostile")
    made = make_project(root, Recipe(hostile=True, questions=1, reps=1, failed=True))
    rows = [{**row, "remark": HOSTILE + BAD, f"own{BAD}": "x", "tool": f"rg{BAD}"} for row in plain(4)]
    make_import(
        made.store, rows=[{**row, "task": str(n)} for n, row in enumerate(rows)], mapped={"agent": "tool"},
        notes=(BAD,), file=f"{NAMED}.csv", null_texts=(BAD,),
    )  # fmt: skip
    (root / NAMED).write_text(f"a,b{BAD}\n1,{BAD}\n2,y{BAD}\n", newline="")
    (root / "site").mkdir(exist_ok=True)
    (root / "site" / f"{NAMED}.md").write_text(PAGE, newline="")
    (root / "data" / "runs" / f"x{BAD}").mkdir()
    (root / "data" / "runs" / f"x{BAD}" / f"y{BAD}").write_text(BAD)
    return root, made.store.run("imp").cells()[0]["cell"]


def control(text):
    """Return the characters that a terminal may obey; a line end and a tab are none."""
    return sorted(
        {char for char in text if char not in "\n\t" and unicodedata.category(char) in {"Cc", "Cf", "Cs"}}
    )


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words).encode("unicode_escape"))
@pytest.mark.parametrize("form", ["text", "json"])
def test_no_command_sends_a_control_character(project, words, form, capsys, monkeypatch):
    root, cell = project
    monkeypatch.chdir(root)
    words = [cell if word == "CELL" else word for word in words]
    takes_form = form == "json" and words[0] != "site" and not {"--format", "--stamp"} & {*words}
    exit_code([*words, *(["--format", "json"] if takes_form else [])])
    out, err = capsys.readouterr()
    assert out or err
    assert control(out + err) == []
    if takes_form and out:
        json.loads(out)


@pytest.mark.parametrize(
    "words", [("query", "select agent from cells"), ("query", "select remark from cells")]
)
def test_csv_is_exact_in_a_file_and_written_out_on_a_terminal(project, words, capsys, monkeypatch):
    monkeypatch.chdir(project[0])
    assert exit_code([*words, "--project", str(project[0]), "--format", "csv"]) in (0, 1)
    assert "\x1b" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    exit_code([*words, "--format", "csv"])
    out, err = capsys.readouterr()
    assert control(out + err) == []
    assert r"\u001b" in out


def test_json_stays_json(capsys):
    put_json({"a": BAD})
    out = capsys.readouterr().out
    assert control(out) == []
    assert json.loads(out) == {"a": BAD}


def test_the_console_is_the_one_door():
    folder = Path(benchctl.cli.__file__).parent
    for path in sorted(folder.glob("*.py")):
        if path.name == "console.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            assert not re.fullmatch(r"print|click\.(secho|echo|style)|sys\.std(out|err)\.write", called), path
            assert called != "json.dumps", f"{path}: put_json is the door of every document"


def test_what_is_put_is_no_command_unless_it_is_meant(capsys):
    put("::error::a\n \xa0::b\n##[group]c ##vso[d] :: e\n# f")
    lines = r"\u003a:error::a", " \xa0\\u003a:b", r"\u0023#[group]c \u0023#vso[d] :: e", "# f"
    assert capsys.readouterr().out.splitlines() == list(lines)
    put("::error::a", commands=True)
    assert capsys.readouterr().out == "::error::a\n"
