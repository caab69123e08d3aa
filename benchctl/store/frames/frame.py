"""Rows of the store as other libraries hold them: pandas, polars, Arrow, DuckDB, or plain dictionaries.

Null stays null everywhere. In pandas that takes its nullable types (`Int64`, `Float64`, `boolean`,
`string`): with its others a count with one null in it would become a float. pandas, polars and
pyarrow come with the extra `frames` and are imported where they are asked for.
"""

from __future__ import annotations

import importlib
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NoReturn

from benchctl.errors import FrameLibraryMissingError, FrameTypeError
from benchctl.schema.canonical import digest
from benchctl.store.disk.parquet import quoted
from benchctl.store.frames.frame_text import Head, as_html, as_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import duckdb
    import pandas as pd
    import polars  # noqa: ICN001 - `pl` is a method here
    import pyarrow as pa

    from benchctl.schema.result import Column
    from benchctl.store.disk.rows import Row
    from benchctl.store.frames.frame_source import Source

__all__ = ["Frame"]

_BATCH: Final = 1024
_WHOLE: Final = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"})
_WIDE: Final = frozenset({"HUGEINT", "UHUGEINT", "UBIGINT"})
_COMMON: Final = _WHOLE | _WIDE | {"BOOLEAN", "FLOAT", "DOUBLE", "DECIMAL", "VARCHAR", "DATE", "TIMESTAMP"}
"""What every library has a type for."""
_INT64: Final = range(-(2**63), 2**63)


