"""How good the answer is, and what the grader counted."""

from __future__ import annotations

from typing import Literal

from benchctl.metrics.base import Metric

__all__ = ["ITEMS", "SCORES"]

_BOUNDED = "Lies between 0 and 1 and often at 1, so no interval may assume a symmetric spread."
_GRADER = "A count of the grader; cells of different questions are not alike."


def _share(name: str, title: str, meaning: str, assumption: str = _BOUNDED) -> Metric:
    return Metric(
        name=name,
        title=title,
        unit="fraction",
        better="higher",
        kind="share",
        domain=(0, 1),
        places=3,
        assumption=assumption,
        meaning=meaning,
        interval="score",
        summary="macro",
    )


def _items(
    name: str,
    title: str,
    meaning: str,
    better: Literal["higher", "neither"] = "neither",
    assumption: str = _GRADER,
) -> Metric:
    return Metric(
        name=name,
        title=title,
        unit=None,
        better=better,
        kind="count",
        domain=(0, None),
        places=0,
        assumption=assumption,
        meaning=meaning,
        interval="none",
    )


SCORES = (
    _share("score", "Score", "What the grader gave, from 0 to 1; a failed cell is 0 and counted."),
    Metric(
        name="answered",
        title="Answered",
        unit=None,
        better="higher",
        kind="flag",
        domain=(0, 1),
        places=3,
        assumption=_BOUNDED,
        meaning="Whether there was an answer that could be read; its mean is the share of cells answered.",
        interval="score",
        summary="macro",
    ),
    _share(
        "precision",
        "Precision",
        "Share of the answered items that are gold.",
        f"{_BOUNDED} Null where nothing was answered, so a mean is one over survivors.",
    ),
    _share("recall", "Recall", "Share of the gold items that were answered."),
)

ITEMS = (
    _items("answer_items", "Items answered", "Distinct items in the answer, right or wrong."),
    _items(
        "gold_items",
        "Gold items",
        "Items of the question's gold list.",
        assumption="A constant of the question, not a measurement.",
    ),
    _items("hit_items", "Items found", "Answered items that are gold.", better="higher"),
)
