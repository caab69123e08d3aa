"""Tokens and dollars of one attempt, each with who reported it; and what may still be filled in when it arrives late."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LARGEST_COUNT", "LARGEST_USD", "USAGE_GROUPS", "Usage", "figure_problem", "usage_problem"]

USAGE_GROUPS: Final = {
    "tokens": ("input_tokens", "output_tokens", "total_tokens", "token_source"),
    "dollars": ("cost_usd", "cost_source"),
}
"""Figures of a cell that belong together, who reported them last: a correction replaces a group whole or leaves it."""

LARGEST_COUNT: Final = 2**53
"""Beyond this a JSON number is no exact count any more."""

LARGEST_USD: Final = 1e15
"""Beyond this it is no price; sums of any number of attempts stay finite below it."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What an attempt used. None is "not measured"; 0 is a measurement.

    `source` says who reported the tokens (`agent`, `proxy`), `cost_source` who reported
    the dollars; both None where nobody did. Input tokens include cache reads.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cost_usd: float | None = None
    source: str | None = None
    cost_source: str | None = None


def figure_problem(name: str, value: object) -> str | None:
    """Return what is wrong with a count or with `cost_usd`; None where it is one, or None, which is not measured."""
    if value is None:
        return None
    if name == "cost_usd":
        fits = isinstance(value, int | float) and not isinstance(value, bool) and _is_price(value)
        return None if fits else f"{name} is {value!r}, not a number from 0"
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_COUNT
    return None if fits else f"{name} is {value!r}, not a whole number from 0"


def _is_price(value: float) -> bool:
    """Return whether dollars are from 0 and of this world; the minus of -0.0 says that somebody meant another number."""
    return 0 <= value <= LARGEST_USD and math.copysign(1, value) > 0


def usage_problem(row: Mapping[str, object], reported: Mapping[str, object]) -> str | None:
    """Return why a row of late usage cannot be used for a cell that has `reported` this in time; None where it can.

    A row has the columns of `USAGE_GROUPS`; one that is left out or None is not measured. It needs a figure,
    each figure's source, and may repeat a group that was reported in time, but not say it otherwise.
    """
    said = False
    for group, (*figures, source) in USAGE_GROUPS.items():
        given = [row.get(name) for name in figures]
        if wrong := next(filter(None, map(figure_problem, figures, given)), None):
            return wrong
        told = [f"{name} {reported[name]}" for name in figures if reported[name] is not None]
        if given == [None] * len(figures):
            if row.get(source) is not None and not told:
                return f"a {source} without a figure"
            continue
        said = True
        if row.get(source) is None:
            return f"figures without a {source}"
        if told and [*given, row[source]] != [reported[name] for name in (*figures, source)]:
            return f"the {group} were reported by {reported[source] or 'the run itself'} ({', '.join(told)})"
    return None if said else "no figure"
