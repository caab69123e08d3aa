"""Why `--fix` leaves a number as it is: every reason, with the words for it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["OF_FINDINGS", "REASONS", "Refused"]

REASONS: dict[str, str] = {
    "accept": "the data moved under the page: read it against them, then `verify-claims --accept`",
    "all": "all would become some, or some all: the sentence says it otherwise",
    "article": "`a` before it would have to become `an`, or the other way round",
    "assertion": "a sentence asserts it, so the sentence is what must be corrected",
    "beside": "a percent and its counts stand beside each other, and only one of them would change",
    "block-run": "the block is of a run that the page does not speak of here",
    "bound": "it is a bound (at least, over, about): the word may be what is wrong",
    "bound-twice": "two bindings claim it",
    "creates": "the page would have another error there",
    "direction": "a word of its sentence says which way it goes, and that would turn false",
    "draft": "its binding is a draft that nobody has accepted",
    "empty": "the cell prints no number to rewrite",
    "expression": "its expression has no value",
    "form": "it is not written as plain figures",
    "listed": "the list above the paragraph does not name it in a way that can be rewritten",
    "magnitude": "the value is of another magnitude than what is printed, its multiplier or its form is for",
    "markup": "a comment, markup or an entity stands inside the figures",
    "moved": "the page changed on disk since it was read",
    "number": "the word behind it would need the singular or the plural",
    "order": "its table says an order, by ranks or a bold number, and that would turn false",
    "outside": "the page is a link out of the project: name it to have it written",
    "precision": "a count is exact, and the form of this number rounds",
    "rank": "it says a rank",
    "retraction": "it is retracted, and true of today's data",
    "saturated": "it would say none, all or the very same where that is not exactly so",
    "sign": "the value has the other sign",
    "unit": "the value has a unit that cannot become the printed one",
    "word": "it is written in words",
    "zero": "none would become some, or some none: the sentence says it otherwise",
}
"""Reason -> what it means. A refusal adds what would have been written."""

OF_FINDINGS: dict[str, str] = {
    "assertion-false": "assertion",
    "retraction-live": "retraction",
    "unit-mismatch": "unit",
    "value-no-number": "expression",
    "table-cell-empty": "empty",
    "data-moved": "accept",
    "block-other-run": "block-run",
    "number-bound-twice": "bound-twice",
}
"""Finding of a page -> the reason why it is not put right here; what is not among them is no wrong value."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A reason of REASONS, and what would have become of the number ("" where that says nothing)."""

    reason: str
    detail: str = ""

    def __str__(self) -> str:
        """Return the reason in words."""
        return f"{self.detail}: {REASONS[self.reason]}" if self.detail else REASONS[self.reason]
