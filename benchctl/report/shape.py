"""What a table is, before it is text: cells that keep where they come from.

No figure stands alone: a cell carries the count it was computed from, what failed
and what was void there, and its interval with the interval's scope.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchctl.quantities.format import format_number

__all__ = ["Column", "Table", "TableCell", "Value", "short_digest"]

Value = float | int | str | bool | None
"""What a cell may hold. None is "not measured" or "no value over these rows"; the cell's notes say which."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `key` columns name the row; the others hold figures. `unit` None is a plain number."""

    title: str
    key: bool = False
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class TableCell:
    """One figure. `n` counts the values it was computed from, `failed` and `void` the rows so marked in its scope.

    `lo` and `hi` are its interval, `scope` what the interval speaks of (`rerun`, `questions`,
    `repositories`); all None where there is none. `of` is a second figure printed behind the first.
    `partial` says that `n` is not the row's own n, so that the text must show it.
    """

    value: Value
    unit: str | None = None
    places: int | None = None
    lo: float | None = None
    hi: float | None = None
    scope: str | None = None
    n: int | None = None
    failed: int | None = None
    void: int | None = None
    of: float | int | None = None
    partial: bool = False
    verdict: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return the cell as plain text; text of unknown origin is not escaped yet."""
        if isinstance(self.value, str):
            return self.value
        if isinstance(self.value, bool):
            return "yes" if self.value else "no"
        shown = self._number(self.value)
        if self.of is not None:
            shown = f"{shown} of {self._number(self.of)}"
        if self.lo is not None and self.hi is not None:
            shown = f"{shown} [{self._number(self.lo)}, {self._number(self.hi)}]"
        return f"{shown} (n={self.n})" if self.partial else shown

    def _number(self, value: float | None) -> str:
        return format_number(value, unit=self.unit, places=self.places)

    def as_json(self) -> dict[str, Any]:
        """Return the cell in the shape that `--format json` promises; `of` only where the column has one."""
        shape: dict[str, Any] = {
            "value": self.value,
            "lo": self.lo,
            "hi": self.hi,
            "scope": self.scope,
            "n": self.n,
            "failed": self.failed,
            "void": self.void,
            "verdict": self.verdict,
            "notes": list(self.notes),
        }
        return shape if self.of is None else {**shape, "of": self.of}


@dataclass(frozen=True, slots=True)
class Table:
    """A table of one run. `data_digest` is None while the run is open; `notes` are footnotes in plain text.

    `grading` says which grades its scores are of; empty where the run was graded once.
    """

    name: str
    title: str
    run: str
    data_digest: str | None
    columns: tuple[Column, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    notes: tuple[str, ...] = ()
    grading: str = ""

    @property
    def source(self) -> str:
        """Return the sentence that names the run and the start of its data digest."""
        data = f"data {short_digest(self.data_digest)}" if self.data_digest else "still open, no digest yet"
        return f"Run {self.run}, {data}{f', {self.grading}' if self.grading else ''}."

    @property
    def caption(self) -> str:
        """Return the line that ties the table to its data, even where its markers were lost in a paste."""
        return f"{self.title}. {self.source}"


def short_digest(digest: str) -> str:
    """Return the twelve hex digits that a caption shows of a `sha256:…` digest."""
    return digest.removeprefix("sha256:")[:12]
