"""How long it took."""

from __future__ import annotations

from benchctl.metrics.base import Metric

__all__ = ["DURATIONS"]

DURATIONS = (
    Metric(
        name="wall_s",
        title="Wall time",
        unit="s",
        better="lower",
        kind="time",
        domain=(0, None),
        places=2,
        assumption="Positive and skewed: compared by ratios. Cut off at the wall-clock cap.",
        meaning="Seconds from start to exit, summed over its attempts without those that the machine ended.",
        interval="ratio",
    ),
    Metric(
        name="cpu_s",
        title="Processor time",
        unit="s",
        better="lower",
        kind="time",
        domain=(0, None),
        places=2,
        assumption="Positive and skewed: compared by ratios. Of this machine alone.",
        meaning="Processor seconds of the same attempts; what a remote model spent is not in it.",
        interval="ratio",
    ),
    Metric(
        name="prepare_s",
        title="Preparation",
        unit="s",
        better="neither",
        kind="time",
        domain=(0, None),
        places=2,
        assumption="The suite's own step and no work of the agent: compared with nothing.",
        meaning="Seconds that the suite's preparation of a cell took, outside of the cell's clock.",
        interval="none",
    ),
)
