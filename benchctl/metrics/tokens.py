"""What the model read and wrote. Null where nobody reported it, and never filled with 0."""

from __future__ import annotations

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
)
