"""Which columns of a file are benchctl's own: by their name, or because the user says so; every other keeps its name.

A column that has a standard one's name but not its type, or not its words, keeps the name and
shadows the standard one in that run; that is printed, and so is all else that is decided here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchctl.errors import ImportMappingError
from benchctl.expressions import near
from benchctl.importers.names import NEVER_SHADOWED, column_names, fold
from benchctl.schema.evidence import OUTCOMES
from benchctl.schema.result import VIEWS, Column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchctl.importers.base import ReadOptions
    from benchctl.importers.inference import Scan

__all__ = ["LONGEST_NAME", "STANDARD", "Mapped", "Plan", "make_plan", "naming_columns", "position"]

STANDARD: Final[dict[str, Column]] = {
    column.name: column for column in VIEWS["cells"] if column.name not in NEVER_SHADOWED
}
"""Every standard column that a source column can fill."""

_BY_FOLD: Final = {fold(name): name for name in STANDARD}
LONGEST_NAME: Final = 200
"""A longer text is an answer and no name."""

_DERIVED: Final = ("failed", "void")
"""What follows from an outcome: where one is mapped, a source's own words on it do not replace the rule."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """A standard column and the place of the source column that fills it; `named` where it was not asked for."""

    column: Column
    index: int
    named: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """Every column's fate. `names` is each source column's name in the run, `own` the places of those that stay."""

    names: tuple[str, ...]
    standard: dict[str, Mapped]
    own: tuple[int, ...]
    notes: tuple[str, ...]

    def fate(self, index: int) -> str:
        """Return what becomes of a source column, in words."""
        filled = [name for name, mapped in self.standard.items() if mapped.index == index]
        kept = [f"own `{self.names[index]}`"] if index in self.own else []
        return " and ".join([f"standard `{name}`" for name in filled] + kept) or "left out"


def make_plan(
    source: Sequence[str], scans: Sequence[Scan], asked: Mapping[str, str], options: ReadOptions
) -> Plan:
    """Return the plan for a file's columns. `asked` is source -> target, as `--map` says.

    Raises ImportMappingError for a source or target that cannot be, two sources for one standard column,
    or a value that its standard column cannot hold, placed at its line.
    """
    names, notes = column_names(source, options)
    targets = {
        position(name, source, names, "--map"): _BY_FOLD.get(fold(target), target)
        for name, target in asked.items()
    }
    standard = _asked(targets, names, scans, options)
    renamed = _renamed(targets, names, notes)
    claimed = {mapped.column.name for mapped in standard.values()}
    for index, name in enumerate(names):
        found = _BY_FOLD.get(fold(name))
        if found is None or index in targets or index in renamed:
            continue
        if why := _not_by_name(found, scans[index], claimed, has_outcome=_has_outcome(names, scans, claimed)):
            notes.append(f"`{name}` stays the file's own and hides benchctl's `{found}` in this run: {why}")
        else:
            standard[found] = Mapped(STANDARD[found], index, named=True)
    given = {mapped.index for mapped in standard.values() if mapped.named}
    final = tuple(renamed.get(index, name) for index, name in enumerate(names))
    own = tuple(index for index in range(len(names)) if index not in given)
    return Plan(final, standard, own, tuple(notes))


def position(name: str, source: Sequence[str], names: Sequence[str], option: str) -> int:
    """Return the place of a source column by the file's name for it, or the run's. Raises ImportMappingError."""
    for known in (source, names):
        if name in known:
            return known.index(name)
    raise ImportMappingError(
        f"{option}: the file has no column {name!r}",
        expected=near(name, source) or ", ".join(source[:20]),
        next_step="write the name as the file has it",
    )


def naming_columns(scans: Sequence[Scan]) -> tuple[list[int], list[int]]:
    """Return the places of the columns that can name a row where nothing else does: short texts without any number, and all.

    In each, those that have a value in every row come first.
    """
    texts = [i for i, scan in enumerate(scans) if scan.type == "VARCHAR" and scan.longest <= LONGEST_NAME]
    texts.sort(key=lambda index: scans[index].null > 0)
    return [index for index in texts if set(scans[index].kinds) == {"text"}], texts


