"""A probe as a person would say it: `the median of wall_s over the cells of run r9 with arm=grep`."""

from __future__ import annotations

from collections.abc import Sequence

from benchctl.expressions import Probe, is_statistic, quantile_of, show_filters

__all__ = ["in_words"]

_STATISTICS = {
    "n": "how many have a {column}", "sum": "the sum of {column}", "mean": "the mean of {column}",
    "median": "the median of {column}", "min": "the least {column}", "max": "the greatest {column}",
    "iqr": "the interquartile range of {column}", "sd": "the standard deviation of {column}",
    "distinct": "how many different values of {column} there are", "floor": "the measured floor of {column}",
    "macro": "the mean of {column}, repeats averaged first, then questions, then repositories",
    "lo": "the lower end of the interval of {column}", "hi": "the upper end of the interval of {column}",
}  # fmt: skip
_OF_ROWS = {
    "count": "how many there are", "n": "how many are not void", "n_failed": "how many failed",
    "share": "which share of the scope's rows they are",
}  # fmt: skip
_COMPARED = {
    "delta": "the difference of {column} between {a} and {b}, paired by question",
    "paired_ratio": "the ratio of {column} of {a} to that of {b}, paired by question",
    "mcnemar_p": "the p of McNemar's test of {column} between {a} and {b}",
}


def in_words(probe: Probe, runs: Sequence[str]) -> str:
    """Return what a probe asks of `runs`, without a full stop."""
    if probe.query:
        return f"the SQL of the named value {probe.query.name}{_behind(probe, runs)}"
    return f"{_what(probe)}{_behind(probe, runs)}"


def _what(probe: Probe) -> str:
    *column, last = probe.name
    if probe.contrast:
        levels = {"a": probe.contrast.a, "b": probe.contrast.b}
        name = ".".join(column if is_statistic(last) and column else probe.name)
        return _COMPARED[probe.contrast.function].format(column=name, **levels)
    if not column:
        return _OF_ROWS.get(last, f"the one {last}")
    name = ".".join(column)
    if last in _STATISTICS:
        return _STATISTICS[last].format(column=name)
    if (p := quantile_of(last)) is not None:
        return f"percentile {100 * p:g} of {name}"
    return f"the one {'.'.join(probe.name)}"


def _behind(probe: Probe, runs: Sequence[str]) -> str:
    table = f"the rows of {probe.table}" if probe.table else "the cells"
    of = f"run {runs[0]}" if len(runs) == 1 else f"runs {', '.join(runs)}"
    where = f" with {show_filters(probe.filters)}" if probe.filters else ""
    each = f", for each {probe.group_by}" if probe.group_by else ""
    return f", over {table} of {of}{where}{each}"
