from __future__ import annotations

import re
import time
from collections import Counter
from types import SimpleNamespace

import pytest

from benchctl.cli.console import Console
from benchctl.cli.progress import LiveView
from benchctl.runner.progress import Standing
from benchctl.schema.run import RefusalRecord
from benchctl.schema.spent import Spent

ERASED = "\r\x1b[J"


class Clock:
    def __init__(self, step_s=0.0):
        self.now_s, self.step_s = 1000.0, step_s

    def __call__(self):
        self.now_s += self.step_s
        return self.now_s


@pytest.fixture
def cell():
    return SimpleNamespace(cell="q/arm/agent/none/1")


@pytest.fixture
def terminal(monkeypatch):
    """Make standard error a terminal of so many columns."""

    def make(columns=100):
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
        monkeypatch.delenv("CI", raising=False)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr("os.get_terminal_size", lambda _: SimpleNamespace(columns=columns))
        monkeypatch.setattr("sys.stderr.fileno", lambda: 2)

    return make


def view(clock=None, *, quiet=False, verbose=False, tick_s=None):
    return LiveView(Console(quiet=quiet, verbose=verbose), clock=clock or Clock(), tick_s=tick_s)


def run(view, cell, total, *, done=0, outcome="ok", standing=None):
    view.begin(total, done, standing)
    for _ in range(total - done):
        view.starting(cell)
        view.ended(cell, outcome)
    view.close()


def screen(written):
    """Return the lines that a terminal shows in the end: what is erased is gone, what moves up is drawn over."""
    lines, row = [""], 0
    for part in re.findall(r"\x1b\[\d+A|\r\x1b\[J|\n|[^\n\r\x1b]+", written):
        if part == "\n":
            row += 1
            lines = lines if row < len(lines) else [*lines, ""]
        elif part == ERASED:
            lines = [*lines[:row], ""]
        elif part.startswith("\x1b"):
            row -= int(part[2:-1])
        else:
            lines[row] += part
    return lines


def wait_for(condition):
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.001)


def test_without_a_terminal_progress_is_a_line_every_tenth(capsys, cell):
    run(view(), cell, 200, outcome="timeout")
    out, errors = capsys.readouterr()
    assert out == ""
    lines = errors.splitlines()
    assert lines[0] == "200 cells"
    assert len(lines) == 11
    assert lines[-1] == "200/200 cells · 200 not ok · 0 s gone · last not ok q/arm/agent/none/1: timeout"
    assert "\r" not in errors
    assert "\x1b" not in errors


def test_a_resumed_run_goes_on_counting(capsys, cell):
    before = Standing(outcomes=Counter(ok=7, timeout=2), spent=Spent(1.5))
    live = view()
    live.begin(10, 9, before)
    live.starting(cell)
    live.ended(cell, "no_result", spent=Spent(1.75))
    live.close()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "10 cells, 9 of them done"
    assert lines[1].startswith("10/10 cells · 3 not ok · 1.75 USD spent · ")


@pytest.mark.parametrize(
    ("spent", "said"),
    [
        ((None, None), None),
        ((Spent(0.0), None), "0.00 USD"),
        ((Spent(0.2), Spent(0.5)), "0.50 USD"),
        (
            (Spent(0.2), Spent(0.2, 1, 1.0)),
            "1.20 USD (1.00 USD of it charged for 1 attempt that reported no cost)",
        ),
    ],
)
def test_what_nobody_reports_is_not_said_to_be_free(capsys, cell, spent, said):
    live = view()
    live.begin(2, 0)
    for each in spent:
        live.ended(cell, "ok", spent=each)
    last = capsys.readouterr().err.splitlines()[-1]
    assert (f"{said} spent" in last) if said else ("USD" not in last)


def test_a_cell_that_is_left_for_another_sitting_is_not_done(capsys, cell):
    live = view()
    live.begin(2, 0)
    live.ended(cell, "prepare_error", detail="no compiler", final=False)
    live.close()
    live._say()
    assert "0/2 cells · 0 not ok" in (last := capsys.readouterr().err.splitlines()[-1])
    assert "last not ok q/arm/agent/none/1: prepare_error, no compiler" in last


def test_quiet_says_nothing_and_verbose_names_every_cell(capsys, cell):
    run(view(quiet=True), cell, 10)
    assert capsys.readouterr() == ("", "")
    run(view(verbose=True), cell, 2)
    assert capsys.readouterr().err.count("q/arm/agent/none/1: ok") == 2


def test_a_shard_without_cells_says_so(capsys, cell):
    run(view(), cell, 0)
    assert capsys.readouterr().err == "0 cells\n"


