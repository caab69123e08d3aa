"""One cell from a fresh tree to a graded row: attempts, each in a folder of its own, then the grade."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchctl.runner.attempt import run_attempt
from benchctl.runner.environment import agent_secrets
from benchctl.runner.grade import grade_answer
from benchctl.runner.setting import Setting
from benchctl.schema.evidence import AGAIN_OUTCOMES, Evidence
from benchctl.workspace.cells import fresh_cell
from benchctl.workspace.clock import utc_now

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchctl.runner.interrupts import Interrupts
    from benchctl.runner.ready import Ready
    from benchctl.runner.setting import Start
    from benchctl.schema.grade import Grade
    from benchctl.schema.run import PlannedCell
    from benchctl.store.writing.writer import RunWriter

__all__ = ["RETRIED", "VOID_AGAIN", "Sitting", "run_cell"]

RETRIED: frozenset[str] = frozenset({"timeout", "no_result"})
"""What an agent did and may try again while the attempts of its arm are left."""

VOID_AGAIN = 3
"""How often a cell is run again in one sitting for what the machine did to it; then it is left for another one."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """What all cells of one sitting of a run are run with.

    `start` starts their processes. `ended` hears how every attempt ended, and gives a reason where no further
    one may begin.
    """

    ready: Ready
    writer: RunWriter
    interrupts: Interrupts
    start: Start
    ended: Callable[[str], str | None] = lambda _: None


def run_cell(sitting: Sitting, planned: PlannedCell, marker: str) -> Evidence | None:
    """Run a cell to its last attempt and journal every step; return that attempt, None where there is none.

    There is none where another has the cell, and where the sitting gives a reason to begin no further one: the
    cell then stays without a result, and so does one whose last attempt here ended by what the machine did (one
    of AGAIN_OUTCOMES): whoever goes on with the run runs it again. The cell has `plan.attempts` attempts
    here; what an earlier process began is counted on and not among them, and neither is what the machine did.
    Before an attempt starts it is journalled and fsynced; when its end is journalled, it cannot be lost. An
    interrupt is journalled as the attempt's end, so that whoever resumes runs the cell again.
    """
    ready, writer, interrupts = sitting.ready, sitting.writer, sitting.interrupts
    left, again = ready.plan.attempts, VOID_AGAIN
    while True:
        with interrupts.held():
            done = _attempted(sitting, planned, marker)
            if done is None:
                return None
            evidence, tree = done
            # Only now, with the folder gone: what fills a disk leaves no room for the line that tells of it.
            void = evidence.outcome in AGAIN_OUTCOMES
            left, again = left - (not void), again - void
            last = not void and (evidence.outcome not in RETRIED or left <= 0)
            if last:
                writer.finish(evidence, _grade(ready, planned, evidence, tree))
            else:
                writer.end(evidence)
        stop = sitting.ended(evidence.outcome)
        if last or again < 0:
            return evidence
        if stop:
            return None


def _attempted(sitting: Sitting, planned: PlannedCell, marker: str) -> tuple[Evidence, str] | None:
    """Run the next attempt in a folder of its own; return what it left and where its tree was, the folder removed.

    None where another has the cell. An interrupt is journalled as the attempt's end and raised again.
    """
    ready, writer, interrupts = sitting.ready, sitting.writer, sitting.interrupts
    base, git = ready.bases[planned.repo], ready.suite.arms[planned.arm].git
    secrets = agent_secrets(ready.suite.agents[planned.agent])
    attempt: int | None = None
    clock = _Clock()
    try:
        with ExitStack() as place:
            with interrupts.released():
                folder = place.enter_context(fresh_cell(base, ready.root, git=git))
            clock = _Clock()
            attempt = writer.claim(planned.cell, clock.started_at)
            if attempt is None:
                return None
            setting = Setting(ready, planned, folder, f"{marker}-{attempt}", sitting.start, secrets)
            with interrupts.released():
                evidence = run_attempt(setting, attempt)
        return evidence, str(folder.tree)
    except KeyboardInterrupt:
        if attempt is not None:
            writer.end(clock.interrupted(planned.cell, attempt, ready.sandbox.level))
        raise


def _grade(ready: Ready, planned: PlannedCell, evidence: Evidence, tree: str) -> Grade:
    question = ready.question(planned.question)
    return grade_answer(question, ready.gold[question.id].items, evidence.answer, (tree,))


class _Clock:
    """When an attempt was begun, for the evidence of one that never came to an end of its own."""

    def __init__(self) -> None:
        self.started_at = utc_now()
        self._started = time.monotonic()

    def interrupted(self, cell: str, attempt: int, sandbox: str) -> Evidence:
        """Return the evidence of an attempt that is interrupted now."""
        return Evidence(
            cell=cell,
            attempt=attempt,
            outcome="interrupted",
            started_at=self.started_at,
            ended_at=utc_now(),
            wall_s=time.monotonic() - self._started,
            cpu_s=None,
            exit_code=None,
            answer=None,
            sandbox=sandbox,
            detail="the run was interrupted",
        )
