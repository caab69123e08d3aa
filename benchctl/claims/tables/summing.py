"""A summary row's cell against the cells it sums up: what it may be, and when it can be none of that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from benchctl.claims.tables.adding import Kind, counts_things, leaves_rest, unites
from benchctl.claims.tables.figures import Figure
from benchctl.claims.tables.grid import Column, GridRow
from benchctl.claims.tables.summaries import Summary
from benchctl.quantities.averages import average, envelope, geometric_mean, median, total
from benchctl.quantities.span import Span

__all__ = ["AVERAGES", "Sum", "wrong_averages", "wrong_ends", "wrong_totals"]

AVERAGES = {"mean": average, "median": median, "geomean": geometric_mean}


@dataclass
class Sum:
    """One column of a summary row: the printed figure, its operands, and what it should have been (`expected`)."""

    column: Column
    kind: Kind
    printed: Figure
    parts: tuple[Figure, ...]
    rows: tuple[GridRow, ...]
    expected: dict[str, Span] = field(default_factory=dict)

    @cached_property
    def exact(self) -> bool:
        """Whether it counts things, so that no rounding is allowed: bare integers of nothing that is measured."""
        return counts_things(self.column) and all(figure.whole for figure in (self.printed, *self.parts))

    @cached_property
    def span(self) -> Span:
        """Return where the printed value lies."""
        return self.printed.counted if self.exact else self.printed.span

    @cached_property
    def spans(self) -> list[Span]:
        """Return where its operands lie."""
        return [part.counted if self.exact else part.span for part in self.parts]

    @cached_property
    def adds_up(self) -> bool:
        """Whether it is the sum."""
        return self.span.touches(total(self.spans))

    @cached_property
    def inside(self) -> bool:
        """Whether it lies between the least and the greatest, as every average does."""
        return self.span.touches(envelope(self.spans))

    @cached_property
    def even(self) -> bool:
        """Whether its operands are all one number."""
        return len({part.value for part in self.parts}) == 1

    @cached_property
    def telling(self) -> bool:
        """Whether it tells something that it adds up: two operands at least are more than nothing."""
        return self.adds_up and sum(part.value > 0 for part in self.parts) > 1

    def weighted_by(self, other: Sum) -> bool:
        """Say whether it is the mean of its operands weighted by another column's."""
        values = [Fraction(part.value) for part in other.parts]
        if other is self or other.kind == "neither" or min(values) < 0 or not any(values):
            return False
        return self.span.touches(average(self.spans, values))


def wrong_totals(sums: Sequence[Sum], summary: Summary, *, first: bool) -> list[Sum]:
    """Return what is neither the sum of its rows nor any average of theirs.

    A row that may be an arm of its own ("perhaps"), or that stands above its parts (`first`), is a total only where
    another column adds up.
    """
    proven = any(item.telling for item in sums)
    if (summary == "perhaps" or first) and not proven:
        return []
    wrong = [item for item in sums if _is_no_total(item, surely=summary == "total" or proven)]
    for item in wrong:
        item.expected["their sum"] = total(item.spans)
        if item.kind != "count":
            item.expected["every average of theirs"] = envelope(item.spans)
    return wrong


def _is_no_total(item: Sum, *, surely: bool) -> bool:
    if item.adds_up or any(part.value < 0 for part in item.parts):
        return False
    added, greatest = total(item.spans), max(item.spans, key=lambda span: span.hi)
    if unites(item.column) and not _below(item.span, greatest) and not _below(added, item.span):
        return False
    if item.kind == "amount" and not item.exact and _below(added, item.span) and leaves_rest(item.rows):
        return False
    if item.inside:
        return surely and item.kind == "count" and not item.span.touches(greatest)
    return True


def wrong_averages(sums: Sequence[Sum], summary: Summary) -> list[Sum]:
    """Return what is not the average that its row is called.

    Outside of its rows it is no average at all. Between them it may be weighted by what the table does not show:
    it is wrong where another column is the plain average, or where it is the only column and nothing is uneven.
    """
    meant = AVERAGES[summary]
    outside: list[Sum] = []
    off: list[Sum] = []
    proven = False
    for item in sums:
        expected = meant(item.spans)
        if expected is None or (item.kind == "count" and item.adds_up):
            continue
        if item.span.touches(expected):
            proven = proven or not item.even
        elif not any(item.weighted_by(other) for other in sums if other.exact):
            item.expected[f"their {summary}"] = expected
            (off if item.inside else outside).append(item)
    uneven = any(item.exact and not item.even for item in sums)
    surely = len(off) == 1 and (proven or (len(sums) == 1 and not uneven))
    return outside + (off if surely else [])


def wrong_ends(sums: Sequence[Sum], summary: Summary) -> list[Sum]:
    """Return the greatest that are less than one of their rows, and the least that are more."""
    wrong = []
    for item in sums:
        lows, highs = [span.lo for span in item.spans], [span.hi for span in item.spans]
        reach = Span(max(lows), max(highs)) if summary == "max" else Span(min(lows), min(highs))
        if _below(item.span, reach) if summary == "max" else _below(reach, item.span):
            item.expected[f"the {summary} of the rows"] = reach
            wrong.append(item)
    return wrong


def _below(left: Span, right: Span) -> bool:
    return left.hi < right.lo
