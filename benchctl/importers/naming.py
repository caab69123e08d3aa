"""Which columns name a row: those that were asked for, else what names rows already, else the fewest short texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchctl.errors import ImportKeyError
from benchctl.importers.key import IDENTITY, KeyCheck, cell_id, cell_path, fewest
from benchctl.importers.mapping import LONGEST_NAME, naming_columns, position
from benchctl.importers.names import fold
from benchctl.metrics import METRICS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchctl.importers.base import ReadOptions
    from benchctl.importers.mapping import Plan
    from benchctl.importers.reading import Reading
    from benchctl.importers.values import Value

__all__ = ["Naming", "naming"]

_CELL: Final = fold("cell")
_RUN: Final = fold("run")
_CHOICE: Final = 2
_ENDED: Final = frozenset({"outcome", "answered", "failed", "void"})


@dataclass(frozen=True, slots=True)
class Naming:
    """The places of the columns that name a row, what makes the name of their texts, and what is to be said of them."""

    key: tuple[int, ...]
    name: Callable[[Sequence[Value]], str] = cell_id
    notes: tuple[str, ...] = ()


def naming(asked: tuple[str, ...] | None, reading: Reading, plan: Plan, options: ReadOptions) -> Naming:
    """Return what names the rows. Raises ImportMappingError, or ImportKeyError where two rows have one name or one has none."""
    found = (
        _asked(asked, reading, plan)
        or _of_study(reading)
        or _of_cells(reading)
        or _identity(plan)
        or _of_texts(reading, plan)
    )
    if found is None:
        raise _nameless(reading, options)
    addable = [index for index, scan in enumerate(reading.scans) if _can_name(reading, index, scan.longest)]
    plain = [index for index in addable if not reading.scans[index].null and index not in _measured(plan)]
    numbers = frozenset(index for index in plain if reading.types[index] == "BIGINT")
    KeyCheck(
        reading.texts, found.key, plan.names, options, reading.sheet.unit, addable, plain, numbers, found.name
    ).refuse_doubled()
    return found


def _measured(plan: Plan) -> frozenset[int]:
    """Return the places of the columns that say how a cell went, and so not which cell it is."""
    return frozenset(
        mapped.index for name, mapped in plan.standard.items() if name in METRICS or name in _ENDED
    )


def _can_name(reading: Reading, index: int, longest: int) -> bool:
    return reading.types[index] != "DOUBLE" and longest <= LONGEST_NAME


def _asked(asked: tuple[str, ...] | None, reading: Reading, plan: Plan) -> Naming | None:
    if asked is None:
        return None
    key = tuple(dict.fromkeys(_key_column(name, reading, plan) for name in asked))
    return Naming(key, cell_path if _names(reading, key) else cell_id)


def _key_column(name: str, reading: Reading, plan: Plan) -> int:
    if name in plan.standard and name not in reading.columns:
        return plan.standard[name].index
    return position(name, reading.columns, plan.names, "--key")


def _of_study(reading: Reading) -> Naming | None:
    if reading.dialect is None:
        return None
    return Naming(tuple(reading.columns.index(name) for name in reading.dialect.key))


def _of_cells(reading: Reading) -> Naming | None:
    """Return the file's own column `cell`, or `run` and `cell`, where it names every row, as in an export."""
    places = {fold(name.strip()): index for index, name in reversed(list(enumerate(reading.columns)))}
    if _CELL not in places or reading.scans[places[_CELL]].null:
        return None
    cell, run = places[_CELL], places.get(_RUN)
    for key in ((cell,), *([(run, cell)] if run is not None else [])):
        if fewest(reading.texts, key[-1:], key[:-1]):
            return Naming(key, cell_path)
    return None


def _names(reading: Reading, key: tuple[int, ...]) -> bool:
    """Return whether a key ends with the file's own column `cell`."""
    return fold(reading.columns[key[-1]].strip()) == _CELL


def _identity(plan: Plan) -> Naming | None:
    key = tuple(dict.fromkeys(plan.standard[name].index for name in IDENTITY if name in plan.standard))
    return Naming(key) if key else None


def _of_texts(reading: Reading, plan: Plan) -> Naming | None:
    """Return the fewest short texts that tell the rows apart; all of them where they do not, which is then refused."""
    plain, texts = naming_columns(reading.scans)
    if len(texts) < _CHOICE:
        return Naming(tuple(texts)) if texts else None
    found = fewest(reading.texts, plain) or fewest(reading.texts, texts)
    if found is None:
        return Naming(tuple(sorted(plain or texts)))
    left = [plan.names[index] for index in texts if index not in found.key]
    said = ", ".join(plan.names[index] for index in found.key)
    return Naming(
        found.key,
        notes=(f"named by {said}: the fewest short texts that tell the rows apart",) if left else (),
    )


def _nameless(reading: Reading, options: ReadOptions) -> ImportKeyError:
    texts = [scan for scan in reading.scans if scan.type == "VARCHAR" and scan.longest > LONGEST_NAME]
    why = f"and the texts are longer than {LONGEST_NAME} characters" if texts else "and none of text"
    able = [name for i, name in enumerate(reading.columns) if _can_name(reading, i, reading.scans[i].longest)]
    return ImportKeyError(
        "no column names a row: there is none of " + ", ".join(IDENTITY) + f", {why}",
        where=options.where(),
        expected="one or more columns whose values tell the rows apart",
        next_step=f"name them: `--key {able[0]}`"
        if able
        else "add a column that names each row, or name them with --key",
    )
