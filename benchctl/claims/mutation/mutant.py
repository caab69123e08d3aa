"""One change that the checker has to see: of a page's text, or of what was measured."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from benchctl.expressions import Measured, Probe

__all__ = ["KINDS", "OF_DATA", "Change", "Edit", "Kind", "Mutant", "Place", "Source", "Span", "apply"]

Kind = Literal[
    "neighbour", "run", "digit", "sign", "unit", "bound", "swap", "list", "key", "retraction", "generated",
    "source", "assertion",
]  # fmt: skip
KINDS: dict[Kind, str] = {
    "neighbour": "the value of the same expression with another arm, question or other filter value",
    "run": "its value in another run",
    "digit": "the last digit, or the number in words, up or down by one",
    "sign": "the sign turned round",
    "unit": "another unit or multiplier: ms for s, M for k",
    "bound": "behind `at least`, `under`, `about`: the next number of which it is false",
    "swap": "two neighbouring numbers in each other's place",
    "list": "the number alone, and not its entry in the paragraph's list",
    "key": "a digit in the label of a table's row",
    "retraction": "a retracted number made true of today's data",
    "generated": "a digit of a generated block",
    "source": "a measured number behind a claim or a generated block moved until the page is false",
    "assertion": "a measured number moved until an assertion is false",
}
"""Every kind of change, in the order they are counted."""

OF_DATA: frozenset[Kind] = frozenset({"source", "assertion"})
"""The kinds that leave the page as it is and move what was measured."""

Span = tuple[int, int]
"""Two raw offsets of the unchanged page, half open."""


Source = tuple[str, Probe]
"""A measured number: the run of its scope, and what was asked."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of the page and what stands there instead."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a change is looked for.

    `region` is where a finding must stand when other places are changed in the same examination, `block` the
    paragraph, table or generated block in which it may stand when nothing else is. Two changes that share a
    key of `keys` are never examined together.
    """

    region: tuple[Span, ...]
    block: tuple[Span, ...]
    keys: frozenset[Hashable]


@dataclass(frozen=True, slots=True)
class Change:
    """How data are changed: answers by run and probe, and generated blocks by run and table.

    `steady` are answers that must stay as they are, for the change to have its effect.
    """

    answers: Mapping[Source, Measured] = field(default_factory=dict)
    steady: frozenset[Source] = frozenset()
    blocks: Mapping[tuple[str, str], str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change at `start` to `end` of the page: `edits` of its text, or `data`.

    `literal` is what stands there, `changed_to` what is made of it in words of a report. `equivalent` says why
    the changed page is true all the same; "" where it is not, and the checker must say so.
    """

    kind: Kind
    start: int
    end: int
    literal: str
    changed_to: str
    place: Place
    edits: tuple[Edit, ...] = ()
    data: Change | None = None
    claim: str = ""
    equivalent: str = ""


def apply(text: str, edits: list[Edit]) -> str:
    """Return a page's text with edits that do not overlap."""
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda item: item.start):
        pieces += [text[position : edit.start], edit.text]
        position = edit.end
    return "".join([*pieces, text[position:]])
