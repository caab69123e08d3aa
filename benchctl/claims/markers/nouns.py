"""The bindings of a page as nouns: what each comment says, nothing looked up yet."""

from __future__ import annotations

from dataclasses import dataclass

from benchctl.claims.markers.grammar import Source

__all__ = [
    "Assertion",
    "Binding",
    "Declaration",
    "Exemption",
    "Inline",
    "Key",
    "ListItem",
    "Listed",
    "Retraction",
    "TableBinding",
]


@dataclass(frozen=True, slots=True)
class Binding:
    """What every binding has: where its comment stands on the page."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Declaration(Binding):
    """The runs of a page or of a scope. `none` is the reason why the page has no result, instead of a run."""

    run: str = ""
    also: tuple[str, ...] = ()
    where: Source | None = None
    none: str | None = None


@dataclass(frozen=True, slots=True)
class Inline(Binding):
    """`<!--= expr; expr -->`: one expression for each number of the group that ends before it.

    `draft` says here and below that nobody has accepted it yet: a `?` stands behind the marker's word.
    """

    expressions: tuple[Source, ...]
    draft: bool = False


@dataclass(frozen=True, slots=True)
class Assertion(Binding):
    """`<!--assert: … -->`."""

    expression: Source
    draft: bool = False


@dataclass(frozen=True, slots=True)
class Exemption(Binding):
    """`<!--exempt: reason -->`."""

    reason: str


@dataclass(frozen=True, slots=True)
class Retraction(Binding):
    """`<!--retracted -->`, or `<!--retracted: expr -->` for one value alone."""

    expression: Source | None = None


@dataclass(frozen=True, slots=True)
class ListItem:
    """`literal = expression`, or `_ = "reason"` for a number that is exempt."""

    literal: Source
    expression: Source | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Listed(Binding):
    """`<!--claims: … -->`: the numbers of the next paragraph, in order."""

    items: tuple[ListItem, ...] = ()
    draft: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """A key column of a table, and what its labels are called in the run where they differ."""

    column: str
    labels: dict[str, str]


@dataclass(frozen=True, slots=True)
class TableBinding(Binding):
    """`<!--claims:table … -->`: keys by position, columns by header; `subset` allows rows to be missing."""

    keys: tuple[Key, ...] = ()
    columns: tuple[tuple[str, tuple[Source, ...]], ...] = ()
    subset: bool = False
    draft: bool = False