def test_on_a_terminal_the_lines_are_drawn_anew_calmly(capsys, cell, terminal):
    terminal(columns=40)
    run(view(Clock(0.02)), cell, 200)
    errors = capsys.readouterr().err
    assert errors.splitlines()[0] == "200 cells"
    drawn = errors.split(ERASED)
    assert 20 < len(drawn) < 200, "not at every cell"
    assert all(len(line) < 40 for block in drawn[1:] for line in block.splitlines() if "\x1b" not in line)
    assert errors.endswith("\n")
    assert [line for line in screen(errors) if line] == ["200 cells", "200/200 cells · 0 not ok · 16 s gone"]


def test_on_a_terminal_one_sees_what_runs_what_failed_and_what_was_refused(capsys, terminal):
    terminal(columns=200)
    clock = Clock()
    live = view(clock)
    refusals = [
        RefusalRecord(arm="graph", reason="rg not found", required=False),
        RefusalRecord(agent="pi", reason="not installed", next_step="npm install pi"),
    ]
    live.begin(
        48, 9, Standing(outcomes=Counter(ok=8, timeout=1), spent=Spent(0.4), refusals=refusals, wall_s=600.0)
    )
    for number, outcome in enumerate(["timeout", "ok", "api_error", "no_result"]):
        each = SimpleNamespace(cell=f"q{number}/grep/claude/none/1")
        live.starting(each)
        clock.now_s += 30
        live.ended(each, outcome, detail="" if outcome == "ok" else "why\nand more", spent=Spent(0.44))
    live.starting(SimpleNamespace(cell="q9/grep/claude/none/1"))
    clock.now_s += 14
    live.starting(SimpleNamespace(cell="q9/grep/claude/none/1"))
    clock.now_s += 14
    live._redraw()
    written = capsys.readouterr().err
    assert screen(written) == [
        "48 cells, 9 of them done",
        "13/48 cells · 4 not ok · 0.44 USD spent · 2 min 28 s gone · about 21 min 35 s left",
        "now q9/grep/claude/none/1, 14 s of at most 10 min 00 s an attempt",
        "not ok q2/grep/claude/none/1: api_error, why",
        "not ok q3/grep/claude/none/1: no_result, why",
        "refused agent pi: not installed (and 1 more)",
    ]
    live.close()
    left = [line for line in screen(written + capsys.readouterr().err) if line]
    assert [line[:11] for line in left] == ["48 cells, 9", "13/48 cells"]


def test_what_is_said_meanwhile_stands_above_the_lines(capsys, cell, terminal):
    terminal()
    clock = Clock(1.0)
    live = view(clock, verbose=True)
    live.begin(3, 0)
    for _ in range(2):
        live.starting(cell)
        live.ended(cell, "ok")
    shown = screen(capsys.readouterr().err)
    assert shown[:3] == ["3 cells", "q/arm/agent/none/1: ok", "q/arm/agent/none/1: ok"]
    assert shown[3].startswith("2/3 cells")
    assert len(shown) == 4


def test_a_line_never_fills_the_terminal_and_holds_nothing_hostile(capsys, terminal):
    terminal(columns=30)
    clock = Clock(1.0)
    live = view(clock)
    live.begin(2, 0)
    live.ended(SimpleNamespace(cell="q"), "api_error", detail="\x1b[2J漢字漢字漢字漢字漢字")
    drawn = capsys.readouterr().err
    assert "\x1b[2J" not in drawn
    assert "not ok q: api_error, \\u001b" in drawn
    assert max(sum(2 if ord(letter) > 0x2E80 else 1 for letter in line) for line in screen(drawn)) < 30


def test_without_a_width_lines_are_short(capsys, cell, terminal, monkeypatch):
    terminal()

    def no_size(_):
        raise OSError

    monkeypatch.setattr("os.get_terminal_size", no_size)
    run(view(Clock(1.0)), cell, 3)
    assert all(len(line) < 80 for line in screen(capsys.readouterr().err))


def test_a_terminal_is_seen_to_live_and_ci_hears_something_every_minute(cell, terminal, monkeypatch):
    """The thread that draws is a real one; what it is told of the time is not."""
    heard = []
    monkeypatch.setattr("benchctl.cli.console.click.echo", lambda text, **_: heard.append(text))
    clock = Clock()
    live = view(clock, tick_s=0.001)
    live.begin(2, 0)
    live.starting(cell)
    clock.now_s += 59
    quiet = len(heard)
    clock.now_s += 2
    wait_for(lambda: len(heard) > quiet)
    assert heard[-1].startswith("0/2 cells · 0 not ok · 1 min 01 s gone · now q/arm/agent/none/1, 1 min 01 s")
    live.close()
    terminal()
    drawing = view(clock, tick_s=0.001)
    drawing.begin(2, 0)
    drawing.starting(cell)
    clock.now_s += 1
    wait_for(lambda: heard[-1].startswith(ERASED))
    drawing.close()
    drawing.close()
