"""The other things that can be said of the same rows: another statistic, another column, another denominator."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from benchctl.claims.judging.variant import Rank, Variant, changed, told
from benchctl.expressions import BARE_STATISTICS, Filter, is_statistic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchctl.claims.answers.lookup import Expression
    from benchctl.expressions import Probe

__all__ = ["other_columns", "other_rows", "other_statistics"]

_STATISTICS = ("median", "mean", "macro", "min", "max", "sum", "p90", "p95", "q1", "q3", "sd", "n")
_OF_ROWS = ("count", "n", "n_failed", "share")
_ROWS = (
    (Filter("outcome", "=", "ok"), "cells with outcome=ok"),
    (Filter("void", "=", "false"), "cells that are not void"),
    (Filter("answered", "=", "true"), "cells with answered=true"),
)
"""What a denominator may have left out."""

_MOST_ALONE = 4


def other_statistics(expression: Expression) -> Iterator[Variant]:
    """Yield the expression with one statistic of it replaced by another, wherever it stands."""
    used = {probe.name[-1] for probe in expression.probes if not probe.contrast and not probe.group_by}
    for old in sorted(filter(is_statistic, used)):
        for new in _OF_ROWS if old in BARE_STATISTICS else _STATISTICS:
            yield from _exchanged(expression, old, new, partial(_with_statistic, expression, old, new))


def other_columns(expression: Expression) -> Iterator[Variant]:
    """Yield the expression with one metric of it replaced by each of its kind: tokens read for tokens in all."""
    from benchctl.metrics import METRICS

    for old in sorted({probe.name[0] for probe in expression.probes if probe.name[0] in METRICS}):
        for new, metric in METRICS.items():
            if (metric.kind, metric.unit) == (METRICS[old].kind, METRICS[old].unit):
                yield from _exchanged(expression, old, new, partial(_with_column, old, new))


def other_rows(expression: Expression) -> Iterator[Variant]:
    """Yield the expression over the rows that count elsewhere: without the failed, the void, the unanswered ones.

    Of several references all change, and then each alone: a denominator may have been another.
    """
    for item, over in _ROWS:
        found = changed(expression, Rank.ROWS, "equals it", partial(_narrowed, item), over=over)
        yield from [found] if found else []
        if not 1 < len(expression.probes) <= _MOST_ALONE:
            continue
        for probe in expression.probes:
            other = _narrowed(item, probe)
            if other != probe:
                says = f"equals it with {told(other, expression.filters)}"
                yield Variant(says, Rank.ROWS, expression, ((probe, other),))


def _exchanged(
    expression: Expression, old: str, new: str, change: Callable[[Probe], Probe]
) -> Iterator[Variant]:
    says = "" if len(expression.probes) == 1 else f"equals it with {new} in the place of {old}"
    found = changed(expression, Rank.STATISTIC, says, change)
    yield from [found] if found else []


def _with_statistic(expression: Expression, old: str, new: str, probe: Probe) -> Probe:
    if probe.name[-1] != old or probe.contrast or probe.group_by:
        return probe
    # What a share is of is said by the scope alone.
    outer = tuple(item for item in expression.filters if item in probe.filters) if new == "share" else ()
    return replace(probe, name=(*probe.name[:-1], new), outer=outer, interval=False)


def _with_column(old: str, new: str, probe: Probe) -> Probe:
    return replace(probe, name=(new, *probe.name[1:])) if probe.name[0] == old else probe


def _narrowed(item: Filter, probe: Probe) -> Probe:
    if any(each.column == item.column for each in probe.filters):
        return probe
    return replace(probe, filters=(*probe.filters, item))