def _asked(
    targets: Mapping[int, str], names: Sequence[str], scans: Sequence[Scan], options: ReadOptions
) -> dict[str, Mapped]:
    standard: dict[str, Mapped] = {}
    for index, target in targets.items():
        if target not in STANDARD:
            continue
        if other := standard.get(target):
            raise ImportMappingError(
                f"--map: {names[other.index]!r} and {names[index]!r} are both to fill `{target}`",
                expected="one source for a standard column",
                next_step="leave one of them out of --map",
            )
        _refuse_misfit(STANDARD[target], names[index], scans[index], options)
        standard[target] = Mapped(STANDARD[target], index, named=names[index] == target)
    return standard


def _refuse_misfit(column: Column, name: str, scan: Scan, options: ReadOptions) -> None:
    """Raise ImportMappingError where a column was asked to fill a standard one that cannot hold its values."""
    if wrong := scan.misfit(column.type):
        place, text = wrong
        raise ImportMappingError(
            f"--map: `{column.name}` is {column.type}, and {name!r} has {text[:60]!r}",
            where=options.where(place),
            expected=f"a {column.type} in every row, or null",
            next_step="`--null` says which texts are null",
        )
    if column.name == "outcome" and (strange := _strange_outcome(scan)):
        raise ImportMappingError(
            f"--map: {strange[0][:60]!r} is no outcome",
            where=options.where(strange[1]),
            expected=", ".join(OUTCOMES),
            next_step="leave the column under its own name, or write the outcomes in these words",
        )


def _strange_outcome(scan: Scan) -> tuple[str, int] | None:
    """Return (text, place) of a value that is no outcome; the texts that are remembered are more than there are outcomes."""
    return next(((text, place) for text, place in scan.texts.items() if text not in OUTCOMES), None)


def _renamed(targets: Mapping[int, str], names: Sequence[str], notes: list[str]) -> dict[int, str]:
    """Return the new name of each column that was asked to have one. Raises ImportMappingError."""
    renamed: dict[int, str] = {}
    for index, target in targets.items():
        if target in STANDARD:
            continue
        if not target.strip() or "\0" in target or target.lower() in NEVER_SHADOWED:
            raise ImportMappingError(
                f"--map: {target!r} cannot be a column's name in a run", next_step="choose another name"
            )
        others = [*(name for other, name in enumerate(names) if other != index), *renamed.values()]
        if fold(target) in map(fold, others):
            raise ImportMappingError(
                f"--map: {names[index]!r} cannot be called {target!r}: another column is",
                expected="a name of its own, in another way than by its case",
                next_step="choose another name",
            )
        renamed[index] = target
        like = near(target, STANDARD)
        hint = f" (no standard column is called so; near are {like})" if like else ""
        notes.append(f"column {names[index]!r} is called `{target}`, as asked{hint}")
    return renamed


def _has_outcome(names: Sequence[str], scans: Sequence[Scan], claimed: set[str]) -> bool:
    if "outcome" in claimed:
        return True
    return any(fold(name) == b"outcome" and not _unlike(scans[i], "outcome") for i, name in enumerate(names))


def _not_by_name(found: str, scan: Scan, claimed: set[str], *, has_outcome: bool) -> str:
    """Return why a column that is called like a standard one is not that; empty where it is."""
    if found in claimed:
        return "another column was mapped to it"
    if found in _DERIVED and has_outcome:
        return "benchctl's follows from the outcome"
    return _unlike(scan, found)


def _unlike(scan: Scan, found: str) -> str:
    """Return in which way a column is not the standard one of its name; empty where it is."""
    column = STANDARD[found]
    if scan.misfit(column.type):
        return f"it is {scan.type}, and benchctl's is {column.type}"
    if found == "outcome" and (strange := _strange_outcome(scan)):
        return f"`{strange[0][:40]}` is no outcome of benchctl's"
    if found == "key" and scan.kinds:
        return "benchctl's is a digest of its own"
    return ""
