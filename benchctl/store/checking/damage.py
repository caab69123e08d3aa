"""One thing that is wrong with a run's folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchctl.errors import BenchctlError, StoreNewerError
    from benchctl.store.disk.layout import RunLayout

__all__ = ["Damage", "Found", "first_row", "from_error"]


@dataclass(frozen=True, slots=True)
class Damage:
    """One file that is not as it must be; `path` is inside the run's folder.

    A `leftover` of a writer that died is no loss: whoever writes to the run next sweeps it.
    """

    path: str
    what: str
    expected: str | None = None
    leftover: bool = False

    def __str__(self) -> str:
        """Return one line."""
        return f"{self.path}: {self.what}" + (f"; expected {self.expected}" if self.expected else "")


Found = dict[str, "list[Damage] | StoreNewerError"]
"""Run -> what is wrong with it, or that a newer program wrote it."""


def from_error(layout: RunLayout, error: BenchctlError) -> Damage:
    """Return the damage that an error names."""
    path = str(error.where.file) if error.where else str(layout.folder)
    return Damage(path.removeprefix(f"{layout.folder}/"), error.what, error.expected)


def first_row(path: str, cells: Iterable[str], what: str, expected: str | None = None) -> Damage:
    """Return the damage of a table's rows: the first cell by name, and how many more there are."""
    first, *others = sorted(set(cells))
    more = f" and of {len(others)} more" if others else ""
    return Damage(path, f"the row of cell {first}{more}: {what}", expected)
