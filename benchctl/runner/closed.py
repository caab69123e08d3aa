"""A run that may be corrected: one that is closed, and whose files are what its manifest says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchctl.errors import RunOpenError

if TYPE_CHECKING:
    from benchctl.store.reader import Store, StoredRun

__all__ = ["closed_run"]


def closed_run(store: Store, run_id: str) -> StoredRun:
    """Return a closed run. Raises RunOpenError for an open one, StoreNewerError, and what `Store.run` raises."""
    run = store.run(run_id)
    if run.state == "open":
        run.history()  # a journal of a newer program is that, and nothing that this one could continue
        raise RunOpenError(
            f"run {run_id} is open, and only a closed run is corrected",
            next_step=f"`benchctl run {run.record.suite} --run-id {run_id}` continues and closes it;"
            " `benchctl status` shows how far it is",
        )
    return run
