"""What stands around a sentence: the tables of its section, the bindings, and the names that either knows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import replace
from functools import cached_property

from benchctl.claims.sheet import Sheet
from benchctl.claims.tables.adding import is_partial
from benchctl.claims.tables.grid import Grid, all_grids
from benchctl.claims.tables.trust import trust_of
from benchctl.claims.wording.bound import PEOPLE, Bound
from benchctl.claims.wording.ledger import Line, lines_of
from benchctl.claims.wording.names import Names
from benchctl.claims.wording.passages import Passage
from benchctl.expressions import Probe

__all__ = ["Neighbourhood", "neighbourhood"]

_MOST_GRIDS = 6


def neighbourhood(sheet: Sheet) -> Neighbourhood:
    """Return what stands around the sentences of a page whose values are judged; it is made once."""
    return sheet.once(Neighbourhood)


def _start(grid: Grid) -> int:
    return grid.table.start


class Neighbourhood:
    """A page by sections: what is printed and bound in each."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.bound = Bound(sheet)
        self.trust = trust_of(sheet)
        self._starts = [heading.start for heading in sheet.page.headings]
        self._grids: dict[int, list[Grid]] = defaultdict(list)
        for grid in all_grids(sheet):
            self._grids[self._section(grid.table.start)].append(grid)
        self._partial: dict[int, bool] = {}
        self._lines: dict[int, list[Line]] = {}
        self._names: dict[tuple[int, bool], Names] = {}
        self._known: dict[frozenset[str], Names] = {}

    def _section(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def stretch(self, passage: Passage) -> tuple[int, int]:
        """Return the raw bounds of the section of a passage, up to the next heading of any level.

        A heading right above another one speaks for all that is below it.
        """
        section = self._section(passage.start)
        end = self._end(section)
        if (
            passage.is_heading
            and passage.heading
            and not self.sheet.page.text[passage.heading.end : end].strip()
        ):
            level = passage.heading.level
            while section + 1 < len(self._starts) and self.sheet.page.headings[section + 1].level > level:
                section += 1
            end = self._end(section)
        return (self._starts[section] if section >= 0 and not passage.is_heading else passage.start), end

    def _end(self, section: int) -> int:
        return self._starts[section + 1] if section + 1 < len(self._starts) else len(self.sheet.page.text)

    def grids(self, passage: Passage) -> list[Grid]:
        """Return the tables of the section of a passage, nearest first, no more than a reader would look at."""
        start, end = self.stretch(passage)
        sections = range(self._section(start), self._section(max(start, end - 1)) + 1)
        found: list[Grid] = []
        for section in sections:
            # The nearest are among those right before and right behind it.
            own = self._grids.get(section, [])
            at = bisect_left(own, passage.start, key=_start)
            found += own[max(0, at - _MOST_GRIDS) : at + _MOST_GRIDS]
        return sorted(found, key=lambda grid: abs(grid.table.start - passage.start))[:_MOST_GRIDS]

    def lines(self, grid: Grid) -> list[Line]:
        """Return what a table has of what it names: what is bound as the run has it, the rest as it is printed."""
        if id(grid) not in self._lines:
            self._lines[id(grid)] = [self._measured(line) for line in lines_of(grid)]
        return self._lines[id(grid)]

    def is_whole(self, grid: Grid, line: Line) -> bool:
        """Say whether a line is of all that there is of its things: no excerpt, and no part under a further key."""
        if id(grid) not in self._partial:
            self._partial[id(grid)] = is_partial(self.sheet, grid)
        return len(line.group) < 2 and not self._partial[id(grid)]

    def _measured(self, line: Line) -> Line:
        things = tuple((name, self.trust.measured(figure), marked) for name, figure, marked in line.things)
        return replace(line, things=things)

    def names(self, passage: Passage) -> Names:
        """Return who a passage may speak of: the rows of its section's tables, and what the page's bindings name."""
        section = (self._section(passage.start), passage.is_heading)
        if section not in self._names:
            labels = [row.label for grid in self.grids(passage) for row in grid.parts]
            labels += [
                cell.label
                for grid in self.grids(passage)
                for row in grid.parts
                for cell in row.cells[: grid.keys]
            ]
            headers = [column.header for grid in self.grids(passage) for column in grid.columns]
            known = {*self.people, *self.meant}
            labels += [header for header in headers if " ".join(header.casefold().split()) in known]
            written = frozenset([*labels, *self.people, *self.meant])
            if written not in self._known:
                self._known[written] = Names(written, self.meant)
            self._names[section] = self._known[written]
        return self._names[section]

    @cached_property
    def people(self) -> dict[str, str]:
        """Return the arms, agents and models that the page's bindings name (folded), each with its column."""
        found: dict[str, str] = {}
        for claim in self.sheet.claims:
            for probe in claim.expression.probes:
                found |= _values(probe)
        for asserted in self.sheet.assertions:
            for probe in asserted.expression.probes:
                found |= _values(probe)
        for table in self.sheet.tables:
            for row in table.rows:
                found |= {value.casefold(): column for column, value in row.values if column in PEOPLE}
        return found

    @cached_property
    def written(self) -> dict[str, str]:
        """Return the people as the run writes them, by their folded name."""
        found: dict[str, str] = {}
        for claim in self.sheet.claims:
            for probe in claim.expression.probes:
                found |= {part.value.casefold(): part.value for part in probe.filters if part.op == "="}
        return found

    @cached_property
    def meant(self) -> dict[str, str]:
        """Return the values that the labels of bound tables stand for."""
        return {
            " ".join(label.casefold().split()): value.casefold()
            for table in self.sheet.tables
            for row in table.rows
            for (column, value), label in zip(row.values, row.labels, strict=False)
            if column in PEOPLE
        }


def _values(probe: Probe) -> dict[str, str]:
    found = {
        part.value.casefold(): part.column
        for part in probe.filters
        if part.op == "=" and part.column in PEOPLE
    }
    if probe.contrast and probe.contrast.column in PEOPLE:
        found |= {
            probe.contrast.a.casefold(): probe.contrast.column,
            probe.contrast.b.casefold(): probe.contrast.column,
        }
    return found
