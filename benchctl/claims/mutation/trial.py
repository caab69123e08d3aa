"""Changed pages put to the whole checker, many changes in one examination."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from benchctl.claims.examine import Examiner
from benchctl.claims.mutation.companies import companies
from benchctl.claims.mutation.held import HeldLookup
from benchctl.claims.mutation.mutant import Change, Edit, Mutant, Span, apply
from benchctl.claims.sheet import Sheet

__all__ = ["Trial"]


@dataclass(slots=True)
class Trial:
    """A true page, and how its changes fare. `examinations` counts how often the page was read and checked."""

    examiner: Examiner
    lookup: HeldLookup
    path: str
    text: str
    examinations: int = 0

    def survivors(self, mutants: Sequence[Mutant]) -> list[Mutant]:
        """Return the mutants that no error finding meets, in order.

        What is not met in company is tried once more alone, where its whole paragraph or table counts.
        """
        missed = {id(item) for company in companies(mutants) for item in self._missed(company)}
        return [item for item in mutants if id(item) in missed and not self.killed_alone(item)]

    def killed_alone(self, mutant: Mutant) -> bool:
        """Whether an error finding meets a mutant in an examination of its own."""
        return not self._missed([mutant], alone=True)

    def _missed(self, company: Sequence[Mutant], *, alone: bool = False) -> list[Mutant]:
        """Return the mutants of one examination that nothing meets."""
        edits = [edit for item in company for edit in item.edits]
        sheet = self._examined(apply(self.text, edits), [item.data for item in company if item.data])
        errors = _Errors(sheet, edits)
        return [
            item
            for item in company
            if not any(errors.meet(span) for span in (item.place.block if alone else item.place.region))
        ]

    def _examined(self, text: str, data: Sequence[Change]) -> Sheet:
        self.examinations += 1
        whole = Change(
            {source: answer for each in data for source, answer in each.answers.items()},
            blocks={key: block for each in data for key, block in each.blocks.items()},
        )
        lookup = self.lookup.moved(whole) if data else self.lookup
        return replace(self.examiner, lookup=lookup).examine(self.path, text)


class _Errors:
    """Where the errors of a changed page stand, asked for in offsets of the unchanged one."""

    def __init__(self, sheet: Sheet, edits: Sequence[Edit]) -> None:
        lines = [0, *(at + 1 for at, char in enumerate(sheet.page.text) if char == "\n")]
        places = sorted(
            (lines[item.line - 1] + item.column - 1, lines[item.line - 1] + item.end_column - 1)
            for item in sheet.record.findings
            if item.severity == "error"
        )
        self._starts = [start for start, _ in places]
        self._furthest = [0, *accumulate((end for _, end in places), max)]
        ordered = sorted(edits, key=lambda edit: edit.start)
        self._edited = [edit.start for edit in ordered]
        self._shifts = [0, *accumulate(len(edit.text) - (edit.end - edit.start) for edit in ordered)]

    def meet(self, span: Span) -> bool:
        """Whether an error touches a span."""
        start, end = (self._now(offset) for offset in span)
        index = bisect_left(self._starts, max(end, start + 1))
        return self._furthest[index] > start

    def _now(self, offset: int) -> int:
        """Return where an offset is now; text that was put in right there stands behind it."""
        return offset + self._shifts[bisect_left(self._edited, offset)]
