"""Closing a run: its journals become Parquet tables and a manifest, and only then go.

Until the manifest stands the run is open, whatever else is there: a fold that was cut
short is swept and done again from the journals. Once it stands the run is closed, and
what is left of the journals is only litter.
"""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

from benchctl import __version__
from benchctl.errors import StoreDamagedError, Where
from benchctl.schema.canonical import canonical_json
from benchctl.schema.result import SCHEMA_VERSION
from benchctl.store.disk.durable import TEMPORARY, create_once, fsync_folder, unwritable
from benchctl.store.disk.layout import FOLDED, RunLayout
from benchctl.store.disk.manifest import Manifest, data_digest, file_entry
from benchctl.store.disk.parquet import read_rows
from benchctl.store.disk.record import refuse_other_suite
from benchctl.store.disk.rows import columns_of
from benchctl.store.disk.sealing import Spool, seal
from benchctl.store.disk.untrusted import parse_json, read_regular
from benchctl.store.disk.walk import listed_files
from benchctl.store.journals.history import FOLDED_TABLES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from benchctl.schema.run import RunRecord
    from benchctl.store.disk.rows import Row
    from benchctl.store.journals.history import History

__all__ = ["fold", "sweep_journal", "sweep_unfinished_fold"]


def fold(layout: RunLayout, record: RunRecord, history: History) -> Manifest:
    """Write the tables, the answer key and the manifest of a run, remove its journals, return the manifest.

    Raises StoreUnwritableError or StoreDamagedError with the journals untouched, so that it can be done again.
    """
    refuse_other_suite(layout, record)
    sweep_unfinished_fold(layout, history)
    with unwritable(layout.journal):
        spools = _spool(layout, record, history)
    _seal(layout, record, spools)
    gold = {question: list(items) for question, items in sorted(history.gold.items())}
    create_once(layout.gold, canonical_json(gold) + b"\n", layout.journal)
    if unstarted := [cell.cell for cell in record.cells if cell.cell not in history.starts]:
        create_once(layout.unstarted, canonical_json(sorted(unstarted)) + b"\n", layout.journal)
    tables = {name: spool.entry for name, spool in spools.items()}
    manifest = Manifest(
        run=record.run,
        generation=1,
        previous=None,
        benchctl=__version__,
        rows_schema=SCHEMA_VERSION,
        data=data_digest(tables),
        tables=tables,
        files={name: file_entry(path) for name, path in listed_files(layout, 1).items()},
    )
    create_once(layout.manifest(), manifest.to_bytes(), layout.journal)
    sweep_journal(layout)
    return manifest


def _spool(layout: RunLayout, record: RunRecord, history: History) -> dict[str, Spool]:
    with ExitStack() as stack:
        tables = (*FOLDED_TABLES, *(["baselines"] if history.baselines else []))
        spools = {name: Spool(layout.journal / f"{name}.jsonl{TEMPORARY}") for name in tables}
        for spool in spools.values():
            stack.callback(spool.close)
        for table, row in history.rows(record, closing=True, tables=tables):
            spools[table].add(row)
        return spools


def _seal(layout: RunLayout, record: RunRecord, spools: dict[str, Spool]) -> None:
    """Make each spool a Parquet file of the run."""
    import duckdb

    with duckdb.connect(config={"threads": 1}) as connection:
        for table, spool in spools.items():
            metadata = {
                "benchctl.run": record.run,
                "benchctl.table": table,
                "benchctl.schema": str(SCHEMA_VERSION),
            }
            seal(connection, spool, columns_of(table), layout.table(table), metadata=metadata)


def sweep_unfinished_fold(layout: RunLayout, history: History) -> None:
    """Remove what a fold that never reached its manifest has left; `history` is what the journals say.

    Raises StoreDamagedError, and removes nothing, where a row of it is in no journal.
    """
    left = [layout.folder / name for name in FOLDED if os.path.lexists(layout.folder / name)]
    if layout.generations():
        return
    if left:
        _refuse_unaccounted(layout, history)
    with unwritable(layout.folder):
        for path in left:
            path.unlink()
        for leftover in layout.journal.glob("*.tmp"):
            leftover.unlink()
        for folder in {path.parent for path in left}:
            fsync_folder(folder)


def _refuse_unaccounted(layout: RunLayout, history: History) -> None:
    """Raise StoreDamagedError where a folded file is not one of these journals: it is then the only copy."""
    import duckdb

    started = {(cell, attempt) for cell, attempts in history.starts.items() for attempt in attempts}
    known: dict[str, Callable[[Row], bool]] = {
        "cells": lambda row: row["attempts"] == len(history.starts.get(row["cell"], {})),
        "attempts": lambda row: (row["cell"], row["attempt"]) in started,
        "grades": lambda row: row["cell"] in history.finished,
        "transcripts": lambda row: row["attempt"] in history.ends.get(row["cell"], {}),
        "baselines": lambda row: row["cell"] in history.baselines,
    }
    with duckdb.connect(config={"threads": 1}) as connection:
        for table, accounted in known.items():
            path = layout.table(table)
            if os.path.lexists(path):
                columns = tuple(c for c in columns_of(table) if c.name in {"cell", "attempt", "attempts"})
                for row in read_rows(connection, path, columns):
                    if not accounted(row):
                        raise _unaccounted(path, f"the row of cell {row['cell']} is in no journal")
    if layout.gold.exists():
        try:
            said = {
                question: tuple(items) for question, items in parse_json(read_regular(layout.gold)).items()
            }
        except (OSError, ValueError, AttributeError, TypeError) as error:
            raise _unaccounted(layout.gold, f"not an answer key: {error}") from error
        if said != history.gold:
            raise _unaccounted(layout.gold, "the answer key is not the one in the journals")


def _unaccounted(path: Path, what: str) -> StoreDamagedError:
    return StoreDamagedError(
        what,
        where=Where(str(path)),
        expected="only what the journals say, as a closing that was cut short leaves it",
        next_step="restore manifest.json or the journals from a copy; nothing has been removed",
    )


def sweep_journal(layout: RunLayout) -> None:
    """Remove the journal folder of a closed run, the lock last; the caller holds the lock."""
    with unwritable(layout.journal):
        for path in sorted(layout.journal.iterdir()):
            if path != layout.lock:
                path.unlink()
        layout.lock.unlink(missing_ok=True)
        try:
            layout.journal.rmdir()
        except (
            OSError
        ) as error:  # somebody came for the lock meanwhile, and sweeps once it has seen the manifest
            if error.errno != errno.ENOTEMPTY:
                raise
        fsync_folder(layout.folder)
