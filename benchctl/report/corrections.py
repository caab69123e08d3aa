"""What was noted about a closed run later: its gradings, voids by hand, token counts that arrived late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchctl.errors import GenerationUnknownError
from benchctl.quantities.format import counted
from benchctl.report.term import Term

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from benchctl.store.reader import StoredRun

__all__ = ["corrections", "generations", "grading"]

_MOST_NAMED = 5


def generations(run: StoredRun) -> tuple[int, ...]:
    """Return the gradings that a run has, ascending; an open run has its first."""
    return tuple(run.manifest.files_of_table("grades")) if run.manifest else (1,)


def grading(run: StoredRun, generation: int | None) -> str:
    """Return which grading the figures are of; empty where there is only one.

    Raises GenerationUnknownError for a generation that the run does not have.
    """
    known = generations(run)
    if generation is not None and generation not in known:
        raise GenerationUnknownError(
            f"run {run.id} has no grades of generation {generation}",
            expected=f"one of {', '.join(map(str, known))}",
        )
    if len(known) < 2:
        return ""
    newest = generation in (None, known[-1])
    others = ", ".join(str(each) for each in known if each != (generation or known[-1]))
    return f"grades of generation {generation or known[-1]}, {'the newest' if newest else 'not the newest'} (also {others})"


def corrections(run: StoredRun, generation: int | None = None) -> tuple[Term, ...]:
    """Return a term for each kind of later note that the run has. Raises what `grading` raises."""
    graded = grading(run, generation)
    return (
        *([Term("Grading", (graded,))] if graded else []),
        *_noted("Voided by hand", run.rows("voids", "ORDER BY generation, cell"), _void),
        *_noted("Late usage", run.rows("backfills", "ORDER BY generation, cell"), lambda _: "given later"),
    )


def _void(row: Mapping[str, Any]) -> str:
    return "void" if row["void"] else "no longer void"


def _noted(name: str, rows: Iterable[Mapping[str, Any]], what: Any) -> tuple[Term, ...]:
    """Return one term with a line a note: how many cells, why, when; the first cells by name."""
    notes: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        notes.setdefault((str(row["noted_at"]), what(row), str(row["why"])), []).append(str(row["cell"]))
    lines = tuple(
        f"{counted(len(cells), 'cell')} {said}, {at}: {why} ({_named(cells)})"
        for (at, said, why), cells in notes.items()
    )
    return (Term(name, lines, alarm=True),) if lines else ()


def _named(cells: list[str]) -> str:
    more = len(cells) - _MOST_NAMED
    return ", ".join(cells[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
