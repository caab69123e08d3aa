"""Closed runs that were loaded once stay loaded: a site asks the same run hundreds of questions.

The key is the digests of each run's files, so a later generation is loaded anew. Open runs are read
anew every time. Transcripts are never kept; they may be big.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Final

from benchctl.store.relations.connection import connect, refuse_changed
from benchctl.store.relations.views import View

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

    from benchctl.store.relations.loadable import Loadable

__all__ = ["loaded"]

_Runs = tuple[tuple[str, ...], ...]
_Key = tuple[_Runs, "tuple[str | View, ...]", int | None]

_KEPT: Final = 4
_LOADED: OrderedDict[_Key, duckdb.DuckDBPyConnection] = OrderedDict()
_LOCK = Lock()


@contextmanager
def loaded(
    runs: Sequence[Loadable], tables: Sequence[str | View], *, generation: int | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a locked connection with these views of these runs, as `connect` does; it may be shared, so only ask.

    It may hold more columns than were asked for. Raises what `connect` raises, also for files that were
    changed since they were loaded.
    """
    key = _key(runs, tables, generation)
    if key is None:
        with connect(runs, tables, generation=generation) as connection:
            yield connection
        return
    with _LOCK:
        kept = _covering(key)
        if kept is not None:
            key = kept
            refuse_changed(runs, tables)
        else:
            _LOADED[key] = connect(runs, tables, generation=generation)
            while len(_LOADED) > _KEPT:
                _LOADED.popitem(last=False)  # a cursor somewhere may still use it; it goes with its last user
        _LOADED.move_to_end(key)
        cursor = _LOADED[key].cursor()
    with cursor:
        yield cursor


def _key(runs: Sequence[Loadable], tables: Sequence[str | View], generation: int | None) -> _Key | None:
    """Return what makes two loads the same; None for one that is not kept."""
    digests = [
        (str(run.layout.folder), *(entry.sha256 for entry in run.manifest.files.values()))
        for run in runs
        if run.manifest
    ]
    big = any((each if isinstance(each, str) else each.table) == "transcripts" for each in tables)
    return None if len(digests) < len(runs) or big else (tuple(digests), tuple(tables), generation)


def _covering(key: _Key) -> _Key | None:
    """Return the load that holds all that `key` asks for."""
    if key in _LOADED:
        return key
    runs, tables, generation = key
    if any(isinstance(each, str) for each in tables):
        return None
    wanted = [each for each in tables if not isinstance(each, str)]
    for kept in reversed(_LOADED):
        views = [each for each in kept[1] if not isinstance(each, str)]
        if (kept[0], kept[2]) == (runs, generation) and all(
            any(view.covers(each) for view in views) for each in wanted
        ):
            return kept
    return None
