"""The values that a number would have elsewhere: with another arm, another question, in another run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from benchctl.claims.answers.lookup import Lookup
from benchctl.claims.markers.scope import Scope
from benchctl.claims.sheet import Claim, Sheet
from benchctl.expressions import Filter, Probe, Value

__all__ = ["Elsewhere", "values_elsewhere", "with_value"]

_MOST_VALUES = 24
_MOST_RUNS = 8


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A value, and where it is from: `arm=index` or a run."""

    source: str
    value: Value
    run: bool = False


@dataclass(frozen=True, slots=True)
class _Turn:
    """An expression asked elsewhere: which probe answers in place of which."""

    source: str
    swap: Mapping[Probe, Probe]
    run: bool = False


def values_elsewhere(sheet: Sheet) -> dict[int, list[Elsewhere]]:
    """Return, by index of each claim, what its expression is for other values of one filter and in other runs.

    Two questions to the store a scope: which values there are, and what is so for them. What has no value
    there is left out.
    """
    found: dict[int, list[Elsewhere]] = {}
    for scope in sheet.scopes.all:
        ours = [(index, claim) for index, claim in enumerate(sheet.claims) if claim.scope == scope]
        if ours:
            found |= _of_scope(sheet.lookup, scope, ours)
    return found


def _of_scope(
    lookup: Lookup, scope: Scope, claims: Sequence[tuple[int, Claim]]
) -> dict[int, list[Elsewhere]]:
    runs = lookup.other_runs(scope.run, scope.declared)[:_MOST_RUNS]
    declared = frozenset({*scope.declared, *runs})
    columns = [values for _, claim in claims for _, _, values in _choices(claim)]
    if not lookup.try_measure(scope.run, columns, declared):
        return {}
    turns = {index: list(_turns(lookup, scope.run, claim, runs)) for index, claim in claims}
    asked = [probe for some in turns.values() for turn in some for probe in turn.swap.values()]
    if not lookup.try_measure(scope.run, asked, declared):
        return {}
    return {index: list(_values(lookup, claim, turns[index])) for index, claim in claims}


def _values(lookup: Lookup, claim: Claim, turns: Iterable[_Turn]) -> Iterator[Elsewhere]:
    for turn in turns:
        answer = lookup.answer(claim.expression, claim.scope.run, turn.swap)
        if answer.value is not None:
            yield Elsewhere(turn.source, answer.value, turn.run)


def _turns(lookup: Lookup, run: str, claim: Claim, runs: Sequence[str]) -> Iterator[_Turn]:
    probes = claim.expression.probes
    known = lookup.measured(run)
    for column, own, values in _choices(claim):
        groups = sorted(name for name in known[values].groups if name is not None and name != own)
        for other in _around(groups, own):
            swap = {probe: with_value(probe, column, own, other) for probe in probes}
            yield _Turn(f"{column}={other}", {old: new for old, new in swap.items() if old != new})
    for other in (run, *runs):
        swap = {probe: replace(probe, run=None if other == run else other) for probe in probes}
        moved = {old: new for old, new in swap.items() if old != new}
        if moved:
            yield _Turn(other, moved, run=True)


def _choices(claim: Claim) -> dict[tuple[str, str, Probe], None]:
    """Return (column, its value, the probe whose groups are its other values) of every filter of a claim, each once."""
    found: dict[tuple[str, str, Probe], None] = {}
    for probe in claim.expression.probes:
        named = [(item.column, item.value) for item in probe.filters if item.op == "="]
        if probe.contrast:
            named += [(probe.contrast.column, level) for level in (probe.contrast.a, probe.contrast.b)]
        for column, value in named:
            rest = tuple(item for item in probe.filters if item.column != column)
            found[column, value, Probe(("count",), rest, table=probe.table, group_by=column)] = None
    return found


def _around(names: Sequence[str], own: str) -> list[str]:
    """Return names that stand next to one's own in their order, where there are very many."""
    if len(names) <= _MOST_VALUES:
        return list(names)
    at = sum(name < own for name in names)
    first = max(0, min(at - _MOST_VALUES // 2, len(names) - _MOST_VALUES))
    return list(names[first : first + _MOST_VALUES])


def with_value(probe: Probe, column: str, own: str, other: str) -> Probe:
    """Return the probe with one value of a column replaced wherever it asks for that value."""
    contrast = probe.contrast
    if contrast and contrast.column == column and other not in (contrast.a, contrast.b):
        contrast = replace(
            contrast,
            a=other if contrast.a == own else contrast.a,
            b=other if contrast.b == own else contrast.b,
        )
    elif contrast and contrast.column == column:
        contrast = replace(contrast, a=contrast.b, b=contrast.a)
    return replace(
        probe,
        contrast=contrast,
        filters=_filters(probe.filters, column, own, other),
        outer=_filters(probe.outer, column, own, other),
    )


def _filters(filters: tuple[Filter, ...], column: str, own: str, other: str) -> tuple[Filter, ...]:
    changed = Filter(column, "=", other)
    return tuple(changed if item == Filter(column, "=", own) else item for item in filters)
