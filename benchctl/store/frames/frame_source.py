"""Where a frame's rows come from: a view of some runs, rows at hand, or a person's own SELECT over the store.

Closed runs share what is loaded already, verified anew; what is open or big is opened once for each
frame, so that all that a frame says is of one moment.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from benchctl.store.disk.parquet import quoted
from benchctl.store.relations.connection import connect, is_big
from benchctl.store.relations.loaded import loaded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    import duckdb

    from benchctl.schema.result import Column
    from benchctl.store.reader import StoredRun
    from benchctl.store.relations.views import View

__all__ = ["Kept", "OfView", "Source", "of_rows"]


class Source(Protocol):
    """A SELECT and the locked connections that it may be asked on; `private` is the caller's alone."""

    @property
    def select(self) -> str:
        """Return the SELECT."""
        ...

    def shared(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """Give a connection to ask, and not to change."""
        ...

    def private(self) -> duckdb.DuckDBPyConnection:
        """Return a connection of one's own."""
        ...


class Kept:
    """The rows of a SELECT on connections that `make` gives; the first of them, or `kept`, is kept."""

    def __init__(
        self,
        select: str,
        make: Callable[[], duckdb.DuckDBPyConnection],
        kept: duckdb.DuckDBPyConnection | None = None,
    ) -> None:
        self.select = select
        self._make = make
        self._kept = kept

    @contextmanager
    def shared(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Give the connection that is kept."""
        if self._kept is None:
            self._kept = self._make()
        with self._kept.cursor() as cursor:
            yield cursor

    def private(self) -> duckdb.DuckDBPyConnection:
        """Return a further connection."""
        return self._make()


class OfView(Kept):
    """The rows of one view of `runs`; of `cell` alone where it is named."""

    def __init__(
        self, runs: Sequence[StoredRun], view: View, *, cell: str | None = None, generation: int | None = None
    ) -> None:
        names = ", ".join(quoted(output.name) for output in view.outputs)
        super().__init__(
            f"SELECT {names} FROM {quoted(view.name)}{_order(runs, view)}",  # noqa: S608 - names are quoted
            lambda: connect(runs, (view,), cell=cell, generation=generation),
        )
        self._runs, self._view, self._generation = tuple(runs), view, generation
        self._apart = cell is not None or any(run.manifest is None for run in runs) or is_big(runs, (view,))

    @contextmanager
    def shared(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Give what is loaded of closed runs; of an open one, what it was when it was first asked for."""
        if self._apart:
            with super().shared() as connection:
                yield connection
            return
        with loaded(self._runs, (self._view,), generation=self._generation) as connection:
            yield connection


def _order(runs: Sequence[StoredRun], view: View) -> str:
    """Return an ORDER BY clause for cells that are views over files: a join may leave them in any order.

    What is loaded into tables is in the recorded order already. An own column called `order` says nothing about it.
    """
    by = {output.name for output in view.outputs if output.own is None}
    return ' ORDER BY "run", "order"' if is_big(runs, (view,)) and {"run", "order"} <= by else ""


def of_rows(columns: Sequence[Column], rows: Sequence[Sequence[object]]) -> Kept:
    """Return rows at hand as a source, typed as their columns say."""

    def make() -> duckdb.DuckDBPyConnection:
        connection = connect((), ())
        declared = ", ".join(f"{quoted(column.name)} {column.type}" for column in columns)
        connection.execute(f"CREATE TABLE rows_at_hand ({declared})")
        if rows:
            marks = ", ".join("?" * len(columns))
            connection.executemany(f"INSERT INTO rows_at_hand VALUES ({marks})", rows)  # noqa: S608 - placeholders
        return connection

    return Kept("SELECT * FROM rows_at_hand", make)
