"""Values with their questions, given to the statistics room: macro means, intervals, two levels compared."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from benchctl.errors import KindMismatchError, NoRowsError, NullResultError
from benchctl.metrics import METRICS
from benchctl.stats import compare
from benchctl.stats.interval import interval_mean01
from benchctl.stats.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from benchctl.expressions import Contrast
    from benchctl.metrics import Metric
    from benchctl.stats.estimate import Estimate
    from benchctl.stats.sample import Scope
    from benchctl.store.measuring.columns import Known

__all__ = ["compare_levels", "end_of", "estimate", "sample_of"]

_COMPARABLE: Final = (None, "macro")

Unit = dict[str, Any]


def sample_of(units: Iterable[Unit]) -> Sample | None:
    """Return the sample of (repo, question, value) units, None for none.

    All values of one question are its repetitions, whatever else distinguishes them: an arm, an agent or
    a run that is not filtered is averaged over. Rows of which nobody said the repository are of one. Raises
    NullResultError where a row does not say its question: each would be a question of its own, or all of
    them one, and either is invented.
    """
    seen: Counter[tuple[str, str]] = Counter()
    rows: list[tuple[str, str, int, float]] = []
    for unit in units:
        if unit["question"] is None:
            raise NullResultError(
                "these rows do not say which question they answer, and equal weight is given to questions",
                expected="a column `question`",
                next_step="import the file with --map SOURCE=question, or use mean or median",
            )
        place = (unit["repo"] or "", unit["question"])
        seen[place] += 1
        rows.append((*place, seen[place], float(unit["value"])))
    return Sample.of(rows) if rows else None


def _metric(known: Known) -> Metric | None:
    """Return what is known of a column's kind of value; nothing of one that a run has of its own."""
    return None if known.own else METRICS.get(known.column.name)


def _scope(known: Known) -> Scope:
    metric = _metric(known)
    return metric.scope if metric else "questions"


def estimate(known: Known, units: Iterable[Unit], *, interval: bool) -> tuple[float | None, Estimate | None]:
    """Return (macro mean, estimate) of a column; both None where no value was measured.

    The estimate is None unless `interval` asks for it and the column is one whose interval is known.
    """
    sample = sample_of(units)
    if sample is None:
        return None, None
    return sample.macro(), interval_mean01(sample, _scope(known)) if interval and _fits(known) else None


def _fits(known: Known) -> bool:
    metric = _metric(known)
    return metric is not None and metric.interval == "score"


def end_of(known: Known, units: Iterable[Unit], side: str) -> tuple[float, Scope]:
    """Return one end of a column's default interval, and what it redraws. Raises KindMismatchError or NullResultError."""
    if not _fits(known):
        raise KindMismatchError(
            f"`{known.column.name}` alone has no interval",
            expected="a score, or a comparison such as paired_ratio(…)",
        )
    _, found = estimate(known, units, interval=True)
    end = None if found is None else (found.lo if side == "lo" else found.hi)
    if found is None or end is None:
        raise NullResultError(
            "; ".join(found.notes) if found else f"`{known.column.name}` was not measured here"
        )
    return end, found.scope


def compare_levels(
    known: Known, statistic: str | None, contrast: Contrast, units: Iterable[Unit]
) -> Estimate:
    """Return level `a` of the contrast against level `b`, paired by question.

    Raises KindMismatchError for a statistic that is no macro mean, NoRowsError for a level without a
    value, SampleInvalidError where the two have no question in common or a ratio meets a zero.
    """
    if statistic not in _COMPARABLE:
        raise KindMismatchError(
            f"{contrast.function} compares macro means, paired by question, and no {statistic}",
            expected=f"{contrast.function}({known.column.name}.macro, …)",
        )
    taken = list(units)
    a, b = (_level(known, contrast, level, taken) for level in (contrast.a, contrast.b))
    scope = contrast.scope or _scope(known)
    match contrast.function:
        case "delta":
            return compare.difference(a, b, scope, span=_span(known))
        case "paired_ratio":
            return compare.paired_ratio(a, b, scope)
        case "mcnemar_p":
            return compare.mcnemar_p(a, b)
    raise KindMismatchError(
        f"no comparison `{contrast.function}`", expected="delta, paired_ratio or mcnemar_p"
    )


def _level(known: Known, contrast: Contrast, level: str, units: Iterable[Mapping[str, Any]]) -> Sample:
    sample = sample_of(dict(unit) for unit in units if unit["level"] == level)
    if sample is None:
        raise NoRowsError(f"no row of {contrast.column} `{level}` has a {known.column.name}")
    return sample


def _span(known: Known) -> float | None:
    """Return the greatest possible difference of two values, None where there is none."""
    metric = _metric(known)
    if metric is None or metric.domain[1] is None:
        return None
    low, high = metric.domain
    return float(high or 0) - low
