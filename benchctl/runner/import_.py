"""The story of an import: a file is copied and hashed, read from its copy, judged, and then written at once or not at all."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from benchctl.importers import IMPORTERS
from benchctl.importers.exported import exported_types, null_texts_of
from benchctl.importers.imported import Source, Terms, read_run
from benchctl.importers.table import read_table
from benchctl.store.writing.imported import import_record, same_import, write_import
from benchctl.store.writing.imported_table import add_table, same_table
from benchctl.store.writing.staging import copied, staged
from benchctl.workspace.clock import utc_now

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchctl.importers.base import ReadOptions
    from benchctl.schema.imported import ImportRecord, TableRecord
    from benchctl.store.disk.manifest import Manifest
    from benchctl.store.reader import Store

__all__ = ["Became", "Imported", "Order", "import_run", "import_table"]


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be imported, on which terms: what is None is found out from the file. `run_id` is the run."""

    path: Path
    format: str
    run_id: str
    options: ReadOptions
    mapped: Mapping[str, str]
    key: tuple[str, ...] | None = None
    null_texts: tuple[str, ...] | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Became:
    """What became of a source column: its type in the run, how many rows have no value, and its fate in words."""

    source: str
    type: str
    null: int
    becomes: str


@dataclass(frozen=True, slots=True)
class Imported:
    """How an import ended. `data` is the run's data digest, None where nothing was written and nothing is there."""

    state: Literal["imported", "nothing to do", "would import"]
    record: ImportRecord | TableRecord
    columns: tuple[Became, ...]
    data: str | None


def import_run(store: Store, order: Order) -> Imported:
    """Make a file a closed run. The same file on the same terms again adds nothing.

    Raises the errors of reading, ImportDiffersError, RunBusyError and StoreUnwritableError; then there is no new run.
    """
    with _read_from_copy(store, order) as (source, terms, options):
        same_import(store, order.run_id, source.sha256)
        kept = f"evidence/source.{IMPORTERS[order.format].SUFFIX}"
        found = read_run(source, kept, terms, options)
        known = same_import(store, order.run_id, source.sha256, found.record)
        manifest = store.run(order.run_id).manifest if known else None
        if not known and not order.dry_run:
            record = import_record(order.run_id, found.record, utc_now("seconds"))
            manifest = write_import(store, record, found.tables(), source.path)
    columns = tuple(
        Became(each, type_, scan.null, found.plan.fate(index))
        for index, (each, type_, scan) in enumerate(
            zip(found.reading.columns, found.shown_types, found.reading.scans, strict=True)
        )
    )
    return _ended(order, found.record, columns, manifest, known=known)


def import_table(store: Store, order: Order, name: str) -> Imported:
    """Make a file a further table of a closed run; errors as those of `import_run`, and RunOpenError."""
    run = store.run(order.run_id)
    with _read_from_copy(store, order) as (source, terms, options):
        found = read_table(source, name, terms, options)
        known = same_table(run, found.record)
        manifest = run.manifest if known else None
        if not known and not order.dry_run:
            manifest = add_table(run, found.record, found.rows, source.path, source.path.parent)
    columns = tuple(
        Became(each.source, each.type, each.null, f"own `{each.name}`") for each in found.record.columns
    )
    return _ended(order, found.record, columns, manifest, known=known)


@contextmanager
def _read_from_copy(store: Store, order: Order) -> Iterator[tuple[Source, Terms, ReadOptions]]:
    """Give the copy that everything is read from, beside the runs, or for a dry run where temporary files are."""
    if not order.dry_run:
        store.layout(order.run_id).refuse_remote()
    with _scratch(store, dry_run=order.dry_run) as folder:
        copy = copied(order.path, folder / "source")
        types = exported_types(copy.path, order.path, order.format, copy.sha256)
        terms = Terms(order.format, order.mapped, order.key, null_texts_of(order.null_texts, types))
        yield Source(copy.path, copy.sha256, copy.bytes), terms, replace(order.options, types=types)


@contextmanager
def _scratch(store: Store, *, dry_run: bool) -> Iterator[Path]:
    if dry_run:
        with tempfile.TemporaryDirectory(prefix="benchctl-") as folder:
            yield Path(folder)
    else:
        with staged(store.path) as folder_:
            yield folder_


def _ended(
    order: Order,
    record: ImportRecord | TableRecord,
    columns: tuple[Became, ...],
    manifest: Manifest | None,
    *,
    known: bool,
) -> Imported:
    state: Literal["imported", "nothing to do", "would import"] = "imported"
    if known:
        state = "nothing to do"
    elif order.dry_run:
        state = "would import"
    return Imported(state, record, columns, manifest.data if manifest else None)
