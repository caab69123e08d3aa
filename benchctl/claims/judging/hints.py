"""Whose value a false number is: another run's, another statistic's, another filter's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from benchctl.claims.answers.lookup import Answer
from benchctl.claims.answers.printed import judge
from benchctl.claims.markers.scope import Scope
from benchctl.claims.sheet import Judged, Sheet
from benchctl.errors import BenchctlError
from benchctl.expressions import BARE_STATISTICS, Filter, Measured, Node, Probe, is_statistic, parse, show
from benchctl.expressions.tree import Call, Chain, children, with_children

__all__ = ["hint_for", "prepare", "stale_runs"]

_MOST_RUNS = 50
_MOST_PROBES = 4
_MOST_VALUES = 40
_DIRECTED = frozenset({"ratio", "speedup", "change_pct", "reduction_pct", "delta"})
_OTHER_STATISTICS = ("median", "mean", "macro", "min", "max", "sum", "p90", "n", "sd")


def stale_runs(sheet: Sheet, false: Sequence[Judged]) -> dict[int, list[str]]:
    """Return, by id of each false claim, the other runs of the store of which its number is true.

    The same expressions are measured over each other run, one call a run; runs that the page declares
    come first.
    """
    found: dict[int, list[str]] = defaultdict(list)
    for scope, items in _by_scope(false).items():
        others = sorted(
            set(sheet.lookup.runs) - {scope.run}, key=lambda run: (run not in scope.declared, run)
        )
        for run in others[:_MOST_RUNS]:
            if not _measure(
                sheet, run, scope, (probe for item in items for probe in item.claim.expression.probes)
            ):
                continue
            for item in items:
                if _prints(sheet, item, sheet.lookup.answer(item.claim.expression, run)):
                    found[id(item)].append(run)
    return dict(found)


def prepare(sheet: Sheet, false: Sequence[Judged]) -> None:
    """Measure in two calls a scope what `hint_for` is going to ask for."""
    for scope, items in _by_scope(false).items():
        ours = [probe for item in items for probe in _own(item)]
        _measure(sheet, scope.run, scope, (known for probe in ours for known in _values_of_filters(probe)))
        _measure(
            sheet, scope.run, scope, (other for probe in ours for other in _neighbours(sheet, scope, probe))
        )


def hint_for(sheet: Sheet, item: Judged) -> str:
    """Return which other statistic or filter of the same run gives the number; "" where none does."""
    scaled = _scaled(sheet, item)
    if scaled:
        return scaled
    turned = _turned(sheet, item)
    if turned:
        return turned
    expression, scope = item.claim.expression, item.claim.scope
    known = sheet.lookup.measured(scope.run)
    swaps = [(probe, other) for probe in _own(item) for other in _neighbours(sheet, scope, probe)]
    for probe, other in swaps:
        if other not in known:
            continue
        if _prints(sheet, item, sheet.lookup.answer(expression, scope.run, {probe: other})):
            return f"equals {show(other)}" if len(expression.probes) == 1 else f"equals it with {show(other)}"
    return ""


def _by_scope(items: Iterable[Judged]) -> dict[Scope, list[Judged]]:
    grouped: dict[Scope, list[Judged]] = defaultdict(list)
    for item in items:
        grouped[item.claim.scope].append(item)
    return grouped


def _measure(sheet: Sheet, run: str, scope: Scope, wanted: Iterable[Probe]) -> bool:
    """Measure for a hint; a run that cannot be read gives none."""
    try:
        sheet.lookup.measure(run, wanted, scope.declared - sheet.unusable)
    except BenchctlError:
        return False
    return True


def _prints(sheet: Sheet, item: Judged, answer: Answer) -> bool:
    """Whether the page's number is true of `answer`."""
    atom, expression = item.claim.atom, item.claim.expression
    if answer.value is None or atom is None:
        return False
    about = Decimal(repr(sheet.config.claims.approx_pct)) / 100
    judged = judge(
        atom.token,
        answer.value,
        unit=expression.unit,
        exact=expression.exact,
        about=about,
        plain=expression.plain,
    )
    return judged.word in ("true", "tie")


def _scaled(sheet: Sheet, item: Judged) -> str:
    """Return a hint where only the percent sign stands between the number and its value."""
    value, atom = item.answer.value, item.claim.atom
    if (
        item.claim.expression.unit
        or atom is None
        or atom.token.unit != "%"
        or not isinstance(value, int | float)
    ):
        return ""
    percent = replace(item.answer, value=value * 100)
    return (
        'the value is a fraction: name it under [values] with unit = "fraction"'
        if _prints(sheet, item, percent)
        else ""
    )


def _turned(sheet: Sheet, item: Judged) -> str:
    """Return a hint where the arguments of one comparison stand the wrong way round: it needs no new data."""
    expression, scope = item.claim.expression, item.claim.scope
    for node in _swaps(parse(expression.text)):
        other = sheet.lookup.read(show(node), expression.filters)
        if _prints(sheet, item, sheet.lookup.answer(other, scope.run)):
            return f"equals {show(node)}"
    return ""


def _swaps(node: Node) -> Iterator[Node]:
    """Yield the expression with the two arguments of one comparison, quotient or difference swapped."""
    match node:
        case Call(args=(a, b)) if node.function in _DIRECTED:
            yield replace(node, args=(b, a))
        case Chain(rest=((("/" | "-") as op, other),)):
            yield Chain(other, ((op, node.first),))
    below = children(node)
    for index, child in enumerate(below):
        for swapped in _swaps(child):
            yield with_children(node, (*below[:index], swapped, *below[index + 1 :]))


def _own(item: Judged) -> tuple[Probe, ...]:
    """Return the probes worth varying: none of an expression that has too many."""
    found = item.claim.expression.probes
    return found if len(found) <= _MOST_PROBES else ()


def _neighbours(sheet: Sheet, scope: Scope, probe: Probe) -> Iterator[Probe]:
    if probe.contrast:
        turned = replace(probe.contrast, a=probe.contrast.b, b=probe.contrast.a)
        yield replace(probe, contrast=turned)
    yield from _statistics(probe)
    yield from _filters(sheet.lookup.measured(scope.run), probe)


def _statistics(probe: Probe) -> Iterator[Probe]:
    column = probe.name[:-1] if is_statistic(probe.name[-1]) else probe.name
    if not column or column[-1] in BARE_STATISTICS or probe.contrast:
        return
    for statistic in _OTHER_STATISTICS:
        if (*column, statistic) != probe.name:
            yield replace(probe, name=(*column, statistic), outer=())


def _values_of_filters(probe: Probe) -> Iterator[Probe]:
    """Yield, for each filter that names one value, the probe whose groups are all values of its column."""
    for index, item in enumerate(probe.filters):
        if item.op == "=" and probe.group_by is None:
            rest = (*probe.filters[:index], *probe.filters[index + 1 :])
            yield Probe(("count",), rest, run=probe.run, table=probe.table, group_by=item.column)


def _filters(measured: Mapping[Probe, Measured], probe: Probe) -> Iterator[Probe]:
    """Yield the probe with each filter at its neighbours' values, and without it."""
    values = {
        known.group_by: [name for name in measured[known].groups if name is not None]
        for known in _values_of_filters(probe)
        if known in measured
    }
    for index, item in enumerate(probe.filters):
        before, behind = probe.filters[:index], probe.filters[index + 1 :]
        for value in values.get(item.column, [])[:_MOST_VALUES]:
            if value != item.value:
                yield replace(probe, filters=(*before, Filter(item.column, "=", value), *behind))
        yield replace(probe, filters=(*before, *behind))
