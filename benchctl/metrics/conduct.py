"""How the cell went: what the agent did, and what it left behind."""

from __future__ import annotations

from typing import Literal

from benchctl.metrics.base import Metric

__all__ = ["CONDUCT", "OUTCOMES"]

_BOUNDED = "Lies between 0 and 1 and often at 0, so no interval may assume a symmetric spread."
_COUNT = "A count; zero is a measurement, so no ratio may be taken of it blindly."


def _flag(name: str, title: str, better: Literal["lower", "neither"], meaning: str) -> Metric:
    return Metric(
        name=name,
        title=title,
        unit=None,
        better=better,
        kind="flag",
        domain=(0, 1),
        places=3,
        assumption=_BOUNDED,
        meaning=meaning,
        interval="score" if better == "lower" else "none",
        summary="macro" if better == "lower" else "sum",
    )


def _count(name: str, title: str, meaning: str) -> Metric:
    return Metric(
        name=name,
        title=title,
        unit=None,
        better="neither",
        kind="count",
        domain=(0, None),
        places=0,
        assumption=_COUNT,
        meaning=meaning,
        interval="none",
    )


def _bytes(name: str, title: str, meaning: str) -> Metric:
    return Metric(
        name=name,
        title=title,
        unit="B",
        better="neither",
        kind="size",
        domain=(0, None),
        places=0,
        assumption=_COUNT,
        meaning=meaning,
        interval="none",
    )


OUTCOMES = (
    _flag("failed", "Failed", "lower", "Whether the outcome counts against the arm; its mean is a rate."),
    _flag("void", "Void", "neither", "Whether the cell says nothing about the arm and leaves every mean."),
)

CONDUCT = (
    _count(
        "tool_calls",
        "Tool calls",
        "Tool calls that the agent made, in all attempts but those that the machine ended.",
    ),
    _count("changed_files", "Changed files", "Files of the tree that differ after the cell."),
    _count("attempts", "Attempts", "Attempts that were started, interrupted ones included."),
    _count(
        "continuations",
        "Continuations",
        "Further turns that its sessions got, in all attempts but those that the machine ended.",
    ),
    _flag("check_failed", "Check failed", "lower", "Whether the suite's check of the last attempt failed."),
    _bytes("stdout_bytes", "Standard output", "Bytes that the last attempt wrote to standard output."),
    _bytes("stderr_bytes", "Standard error", "Bytes that the last attempt wrote to standard error."),
)
