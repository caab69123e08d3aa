"""The SELECT that a view of some runs is: explicit files, explicit columns, one part for all runs that are alike."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeVar

from benchctl.errors import StoreDamagedError, Where
from benchctl.schema.result import TABLES, Column
from benchctl.store.disk.layout import BY_GENERATION
from benchctl.store.disk.parquet import literal, parquet_source, quoted, refuse_found
from benchctl.store.relations.file_content import contents
from benchctl.store.relations.files import FURTHER, VerifiedFile, files_of
from benchctl.store.relations.own_columns import spelling

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
    from pathlib import Path

    import duckdb

    from benchctl.store.relations.loadable import Loadable
    from benchctl.store.relations.views import Output, View

__all__ = [
    "OPEN",
    "Part",
    "Select",
    "alike",
    "checked",
    "file_column",
    "flat_select",
    "needed",
    "own_expression",
    "own_source",
    "run_of",
]

OPEN: Final = "_open"
"""The schema of the tables that hold what the journals of open runs say."""


_MANY_PARTS: Final = 32
_T = TypeVar("_T")


@dataclass(slots=True)
class Select:
    """A view's SQL and the files that it reads. `parts` are SELECTs of the same columns."""

    view: View
    parts: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    @property
    def sql(self) -> str:
        """Return all parts as one SELECT; of no rows where there is no part."""
        nothing = ", ".join(f"NULL::{each.type} AS {quoted(each.name)}" for each in self.view.outputs)
        return " UNION ALL ".join(self.parts) or f"SELECT {nothing} WHERE false"


@dataclass(frozen=True, slots=True)
class Part:
    """Where a part's rows come from: FROM …, and the expression of each output."""

    source: str
    expression: Callable[[Output], str]

    def sql(self, view: View, where: str, *more: str) -> str:
        """Return the SELECT of a view's columns; `more` are further ones."""
        columns = [f"{self.expression(each)} AS {quoted(each.name)}" for each in view.outputs]
        return f"SELECT {', '.join((*columns, *more))} FROM {self.source} {where}"  # noqa: S608 - names are quoted


def alike(items: Iterable[_T], shape: Callable[[_T], Hashable]) -> list[list[_T]]:
    """Return groups of items of one shape, each of which one part can read.

    A group is what follows one another, so that rows stand run by run; where that would be too many parts to
    plan, it is all that is alike.
    """
    every = list(items)
    groups = [list(group) for _, group in groupby(every, shape)]
    if len(groups) <= _MANY_PARTS:
        return groups
    by_shape: dict[Hashable, list[_T]] = defaultdict(list)
    for item in every:
        by_shape[shape(item)].append(item)
    return list(by_shape.values())


def run_of(alias: str, column: str, paths: Iterable[Path]) -> str:
    """Return the run of a row by its file, `…/<run>/<folder>/<file>`, where the rows are from these.

    DuckDB passes over files that a filter on it rules out; of one run it is a constant.
    """
    runs = {path.parts[-3] for path in paths}
    return literal(runs.pop()) if len(runs) == 1 else f"split_part({alias}.{quoted(column)}, '/', -3)"


def file_column(names: Iterable[str]) -> str:
    """Return a name for the column that says which file a row is from, which no column has."""
    taken, name = {each.lower() for each in names}, "_file"
    while name in taken:
        name += "_"
    return name


def needed(outputs: Iterable[Output], table: str, *more: str) -> list[Column]:
    """Return the stored columns of a table that these outputs mean, and `more`; at least one."""
    wanted = {each.standard for each in outputs} | set(more)
    return [column for column in TABLES[table] if column.name in wanted] or [TABLES[table][0]]


def own_expression(alias: str, output: Output, names: Mapping[str, tuple[str, str]]) -> str | None:
    """Return an own column as SQL, None where the file has none of that name and type."""
    if output.own is None or output.own not in names:
        return None
    name, type_ = names[output.own]
    if output.own_type not in (None, type_):
        return None
    return (
        f"CAST({alias}.{quoted(name)} AS {output.type})"
        if type_ != output.type
        else f"{alias}.{quoted(name)}"
    )


