"""What the model read and wrote. Null where nobody reported it, and never filled with 0."""

from __future__ import annotations

import dataclasses

from benchctl.metrics.base import Metric

__all__ = ["TOKENS"]

_SOURCE = "Positive and skewed: compared by ratios, and only where one source reported both sides."


def _tokens(name: str, title: str, meaning: str) -> Metric:
    return Metric(
        name=name,
        title=title,
        unit="tokens",
        better="lower",
        kind="tokens",
        domain=(0, None),
        places=0,
        assumption=_SOURCE,
        meaning=meaning,
        interval="ratio",
    )


TOKENS = (
    _tokens("input_tokens", "Input tokens", "Tokens read, cache reads included."),
    _tokens("output_tokens", "Output tokens", "Tokens written."),
    _tokens("total_tokens", "Total tokens", "Tokens read and written."),
    _tokens(
        "content_tokens", "Content tokens", "Tokens read above the floor of an empty run, and tokens written."
    ),
    dataclasses.replace(
        _tokens(
            "floor_tokens", "Floor", "Median tokens that an empty run of the same arm, agent and model reads."
        ),
        better="neither",
        interval="none",
        assumption="The same number in every cell of an arm, agent and model: a property of the harness.",
    ),
)
