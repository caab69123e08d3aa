"""Rows that sum up the rows above them, by what they are called."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

__all__ = ["Summary", "summary_of"]

Summary = Literal["total", "overall", "perhaps", "mean", "median", "geomean", "min", "max", "statistic"]

_PARENTHESIS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_EDGES = " \t:.*_\u2014\u2013-="
_LONGEST = 80
_SUMS = frozenset({"\u03a3", "\u2211"})
_THINGS = (
    "arm|agent|model|question|repo|repositorie|repository|classe|class|language|task|suite|file|run|cell|benchmark|"
    "dataset|row|package|harnesse|harness|test|case|group|categorie|querie|issue|project|set-up|setup|one"
)
_PATTERNS: tuple[tuple[re.Pattern[str], Summary], ...] = (
    (re.compile(r"(?:grand |sum |sub-?)?totals?(?: (?:of|over|across|for) .+)?|sum|sum of (?:all|the) .+|in total"), "total"),
    (re.compile(r"geo(?:metric)?[ .-]?(?:mean|avg|average)|gmean"), "geomean"),
    (re.compile(r"(?:arithmetic )?(?:mean|average|avg|\u00f8|\u2300|\u2205)(?: (?:of|over|across) .+)?"), "mean"),
    (re.compile(r"median(?: (?:of|over|across) .+)?"), "median"),
    (re.compile(r"min|minimum|lowest"), "min"),
    (re.compile(r"max|maximum|highest"), "max"),
    (re.compile(rf"overall|pooled|(?:across |over )?all (?:the )?(?:{_THINGS})s?|macro|micro|"
                r"(?:macro|micro|weighted|pooled|overall)[ -](?:mean|average|avg|score|total)"), "overall"),
    (re.compile(r"all|combined|everything|both|together|aggregate|all together|all combined|any"), "perhaps"),
    (re.compile(r"n|count|sd|std|std\.? ?dev|stdev|standard deviation|variance|s\.?e\.?|stderr|p\d{1,2}(?:\.\d+)?|q[1-4]|iqr|"
                r"ci|95 ?% ci|range|spread|mode|cv|mad"), "statistic"),
)  # fmt: skip


@lru_cache(maxsize=4096)
def summary_of(label: str) -> Summary | None:
    """Return how a row sums up others, by its label; None for a row that stands for itself.

    "overall" is some average or some total, "perhaps" may as well be the name of an arm ("all", "combined"),
    a "statistic" is one of a table that lists statistics row by row.
    """
    if len(label) > _LONGEST:
        return None
    if label.strip(_EDGES) in _SUMS:
        return "total"
    name = _PARENTHESIS.sub("", label.casefold()).strip(_EDGES) or label.strip()
    return next((kind for pattern, kind in _PATTERNS if pattern.fullmatch(name)), None)
