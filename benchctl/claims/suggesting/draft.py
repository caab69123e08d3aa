"""One draft of one number, not evaluated yet."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EACH_REFERENCE", "SOLVED_CELL", "Draft"]

SOLVED_CELL = "score=1"
"""The condition of a cell that a benchmark calls solved."""
EACH_REFERENCE = 0.1
"""What a reference costs: of two drafts the shorter one."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An expression that the words speak for. `share` is the same without its `100 *`, where it is a percent.

    `against` is what a word close to the number says instead: such a draft is none, whatever it prints.
    """

    text: str
    score: float
    evidence: tuple[str, ...]
    share: str = ""
    against: str = ""
