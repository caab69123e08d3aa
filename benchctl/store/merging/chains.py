"""Two closed runs of one id compared: the same, one further than the other, or two that cannot both be this run."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from benchctl.errors import RunDiffersError, StoreDamagedError
from benchctl.store.disk.manifest import Manifest, newest_manifest, read_manifest
from benchctl.store.disk.parquet import read_rows
from benchctl.store.disk.rows import columns_of
from benchctl.store.disk.untrusted import parse_json, read_regular
from benchctl.store.disk.verified_file import trusted
from benchctl.store.journals.following import read_history
from benchctl.store.relations.files import names_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.rows import Row
    from benchctl.store.journals.history import History

__all__ = ["chain", "further", "refuse_unless_contained"]

_COMPARED = ("cells", "attempts", "grades")
_MOMENT = timedelta(minutes=1)


def chain(layout: RunLayout) -> tuple[Manifest, ...]:
    """Return all manifests of a closed run, oldest first; empty for any other. Raises StoreDamagedError."""
    newest = newest_manifest(layout)
    return (
        tuple(read_manifest(layout, number) for number in range(1, newest.generation + 1)) if newest else ()
    )


def further(first: RunLayout, second: RunLayout) -> RunLayout:
    """Return the one of two closed runs that has all generations of the other; the first where they are the same.

    Raises RunDiffersError, saying what differs first.
    """
    one, other = chain(first), chain(second)
    for ours, theirs in zip(one, other, strict=False):
        if ours.digest != theirs.digest:
            raise RunDiffersError(
                f"run {ours.run} in {second.shown} is another one than in {first.shown}:"
                f" {_difference(first, ours, second, theirs)}",
                expected=f"manifest generation {ours.generation} with digest {ours.digest}",
                next_step="give one of them its own id where it was collected, or leave it out; nothing was merged",
            )
    return second if len(other) > len(one) else first


def _difference(first: RunLayout, ours: Manifest, second: RunLayout, theirs: Manifest) -> str:
    """Return what differs first: the record, a row, or a file."""
    try:
        if term := _record(first, ours, second, theirs):
            return f"the record differs in `{term}`"
        for table in _COMPARED:
            if ours.tables[table] != theirs.tables[table]:
                cell = _cell(_rows(first, ours, table), _rows(second, theirs, table))
                return f"the {table} differ" + (f" from cell {cell} on" if cell else "")
    except (StoreDamagedError, OSError) as error:
        return f"its files differ, and cannot be compared row by row ({error})"
    names = sorted(ours.files.keys() | theirs.files.keys())
    differing = [name for name in names if ours.files.get(name) != theirs.files.get(name)]
    return f"{differing[0]} differs" if differing else f"generation {ours.generation} was written anew"


def _record(first: RunLayout, ours: Manifest, second: RunLayout, theirs: Manifest) -> str | None:
    names = [manifest.record for manifest in (ours, theirs)]
    if ours.files.get(names[0]) == theirs.files.get(names[1]):
        return None
    one, other = (
        parse_json(read_regular(trusted(layout, manifest, name)))
        for layout, manifest, name in zip((first, second), (ours, theirs), names, strict=True)
    )
    return next(
        (key for key in sorted(one.keys() | other.keys()) if one.get(key) != other.get(key)), "its text"
    )


def _rows(layout: RunLayout, manifest: Manifest, table: str) -> Iterator[Row]:
    """Yield a table's rows, of every generation that the manifest lists."""
    import duckdb

    columns = columns_of(table, manifest.rows_schema)
    with duckdb.connect(config={"threads": 1}) as connection:
        for name in names_of(manifest, table).values():
            yield from read_rows(connection, trusted(layout, manifest, name), columns)


def _cell(one: Iterable[Row], other: Iterable[Row]) -> str | None:
    """Return the first cell, by name, whose rows are others."""
    rows = [sorted((str(row["cell"]), repr(row)) for row in each) for each in (one, other)]
    odd = set(rows[0]) ^ set(rows[1])
    return min((cell for cell, _ in odd), default=None)


def refuse_unless_contained(shard: RunLayout, closed: RunLayout) -> None:
    """Raise RunDiffersError unless everything that an open run's journals acknowledge is in a closed run of its id."""
    manifest = newest_manifest(closed)
    if manifest is None:
        raise ValueError("not a closed run")
    missing = _missing(shard, closed, manifest)
    if missing:
        raise RunDiffersError(
            f"run {manifest.run} is closed in {closed.shown}, and {shard.folder} has {missing}, which it lacks",
            expected="an open run whose every event is in the closed one",
            next_step="give one of them its own id where it was collected, or leave it out; nothing was merged",
        )


def _missing(shard: RunLayout, closed: RunLayout, manifest: Manifest) -> str | None:
    from benchctl.store.disk.record import read_record

    first = manifest.files.get("run.json") or manifest.removed.get("run.json")
    if first is None or first.sha256 != _sha256(shard.record):
        return "another record"
    history = read_history(shard.journal)
    tables = (*_COMPARED, "baselines")
    rows = {table: list(_rows(closed, manifest, table)) for table in tables}
    known = {table: {_plain(row) for row in found} for table, found in rows.items()}
    for table, row in history.rows(read_record(shard), closing=False, tables=tables):
        if _plain(row) not in known[table]:
            return f"a row of {table} of cell {row['cell']}"
    if lost := _lost_start(history, rows["attempts"]):
        return lost
    gold = parse_json(read_regular(trusted(closed, manifest, manifest.current("evidence/gold.json") or "")))
    other = [question for question, items in history.gold.items() if tuple(gold.get(question, ())) != items]
    return f"the answer key of question {other[0]}" if other else None


def _lost_start(history: History, attempts: Iterable[Row]) -> str | None:
    """Return an attempt that an open run has begun and not ended, and that the closed one does not tell of."""
    told = {(row["cell"], row["attempt"]): row for row in attempts}
    for cell, started in sorted(history.starts.items()):
        for attempt in sorted(started.keys() - history.ends.get(cell, {}).keys()):
            row = told.get((cell, attempt))
            if row is None or not _began(row, started[attempt]):
                return f"attempt {attempt} of cell {cell}"
    return None


def _began(row: Row, at: str) -> bool:
    """Return whether an attempt's row is that of a start, of which a journal has the instant.

    Interrupted, it has that very instant. Where the copy was made while the attempt ran, the row has what
    the process says of itself: it begins a moment later, for the prompt is written in between.
    """
    if row["started_at"] == at or row["outcome"] == "interrupted":
        return bool(row["started_at"] == at)
    try:
        later = datetime.fromisoformat(row["started_at"]) - datetime.fromisoformat(at)
    except (TypeError, ValueError):
        return False
    return timedelta() < later < _MOMENT


def _sha256(path: Path) -> str:
    from benchctl.store.disk.entries import file_entry

    return file_entry(path).sha256


def _plain(row: Row) -> str:
    """Return a row without its digest and without what is null: a column that came later says nothing of it."""
    return repr(
        sorted((name, value) for name, value in row.items() if name != "row_digest" and value is not None)
    )
