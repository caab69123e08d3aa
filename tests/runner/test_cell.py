"""One cell's attempts, with the process replaced by what it is said to have done."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from benchctl.planning.questions import GoldOutcome
from benchctl.runner import cell as cell_module
from benchctl.runner.cell import RETRIED, run_cell
from benchctl.runner.interrupts import Interrupts
from benchctl.schema.evidence import OUTCOMES, Evidence
from benchctl.schema.suite import Question, QuestionGold

QUESTION = Question(id="q", repo="r", question_class="c", prompt="p", gold=QuestionGold(items=("a",)))


class Writer:
    def __init__(self, attempts=0, *, taken=False):
        self.started = attempts
        self.taken = taken
        self.log = []

    def claim(self, _cell, _started_at):
        if self.taken:
            return None
        self.started += 1
        self.log.append(("start", self.started))
        return self.started

    def end(self, evidence):
        self.log.append(("end", evidence.attempt, evidence.outcome))

    def finish(self, evidence, grade):
        self.log.append(("finish", evidence.attempt, evidence.outcome, grade.score))


@pytest.fixture
def run(monkeypatch, tmp_path):
    folders = []

    @contextmanager
    def fresh(base, _root):
        folders.append(base)
        yield SimpleNamespace(tree=tmp_path, changed_files=lambda: ("x",))

    monkeypatch.setattr(cell_module, "fresh_cell", fresh)

    def go(outcomes, *, attempts, writer=None):
        writer = writer or Writer()
        said = iter(outcomes)

        def attempt(_ready, _planned, _folder, number, _marker):
            outcome = next(said)
            if outcome is KeyboardInterrupt:
                raise KeyboardInterrupt
            return Evidence("q/a", number, outcome, "", "", 1.0, None, 0, '["a"]')

        monkeypatch.setattr(cell_module, "run_attempt", attempt)
        ready = SimpleNamespace(
            plan=SimpleNamespace(attempts=attempts),
            bases={"r": "base"},
            root=tmp_path,
            sandbox=SimpleNamespace(level="none"),
            gold={"q": GoldOutcome("q", ("a",))},
            question=lambda _: QUESTION,
        )
        planned = SimpleNamespace(cell="q/a", repo="r", question="q")
        with Interrupts() as interrupts:
            run_cell(ready, writer, planned, "m", interrupts)
        return writer.log, len(folders)

    return go


def test_a_good_attempt_is_the_only_one(run):
    assert run(["ok"], attempts=3) == ([("start", 1), ("finish", 1, "ok", 1.0)], 1)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_only_some_outcomes_are_tried_again(run, outcome):
    log, folders = run([outcome, "ok"], attempts=2)
    retried = outcome in {"timeout", "no_result", "host_stalled", "interrupted", "sandbox_error"}
    assert (outcome in RETRIED) is retried
    assert log[-1][:3] == (("finish", 2, "ok") if retried else ("finish", 1, outcome))
    assert folders == (2 if retried else 1), "every attempt has a fresh copy"


def test_the_last_attempt_is_final_whatever_it_is(run):
    log, _ = run(["timeout", "timeout"], attempts=2)
    assert log == [("start", 1), ("end", 1, "timeout"), ("start", 2), ("finish", 2, "timeout", 1.0)]


def test_attempts_of_an_earlier_process_are_counted_on(run):
    log, _ = run(["ok"], attempts=1, writer=Writer(attempts=4))
    assert log == [("start", 5), ("finish", 5, "ok", 1.0)]


def test_a_cell_that_another_process_has_is_not_run(run):
    assert run([], attempts=3, writer=Writer(taken=True)) == ([], 1)


def test_an_interrupt_is_journalled_and_leaves_the_cell_open(run):
    writer = Writer()
    with pytest.raises(KeyboardInterrupt):
        run([KeyboardInterrupt], attempts=3, writer=writer)
    assert writer.log == [("start", 1), ("end", 1, "interrupted")]
