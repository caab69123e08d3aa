"""Late token counts and costs, filled in beside what a run has; never over a figure that was reported in time.

Tokens are one group and dollars another: a group is filled whole or not at all, so that no stale
count stands beside a fresh one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchctl.expressions import near
from benchctl.runner.late_usage import LateUsage, refuse_rows
from benchctl.schema.usage import USAGE_GROUPS, usage_problem
from benchctl.store.writing.corrections import BACKFILLS, Corrected, correct, reported_usage
from benchctl.workspace.clock import utc_now

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from benchctl.store.disk.rows import Row
    from benchctl.store.reader import StoredRun

__all__ = ["Backfilling", "UsageMove", "backfill", "backfilling"]


@dataclass(frozen=True, slots=True)
class UsageMove:
    """A group of a cell's figures that changes; `was` and `now` hold its columns."""

    cell: str
    line: int
    group: str
    was: Mapping[str, Any]
    now: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Backfilling:
    """What a file would change. `cells` is how many cells; `already` counts its rows that are there."""

    cells: int
    moves: tuple[UsageMove, ...]
    already: int

    def rows(self, why: str, noted_at: str) -> list[Row]:
        """Return the rows to append: a cell's groups that change."""
        rows: dict[str, Row] = {}
        for move in self.moves:
            rows.setdefault(move.cell, {"cell": move.cell, "why": why, "noted_at": noted_at}).update(move.now)
        return list(rows.values())


def backfill(
    run: StoredRun, path: Path, usage: Sequence[LateUsage], why: str, *, dry_run: bool = False
) -> Corrected[Backfilling]:
    """Append what the rows of a file change in a closed run, and return it. Raises what `backfilling` raises."""

    def decide(now: StoredRun) -> tuple[Backfilling, list[Row]]:
        found = backfilling(now, path, usage)
        return found, found.rows(why, utc_now("seconds"))

    return correct(run, BACKFILLS, decide, dry_run=dry_run)


def backfilling(run: StoredRun, path: Path, usage: Sequence[LateUsage]) -> Backfilling:
    """Return what the rows of a file would change in a closed run; the same file again changes nothing.

    Raises BackfillInvalidError with every row that cannot be used: an unknown cell, a cell twice, or a
    group that was reported first-hand.
    """
    refuse_rows(path, _problems(usage, reported_usage(run)))
    cells = {str(row["cell"]): row for row in run.cells()}
    moves = tuple(move for late in usage for move in _moves(late, cells[late.cell]))
    moved = len({move.cell for move in moves})
    return Backfilling(moved, moves, len(usage) - moved)


def _moves(late: LateUsage, cell: Row) -> list[UsageMove]:
    moves = []
    for group, columns in USAGE_GROUPS.items():
        now = {column: late.row[column] for column in columns}
        was = {column: cell[column] for column in columns}
        if was != now and any(late.row[column] is not None for column in columns[:-1]):
            moves.append(UsageMove(late.cell, late.line, group, was, now))
    return moves


def _problems(usage: Sequence[LateUsage], known: Mapping[str, Row]) -> list[tuple[int, str]]:
    problems = []
    first: dict[str, int] = {}
    for late in usage:
        if late.cell not in known:
            like = near(late.cell, known)
            problems.append((late.line, f"no cell {late.cell!r}{f'; such as {like}' if like else ''}"))
        elif late.cell in first:
            problems.append((late.line, f"cell {late.cell} stands on line {first[late.cell]} already"))
        elif problem := usage_problem(late.row, known[late.cell]):
            problems.append((late.line, f"cell {late.cell}: {problem}"))
        first.setdefault(late.cell, late.line)
    return problems
