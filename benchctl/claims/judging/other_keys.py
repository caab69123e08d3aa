"""The neighbours of a claim: another arm, agent or model in its filters, and none at all."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from benchctl.claims.judging.variant import Rank, Variant, changed, told
from benchctl.expressions import Filter, Probe, show_filters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from benchctl.claims.answers.lookup import Expression
    from benchctl.expressions import Measured

__all__ = ["other_keys", "other_runs", "values_of"]

_MOST_ALONE = 4
_TWO = 2
_OTHERWISE = {"=": ("!=",), "!=": ("=",), ">": ("<=", ">="), ">=": ("<", ">"), "<": (">=", "<="), "<=": (">", "<")}  # fmt: skip
"""The rest of the rows, and the same rows with their end or without."""


def values_of(probe: Probe) -> Iterator[tuple[str, Probe]]:
    """Yield each column that a probe holds at one value, and the probe whose groups are the values it may have."""
    columns = [item.column for item in probe.filters if item.op == "="]
    columns += [probe.contrast.column] if probe.contrast else []
    for column in dict.fromkeys(columns):
        yield column, Probe(("count",), run=probe.run, table=probe.table, group_by=column)


def other_keys(
    expression: Expression, known: Mapping[Probe, Measured], on_page: Mapping[str, Sequence[str]], most: int
) -> Iterator[Variant]:
    """Yield the expression at each neighbour's value of each filter, with the filter otherwise, and without it.

    A filter that several references share changes in all of them, and then in each alone. `on_page` are the
    values that the page speaks of, which go first; of each column at most `most` are tried.
    """
    for item in _filters(expression.probes):
        holding = [probe for probe in expression.probes if item in probe.filters]
        for new in _instead(item, holding[0], known, on_page.get(item.column, ()), most):
            yield from _in_all(expression, item, new, holding)
            if 1 < len(holding) <= _MOST_ALONE:
                yield from _in_each(expression, item, new, holding)
    every = _filters(expression.probes)
    if len(every) > 1:
        whole = changed(expression, Rank.FAR, "equals it without any filter", partial(_without, every))
        yield from [whole] if whole else []
    for probe in expression.probes:
        yield from _other_levels(expression, probe, known, most)


def other_runs(expression: Expression, runs: Iterable[str]) -> Iterator[Variant]:
    """Yield the expression with each `@run` of it at the page's run and at the other declared ones."""
    for old in dict.fromkeys(probe.run for probe in expression.probes if probe.run):
        for new in (None, *runs):
            place = f"@{new}" if new else "the page's own run"
            says = "" if len(expression.probes) == 1 else f"equals it with {place} in the place of @{old}"
            found = changed(expression, Rank.KEY, says, partial(_of_run, old, new))
            yield from [found] if found else []


def _of_run(old: str, new: str | None, probe: Probe) -> Probe:
    return replace(probe, run=new) if probe.run == old else probe


def _filters(probes: Iterable[Probe]) -> tuple[Filter, ...]:
    return tuple(dict.fromkeys(item for probe in probes for item in probe.filters))


def _instead(
    item: Filter, probe: Probe, known: Mapping[Probe, Measured], on_page: Sequence[str], most: int
) -> Iterator[Filter | None]:
    """Yield what may stand in the place of a filter; None is nothing."""
    there: list[str] = []
    if item.op == "=":
        universe = dict(values_of(probe))[item.column]
        there = [name for name in known[universe].groups if name is not None] if universe in known else []
        ordered = dict.fromkeys([*(value for value in on_page if value in there), *there])
        for value in list(ordered)[:most]:
            if value != item.value:
                yield Filter(item.column, "=", value)
    yield None
    if len(there) != _TWO:  # of two values, the one is the rest of the other
        for op in _OTHERWISE.get(item.op, ()):
            yield Filter(item.column, op, item.value)


def _in_all(
    expression: Expression, item: Filter, new: Filter | None, holding: Sequence[Probe]
) -> Iterator[Variant]:
    says = ""
    if new is None:
        says = f"equals it without {show_filters((item,))}"
    elif len(expression.probes) > len(holding) == 1:
        says = f"equals it with {told(_replaced(item, new, holding[0]), expression.filters)}"
    elif len(expression.probes) > 1:
        says = f"equals it with {show_filters((new,))}"
    found = changed(expression, Rank.KEY, says, partial(_replaced, item, new))
    yield from [found] if found else []


def _in_each(
    expression: Expression, item: Filter, new: Filter | None, holding: Iterable[Probe]
) -> Iterator[Variant]:
    for one in holding:
        other = _replaced(item, new, one)
        says = f"equals it with {told(other, expression.filters)}"
        yield Variant(says, Rank.KEY, expression, ((one, other),))


def _replaced(item: Filter, new: Filter | None, probe: Probe) -> Probe:
    def put(filters: tuple[Filter, ...]) -> tuple[Filter, ...]:
        found = (new if each == item else each for each in filters)
        return tuple(each for each in found if each is not None)

    return replace(probe, filters=put(probe.filters), outer=put(probe.outer))


def _without(filters: tuple[Filter, ...], probe: Probe) -> Probe:
    return replace(probe, filters=tuple(item for item in probe.filters if item not in filters), outer=())


def _other_levels(
    expression: Expression, probe: Probe, known: Mapping[Probe, Measured], most: int
) -> Iterator[Variant]:
    """Yield a comparison of two levels with each of them at its neighbours."""
    contrast = probe.contrast
    if contrast is None:
        return
    universe = dict(values_of(probe))[contrast.column]
    there = [name for name in known[universe].groups if name] if universe in known else []
    for level in there[:most]:
        if level in (contrast.a, contrast.b):
            continue
        for new in (replace(contrast, a=level), replace(contrast, b=level)):
            other = replace(probe, contrast=new)
            lead = "equals" if len(expression.probes) == 1 else "equals it with"
            yield Variant(
                f"{lead} {told(other, expression.filters)}", Rank.KEY, expression, ((probe, other),)
            )
