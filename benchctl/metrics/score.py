"""How good the answer is, and what the grader counted."""

from __future__ import annotations

from benchctl.metrics.base import Metric

__all__ = ["ITEMS", "SCORES"]

_BOUNDED = "Lies between 0 and 1 and often at 1, so no interval may assume a symmetric spread."
_GRADER = "A count of the grader; cells of different questions are not alike."

SCORES = (
    Metric(
        name="score",
        title="Score",
        unit="fraction",
        better="higher",
        kind="share",
        domain=(0, 1),
        places=3,
        assumption=_BOUNDED,
        meaning="What the grader gave, from 0 to 1; a failed cell is 0 and counted.",
        interval="score",
        summary="macro",
    ),
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
    Metric(
        name="precision",
        title="Precision",
        unit="fraction",
        better="higher",
        kind="share",
        domain=(0, 1),
        places=3,
        assumption=f"{_BOUNDED} Null where nothing was answered, so a mean is one over survivors.",
        meaning="Share of the answered items that are gold.",
        interval="score",
        summary="macro",
    ),
    Metric(
        name="recall",
        title="Recall",
        unit="fraction",
        better="higher",
        kind="share",
        domain=(0, 1),
        places=3,
        assumption=_BOUNDED,
        meaning="Share of the gold items that were answered.",
        interval="score",
        summary="macro",
    ),
)

ITEMS = (
    Metric(
        name="answer_items",
        title="Items answered",
        unit=None,
        better="neither",
        kind="count",
        domain=(0, None),
        places=0,
        assumption=_GRADER,
        meaning="Distinct items in the answer, right or wrong.",
        interval="none",
    ),
    Metric(
        name="gold_items",
        title="Gold items",
        unit=None,
        better="neither",
        kind="count",
        domain=(0, None),
        places=0,
        assumption="A constant of the question, not a measurement.",
        meaning="Items of the question's gold list.",
        interval="none",
    ),
    Metric(
        name="hit_items",
        title="Items found",
        unit=None,
        better="higher",
        kind="count",
        domain=(0, None),
        places=0,
        assumption=_GRADER,
        meaning="Answered items that are gold.",
        interval="none",
    ),
)
