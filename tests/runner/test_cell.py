"""One cell's attempts, with the process replaced by what it is said to have done."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from types import SimpleNamespace

import pytest

from benchctl.planning.questions import GoldOutcome
from benchctl.runner import cell as cell_module
from benchctl.runner.cell import RETRIED, VOID_AGAIN, Sitting, run_cell
from benchctl.runner.interrupts import Interrupts
from benchctl.schema.evidence import AGAIN_OUTCOMES, OUTCOMES, Evidence
from benchctl.schema.suite import AgentSpec, Arm, Question, QuestionGold

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
    def fresh(base, _root, *, git):
        folders.append((base, git))
        go.standing = True
        try:
            yield SimpleNamespace(tree=tmp_path)
        finally:
            go.standing = False

    monkeypatch.setattr(cell_module, "fresh_cell", fresh)

    def go(outcomes, *, attempts, writer=None, ended=lambda _: None, git=False):
        writer = writer or Writer()
        said = iter(outcomes)

        def attempt(setting, number):
            assert setting.marker == f"m-{number}"
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
            suite=SimpleNamespace(arms={"a": Arm(title="a", git=git)}, agents={"s": AgentSpec(argv=("x",))}),
        )
        planned = SimpleNamespace(cell="q/a", repo="r", question="q", arm="a", agent="s")
        with Interrupts() as interrupts:
            go.returned = run_cell(Sitting(ready, writer, interrupts, None, ended), planned, "m")
        go.git = [given for _, given in folders]
        return writer.log, len(folders)

    return go


def test_a_good_attempt_is_the_only_one(run):
    assert run(["ok"], attempts=3) == ([("start", 1), ("finish", 1, "ok", 1.0)], 1)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_only_some_outcomes_are_tried_again(run, outcome):
    log, folders = run([outcome, "ok"], attempts=2)
    retried = outcome in {
        "timeout", "no_result", "host_stalled", "interrupted", "sandbox_error", "prepare_error",
    }  # fmt: skip
    assert (outcome in RETRIED | AGAIN_OUTCOMES) is retried
    assert log[-1][:3] == (("finish", 2, "ok") if retried else ("finish", 1, outcome))
    assert folders == (2 if retried else 1), "every attempt has a fresh copy"


@pytest.mark.parametrize("outcome", sorted(AGAIN_OUTCOMES))
def test_what_the_machine_did_uses_up_no_attempt_of_the_arm(run, outcome):
    log, folders = run([outcome, outcome, "ok"], attempts=1)
    assert log[-1] == ("finish", 3, "ok", 1.0)
    assert folders == 3


@pytest.mark.parametrize("outcome", sorted(AGAIN_OUTCOMES))
def test_a_cell_to_which_the_machine_does_it_again_and_again_is_left_for_another_sitting(run, outcome):
    log, folders = run([outcome] * (VOID_AGAIN + 1), attempts=1)
    assert log[-1] == ("end", VOID_AGAIN + 1, outcome), "and has no result"
    assert run.returned.outcome == outcome
    assert folders == VOID_AGAIN + 1


def test_the_attempts_of_an_arm_and_what_the_machine_did_are_counted_apart(run):
    log, _ = run(["timeout", "host_stalled", "timeout", "host_stalled", "timeout"], attempts=3)
    assert log[-1][:3] == ("finish", 5, "timeout")


def test_a_sitting_that_is_to_stop_begins_no_further_attempt_and_leaves_the_cell_open(run):
    heard = []

    def ended(outcome):
        heard.append(outcome)
        return "enough" if len(heard) == 2 else None

    log, _ = run(["host_stalled", "timeout", "ok"], attempts=3, ended=ended)
    assert log[-1] == ("end", 2, "timeout")
    assert heard == ["host_stalled", "timeout"]
    assert run.returned is None


def test_a_last_attempt_is_a_result_also_where_the_sitting_then_stops(run):
    log, _ = run(["api_error"], attempts=1, ended=lambda _: "enough")
    assert log[-1][:3] == ("finish", 1, "api_error")
    assert run.returned.outcome == "api_error"


@pytest.mark.parametrize("git", [True, False])
def test_an_arm_that_gets_a_repository_gets_it_in_every_attempt(run, git):
    run(["timeout", "ok"], attempts=2, git=git)
    assert run.git == [git, git]


@pytest.mark.parametrize("outcomes", [["ok"], ["timeout", "ok"], [KeyboardInterrupt]])
def test_the_folder_is_gone_when_the_end_is_journalled(run, outcomes):
    """A cell that fills the disk would leave no room for the line that tells of it."""
    stood = []

    class Watching(Writer):
        def end(self, evidence):
            stood.append(run.standing)
            super().end(evidence)

        def finish(self, evidence, grade):
            stood.append(run.standing)
            super().finish(evidence, grade)

    with suppress(KeyboardInterrupt):
        run(outcomes, attempts=2, writer=Watching())
    assert stood == [False] * len(outcomes)


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
