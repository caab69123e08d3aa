"""What mutating pages gives: how many changes of each kind were made and seen, and which were not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchctl.claims.mutation.mutant import Kind
from benchctl.claims.result import PageReport

__all__ = ["Changed", "MutationReport", "PageMutation", "Tally"]


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of mutants; `mutants` = `killed` + `equivalent` + `survived`."""

    mutants: int = 0
    killed: int = 0
    equivalent: int = 0
    survived: int = 0


@dataclass(frozen=True, slots=True)
class Changed:
    """One change that was no error: it survived, or the page is true with it, too.

    Lines and columns count code points from 1; `end_column` is exclusive. `claim` is the expression behind the number,
    `why` how it is true all the same, or what keeps it from being found where that is known.
    """

    line: int
    column: int
    end_column: int
    kind: Kind
    literal: str
    changed_to: str
    claim: str
    sentence: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class PageMutation:
    """One page. `report` is how it stands unchanged; only a page without an error is changed.

    `numbers` are the bound ones, `seen` those of them of which every change was seen, at least one of them.
    `kinds` counts the mutants. `unitless` is how many bound numbers have a unit that nothing checks, because
    their value has none.
    """

    report: PageReport
    numbers: int = 0
    seen: int = 0
    kinds: Mapping[Kind, Tally] | None = None
    survivors: tuple[Changed, ...] = ()
    equivalent: tuple[Changed, ...] = ()
    unitless: int = 0
    examinations: int = 0

    @property
    def total(self) -> Tally:
        """Return the counts of all kinds together."""
        tallies = list((self.kinds or {}).values())
        return Tally(
            sum(item.mutants for item in tallies),
            sum(item.killed for item in tallies),
            sum(item.equivalent for item in tallies),
            sum(item.survived for item in tallies),
        )

    @property
    def rate(self) -> float | None:
        """Return the share of its false changes that were seen, from 0 to 1; None where there was none."""
        total = self.total
        false = total.killed + total.survived
        return total.killed / false if false else None

    @property
    def ok(self) -> bool:
        """Whether the page is true as it stands and every false change of it was seen."""
        return self.report.ok and not self.survivors


@dataclass(frozen=True, slots=True)
class MutationReport:
    """All pages of one call that declare a run."""

    pages: tuple[PageMutation, ...]

    @property
    def nothing(self) -> bool:
        """Whether nothing was changed, because no number of any page is bound or generated."""
        return not any(page.total.mutants for page in self.pages)

    @property
    def ok(self) -> bool:
        """Whether every page is well, and there was something to change."""
        return not self.nothing and all(page.ok for page in self.pages)
