"""Statistics that are one by another name, or follow from others, of the same rows.

Data that is moved for a trial must stay possible: `wall_s.p50` is the median there too, and `wall_s.sum` the mean
times how many. Else `977 * wall_s.p50 / wall_s.median` would seem to move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from benchctl.errors import ColumnUnknownError
from benchctl.expressions import Filter, Measured, Probe
from benchctl.store.measuring.columns import relation

__all__ = ["Kin", "canonical"]

_NAMES = {"p0": "min", "p25": "q1", "p50": "median", "p75": "q3", "p100": "max"}

Move = Callable[[Probe, Measured], Measured]
"""Moves the answer of a canonical probe."""


def canonical(probe: Probe) -> Probe:
    """Return the probe that always has the same value and stands for all that do; its filters sorted, each once."""
    rows = replace(probe, filters=_rows(probe.filters), interval=False)
    if probe.contrast or probe.query or len(probe.name) != 2:
        return rows
    column, statistic = probe.name
    kind, null = _kind(probe)
    if statistic == "n" and null == "":
        return replace(rows, name=("count",))
    if statistic == "sum" and kind == "BOOLEAN":
        return replace(rows, name=("count",), filters=_rows((*rows.filters, Filter(column, "=", "true"))))
    return replace(rows, name=(column, _NAMES.get(statistic, statistic)))


def _rows(filters: Iterable[Filter]) -> tuple[Filter, ...]:
    """Return filters without those that leave every row and without doubled ones, in one order."""
    kept = {item for item in filters if (item.op, item.value) != ("~", "*")}
    return tuple(sorted(kept, key=lambda item: (item.column, item.op, item.value)))


def _kind(probe: Probe) -> tuple[str, str | None]:
    """Return the type of a probe's column and what null means in it, None for what only the run knows."""
    try:
        known, _ = relation(probe.table).resolve(probe.name)
    except ColumnUnknownError:
        return "", None
    return (known.column.type, known.column.null) if known else ("", None)


@dataclass(slots=True)
class Kin:
    """The answers of an expression's probes, each moved to what the others allow; `move` moves what follows from none."""

    known: Mapping[Probe, Measured]
    move: Move
    _today: dict[Probe, Measured] = field(default_factory=dict)
    _shares: dict[Probe, tuple[Probe, Probe]] = field(default_factory=dict)
    """The count of some rows -> what gives their share, and the count of what that is of."""

    @classmethod
    def of(cls, known: Mapping[Probe, Measured], probes: Iterable[Probe], move: Move) -> Kin:
        """Return the answers of `probes`."""
        kin = cls(known, move)
        for probe in probes:
            same = canonical(probe)
            kin._today.setdefault(same, known[probe])
            count = replace(same, name=("count",), outer=())
            if probe.name == ("share",):
                kin._shares[count] = (probe, replace(count, filters=_rows(probe.outer)))
            elif probe.name[-1] == "mean" and _kind(probe)[0] == "BOOLEAN" and not probe.contrast:
                some = canonical(replace(probe, name=(probe.name[0], "sum")))
                kin._shares[some] = (probe, canonical(replace(probe, name=(probe.name[0], "n"))))
        return kin

    def moved(self, probe: Probe) -> Measured:
        """Return what a probe's answer is moved to."""
        same, answer = canonical(probe), self.known[probe]
        if same in self._shares and same.name == ("count",):
            share, whole = self._shares[same]
            return _joined(self.moved(share), self._base(whole, answer), float.__mul__)
        match same.name:
            case (column, "sum") if not same.contrast and answer.n:
                mean = self.move(replace(same, name=(column, "mean")), _each(answer, _mean))
                how_many = canonical(replace(same, name=(column, "n")))
                return _joined(mean, self.move(how_many, _each(answer, _n)), float.__mul__)
            case (column, "iqr") if not same.contrast:
                upper, lower = (self._base(replace(same, name=(column, end)), answer) for end in ("q3", "q1"))
                return _joined(upper, lower, float.__sub__)
            case _:
                return self.move(same, answer)

    def _base(self, same: Probe, other: Measured) -> Measured:
        """Return what a canonical probe is moved to; one that the expression does not hold starts from another's answer."""
        return self.move(same, self._today.get(same, other))


def _mean(answer: Measured) -> Measured:
    value = answer.value
    return replace(answer, value=value / answer.n if isinstance(value, int | float) and answer.n else value)


def _n(answer: Measured) -> Measured:
    return replace(answer, value=answer.n)


def _each(answer: Measured, change: Callable[[Measured], Measured]) -> Measured:
    groups = {name: change(group) for name, group in answer.groups.items()}
    return replace(change(answer), groups=groups)


def _joined(one: Measured, other: Measured, join: Callable[[float, float], float]) -> Measured:
    groups = {
        name: _joined(group, other.groups[name], join)
        for name, group in one.groups.items()
        if name in other.groups
    }
    if not isinstance(one.value, int | float) or not isinstance(other.value, int | float):
        return replace(one, groups=groups)
    return replace(one, value=join(float(one.value), float(other.value)), groups=groups)
