"""The statistics by name, and how a dotted name splits into a column and a statistic."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable
from typing import Final

from benchctl.errors import ColumnUnknownError

__all__ = [
    "BARE_STATISTICS",
    "STATISTICS",
    "is_statistic",
    "near",
    "quantile_of",
    "resolve_column",
    "shadowed_statistics",
]

BARE_STATISTICS: Final = frozenset({"count", "n", "n_failed", "share"})
"""What may stand without a column: a statement about rows."""

STATISTICS: Final = BARE_STATISTICS | {
    "sum", "mean", "median", "min", "max", "q1", "q3", "iqr", "sd", "distinct", "macro", "lo", "hi", "floor",
}  # fmt: skip
"""Every statistic but the percentiles `p0` to `p100`."""

_PERCENTILE = re.compile(r"p(100|[0-9]{1,2})")
_QUARTILES: Final = {"q1": 0.25, "median": 0.5, "q3": 0.75}
_LONGEST_NAME_TO_MATCH = 200


def is_statistic(name: str) -> bool:
    """Return whether `name` is a statistic."""
    return name in STATISTICS or _PERCENTILE.fullmatch(name) is not None


def quantile_of(statistic: str) -> float | None:
    """Return the p in [0, 1] of a percentile, quartile or median; None for any other statistic."""
    match = _PERCENTILE.fullmatch(statistic)
    return int(match[1]) / 100 if match else _QUARTILES.get(statistic)


def near(name: str, known: Iterable[str]) -> str | None:
    """Return the names most like `name` as `a, b or c`; None when nothing is like it."""
    found = difflib.get_close_matches(name[:_LONGEST_NAME_TO_MATCH], list(known), n=3)
    return " or ".join(filter(None, (", ".join(found[:-1]), *found[-1:]))) or None


def resolve_column(dotted: tuple[str, ...], columns: Collection[str]) -> tuple[str | None, str | None]:
    """Return (column, statistic) of a dotted name over these columns.

    The longest column name wins, so a column named like a statistic, or `a.mean`, hides it.
    A column without a statistic gives (column, None); a statement about rows (None, statistic).
    Raises ColumnUnknownError with the nearest names, and for a share of a column: it counts rows.
    """
    whole = ".".join(dotted)
    if whole in columns:
        return whole, None
    if whole in BARE_STATISTICS:
        return None, whole
    head, _, last = whole.rpartition(".")
    if head in columns and last == "share":
        raise ColumnUnknownError(
            f"`share` counts rows and stands without a column: `{whole}` would say nothing of `{head}`",
            next_step=f"write `share[{head}=…]` with the value that is meant, or `{head}.mean`",
        )
    if head in columns and is_statistic(last):
        return head, last
    raise _unknown(head, last, columns)


def _unknown(head: str, last: str, columns: Collection[str]) -> ColumnUnknownError:
    if head in columns:
        like = near(last, [*STATISTICS, "p50", "p90", "p95", "p99"])
        return ColumnUnknownError(f"no statistic `{last}`", expected=like or "median, mean, p90, macro, …")
    if not head and is_statistic(last):
        return ColumnUnknownError(f"`{last}` needs a column in front of it", expected=f"score.{last}")
    column = head if head and is_statistic(last) else ".".join(filter(None, (head, last)))
    return ColumnUnknownError(
        f"no metric and no column `{column}`", expected=near(column, [*columns, *BARE_STATISTICS])
    )


def shadowed_statistics(columns: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that hide a statistic of the same name, sorted: each is worth a warning."""
    return tuple(sorted(name for name in columns if is_statistic(name)))
