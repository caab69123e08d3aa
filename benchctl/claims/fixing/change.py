"""A judged number before and after it is rewritten."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from benchctl.claims.sheet import Judged

__all__ = ["Change"]


@dataclass(frozen=True, slots=True)
class Change:
    """A judged number, what it prints and what it would print, both in the printed unit."""

    item: Judged
    old: Decimal
    new: Decimal
