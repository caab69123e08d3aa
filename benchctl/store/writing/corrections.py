"""Corrections of a closed run: grades, voids and late usage, each a new file beside the rows it corrects.

A correction is a row of its own that says why; what it corrects stays. What is written was decided
about the very generation that it follows: who comes second decides anew, and says only what it wrote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeVar

from benchctl.errors import (
    BackfillInvalidError,
    BenchctlError,
    CellUnknownError,
    OptionInvalidError,
    RunOpenError,
)
from benchctl.schema.evidence import VOID_OUTCOMES
from benchctl.schema.reason import reason_problem
from benchctl.schema.result import SCHEMA_VERSION, TABLES
from benchctl.schema.usage import USAGE_GROUPS, usage_problem
from benchctl.store.disk.layout import first_name
from benchctl.store.disk.parquet import read_rows
from benchctl.store.disk.rows import columns_of, signed_row
from benchctl.store.disk.scan import stored_columns
from benchctl.store.disk.sealing import seal_table
from benchctl.store.disk.verified_file import trusted
from benchctl.store.writing.generation import Addition, adding

if TYPE_CHECKING:
    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.manifest import Manifest
    from benchctl.store.disk.rows import Row
    from benchctl.store.reader import StoredRun

__all__ = [
    "BACKFILLS",
    "GRADES",
    "VOIDS",
    "Corrected",
    "append_backfills",
    "append_baselines",
    "append_grades",
    "append_voids",
    "correct",
    "reported_usage",
    "void_standing",
]

_Given = Mapping[str, Any]
_Found = TypeVar("_Found")
_KEPT: Final = (
    "cell",
    "order",
    "outcome",
    "void",
    *(name for group in USAGE_GROUPS.values() for name in group),
)
_NOT_CONTENT: Final = frozenset({"generation", "row_digest", "noted_at", "why"})


@dataclass(frozen=True, slots=True)
class _Correction:
    """What is particular to the corrections of one table.

    `whole` returns a row as it is to be written, given its cell, or None for one that changes nothing given
    the newest row of that cell; it raises `refusal` for one that cannot be. `number` is the generation that
    the rows are of.
    """

    table: str
    refusal: type[BenchctlError]
    number: Callable[[Addition], int]
    whole: Callable[[_Given, Row, Row | None], _Given | None]


@dataclass(frozen=True, slots=True)
class Corrected(Generic[_Found]):
    """What was decided, about which generation, and what became of it: the same one where nothing had to be written.

    `after` is None for a dry run.
    """

    found: _Found
    before: Manifest
    after: Manifest | None


def correct(
    run: StoredRun,
    correction: _Correction,
    decide: Callable[[StoredRun], tuple[_Found, Sequence[_Given]]],
    *,
    dry_run: bool = False,
) -> Corrected[_Found]:
    """Decide what to correct in a closed run, write those rows, and return both as they are on record.

    `decide` returns what it found and the rows to append, and is asked again, under the lock, where somebody
    has added to the run since it was looked up. Raises what `decide` raises, with nothing changed, and what
    `add_generation` raises.
    """
    before = _closed(run)
    found, rows = decide(run)
    if dry_run or not rows:
        return Corrected(found, before, None if dry_run else before)
    with adding(run.layout) as addition:
        if addition.newest.digest != before.digest:
            found, rows = decide(replace(run, manifest=addition.newest))
        return Corrected(found, addition.newest, _append(addition, run.id, correction, rows))


def append_grades(run: StoredRun, rows: Iterable[_Given]) -> Manifest:
    """Append a grading generation and return the manifest that brings it.

    A row has the columns of `grades`; its generation is the next one, whatever it says, and its digest is
    made here. A cell without a row keeps the grade that it has. Without rows nothing is written and the
    present manifest is returned. Raises CellUnknownError, OptionInvalidError for a cell twice, and what
    `add_generation` raises.
    """
    return _appended(run, GRADES, rows)


def append_voids(run: StoredRun, rows: Iterable[_Given]) -> Manifest:
    """Void cells by hand, or count them again: rows of `cell`, `void`, `why`, `noted_at`. Return the manifest.

    A cell that is as asked already gets no row; where that is all of them, nothing is written and the
    present manifest is returned. Raises CellUnknownError, OptionInvalidError for a cell twice, a reason that
    cannot be kept, and for a cell that is to count although it is void by its outcome.
    """
    return _appended(run, VOIDS, rows)


def append_backfills(run: StoredRun, rows: Iterable[_Given]) -> Manifest:
    """Add usage that arrived late: rows with the columns of `backfills` but generation and digest. Return the manifest.

    A group of figures is replaced whole; one without a figure is left as it is. A row that says what the
    newest one of its cell says is not written again; where that is all of them, the present manifest is
    returned. Raises CellUnknownError, and BackfillInvalidError for a cell twice, a reason that cannot be kept,
    and for what `usage_problem` says.
    """
    return _appended(run, BACKFILLS, rows)


def append_baselines(run: StoredRun, probes: Sequence[_Given]) -> Manifest:
    """Add empty runs that were measured after a run was closed, and return the manifest that brings them.

    A row has the columns of `baselines` but generation, `post_hoc` and digest; the newest row of a probe's name
    is the one that counts. Raises OptionInvalidError for a probe twice, and what `add_generation` raises.
    """
    _closed(run)
    if doubled := [cell for cell, count in Counter(row["cell"] for row in probes).items() if count > 1]:
        raise OptionInvalidError(f"more than one row for the probe {doubled[0]}", expected="one row a probe")
    with adding(run.layout) as addition:
        generation = addition.generation
        made = [
            signed_row("baselines", {**row, "generation": generation, "post_hoc": True})
            for row in sorted(probes, key=lambda row: str(row["cell"]))
        ]
        return _write(addition, run.id, "baselines", generation, made) if made else addition.newest


def reported_usage(run: StoredRun) -> dict[str, Row]:
    """Return each cell's usage as it was reported in time, whatever was filled in later. `run` is closed."""
    return _cells(run.layout, _closed(run))


