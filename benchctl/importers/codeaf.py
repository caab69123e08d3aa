"""The results.csv of the codeaf study: columns appended over the years, each with a declared meaning where it is missing.

A row of the first era has nine fields, under whichever header. `codeaf_mode` then means `node`;
what else is missing was not measured.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from benchctl.importers.base import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchctl.importers.base import Raw, Sheet
    from benchctl.schema.result import ColumnType

__all__ = ["DIALECT", "Dialect", "appended", "dressed", "may_lack", "outcome", "recognised"]

_FIRST: Final = ("harness", "issue", "seconds", "exit", "changed_files", "passed", "failed")
_LATE: Final = ("cost_usd", "cost_source", "codeaf_mode", "nodes_failed")
_COLUMNS: Final = _FIRST + _LATE
_MODE: Final = "node"
_TIMED_OUT: Final = 124


@dataclass(frozen=True, slots=True)
class Dialect:
    """What is known of the study's columns: `mapped` standard column by source, the key, the types where all is null."""

    mapped: Mapping[str, str]
    key: tuple[str, ...]
    types: Mapping[str, ColumnType]
    null_texts: Mapping[str, tuple[str, ...]]


DIALECT: Final = Dialect(
    mapped={"harness": "agent", "issue": "question", "seconds": "wall_s"},
    key=("harness", "issue", "codeaf_mode"),
    types={
        "seconds": "DOUBLE", "exit": "BIGINT", "passed": "BIGINT", "failed": "BIGINT", "nodes_failed": "BIGINT",
    },
    null_texts={"cost_usd": ("not-self-reported",)},
)  # fmt: skip


def recognised(columns: Sequence[str]) -> bool:
    """Return whether these are the study's columns; further ones may stand among them."""
    return set(_FIRST) <= set(columns)


def appended(columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the late columns that rows may have beyond this header: none unless it is the study's, in its order."""
    if len(columns) >= len(_FIRST) and columns == _COLUMNS[: len(columns)]:
        return _COLUMNS[len(columns) :]
    return ()


def may_lack(columns: Sequence[str], lacking: Sequence[str]) -> bool:
    """Return whether a row may end before these columns."""
    return recognised(columns) and set(lacking) <= set(_LATE)


def dressed(sheet: Sheet) -> Sheet:
    """Return the study's sheet with all its columns, and the mode that a missing one means."""
    missing = tuple(name for name in _LATE if name not in sheet.columns)
    columns = sheet.columns + missing
    mode = columns.index("codeaf_mode")
    filler = (ABSENT,) * len(missing)

    def rows() -> Iterator[tuple[int, Sequence[Raw]]]:
        for place, values in sheet.rows():
            whole = [*values, *filler]
            if _missing(whole[mode]):
                sheet.tally.add(f"`codeaf_mode` is missing and reads as `{_MODE}`", place)
                whole[mode] = _MODE
            yield place, whole

    bare = sheet.bare + (True,) * len(missing)
    return replace(sheet, columns=columns, bare=bare, rows=rows)


def _missing(value: Raw) -> bool:
    return value is ABSENT or value is None or (isinstance(value, str) and not value.strip())


def outcome(exit_status: int | None, nodes_failed: int | None) -> str | None:
    """Return how a cell ended by the study's own rule; None where the exit status is not known."""
    if nodes_failed:
        return "no_result"
    if exit_status is None:
        return None
    if exit_status == 0:
        return "ok"
    return "timeout" if exit_status == _TIMED_OUT else "exit_nonzero"
