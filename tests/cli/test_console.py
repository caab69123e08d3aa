from __future__ import annotations

from types import SimpleNamespace

import pytest

from benchctl.cli.console import Console, Line, columns, duration, refusal_lines
from benchctl.schema.run import RefusalRecord


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.4, "0 s"),
        (59.4, "59 s"),
        (59.5, "1 min 00 s"),
        (185, "3 min 05 s"),
        (3599.9, "1 h 00 min"),
        (7620, "2 h 07 min"),
    ],
)
def test_a_duration_reads_as_people_say_it(seconds, shown):
    assert duration(seconds) == shown


def test_columns_are_aligned_and_hostile_text_is_shown_and_not_obeyed():
    shown = columns([("a", None), ("\x1b[31mred", 12)], ("name", "n"))
    assert shown.splitlines() == ["name           n", "a              \N{EN DASH}", r"\u001b[31mred  12"]


def test_a_refusal_says_what_why_and_what_to_do():
    lines = refusal_lines(
        [
            RefusalRecord(
                arm="graph", reason="rg not found", next_step="pip install ripgrep", required=False
            ),
            RefusalRecord(arm="grep", reason="rg not found"),
            RefusalRecord(question="q", reason="too few", required=False),
        ]
    )
    assert lines == [
        "  arm graph (optional): rg not found\n      next: pip install ripgrep",
        "  arm grep: rg not found",
        "  question q: too few",
    ]


def test_what_is_said_of_hostile_things_is_shown_and_not_obeyed(capsys):
    console = Console(verbose=True)
    console.say("a\x1b]0;b\x07\nc")
    console.detail("\u202ed")
    assert capsys.readouterr().err == "a\\u001b]0;b\\u0007\nc\n\\u202ed\n"
    refusal = RefusalRecord(question="q\x1b", reason="r\nnext: none", next_step="\x9b", required=False)
    assert refusal_lines([refusal]) == ["  question q\\u001b: r\\u000anext: none\n      next: \\u009b"]


@pytest.fixture
def cell():
    return SimpleNamespace(cell="q/arm/agent/none/1")


def run(line, cell, total, *, done=0, outcome="ok"):
    line.begin(total, done)
    for _ in range(total - done):
        line.starting(cell)
        line.ended(cell, outcome)
    line.close()


def test_without_a_terminal_progress_is_a_line_every_tenth(capsys, cell):
    run(Line(Console()), cell, 200, outcome="timeout")
    out, errors = capsys.readouterr()
    assert out == ""
    lines = errors.splitlines()
    assert lines[0] == "200 cells"
    assert len(lines) == 11
    assert lines[-1].startswith("200/200 cells · 200 not ok · ")
    assert "\r" not in errors


def test_a_resumed_run_goes_on_counting(capsys, cell):
    run(Line(Console()), cell, 10, done=9)
    assert capsys.readouterr().err.splitlines()[0] == "10 cells, 9 of them done"


def test_quiet_says_nothing_and_verbose_names_every_cell(capsys, cell):
    run(Line(Console(quiet=True)), cell, 10)
    assert capsys.readouterr() == ("", "")
    run(Line(Console(verbose=True)), cell, 2)
    assert capsys.readouterr().err.count("q/arm/agent/none/1: ok") == 2


def test_on_a_terminal_one_line_is_rewritten_calmly(capsys, cell, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("os.get_terminal_size", lambda _: SimpleNamespace(columns=40))
    monkeypatch.setattr("sys.stderr.fileno", lambda: 2)
    ticks = iter(range(10**6))
    monkeypatch.setattr("time.monotonic", lambda: next(ticks) * 0.05)
    run(Line(Console()), cell, 200)
    errors = capsys.readouterr().err
    assert errors.splitlines()[0] == "200 cells"
    shown = errors.split("\r\x1b[2K")
    assert 20 < len(shown) < 200, "not at every cell"
    assert all(len(line) < 40 for line in shown[1:-1]), "never wider than the terminal"
    assert shown[-1].startswith("200/200 cells")
    assert errors.endswith("\n")
