"""Tokens and dollars of one attempt, each with who reported it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Usage"]


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
