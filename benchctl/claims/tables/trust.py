"""Which figures of a page may be reckoned with, and which the run's own data has confirmed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import Sheet
from benchctl.claims.tables.figures import Figure

__all__ = ["Trust", "trust_of"]

_EXACT = Decimal(0)


def trust_of(sheet: Sheet) -> Trust:
    """Return what a page's bindings say of its numbers, made once; asked for when its values are judged."""
    return sheet.once(Trust)


class Trust:
    """What bindings say of a page's numbers, once the values are judged."""

    def __init__(self, sheet: Sheet) -> None:
        self._apart = {item.atom.start for item in sheet.retractions}
        self._held: dict[int, bool] = {}
        self._actual: dict[int, Decimal] = {}
        for item in sheet.judged:
            if item.claim.atom:
                start = item.claim.atom.start
                self._held[start] = self._held.get(start, True) and item.judgement.holds
                if item.judgement.actual is not None and item.claim.atom.token.cmp == "=":
                    self._actual[start] = item.judgement.actual

    def usable(self, figures: Iterable[Figure]) -> bool:
        """Say whether none of them is retracted. An exempt one is: it is no result of the run, and adds up all the same."""
        return self.usable_atoms(figure.atom for figure in figures)

    def usable_atoms(self, atoms: Iterable[Atom]) -> bool:
        """Say the same of numbers in prose."""
        return all(atom.start not in self._apart for atom in atoms)

    def confirmed(self, figures: Iterable[Figure]) -> bool:
        """Say whether the data has confirmed every one of them: then it is not they that are wrong."""
        return all(self._held.get(figure.atom.start, False) for figure in figures)

    def measured(self, figure: Figure) -> Figure:
        """Return a figure as the run has it, where it is bound; else as it is printed."""
        actual = self._actual.get(figure.atom.start)
        return figure if actual is None else replace(figure, value=actual, place=_EXACT, measured=True)