def void_standing(cell: _Given, *, void: bool) -> Literal["changes", "already", "by outcome"]:
    """Return what voiding a cell (or counting it again) does: what an outcome made void no word changes.

    `cell` says `outcome`, and in `void` what it is by now.
    """
    if cell["outcome"] in VOID_OUTCOMES:
        return "by outcome"
    return "already" if bool(cell["void"]) is void else "changes"


def _closed(run: StoredRun) -> Manifest:
    if run.manifest is None:
        raise RunOpenError(
            f"run {run.id} is open, and only a closed run is corrected",
            next_step=f"close it first (`benchctl run --run-id {run.id}`)",
        )
    return run.manifest


def _appended(run: StoredRun, correction: _Correction, rows: Iterable[_Given]) -> Manifest:
    with adding(run.layout) as addition:
        return _append(addition, run.id, correction, list(rows))


def _append(addition: Addition, run: str, correction: _Correction, given: Sequence[_Given]) -> Manifest:
    """Write the rows that change something and return the manifest that brings them; the present one where none does."""
    generation = correction.number(addition)
    cells = _cells(addition.layout, addition.newest)
    _refuse_rows(run, correction, given, cells)
    newest = _newest(addition, correction.table)
    made = []
    for row in sorted(given, key=lambda row: cells[row["cell"]]["order"]):
        whole = correction.whole(row, cells[row["cell"]], newest.get(row["cell"]))
        if whole is not None:
            made.append(signed_row(correction.table, {**whole, "generation": generation}))
    return _write(addition, run, correction.table, generation, made) if made else addition.newest


def _write(addition: Addition, run: str, table: str, generation: int, made: list[Row]) -> Manifest:
    name = first_name(table, generation)
    temporary = addition.scratch / f"{name.replace('/', '-')}.tmp"
    metadata = {"benchctl.run": run, "benchctl.table": table, "benchctl.schema": str(SCHEMA_VERSION)}
    seal_table(made, columns_of(table), temporary, scratch=addition.scratch, metadata=metadata)
    return addition.commit({name: temporary})


