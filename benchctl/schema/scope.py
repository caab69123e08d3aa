"""What an interval speaks of: one set of words for metrics, expressions and statistics."""

from __future__ import annotations

from typing import Literal

__all__ = ["Scope"]

Scope = Literal["rerun", "questions", "repositories"]
"""What would be redrawn: the repetitions of these questions, the questions of these repositories, or the
repositories too."""
