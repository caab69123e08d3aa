"""Which changes can be examined together, so that none is found by what is said of another."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from benchctl.claims.mutation.mutant import Mutant, Source
from benchctl.expressions import Measured

__all__ = ["companies"]


@dataclass(slots=True)
class _Company:
    """Mutants of one examination: the places they take, the answers they move, and those they need as they are."""

    members: list[Mutant] = field(default_factory=list)
    taken: set[Hashable] = field(default_factory=set)
    moved: dict[Source, Measured] = field(default_factory=dict)
    steady: set[Source] = field(default_factory=set)

    def has_room(self, mutant: Mutant) -> bool:
        """Whether a mutant disturbs nobody here and is not disturbed."""
        if mutant.data is None:
            return self.taken.isdisjoint(mutant.place.keys)
        return (
            self.moved.keys().isdisjoint(mutant.data.steady)
            and self.steady.isdisjoint(mutant.data.answers)
            and all(
                self.moved.get(source, answer) == answer for source, answer in mutant.data.answers.items()
            )
        )

    def take(self, mutant: Mutant) -> None:
        """Let a mutant in."""
        self.members.append(mutant)
        self.taken |= mutant.place.keys
        if mutant.data:
            self.moved |= mutant.data.answers
            self.steady |= mutant.data.steady


def companies(mutants: Sequence[Mutant]) -> list[list[Mutant]]:
    """Part mutants into companies; texts and data are never changed together. The first with room takes each."""
    parted: tuple[list[_Company], list[_Company]] = ([], [])
    for mutant in mutants:
        open_to = parted[mutant.data is not None]
        company = next((one for one in open_to if one.has_room(mutant)), None)
        if company is None:
            company = _Company()
            open_to.append(company)
        company.take(mutant)
    return [company.members for some in parted for company in some]
