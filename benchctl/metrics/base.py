"""What a metric is: one declarative entry that tables, charts, docs and claims obey.

It says nothing about how a value is computed: a metric is a column of the stored row, and
null means what `schema.result` says it means there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from benchctl.schema.scope import Scope

__all__ = ["Metric"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One column that may be published.

    `name` is the column. `unit` is one that `quantities` knows, None for a plain count or a
    flag. `domain` is the least and the greatest possible value, None where there is none.
    `places` are the decimals a table prints. `assumption` says what an interval may assume,
    `meaning` how to read a value. `summary` is the statistic that stands for many cells, and
    `interval` the family of intervals that fits: of a mean between 0 and 1, of a ratio, or
    none; `scope` is what they redraw unless a page says otherwise.
    """

    name: str
    title: str
    unit: str | None
    better: Literal["higher", "lower", "neither"]
    kind: Literal["share", "flag", "time", "tokens", "money", "count", "size"]
    domain: tuple[float, float | None]
    places: int
    assumption: str
    meaning: str
    interval: Literal["score", "ratio", "none"]
    summary: Literal["macro", "median", "sum"] = "median"
    scope: Scope = "questions"
