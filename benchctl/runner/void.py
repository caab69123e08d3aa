"""Cells that are found to say nothing about their arm, after the run was closed; and voids taken back.

A void is a row of its own with its reason. The cell's row stays, so that whoever disagrees can
count it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchctl.errors import CellUnknownError, OptionInvalidError
from benchctl.expressions import near
from benchctl.runner.questions import refuse_unasked
from benchctl.schema.reason import checked_reason
from benchctl.store.writing.corrections import VOIDS, Corrected, correct, void_standing
from benchctl.workspace.clock import utc_now

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchctl.store.disk.rows import Row
    from benchctl.store.reader import StoredRun

__all__ = ["Voiding", "VoidingChoice", "void_cells", "voiding"]

_NAMED = 5


@dataclass(frozen=True, slots=True)
class VoidingChoice:
    """Which cells are meant: by name, by question, or all of the run; together they add up."""

    cells: Sequence[str] = ()
    questions: Sequence[str] = ()
    every: bool = False


@dataclass(frozen=True, slots=True)
class Voiding:
    """What voiding (or, with `lift`, counting again) would do.

    `cells` change; `already` stay because they are as asked; `by_outcome` are void by how they ended,
    which no word changes. `counted` and `counted_then` are the cells in the denominators, before and after.
    """

    lift: bool
    why: str
    cells: tuple[str, ...]
    already: tuple[str, ...]
    by_outcome: tuple[str, ...]
    counted: int
    counted_then: int

    def rows(self, noted_at: str) -> list[Row]:
        """Return the rows to append: one for each cell that changes."""
        noted = {"void": not self.lift, "why": self.why, "noted_at": noted_at}
        return [{"cell": cell, **noted} for cell in self.cells]


def void_cells(
    run: StoredRun, choice: VoidingChoice, why: str, *, lift: bool = False, dry_run: bool = False
) -> Corrected[Voiding]:
    """Append a row for each cell that changes in a closed run, and return them. Raises what `voiding` raises."""

    def decide(now: StoredRun) -> tuple[Voiding, list[Row]]:
        found = voiding(now, choice, why, lift=lift)
        return found, found.rows(utc_now("seconds"))

    return correct(run, VOIDS, decide, dry_run=dry_run)


def voiding(run: StoredRun, choice: VoidingChoice, why: str, *, lift: bool = False) -> Voiding:
    """Return what would change in a closed run. Raises OptionInvalidError, or CellUnknownError with near names."""
    why = checked_reason(why)
    rows = run.cells()
    meant = _meant(run, rows, choice)
    standing = {str(row["cell"]): void_standing(row, void=not lift) for row in rows if row["cell"] in meant}
    changing, already, by_outcome = (
        tuple(cell for cell, each in standing.items() if each == what)
        for what in ("changes", "already", "by outcome")
    )
    counted = sum(not row["void"] for row in rows)
    return Voiding(
        lift=lift,
        why=why,
        cells=changing,
        already=already,
        by_outcome=by_outcome,
        counted=counted,
        counted_then=counted + len(changing) * (1 if lift else -1),
    )


def _meant(run: StoredRun, rows: Sequence[Row], choice: VoidingChoice) -> frozenset[str]:
    """Return the names of the chosen cells."""
    if not (choice.cells or choice.questions or choice.every):
        raise OptionInvalidError(
            "no cell is named",
            expected="cells, `--question NAME`, or `--all` for the whole run",
            next_step=f"`benchctl show {run.id}` lists the cells",
        )
    names = [str(row["cell"]) for row in rows]
    if choice.every:
        return frozenset(names)
    _refuse_unknown(run, choice.cells, names)
    refuse_unasked(run.id, "--question", choice.questions, (str(row["question"]) for row in rows))
    return frozenset(choice.cells) | {str(row["cell"]) for row in rows if row["question"] in choice.questions}


def _refuse_unknown(run: StoredRun, wanted: Sequence[str], names: Sequence[str]) -> None:
    known = set(names)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        like = [text for name in unknown[:_NAMED] if (text := near(name, names))]
        raise CellUnknownError(
            f"run {run.id} has no cell {', '.join(repr(name) for name in unknown)}",
            expected=f"such as {'; '.join(like)}" if like else None,
            next_step=f"`benchctl show {run.id}` lists them; nothing was changed",
        )
