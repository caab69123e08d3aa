"""One cell from a fresh copy to a graded row: attempts, each in a folder of its own, then the grade."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from benchctl.runner.attempt import changed, run_attempt
from benchctl.runner.grade import grade_answer
from benchctl.schema.evidence import VOID_OUTCOMES, Evidence
from benchctl.workspace.cells import fresh_cell
from benchctl.workspace.clock import utc_now

if TYPE_CHECKING:
    from benchctl.runner.interrupts import Interrupts
    from benchctl.runner.ready import Ready
    from benchctl.schema.grade import Grade
    from benchctl.schema.run import PlannedCell
    from benchctl.store.writing.writer import RunWriter

__all__ = ["RETRIED", "run_cell"]

RETRIED: frozenset[str] = VOID_OUTCOMES - {"escape", "contaminated"} | {"timeout", "no_result"}
"""What is tried again while attempts are left: what the machine did to a cell, time-outs and silence."""


def run_cell(
    ready: Ready, writer: RunWriter, planned: PlannedCell, marker: str, interrupts: Interrupts
) -> Evidence | None:
    """Run a cell to its last attempt and journal every step; return that attempt, None where another has the cell.

    The cell has `plan.attempts` attempts here; what an earlier process began is counted on and not among
    them. Before an attempt starts it is journalled and fsynced; when its end is journalled, it cannot be
    lost. An interrupt is journalled as the attempt's end, so that whoever resumes runs the cell again.
    """
    left = ready.plan.attempts
    while True:
        left -= 1
        with fresh_cell(ready.bases[planned.repo], ready.root) as folder, interrupts.held():
            clock = _Clock()
            attempt = writer.claim(planned.cell, clock.started_at)
            if attempt is None:
                return None
            try:
                with interrupts.released():
                    evidence = run_attempt(ready, planned, folder, attempt, f"{marker}-{attempt}")
            except KeyboardInterrupt:
                writer.end(clock.interrupted(planned.cell, attempt, ready.sandbox.level))
                raise
            evidence = changed(evidence, folder)
            if evidence.outcome not in RETRIED or not left:
                writer.finish(evidence, _grade(ready, planned, evidence, str(folder.tree)))
                return evidence
            writer.end(evidence)


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
