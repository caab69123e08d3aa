"""When two independent derivations of an answer key may be trusted: only where they agree."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from benchctl.planning.questions import GoldOutcome
from benchctl.quantities.format import listed

__all__ = ["Derivation", "agree", "read_items"]


@dataclass(frozen=True, slots=True)
class Derivation:
    """What one method gave for one question: sorted distinct items, or in `failed` why there are none."""

    method: str
    items: tuple[str, ...] = ()
    failed: str = ""


def read_items(method: str, stdout: str) -> Derivation:
    """Return the derivation that a method printed: a JSON list of strings, order and doubles without meaning."""
    try:
        printed = json.loads(stdout)
    except (ValueError, RecursionError):
        return Derivation(method, failed=f"{method} did not print JSON")
    if not isinstance(printed, list) or not all(isinstance(item, str) for item in printed):
        return Derivation(method, failed=f"{method} did not print a list of strings")
    if not all(_writable(item) for item in printed):
        return Derivation(
            method, failed=f"{method} printed an item that is blank or cannot be written as UTF-8"
        )
    return Derivation(method, tuple(sorted(set(printed))))


def _writable(item: str) -> bool:
    # JSON can spell half of a surrogate pair, and no file can hold it.
    return bool(item.strip()) and not any("\ud800" <= letter <= "\udfff" for letter in item)


def agree(question: str, derivations: Sequence[Derivation], minimum: int) -> GoldOutcome:
    """Return the gold that every method gave, or why it is refused: one failed, they differ, or it is too short."""
    for derivation in derivations:
        if derivation.failed:
            return GoldOutcome(question, refused=f"no gold: {derivation.failed}", failed=True)
    for one, other in pairwise(derivations):
        if one.items != other.items:
            return GoldOutcome(question, refused=f"the gold methods disagree: {_difference(one, other)}")
    items = derivations[0].items
    if len(items) < minimum:
        return GoldOutcome(question, refused=f"the gold has {len(items)} items, fewer than {minimum}")
    return GoldOutcome(question, items, tuple(derivation.method for derivation in derivations))


def _difference(one: Derivation, other: Derivation) -> str:
    parts = [f"{derivation.method} has {len(derivation.items)}" for derivation in (one, other)]
    for this, that in ((one, other), (other, one)):
        only = [item for item in this.items if item not in set(that.items)]
        if only:
            parts.append(f"only {this.method}: {listed(only)}")
    return "; ".join(parts)
