"""A further table of a closed run: a file's rows beside the run's own, added once and never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchctl.errors import ImportDiffersError, Where
from benchctl.schema.canonical import canonical_json
from benchctl.schema.imported import table_columns
from benchctl.store.disk.sealing import seal_table
from benchctl.store.disk.untrusted import parse_json, read_regular
from benchctl.store.disk.verified_file import trusted
from benchctl.store.writing.generation import add_generation
from benchctl.store.writing.imported import differing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from benchctl.schema.imported import TableRecord
    from benchctl.store.disk.manifest import Manifest
    from benchctl.store.disk.rows import Row
    from benchctl.store.reader import StoredRun

__all__ = ["add_table", "same_table"]


def same_table(run: StoredRun, table: TableRecord) -> bool:
    """Return whether the run has this further table already, from the same file on the same terms; False where it has none.

    Raises ImportDiffersError where it has another of that name, in whatever case.
    """
    if run.manifest is None:
        return False
    place = f"tables/{table.table}.json"
    taken = [name for name in run.manifest.files if name.lower() == place.lower()]
    if not taken:
        return False
    known: dict[str, Any] = parse_json(read_regular(trusted(run.layout, run.manifest, taken[0])))
    wanted = table.model_dump(mode="json", by_alias=True)
    other = differing(known, wanted)
    if other or known.get("table") != table.table:
        said = f", and it is another: {', '.join(other)}" if other else ", and names know no case"
        raise ImportDiffersError(
            f"run {run.id} has a table {known.get('table')}{said}",
            where=Where(str(run.layout.folder / taken[0])),
            expected="the same file on the same terms, or a name that is free",
            next_step="choose another name for --table; nothing was changed",
        )
    return True


def add_table(
    run: StoredRun, table: TableRecord, rows: Iterable[Row], source: Path, scratch: Path
) -> Manifest:
    """Add a further table to a closed run and return its new manifest. `scratch` is a staged folder, `source` a file in it.

    Raises RunOpenError, StoreExistsError where the name was taken meanwhile, and what adding raises.
    """
    base = f"tables/{table.table}"
    sealed = scratch / "table.parquet"
    entry = seal_table(
        rows,
        table_columns(table),
        sealed,
        scratch=scratch,
        metadata={"benchctl.run": run.id, "benchctl.table": base},
    )
    described = canonical_json(table.model_dump(mode="json", by_alias=True)) + b"\n"
    files: dict[str, bytes | Path] = {
        f"{base}.parquet": sealed,
        f"{base}.json": described,
        table.kept: source,
    }
    return add_generation(run.layout, files, tables={base: entry})