def flat_select(
    connection: duckdb.DuckDBPyConnection, runs: Sequence[Loadable], view: View, cell: str | None
) -> Select:
    """Return the SELECT of a view that is one stored table or one further table, of `cell` alone where it is named."""
    select = Select(view)
    found = [(run, file) for run in runs for file in files_of(run, view.table).values()]
    files = [file for _, file in found]
    further = view.table.startswith(FURTHER)
    if files:
        select.files = [file.path for file in files]
        if further:
            select.parts = _further(connection, files, view)
        else:
            checked(connection, found, view.table)
            select.parts = [_standard(files, view, cell)]
    if not further and any(run.manifest is None for run in runs):
        part = Part(f"{OPEN}.{quoted(view.table)} t", lambda each: f"t.{quoted(each.standard or '')}")
        select.parts.append(part.sql(view, _where(cell)))
    return select


def _where(cell: str | None) -> str:
    return f"WHERE t.cell = {literal(cell)}" if cell is not None else ""


def checked(
    connection: duckdb.DuckDBPyConnection, files: Iterable[tuple[Loadable, VerifiedFile]], table: str
) -> list[int]:
    """Return how many rows each run's file of a table has.

    Raises StoreDamagedError where its columns are not its table's, or its rows not as many as the manifest says.
    """
    taken = list(files)
    found = contents(connection, [file for _, file in taken])
    for (run, file), content in zip(taken, found, strict=True):
        refuse_found(content.columns, file.path, table)
        said = run.manifest.tables.get(table) if run.manifest and table not in BY_GENERATION else None
        if said and said.rows != content.rows:
            raise StoreDamagedError(
                f"{content.rows} rows",
                where=Where(str(file.path)),
                expected=f"{said.rows} rows, as the manifest says",
            )
    return [content.rows for content in found]


def _standard(files: Sequence[VerifiedFile], view: View, cell: str | None) -> str:
    columns = needed(view.outputs, view.table, "cell")
    paths = [file.path for file in files]
    source, run = parquet_source(paths, columns, "filename='_file'"), run_of("t", "_file", paths)

    def expression(output: Output) -> str:
        return run if output.standard == "run" else f"t.{quoted(output.standard or '')}"

    return Part(f"{source} t", expression).sql(view, _where(cell))


def _further(connection: duckdb.DuckDBPyConnection, files: Sequence[VerifiedFile], view: View) -> list[str]:
    """Return a part for all files that spell the wanted columns alike and have them of the same types."""
    wanted = {each.own for each in view.outputs}
    spelt: dict[VerifiedFile, dict[str, tuple[str, str]]] = {}
    for file, content in zip(files, contents(connection, files), strict=True):
        names = spelling(file, content, view.table)
        spelt[file] = {lower: each for lower, each in names.items() if lower in wanted}
    groups = alike(files, lambda file: tuple(spelt[file].items()))
    return [_further_part(spelt[group[0]], group, view) for group in groups]


def _further_part(names: Mapping[str, tuple[str, str]], files: Sequence[VerifiedFile], view: View) -> str:
    mark = file_column(name for name, _ in names.values())
    source = own_source(names, files, mark)

    def expression(output: Output) -> str:
        if output.standard == "run":
            return run_of("t", mark, [file.path for file in files])
        return own_expression("t", output, names) or f"NULL::{output.type}"

    return Part(f"{source} t", expression).sql(view, "")


def own_source(
    names: Mapping[str, tuple[str, str]], files: Iterable[VerifiedFile], mark: str, *more: Column
) -> str:
    """Return a read_parquet call over files with these own columns, and `more`; without any, over whole rows."""
    columns = [*more, *(Column(name, type_, "") for name, type_ in names.values())]  # type: ignore[arg-type]
    paths = [file.path for file in files]
    if columns:
        return parquet_source(paths, columns, f"filename={literal(mark)}")
    return f"read_parquet([{', '.join(literal(str(path)) for path in paths)}], filename={literal(mark)})"
