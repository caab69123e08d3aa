"""A seeded order that stays the same for ever.

Python promises that `random.Random(seed).random()` yields the same sequence in every
later version; it does not promise that for `shuffle` or `randrange`. So the mapping
from draws to places is written here and never changes:

    for last = n-1 down to 1:  swap item[last] with item[int(random() * (last + 1))]

which is the Durstenfeld form of the Fisher-Yates shuffle (CACM 7(7), 1964, algorithm
235). A draw is a multiple of 2**-53, so for lists shorter than 2**20 the bias is below
2**-33.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TypeVar

__all__ = ["Draw"]

_T = TypeVar("_T")


class Draw:
    """A source of orders. Two with the same seed give the same orders, in the same sequence of calls."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - an order is drawn here, no secret

    def shuffled(self, items: Iterable[_T]) -> list[_T]:
        """Return the items in a drawn order."""
        drawn = list(items)
        for last in range(len(drawn) - 1, 0, -1):
            other = int(self._random.random() * (last + 1))
            drawn[last], drawn[other] = drawn[other], drawn[last]
        return drawn
