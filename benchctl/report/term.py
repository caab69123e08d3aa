"""One term of a run, in plain words: what a reader must know before its figures mean anything."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Term"]


@dataclass(frozen=True, slots=True)
class Term:
    """One term. `lines` and `details` are plain text; `alarm` marks one that limits what the figures can say."""

    name: str
    lines: tuple[str, ...]
    details: tuple[str, ...] = ()
    alarm: bool = False
