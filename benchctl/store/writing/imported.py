"""An imported run, written at once: it is not there until all of it is, and nothing of it is ever half there.

The whole folder is made in a place of our own (`staging`), file by file and flushed, its manifest
last; then one rename gives it its name, which fails where a run has it. Of two that import under
one id, one wins, and the other finds a run that is its own or is another.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any, Final

from benchctl import __version__
from benchctl.errors import ImportDiffersError, Where
from benchctl.schema.canonical import canonical_json, digest, sha256_hex
from benchctl.schema.imported import foreign_columns
from benchctl.schema.result import SCHEMA_VERSION, TABLES
from benchctl.schema.run import RunRecord
from benchctl.store.disk.durable import create_once, fsync_folder, make_folder, unwritable
from benchctl.store.disk.layout import RunLayout
from benchctl.store.disk.manifest import Manifest, TableEntry, data_digest, file_entry
from benchctl.store.disk.record import record_bytes
from benchctl.store.disk.rows import signed_row
from benchctl.store.disk.sealing import seal_table
from benchctl.store.disk.walk import listed_files
from benchctl.store.journals.lock import RunLock
from benchctl.store.writing.staging import staged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from benchctl.schema.imported import ImportRecord
    from benchctl.schema.result import Column
    from benchctl.store.disk.rows import Row
    from benchctl.store.reader import Store, StoredRun

__all__ = ["differing", "import_record", "same_import", "write_import"]

_SUITE: Final = "imported"
_TABLES: Final = ("cells", "attempts", "grades", "transcripts")
_OPTIONS: Final = {
    "sha256": "the file's bytes",
    "format": "FORMAT",
    "null_texts": "--null",
    "key": "--key",
    "encoding": "--encoding",
}
"""A record's fields, and what says them on the command line."""

NOT_TERMS: Final = {"file", "notes"}
"""What may differ between two imports of one file on the same terms: what it was called, and our own words."""


def import_record(run: str, imported: ImportRecord, created_at: str) -> RunRecord:
    """Return the record of an imported run: where it came from, and None for every term that nobody recorded."""
    terms = imported.model_dump(mode="json", exclude=NOT_TERMS)
    return RunRecord(
        schema_version=2,
        run=run,
        suite=_SUITE,
        suite_title=f"Imported from {imported.file}",
        suite_digest=f"sha256:{sha256_hex(b'')}",
        canary="",
        created_at=created_at,
        benchctl=__version__,
        seed=None,
        reps=None,
        attempts=None,
        caps={},
        sandbox=None,
        probes={},
        machine=None,
        project_commit=None,
        project_dirty=None,
        arms={},
        agents={},
        corpora=(),
        gold=(),
        prompts={},
        goals=(),
        refusals=(),
        cells=(),
        plan_digest=digest(terms),
        comparability={"imported": imported.dialect or digest(imported.mapped)},
        imported=imported,
    )


def same_import(store: Store, run: str, sha256: str, imported: ImportRecord | None = None) -> bool:
    """Return whether the run is there already as an import of this file, and on these terms where they are given.

    False where there is no such run. Raises ImportDiffersError for any other run of that id.
    """
    found = store.find(run)
    if found is None:
        return False
    known = found.record.imported
    if known is None:
        raise _differs(found, f"run {run} was collected, and what was collected is never written to")
    if known.sha256 != sha256:
        raise _differs(found, f"run {run} is an import of another file: {known.file}, sha256 {known.sha256}")
    if imported is not None:
        before, now = (each.model_dump(mode="json", by_alias=True) for each in (known, imported))
        if other := differing(before, now):
            raise _differs(found, f"run {run} is an import of this file on other terms: {', '.join(other)}")
    return True


def differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return in what two records of an import differ, as the options that say it; empty where in nothing that counts.

    What follows from another option that differs is not named beside it.
    """
    other = [name for name in now if name not in NOT_TERMS and now[name] != before.get(name)]
    read = [option for name, option in _OPTIONS.items() if name in other]
    given = [{**before.get("options", {})}, now.get("options", {})]
    read += [
        f"--{name}"
        for name in ("delimiter", "comment", "pointer")
        if given[0].get(name) != given[1].get(name)
    ]
    if given[0].get("exported") != given[1].get("exported"):
        read.append("the description that stood beside the export")
    if _names(before) != _names(now) or "mapped" in other:
        read.append("--map")
    return list(dict.fromkeys(read)) or (["how benchctl read it"] if other else [])


def _names(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(each["source"], each["name"]) for each in record.get("foreign", record.get("columns", ()))]


def _differs(run: StoredRun, what: str) -> ImportDiffersError:
    return ImportDiffersError(
        what,
        where=Where(str(run.layout.record)),
        expected="the same file on the same terms, or a run id that is free",
        next_step="choose another --run-id; nothing was changed",
    )


def write_import(
    store: Store, record: RunRecord, tables: Mapping[str, Iterable[Row]], source: Path
) -> Manifest:
    """Write a whole closed run and return its manifest. `source` is a file on the store's disk; it is linked, not moved.

    `tables` has the rows of `cells`, `grades` and `foreign`, without their digests. The same import again
    changes nothing and returns the manifest that stands. Raises ImportDiffersError where another run has
    the id, RunBusyError where one is being started, StoreUnwritableError; whichever, there is no new run.
    """
    imported = record.imported
    if imported is None:
        raise ValueError("not the record of an import")
    final = store.layout(record.run)
    final.refuse_remote()
    if not same_import(store, record.run, imported.sha256, imported):
        with staged(store.path) as folder:
            layout = RunLayout(folder / record.run)
            _write(layout, record, imported, tables, source)
            while not _named(layout, final) and not same_import(store, record.run, imported.sha256, imported):
                _clear_start(final)
    manifest = store.run(record.run).manifest
    if manifest is None:
        raise _differs(store.run(record.run), f"run {record.run} is being collected")
    return manifest


def _write(
    layout: RunLayout,
    record: RunRecord,
    imported: ImportRecord,
    tables: Mapping[str, Iterable[Row]],
    source: Path,
) -> None:
    """Write every file of the run into a folder that nobody sees, the manifest last."""
    scratch = layout.folder.parent
    create_once(layout.record, record_bytes(record), scratch)
    create_once(layout.gold, canonical_json({}) + b"\n", scratch)
    kept = layout.folder / imported.kept
    make_folder(kept.parent)
    with unwritable(kept):
        os.link(source, kept)
        fsync_folder(kept.parent)
    entries = _sealed(layout, record.run, imported, tables, scratch)
    manifest = Manifest(
        run=record.run,
        generation=1,
        previous=None,
        benchctl=__version__,
        rows_schema=SCHEMA_VERSION,
        data=data_digest(entries),
        tables=entries,
        files={name: file_entry(path) for name, path in listed_files(layout, 1).items()},
    )
    create_once(layout.manifest(), manifest.to_bytes(), scratch)


def _sealed(
    layout: RunLayout,
    run: str,
    imported: ImportRecord,
    tables: Mapping[str, Iterable[Row]],
    scratch: Path,
) -> dict[str, TableEntry]:
    wanted: dict[str, tuple[Iterable[Row], tuple[Column, ...]]] = {
        name: (_signed(name, tables.get(name, ())), TABLES[name]) for name in _TABLES
    }
    wanted["foreign"] = (tables["foreign"], foreign_columns(imported))
    return {
        name: seal_table(
            rows,
            columns,
            layout.table(name),
            scratch=scratch,
            metadata={
                "benchctl.run": run,
                "benchctl.table": name,
                "benchctl.schema": str(SCHEMA_VERSION),
            },
        )
        for name, (rows, columns) in wanted.items()
    }


def _signed(table: str, rows: Iterable[Row]) -> Iterator[Row]:
    return (signed_row(table, row) for row in rows)


def _named(layout: RunLayout, final: RunLayout) -> bool:
    """Give the finished folder its name; False where something has it."""
    make_folder(final.folder.parent)
    with unwritable(final.folder):
        try:
            layout.folder.rename(final.folder)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                return False
            raise
        fsync_folder(final.folder.parent)
    return True


def _clear_start(final: RunLayout) -> None:
    """Remove what a start of a collection has left that was cut before its record. Raises RunBusyError where it lives."""
    lock = RunLock(final.lock, final.folder.name)
    try:
        with unwritable(final.folder):
            for leftover in (final.suite, *final.journal.glob("*.tmp"), final.lock):
                leftover.unlink(missing_ok=True)
            for folder in (final.suite.parent, final.journal, final.folder):
                if folder.is_dir():
                    folder.rmdir()
    finally:
        lock.release()
