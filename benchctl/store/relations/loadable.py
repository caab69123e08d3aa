"""What a run must say of itself to be loaded into a database; `reader.StoredRun` does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from benchctl.schema.run import RunRecord
    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.manifest import Manifest
    from benchctl.store.journals.history import History

__all__ = ["Loadable"]


class Loadable(Protocol):
    """What a run must say of itself to be loaded; `reader.StoredRun` does."""

    @property
    def id(self) -> str:
        """Return the run's id."""
        ...

    @property
    def layout(self) -> RunLayout:
        """Return where its files are."""
        ...

    @property
    def manifest(self) -> Manifest | None:
        """Return the newest generation; None for an open run."""
        ...

    @property
    def record(self) -> RunRecord:
        """Return its record, verified."""
        ...

    def current(self) -> Self:
        """Return the same run as it is now."""
        ...

    def history(self) -> History:
        """Return what the journals of an open run say."""
        ...