def _read(layout: RunLayout, manifest: Manifest, name: str, table: str, kept: Iterable[str]) -> list[Row]:
    """Return some columns of a verified file's rows."""
    import duckdb

    path = trusted(layout, manifest, name)
    with duckdb.connect(config={"threads": 1}) as connection:
        stored_columns(connection, path, table)
        columns = tuple(column for column in TABLES[table] if column.name in set(kept))
        return list(read_rows(connection, path, columns))


def _cells(layout: RunLayout, manifest: Manifest) -> dict[str, Row]:
    name = manifest.file_of("cells") or first_name("cells")
    return {str(row["cell"]): row for row in _read(layout, manifest, name, "cells", _KEPT)}


def _newest(addition: Addition, table: str) -> dict[str, Row]:
    """Return each cell's newest row of a table before this addition; of grades none, for they never stand in the way."""
    names = addition.newest.files_of_table(table).values() if table != "grades" else ()
    kept = [column.name for column in TABLES[table]]
    return {
        str(row["cell"]): row
        for name in names
        for row in _read(addition.layout, addition.newest, name, table, kept)
    }


def _refuse_rows(run: str, correction: _Correction, rows: Sequence[_Given], cells: Mapping[str, Row]) -> None:
    if unknown := sorted({str(row["cell"]) for row in rows} - cells.keys()):
        more = f" and {len(unknown) - 1} more" if unknown[1:] else ""
        raise CellUnknownError(
            f"no cell {unknown[0]!r}{more} in run {run}",
            next_step=f"`benchctl show {run}` lists them; nothing was changed",
        )
    if doubled := [cell for cell, count in Counter(row["cell"] for row in rows).items() if count > 1]:
        raise correction.refusal(
            f"more than one row for cell {doubled[0]} of run {run}",
            expected="one row a cell and generation",
            next_step="leave all but one of them out; nothing was changed",
        )
    if "why" not in {column.name for column in TABLES[correction.table]}:
        return
    for row in rows:
        if problem := reason_problem(str(row.get("why") or "")):
            raise correction.refusal(
                f"the reason of the row of cell {row['cell']} {problem}",
                next_step="say why in one line; nothing was changed",
            )


def _whole_void(row: _Given, cell: Row, newest: Row | None) -> _Given | None:
    standing = void_standing({**cell, "void": (newest or cell)["void"]}, void=bool(row["void"]))
    if standing == "by outcome" and not row["void"]:
        raise OptionInvalidError(
            f"cell {cell['cell']} is void by how it ended, {cell['outcome']}, and nothing makes it count",
            next_step="leave it out; nothing was changed",
        )
    return row if standing == "changes" else None


def _whole_backfill(row: _Given, cell: Row, newest: Row | None) -> _Given | None:
    """Return a backfill with the group that it leaves alone as it is by now: a row stands for the whole usage."""
    if problem := usage_problem(row, cell):
        raise BackfillInvalidError(
            f"cell {cell['cell']}: {problem}",
            expected="figures that nobody reported in time, each with who counted",
            next_step="correct the row or leave it out; nothing was changed",
        )
    whole, now = dict(row), newest or cell
    for *figures, source in USAGE_GROUPS.values():
        if all(row.get(name) is None for name in figures):
            whole |= {name: now[name] for name in (*figures, source)}
    content = {column.name for column in TABLES["backfills"]} - _NOT_CONTENT
    return whole if newest is None or any(whole.get(name) != newest[name] for name in content) else None


GRADES: Final = _Correction(
    "grades",
    OptionInvalidError,
    lambda addition: max(addition.newest.files_of_table("grades"), default=0) + 1,
    lambda row, _cell, _newest: row,
)
VOIDS: Final = _Correction("voids", OptionInvalidError, lambda addition: addition.generation, _whole_void)
BACKFILLS: Final = _Correction(
    "backfills", BackfillInvalidError, lambda addition: addition.generation, _whole_backfill
)
