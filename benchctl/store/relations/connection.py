"""Runs as a locked DuckDB connection: explicit files with an explicit schema, and a way to nothing else.

What is small is loaded into tables, and then the connection can read nothing at all: no file, no
network, no variable of this process; its settings cannot be changed back. Of more than 200,000 rows,
or 64 MB of transcripts, it holds views over the verified files instead, and may open these files and
no other. Measured over a million rows in one file: a headline aggregate over the views takes 1.0 times
as long as over one bare file and over a table in memory 1.15 times, because Parquet keeps the few words
of a column as numbers; to load the four columns that it needs takes another 1.0. Small runs are asked
hundreds of small questions, and there a table has its load back at once.

Note: DuckDB's `allowed_paths` also lets a statement write to a file that it may read. What keeps a
person's statement from that is the guard, the first wall, which lets no COPY through wherever it
stands; and a file that was written to would no longer be what its manifest says. One thread: the
order of a sum is then that of the rows, so its last digit does not depend on the machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchctl.errors import RunClosedError
from benchctl.schema.result import Column
from benchctl.store.disk.parquet import literal, quoted
from benchctl.store.relations.cells_view import effective_select
from benchctl.store.relations.file_content import reading
from benchctl.store.relations.files import FURTHER, files_of, names_of
from benchctl.store.relations.journalled import load_journals
from benchctl.store.relations.own_columns import OWN_FILES
from benchctl.store.relations.selects import file_column, flat_select
from benchctl.store.relations.views import View, standard_view

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import duckdb

    from benchctl.store.disk.rows import Row
    from benchctl.store.relations.loadable import Loadable

__all__ = ["RUNS", "connect", "fetch", "is_big", "refuse_changed", "stored_tables"]

RUNS: tuple[Column, ...] = (
    Column("run", "VARCHAR", "The run's id."),
    Column("state", "VARCHAR", "`open` while it may grow, `closed` for good."),
    Column("suite", "VARCHAR", "The suite's name; of an imported run, what it was imported as."),
    Column("suite_digest", "VARCHAR", "Digest of the suite file."),
    Column("created_at", "VARCHAR", "When it was started, UTC, ISO 8601."),
    Column("benchctl", "VARCHAR", "The version that started it."),
    Column("seed", "BIGINT", "The seed of the recorded order.", None, "it was imported"),
    Column("reps", "BIGINT", "Repetitions of each cell.", None, "it was imported"),
    Column("planned", "BIGINT", "Cells of the plan, or rows that were imported."),
    Column("refused", "BIGINT", "Refusals of the plan."),
    Column("sandbox", "VARCHAR", "The containment level it was started under.", None, "it was imported"),
    Column("practice", "BOOLEAN", "Whether it asks practice questions, which never count."),
    Column("plan_digest", "VARCHAR", "Digest of the plan."),
    Column("data_digest", "VARCHAR", "Digest of its rows, which pages pin.", None, "the run is open"),
    Column("imported", "VARCHAR", "The file that it was imported from.", None, "it was collected"),
)
"""The columns of the view `runs`, one row a run."""

_CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    "threads": 1,
    "python_enable_replacements": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
}
_SAME_EVERYWHERE: Final = ("SET GLOBAL TimeZone = 'UTC'", "SET GLOBAL Calendar = 'gregorian'")
"""What an hour or a day of a point in time is, must not depend on the machine that asks; nor on which cursor does."""

_NO_FILES: Final = "SET disabled_filesystems = 'LocalFileSystem'"
_LOCK: Final = (
    "SET temp_directory = ''",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
_MANY_ROWS: Final = 200_000
_MANY_BYTES: Final = 64 * 1024 * 1024


def connect(
    runs: Sequence[Loadable],
    tables: Sequence[str | View] = ("cells",),
    *,
    cell: str | None = None,
    settings: Sequence[str] = (),
    generation: int | None = None,
    load: bool = False,
) -> duckdb.DuckDBPyConnection:
    """Return a locked connection that holds these views of these runs, of `cell` alone where it is named.

    A name is the standard view of it. `generation` takes the grades as they were up to that one, None the
    newest. `settings` are further SET statements, run before the lock. `load` makes tables of many rows, too,
    so that no file can be opened. Raises StoreDamagedError where a file is not what its manifest says, before DuckDB sees it, and
    GenerationUnknownError.
    """
    views = [standard_view(each) if isinstance(each, str) and each != "runs" else each for each in tables]
    load = load or cell is not None or not is_big(runs, views)
    for _ in runs:
        try:
            return _connect(runs, views, cell, settings, generation, load=load)
        except (
            RunClosedError,
            FileNotFoundError,
        ):  # an open run was closed while it was read: once a run at most
            runs = [run.current() for run in runs]
    return _connect(runs, views, cell, settings, generation, load=load)


def _connect(
    runs: Sequence[Loadable],
    views: Sequence[View | str],
    cell: str | None,
    settings: Sequence[str],
    generation: int | None,
    *,
    load: bool,
) -> duckdb.DuckDBPyConnection:
    import duckdb

    connection = duckdb.connect(config=_CONFIG)
    try:
        for statement in _SAME_EVERYWHERE:
            connection.execute(statement)
        load_journals(connection, runs, dict.fromkeys(_of_journals(views)), cell)
        files: list[Path] = []
        for view in views:
            files += _add(connection, runs, view, cell, generation, load=load)
        allowed = f"SET allowed_paths = [{', '.join(literal(str(path)) for path in dict.fromkeys(files))}]"
        for statement in (*settings, _NO_FILES if load else allowed, *_LOCK):
            connection.execute(statement)
    except BaseException:
        connection.close()
        raise
    return connection


def is_big(runs: Sequence[Loadable], views: Sequence[View | str]) -> bool:
    """Return whether views over the files are better than tables, by what the manifests say."""
    rows = size = 0
    for run in runs:
        for table in dict.fromkeys(stored_tables(views)) if run.manifest else ():
            said = run.manifest.tables.get(table) if run.manifest else None
            rows += said.rows if said else 0
            if run.manifest and (table == "transcripts" or table.startswith(FURTHER)):
                size += sum(run.manifest.files[name].bytes for name in names_of(run.manifest, table).values())
    return rows > _MANY_ROWS or size > _MANY_BYTES


def stored_tables(views: Sequence[View | str]) -> Iterator[str]:
    """Yield the stored tables that views are made of."""
    for view in views:
        if not isinstance(view, str):
            yield view.table
            if view.table == "cells":
                yield from ("grades", "voids", "backfills", "baselines", OWN_FILES["cells"])


def _of_journals(views: Sequence[View | str]) -> Iterator[str]:
    for view in views:
        if not isinstance(view, str) and not view.table.startswith(FURTHER):
            yield from ("cells", "grades", "baselines") if view.table == "cells" else (view.table,)


def fetch(
    connection: duckdb.DuckDBPyConnection, table: str, tail: str = "", parameters: Sequence[object] = ()
) -> list[Row]:
    """Return rows of a loaded view as dictionaries; `tail` is our own SQL."""
    cursor = connection.execute(f"SELECT * FROM {quoted(table)} {tail}", list(parameters))  # noqa: S608 - names are ours
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]


def _add(
    connection: duckdb.DuckDBPyConnection,
    runs: Sequence[Loadable],
    view: View | str,
    cell: str | None,
    generation: int | None,
    *,
    load: bool,
) -> list[Path]:
    """Add one view or table, and return the files that it reads."""
    if isinstance(view, str):
        _load_runs(connection, runs)
        return []
    names = ", ".join(quoted(each.name) for each in view.outputs)
    if view.table == "cells":
        place = file_column(each.name for each in view.outputs) if load else None
        select = effective_select(connection, runs, view, cell=cell, generation=generation, place=place)
        order = f" ORDER BY run, {quoted(place)}" if place and select.parts else ""
    else:
        select, order = flat_select(connection, runs, view, cell), ""
    kind = "TABLE" if load else "VIEW"
    with reading(connection, select.files):
        connection.execute(f"CREATE {kind} {quoted(view.name)} AS SELECT {names} FROM ({select.sql}){order}")  # noqa: S608 - names are quoted
    return select.files


def refuse_changed(runs: Sequence[Loadable], tables: Sequence[str | View]) -> None:
    """Raise StoreDamagedError where a file that these views of closed runs are made of is not what its manifest says."""
    views = [standard_view(each) if isinstance(each, str) and each != "runs" else each for each in tables]
    for run in runs:
        if run.manifest:
            _ = run.record if "runs" in views else None
            for table in dict.fromkeys(stored_tables(views)):
                files_of(run, table)


def _load_runs(connection: duckdb.DuckDBPyConnection, runs: Sequence[Loadable]) -> None:
    declared = ", ".join(f"{quoted(column.name)} {column.type}" for column in RUNS)
    connection.execute(f"CREATE TABLE runs ({declared})")
    for run in runs:
        record = run.record
        own = {
            "state": "closed" if run.manifest else "open",
            "planned": len(record.cells) if record.imported is None else record.imported.rows,
            "refused": len(record.refusals),
            "data_digest": run.manifest.data if run.manifest else None,
            "imported": record.imported.file if record.imported else None,
        }
        values = [own[c.name] if c.name in own else getattr(record, c.name) for c in RUNS]
        connection.execute(f"INSERT INTO runs VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608 - placeholders
