"""Closed runs that were loaded once stay loaded: a site asks the same run hundreds of questions.

The key is each run's manifest digest, so a later generation is loaded anew. Open runs are read
anew every time. Transcripts are never kept; they may be big.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Final

from benchctl.store.relations import connect, refuse_changed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

    from benchctl.store.loadable import Loadable

__all__ = ["loaded"]

_Key = tuple[tuple[tuple[str, str], ...], tuple[str, ...]]

_KEPT: Final = 4
_LOADED: OrderedDict[_Key, duckdb.DuckDBPyConnection] = OrderedDict()
_LOCK = Lock()


@contextmanager
def loaded(runs: Sequence[Loadable], tables: Sequence[str]) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a locked connection with these views of these runs, as `connect` does; it may be shared, so only ask.

    Raises what `connect` raises, also for files that were changed since they were loaded.
    """
    key = _key(runs, tables)
    if key is None:
        with connect(runs, tables) as connection:
            yield connection
        return
    with _LOCK:
        if key in _LOADED:
            refuse_changed(runs, tables)
        else:
            _LOADED[key] = connect(runs, tables)
            while len(_LOADED) > _KEPT:
                _LOADED.popitem(last=False)  # a cursor somewhere may still use it; it goes with its last user
        _LOADED.move_to_end(key)
        cursor = _LOADED[key].cursor()
    with cursor:
        yield cursor


def _key(runs: Sequence[Loadable], tables: Sequence[str]) -> _Key | None:
    """Return what makes two loads the same; None for one that is not kept."""
    digests = [(str(run.layout.folder), run.manifest.digest) for run in runs if run.manifest]
    return None if len(digests) < len(runs) or "transcripts" in tables else (tuple(digests), tuple(tables))
