"""A sheet whose columns have types: every pass over it yields the same values, and nothing that no column can hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from benchctl.errors import ImportEmptyError
from benchctl.importers import codeaf
from benchctl.importers.base import Sheet
from benchctl.importers.inference import Scan
from benchctl.importers.values import converter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from benchctl.importers.base import Raw, ReadOptions
    from benchctl.importers.values import Value
    from benchctl.schema.result import ColumnType

__all__ = ["DEFAULT_NULL_TEXTS", "Reading", "scanned"]

DEFAULT_NULL_TEXTS: Final = ("", "n/a", "-")
"""What is null unless the user says otherwise: blank, `n/a` and `-`."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A scanned sheet: what each column holds, and the type of each that its values fit."""

    sheet: Sheet
    scans: tuple[Scan, ...]
    types: tuple[ColumnType, ...]
    rows: int
    notes: tuple[str, ...]
    dialect: codeaf.Dialect | None

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns' names as the file has them."""
        return self.sheet.columns

    def converter(self, index: int, type_: ColumnType | None = None) -> Callable[[Raw], Value]:
        """Return what makes a column's values of its own type, or of another that they all fit.

        A number that becomes a text loses the spaces around it.
        """
        scan = self.scans[index]
        convert = converter(type_ or self.types[index], scan.null_texts)
        if type_ == "VARCHAR" and self.types[index] != "VARCHAR":
            return lambda raw: convert(raw.strip() if isinstance(raw, str) else raw)
        return convert

    def texts(self, columns: Sequence[int]) -> Iterator[tuple[int, list[Value]]]:
        """Yield (place, the texts of these columns as the file has them, None for null) of each row: 1.10 is not 1.1."""
        converters = [(index, self.converter(index, "VARCHAR")) for index in columns]
        for place, raw in self.sheet.rows():
            yield place, [convert(raw[index]) for index, convert in converters]

    def values(self, columns: Sequence[int] | None = None) -> Iterator[tuple[int, list[Value]]]:
        """Yield (place, the values of these columns, or of all, each of its own type) of each row."""
        chosen = range(len(self.columns)) if columns is None else columns
        converters = [(index, self.converter(index)) for index in chosen]
        for place, raw in self.sheet.rows():
            yield place, [convert(raw[index]) for index, convert in converters]


def scanned(
    sheet: Sheet, null_texts: tuple[str, ...], options: ReadOptions, *, study: bool = True
) -> Reading:
    """Return the sheet read once, from end to end. With `study`, a known study's columns mean what they mean there.

    Raises ImportEmptyError where there is no row, ImportUnreadableError or ImportRaggedError.
    """
    dialect = codeaf.DIALECT if study and codeaf.recognised(sheet.columns) else None
    if dialect:
        sheet = codeaf.dressed(sheet)
    more: Mapping[str, tuple[str, ...]] = dialect.null_texts if dialect else {}
    plain = frozenset(text.strip() for text in null_texts)
    scans = [
        Scan(plain | frozenset(more.get(name, ())), bare)
        for name, bare in zip(sheet.columns, sheet.bare, strict=True)
    ]
    sees = [scan.see for scan in scans]
    rows = 0
    for place, values in sheet.rows():
        rows += 1
        for see, value in zip(sees, values, strict=True):
            see(value, place)
    if not rows or not scans:
        raise ImportEmptyError(
            "there is no row" if scans else "there is no column",
            where=options.where(),
            expected="at least one row of results",
            next_step="nothing was imported; a file that should hold rows was perhaps cut short",
        )
    notes = [*sheet.notes, *sheet.tally.notes(sheet.unit)]
    if _trailing(sheet, scans[-1]):
        notes.append(f"every line ends with a delimiter: the empty column {len(scans)} is left out")
        scans.pop()
        sheet = replace(sheet, columns=sheet.columns[:-1], bare=sheet.bare[:-1])
    types = tuple(
        scan.type or (dialect.types.get(name) if dialect else None) or "VARCHAR"
        for name, scan in zip(sheet.columns, scans, strict=True)
    )
    return Reading(sheet, tuple(scans), types, rows, tuple(notes), dialect)


def _trailing(sheet: Sheet, last: Scan) -> bool:
    """Return whether the last column is nothing but a delimiter at the end of every line."""
    return len(sheet.columns) > 1 and not sheet.columns[-1].strip() and last.type is None
