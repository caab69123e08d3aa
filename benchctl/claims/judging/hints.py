"""What a false number may have been meant to be: the question close to its own that prints it.

All questions of a scope are measured in two calls: the values that its filters may have, then everything
else. A print of few digits fits much by chance, so of it less is said.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from benchctl.claims.answers.nature import Nature, nature
from benchctl.claims.judging.neighbours import Neighbours
from benchctl.claims.judging.other_keys import other_keys, other_runs, values_of
from benchctl.claims.judging.other_statistics import other_columns, other_rows, other_statistics
from benchctl.claims.judging.print_of import Print
from benchctl.claims.judging.slips import misrounded, misscaled
from benchctl.claims.judging.turned import turned
from benchctl.claims.judging.variant import Rank, Variant
from benchctl.expressions import Probe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchctl.claims.markers.scope import Scope
    from benchctl.claims.sheet import Judged, Sheet

__all__ = ["hints_for"]

_ROOM = 20_000
"""How many neighbours are measured in one scope, whatever number of false claims it has."""
_MOST_VALUES = 40
_LEAST_VALUES = 6
_MOST_PROBES = 12
_MOST_CHANCES = 3
"""A short print that so many questions fit is no evidence for any of them."""


def hints_for(sheet: Sheet, false: Sequence[Judged]) -> dict[int, str]:
    """Return, by id, the hint of each false claim for which there is one."""
    found: dict[int, str] = {}
    scopes: dict[Scope, list[Judged]] = defaultdict(list)
    for item in false:
        scopes[item.claim.scope].append(item)
    for scope, items in scopes.items():
        search = _Search(sheet, scope, items)
        for item in items:
            hint = search.hint(item)
            if hint:
                found[id(item)] = hint
    return found


class _Search:
    """The false claims of one scope, and all that was measured to help them."""

    def __init__(self, sheet: Sheet, scope: Scope, items: Sequence[Judged]) -> None:
        self._sheet, self._scope = sheet, scope
        self._neighbours = Neighbours(sheet)
        self._most = max(_LEAST_VALUES, min(_MOST_VALUES, _ROOM // len(items) // 4))
        self._on_page = self._spoken_of()
        worth = [item for item in items if _is_worth(item)]
        universes = (
            universe
            for item in worth
            for probe in item.claim.expression.probes
            for _, universe in values_of(probe)
        )
        sheet.try_measure(scope, universes)
        self._variants = {id(item): list(self._asked(item)) for item in worth}
        wanted = (probe for variants in self._variants.values() for each in variants for probe in each.probes)
        sheet.try_measure(scope, wanted)

    def _spoken_of(self) -> dict[str, list[str]]:
        """Return column -> the values that the page's own expressions hold it at, in the page's order."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for claim in self._sheet.claims:
            for probe in claim.expression.probes:
                for item in probe.filters:
                    if item.op == "=":
                        found[item.column][item.value] = None
        return {column: list(values) for column, values in found.items()}

    def _asked(self, item: Judged) -> Iterator[Variant]:
        """Yield the questions close to a claim's own that need the store."""
        expression = item.claim.expression
        known = self._sheet.lookup.measured(self._scope.run)
        yield from other_keys(expression, known, self._on_page, self._most)
        yield from other_runs(expression, sorted(self._scope.declared - self._sheet.unusable))
        yield from turned(self._sheet, expression)
        yield from other_statistics(expression)
        yield from other_columns(expression)
        yield from other_rows(expression)

    def hint(self, item: Judged) -> str:
        """Return what is said of a false claim; "" where nothing would be evidence."""
        printed = Print.of(self._sheet, item)
        if printed is None:
            return ""
        said = list(_slips(printed, item))
        fitting: dict[object, Variant] = {}
        for variant in self._fitting(item, printed):
            # To twelve digits one value is one answer, two names of it no more than one.
            value = variant.value(self._sheet, self._scope.run)
            fitting.setdefault(f"{value:.12g}" if printed.telling else variant.key, variant)
        said += [(each.rank, each.sentence(self._sheet, self._scope.run)) for each in fitting.values()]
        return _best(printed, sorted(said, key=lambda each: each[0]))

    def _fitting(self, item: Judged, printed: Print) -> Iterator[Variant]:
        yield from self._neighbours.of(item)
        for variant in self._variants.get(id(item), ()):
            held = _held(printed, item, variant)
            if held.fits(variant.value(self._sheet, self._scope.run)):
                yield variant


def _is_worth(item: Judged) -> bool:
    """Whether questions close to a claim's own are worth measuring: SQL has no filter or statistic to change."""
    probes = item.claim.expression.probes
    return len(probes) <= _MOST_PROBES and not any(probe.query for probe in probes)


def _slips(printed: Print, item: Judged) -> Iterator[tuple[Rank, str]]:
    """Yield what is wrong with a number by itself. A percent sign that does not fit its value is hardly chance."""
    value, actual = item.answer.value, item.judgement.actual
    if actual is not None and (slip := misrounded(printed, actual)):
        yield Rank.SLIP, slip
    if isinstance(value, int | float) and (scaled := misscaled(printed, value)):
        percent = printed.token.unit == "%" or printed.nature.unit == "fraction"
        yield (Rank.SLIP if percent else Rank.UNIT), scaled


def _held(printed: Print, item: Judged, variant: Variant) -> Print:
    """Return the print as it is held against a variant: another statistic may be another kind of number."""
    own = item.claim.expression
    if variant.expression is not own:
        return printed.against(variant.expression.nature)
    if variant.rank != Rank.STATISTIC:
        return printed
    if isinstance(own.node, Probe) and own.nature.unit == nature(own.node).unit:
        return printed.against(nature(variant.probes[0]))
    return printed.against(Nature(own.nature.unit))


def _best(printed: Print, said: Sequence[tuple[Rank, str]]) -> str:
    """Return the likeliest of what fits, and how much else does; nothing where chance is as likely."""
    if not printed.telling:
        said = [each for each in said if each[0] != Rank.FAR]
        if len(said) > _MOST_CHANCES and said[0][0] > Rank.SWAPPED:
            return ""
    texts = list(dict.fromkeys(text for _, text in said))
    if not texts:
        return ""
    alone = (
        len(texts) == 1 or said[0][0] == Rank.SWAPPED
    )  # two numbers, each in the other's place, are no chance
    return texts[0] if alone else f"{texts[0]}, and {len(texts) - 1} more"
