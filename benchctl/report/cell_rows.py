"""The cells of a run as queries see them: of an imported one, with its own columns behind the standard ones.

What is asked of all rows is asked in SQL: an import may have a hundred thousand of them.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from benchctl.store.disk.parquet import quoted
from benchctl.store.frames.view_frame import view_frame
from benchctl.store.relations.loaded import loaded
from benchctl.store.relations.own_columns import own_columns
from benchctl.store.relations.views import named_view

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

    from benchctl.schema.result import Column
    from benchctl.store.reader import StoredRun

__all__ = ["cell_columns", "cell_row", "cell_rows", "distinct", "filled", "knows_outcomes", "without"]


@contextmanager
def _cells(run: StoredRun) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection with the table `cells` of this run, its own columns included."""
    view, _ = named_view("cells", own_columns((run,), "cells"), [run.id])
    with loaded((run,), (view,)) as connection:
        yield connection


def cell_columns(run: StoredRun) -> tuple[Column, ...]:
    """Return the columns of `cells` in this run; an own column of a standard one's name stands in its place."""
    return view_frame((run,), "cells").columns


def cell_rows(run: StoredRun, rows: int | None = None) -> list[dict[str, Any]]:
    """Return a row a cell in the recorded order, with the columns of `cell_columns`; the first `rows` of them."""
    frame = view_frame((run,), "cells")
    return frame.fetchall() if rows is None else frame.head(rows)


def cell_row(run: StoredRun, cell: str) -> dict[str, Any]:
    """Return one cell's row with the same columns. The cell is one of the run's."""
    return view_frame((run,), "cells", cell=cell).head(1)[0]


def filled(run: StoredRun) -> tuple[Column, ...]:
    """Return the columns that have a value in any row."""
    columns = cell_columns(run)
    counts = ", ".join(f"count({quoted(column.name)})" for column in columns)
    with _cells(run) as connection:
        (found,) = connection.execute(f"SELECT {counts} FROM cells").fetchall()  # noqa: S608 - names are quoted
    return tuple(column for column, count in zip(columns, found, strict=True) if count)


def distinct(run: StoredRun, names: Sequence[str], most: int | None = None) -> list[tuple[Any, ...]]:
    """Return the combinations of values that occur in these columns, at most `most`; a row without one has none."""
    listed, present = ", ".join(map(quoted, names)), _all(names, "IS NOT NULL", " AND ")
    limit = "" if most is None else f" LIMIT {most:d}"
    with _cells(run) as connection:
        sql = f"SELECT DISTINCT {listed} FROM cells WHERE {present}{limit}"  # noqa: S608 - names are quoted
        return connection.execute(sql).fetchall()


def credited(run: StoredRun) -> bool:
    """Return whether a cell that failed, and so has score 0, has precision or recall of what it answered."""
    with _cells(run) as connection:
        sql = "SELECT count(*) > 0 FROM cells WHERE failed AND NOT void AND (precision > 0 OR recall > 0)"
        return bool(connection.execute(sql).fetchall()[0][0])


def without(run: StoredRun, names: Sequence[str]) -> int:
    """Return how many rows have no value in one of these columns."""
    with _cells(run) as connection:
        sql = f"SELECT count(*) FROM cells WHERE {_all(names, 'IS NULL', ' OR ')}"  # noqa: S608 - names are quoted
        return int(connection.execute(sql).fetchall()[0][0])


def knows_outcomes(run: StoredRun) -> bool:
    """Return whether how the cells ended is known: of a collected run always, of an import where it was mapped."""
    if run.record.imported is None:
        return True
    with loaded((run,), ("cells",)) as connection:  # the standard column, whatever hides it
        return bool(connection.execute("SELECT count(outcome) > 0 FROM cells").fetchall()[0][0])


def _all(names: Sequence[str], what: str, between: str) -> str:
    return between.join(f"{quoted(name)} {what}" for name in names)