class Frame:
    """One relation of the store, read when it is first asked for; a closed run's rows never change.

    `name` says what it holds, `columns` what each of its columns means (name, type, unit, meaning, what null
    means), `digests` run -> data digest, None for an open run; `notes` says where a column is of one type in one
    run and of another in the next.
    """

    def __init__(
        self,
        name: str,
        columns: tuple[Column, ...],
        digests: Mapping[str, str | None],
        source: Source,
        *,
        notes: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.columns = columns
        self.digests = dict(digests)
        self.notes = notes
        self._source = source

    @property
    def digest(self) -> str | None:
        """Return the data digest of the run, of several runs the digest over theirs; None where one is open."""
        digests = self.digests.values()
        if not digests or None in digests:
            return None
        return next(iter(digests)) if len(self.digests) == 1 else digest(self.digests)

    def df(self) -> pd.DataFrame:
        """Return a pandas DataFrame of nullable types. Raises FrameLibraryMissingError."""
        pandas, numpy = _library("pandas"), _library("numpy")
        with self._source.shared() as connection:
            relation = _narrowed(connection.sql(self._source.select))
            types = dict(zip(relation.columns, map(str, relation.types), strict=True))
            found = {name: _whole_numbers(pandas, relation, name) for name in types if types[name] in _WIDE}
            texts = [name for name in types if types[name] == "VARCHAR"] if _has("pyarrow") else []
            if texts:  # several times as fast as by way of Python's objects
                table = relation.project(", ".join(map(quoted, texts))).to_arrow_table()
                found |= {name: pandas.StringDtype().__from_arrow__(table[name]) for name in texts}
            if rest := [name for name in types if name not in found]:
                arrays = relation.project(", ".join(map(quoted, rest))).fetchnumpy()
                found |= {name: _series(pandas, numpy, types[name], arrays[name]) for name in rest}
        return pandas.DataFrame({name: found[name] for name in types}, copy=False)

    def pl(self) -> polars.DataFrame:
        """Return a polars DataFrame. Raises FrameLibraryMissingError, FrameTypeError."""
        library = _library("polars")
        if any("INTERVAL" in column.type for column in self.columns):
            raise self._untold("polars")  # it panics over one inside a list
        try:
            frame: polars.DataFrame = library.from_arrow(self.arrow())
        except library.exceptions.PolarsError as error:
            raise self._untold("polars") from error
        return frame

    def arrow(self) -> pa.Table:
        """Return a pyarrow Table; a whole number of 128 bits, such as a sum, is one of 64 where all of them fit.

        Raises FrameLibraryMissingError, FrameTypeError.
        """
        library = _library("pyarrow")
        try:
            with self._source.shared() as connection:
                return _narrowed(connection.sql(self._source.select)).to_arrow_table()
        except library.ArrowException as error:
            raise self._untold("pyarrow") from error

    def _untold(self, library: str) -> FrameTypeError:
        """Return what to say where a library cannot hold an answer: the columns that may be why."""
        odd = [c for c in self.columns if c.type.partition("(")[0] not in _COMMON]
        named = ", ".join(f"`{c.name}` is {c.type}" for c in odd or self.columns)
        return FrameTypeError(
            f"{library} has no type for a column of this answer: {named}",
            next_step="cast it in the query, for instance to VARCHAR or to seconds with `epoch(…)`",
        )

    def __reduce__(self) -> NoReturn:
        """Raise TypeError: a frame is a question to a store that stands open, and not its answer."""
        raise TypeError(
            f"the frame {self.name!r} cannot be pickled or copied: it reads an open store;"
            " hand on its rows (`df()`, `arrow()`, `fetchall()`), or open the store there"
        )

    def duckdb(self) -> duckdb.DuckDBPyRelation:
        """Return a DuckDB relation over a connection of its own, which reads no file and no network."""
        return self._source.private().sql(self._source.select)

    def fetchall(self) -> list[Row]:
        """Return every row as a dictionary; null is None."""
        return list(self)

    def head(self, rows: int = 10) -> list[Row]:
        """Return the first rows as dictionaries."""
        with self._source.shared() as connection:
            return _dictionaries(connection.execute(f"{self._source.select} LIMIT {rows:d}").fetchall(), self)

    def __iter__(self) -> Iterator[Row]:
        """Yield each row as a dictionary."""
        with self._source.shared() as connection:
            cursor = connection.execute(self._source.select)
            while batch := cursor.fetchmany(_BATCH):
                yield from _dictionaries(batch, self)

    @cached_property
    def _rows(self) -> int:
        with self._source.shared() as connection:
            found = connection.execute(f"SELECT count(*) FROM ({self._source.select})").fetchall()  # noqa: S608 - our own
        return int(found[0][0])

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._rows

    def _head(self) -> Head:
        return Head(self.name, self.columns, self.digest, self.head(), len(self), self.notes)

    def __repr__(self) -> str:
        """Return the first rows as aligned text under a line that says how many there are."""
        return as_text(self._head())

    def _repr_html_(self) -> str:
        """Return the first rows as an escaped HTML table, for a notebook."""
        return as_html(self._head())


def _dictionaries(batch: list[tuple[Any, ...]], frame: Frame) -> list[Row]:
    names = [column.name for column in frame.columns]
    return [dict(zip(names, values, strict=True)) for values in batch]


def _library(name: str) -> Any:
    """Return a library that comes with an extra. Raises FrameLibraryMissingError where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise FrameLibraryMissingError(
            f"{name} is not installed", next_step="pip install 'benchctl[frames]'"
        ) from error


def _has(library: str) -> bool:
    try:
        importlib.import_module(library)
    except ImportError:
        return False
    return True


def _narrowed(relation: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Return the relation with its whole numbers of 128 bits as ones of 64, in each column where all of them fit."""
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    wide = {name for name, type_ in types.items() if type_ in {"HUGEINT", "UHUGEINT"}}
    if not wide:
        return relation
    tests = (
        f"bool_and({quoted(name)} IS NULL OR TRY_CAST({quoted(name)} AS BIGINT) IS NOT NULL)" for name in wide
    )
    found = relation.aggregate(", ".join(tests)).fetchall()[0]
    fitting = {name for name, fits in zip(wide, found, strict=True) if fits is not False}
    shown = (
        f"CAST({quoted(name)} AS BIGINT) AS {quoted(name)}" if name in fitting else quoted(name)
        for name in types
    )
    return relation.project(", ".join(shown))


def _whole_numbers(pandas: Any, relation: duckdb.DuckDBPyRelation, name: str) -> Any:
    """Return a column of 128 bits, such as a sum, exactly: numpy has no type for it but a rounded float."""
    values = [value for (value,) in relation.project(quoted(name)).fetchall()]
    fits = all(value is None or value in _INT64 for value in values)
    return pandas.array(values, dtype="Int64" if fits else "object")


def _series(pandas: Any, numpy: Any, type_: str, values: Any) -> Any:
    """Return one column as a nullable array; of a type that pandas has none for, as DuckDB gives it."""
    null, data = numpy.ma.getmaskarray(values), numpy.ma.getdata(values)
    if type_ in _WHOLE:
        return pandas.arrays.IntegerArray(data.astype("int64"), null)
    if type_ in {"DOUBLE", "FLOAT"} or type_.startswith("DECIMAL"):
        return pandas.arrays.FloatingArray(data.astype("float64"), null)
    if type_ == "BOOLEAN":
        return pandas.arrays.BooleanArray(data.astype("bool"), null)
    if type_ == "VARCHAR":
        texts = data.astype("object")
        texts[null] = None
        return pandas.array(texts, dtype="string")
    return values
