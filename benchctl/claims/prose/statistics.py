"""Names of statistics that a value's order follows from: least, quantiles, greatest, mean, ends of an interval."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from benchctl.quantities.units import family

__all__ = ["NAME", "Statistic", "labelled", "statistic"]

NAME = (
    r"(?:minimum|min|medians?|maximum|max|means?|averages?|avg|estimates?|[qQ][123]"
    r"|(?:lower|upper)(?:\s+(?:bound|end|limit))?|lo|hi|[pP](?:[1-9][0-9]?(?:\.[0-9]+)?)(?![0-9]))"
)
"""One name, as a pattern."""
_NAME = re.compile(rf"(?<![\w.-]){NAME}(?![\w-])", re.IGNORECASE)
_PERCENTILES = {
    "minimum": 0,
    "min": 0,
    "q1": 25,
    "median": 50,
    "medians": 50,
    "q2": 50,
    "q3": 75,
    "maximum": 100,
    "max": 100,
}
_MEANS = frozenset({"mean", "means", "average", "averages", "avg"})
_NOISE = re.compile(r"[^A-Za-z0-9%]+")
_MEASURES = frozenset({"time", "size", "share"})
"""Families of units: `p50 (ms)` and `p99 (s)` are of one thing."""


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic by `kind` ("quantile", "mean", "estimate", "lower", "upper"); `percent` is a quantile's share."""

    kind: str
    percent: Decimal = Decimal(-1)

    def at_most(self, other: Statistic) -> bool:
        """Whether it can never be greater than `other` over the same values."""
        kinds = (self.kind, other.kind)
        if kinds == ("quantile", "quantile"):
            return self.percent < other.percent
        if kinds == ("quantile", "mean"):
            return self.percent == 0
        if kinds == ("mean", "quantile"):
            return other.percent == 100
        return (
            self._is_inside_of(other, "upper")
            if other.kind == "upper"
            else other._is_inside_of(self, "lower")
        )

    def _is_inside_of(self, end: Statistic, side: str) -> bool:
        """Whether it is what an interval is of, or its other end, and `end` is its `side`."""
        other_end = {"upper": "lower", "lower": "upper"}[side]
        inside = self.kind in ("mean", "estimate", other_end) or self.percent == 50
        return end.kind == side and inside


def statistic(name: str) -> Statistic | None:
    """Return the statistic of a name; None for any other text."""
    word = name.strip().lower()
    if word in _PERCENTILES:
        return Statistic("quantile", Decimal(_PERCENTILES[word]))
    if re.fullmatch(r"p[0-9]{1,3}(?:\.[0-9]{1,6})?", word):
        return Statistic("quantile", Decimal(word[1:]))
    if word in _MEANS:
        return Statistic("mean")
    if word.startswith("estimate"):
        return Statistic("estimate")
    if word == "lo" or word.startswith("lower"):
        return Statistic("lower")
    return Statistic("upper") if word == "hi" or word.startswith("upper") else None


def labelled(label: str) -> tuple[Statistic, str] | None:
    """Return the one statistic that a header names, and of what: ("wall", in parentheses or not) of `wall (max)`.

    None where it names none, or two.
    """
    found = list(_NAME.finditer(label))
    if len(found) != 1:
        return None
    at = found[0]
    in_parens = label[: at.start()].rstrip().endswith("(")
    words = _NOISE.sub(" ", label[: at.start()] + " " + label[at.end() :]).lower().split()
    rest = " ".join(word for word in words if family(word) not in _MEASURES)
    named = statistic(at[0])
    return (named, f"{'(' if in_parens else ''}{rest}") if named else None
