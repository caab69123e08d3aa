"""One thing that is wrong with a run's folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchctl.errors import BenchctlError
    from benchctl.store.layout import RunLayout

__all__ = ["Damage", "from_error"]


@dataclass(frozen=True, slots=True)
class Damage:
    """One file that is not as it must be; `path` is inside the run's folder."""

    path: str
    what: str
    expected: str | None = None

    def __str__(self) -> str:
        """Return one line."""
        return f"{self.path}: {self.what}" + (f"; expected {self.expected}" if self.expected else "")


def from_error(layout: RunLayout, error: BenchctlError) -> Damage:
    """Return the damage that an error names."""
    path = str(error.where.file) if error.where else str(layout.folder)
    return Damage(path.removeprefix(f"{layout.folder}/"), error.what, error.expected)
