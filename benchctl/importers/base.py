"""What an importer is: a file read as rows of named columns, as often as asked, with every value as the file says it.

What a value means (its type, whether it is null, which standard column it fills) is decided
by the rest of the room, once for all formats.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, Protocol

from benchctl.errors import ImportUnreadableError, Where

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from benchctl.schema.result import ColumnType

__all__ = [
    "ABSENT",
    "LONGEST",
    "WIDEST",
    "Absent",
    "Importer",
    "Number",
    "Raw",
    "ReadOptions",
    "Sheet",
    "Tally",
    "too_wide",
]

WIDEST: Final = 5000
"""More columns than this is no table but a mistaken nesting."""

LONGEST: Final = 64 << 20
"""A line, or a field over several, of more characters than this is no row but a file of another kind."""


class Absent:
    """What stands in a row for a column that the row does not have; not the same as an empty one."""

    def __repr__(self) -> str:
        """Return its name."""
        return "ABSENT"


ABSENT: Final = Absent()


class Number(str):
    """A number as its file writes it, where texts and numbers can be told apart."""

    __slots__ = ()


Raw = str | bool | int | float | None | Absent
"""A value as read. A `str` that is no Number is a text, or in a bare column anything that a text can say."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a file is to be read; `name` is what messages call it.

    `encoding` and `delimiter` are None where the file shows them. With `short_rows` a row that ends early
    reads as absent in the rest; lines that begin with `comment` are left out. `pointer` is a JSON pointer
    (RFC 6901) to the array of rows. `types` are the types of the columns by name, where the file's writer said them.
    """

    name: str
    encoding: str | None = None
    delimiter: str | None = None
    short_rows: bool = False
    comment: str | None = None
    pointer: str | None = None
    types: Mapping[str, ColumnType] = field(default_factory=dict)

    def where(self, line: int | None = None, column: int | None = None) -> Where:
        """Return a place in the file."""
        return Where(self.name, line, column)


@dataclass(slots=True)
class Tally:
    """What a pass over the file met, counted, with the first place of each."""

    _seen: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, what: str, place: int) -> None:
        """Count one more of `what`."""
        count, first = self._seen.get(what, (0, place))
        self._seen[what] = (count + 1, first)

    def clear(self) -> None:
        """Begin anew, as every pass does."""
        self._seen.clear()

    def notes(self, unit: str) -> Iterator[str]:
        """Yield a line for each thing met."""
        for what, (count, first) in self._seen.items():
            yield f"{what}: {count}, the first in {unit} {first}"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file as rows. `columns` are the names as the file has them; they may be empty, doubled or odd.

    `bare` says of each column whether its texts may be numbers and truths, as all of CSV's are. `rows`
    yields (place, values) anew at each call, the place counted in `unit` from 1; `tally` holds what the
    last whole pass met, `notes` what was known before it. `options` are the terms of reading that the
    file or the user chose, for the record.
    """

    columns: tuple[str, ...]
    bare: tuple[bool, ...]
    unit: Literal["line", "row"]
    rows: Callable[[], Iterator[tuple[int, Sequence[Raw]]]]
    encoding: str | None = None
    notes: tuple[str, ...] = ()
    tally: Tally = field(default_factory=Tally)
    options: dict[str, str] = field(default_factory=dict)


class Importer(Protocol):
    """A module that reads one format; `SUFFIX` is how the kept copy's name ends."""

    @property
    def SUFFIX(self) -> str:  # noqa: N802 - a module's constant
        """Return the suffix, without its dot."""
        ...

    def read(self, path: Path, options: ReadOptions) -> Sheet:
        """Return the file as a sheet. Raises ImportUnreadableError, now or in a pass over its rows."""
        ...


def too_wide(options: ReadOptions, columns: int) -> ImportUnreadableError:
    """Return the refusal of a file with more columns than a table has."""
    return ImportUnreadableError(
        f"{columns} columns or more",
        where=options.where(),
        expected=f"at most {WIDEST}",
        next_step="a nested object whose keys are data makes a column of each: make a list of it",
    )
