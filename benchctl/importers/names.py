"""What a column of a file is called in a run: its own name, unless that is empty, taken or the run's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchctl.errors import ImportUnreadableError

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from benchctl.importers.base import ReadOptions

__all__ = ["NEVER_SHADOWED", "column_names", "fold"]

NEVER_SHADOWED: Final = ("run", "cell")
"""What names a row in the store, so no column of a file may be called so."""


def fold(name: str) -> bytes:
    """Return a name as DuckDB compares it: without the case of ASCII letters."""
    return name.encode().lower()


def column_names(
    source: Sequence[str], options: ReadOptions, taken_names: Sequence[str] = NEVER_SHADOWED
) -> tuple[list[str], list[str]]:
    """Return (a usable name for each source name, a note for each that had to be another).

    None of them is one of `taken_names`. Raises ImportUnreadableError for a name that nothing can be called.
    """
    names: list[str] = []
    notes: list[str] = []
    taken: set[bytes] = set()
    wanted = [_wanted(name, number, options, taken_names) for number, name in enumerate(source, start=1)]
    firsts = {fold(name) for name, _ in wanted}
    for original, (name, odd) in zip(source, wanted, strict=True):
        doubled = fold(name) in taken
        final = _free(name, firsts | taken) if doubled else name
        taken.add(fold(final))
        names.append(final)
        if odd or doubled:
            why = "another column has its name, but for case perhaps" if doubled else odd
            notes.append(f"column {original!r} is called `{final}`: {why}")
    return names, notes


def _wanted(name: str, number: int, options: ReadOptions, taken: Sequence[str]) -> tuple[str, str]:
    """Return the name that a column would have if it were the only one, and why that is not its own."""
    stripped = name.strip()
    try:
        stripped.encode()
    except UnicodeEncodeError:
        raise _unsayable(name, number, options) from None
    if "\0" in stripped:
        raise _unsayable(name, number, options)
    if not stripped:
        return f"column_{number}", "it has no name"
    if stripped.lower() in taken:
        return f"source_{stripped}", f"`{stripped.lower()}` names rows of the store"
    return stripped, "" if stripped == name else "spaces around a name are no part of it"


def _unsayable(name: str, number: int, options: ReadOptions) -> ImportUnreadableError:
    return ImportUnreadableError(
        f"the name of column {number} cannot be a column's: {name!r}",
        where=options.where(),
        next_step="give it another name in the file",
    )


def _free(name: str, taken: Container[bytes]) -> str:
    number = 1
    while fold(f"{name}_{number}") in taken:
        number += 1
    return f"{name}_{number}"
