"""Which run a place on the page speaks of: the page's declaration, and what changes it for a section."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from benchctl.claims.markers.grammar import GrammarError, Source
from benchctl.claims.markers.nouns import Binding, Declaration
from benchctl.claims.markers.parsing import read_declaration
from benchctl.claims.reading.frontmatter import Entry
from benchctl.claims.reading.inline import Problem
from benchctl.claims.reading.page import Page
from benchctl.errors import ExpressionInvalidError
from benchctl.expressions import Filter, parse_filters

__all__ = ["Scope", "Scopes", "read_scopes"]

_KEYS = frozenset({"run", "also", "where", "none", "reason"})


@dataclass(frozen=True, slots=True)
class Scope:
    """A run and the filters that hold from `start` to `end`; `declared` are all runs that may be named there.

    `place` and `place_end` are where it is declared.
    """

    run: str
    declared: frozenset[str]
    filters: tuple[Filter, ...]
    start: int
    end: int
    place: int
    place_end: int

    def under(self, key: Sequence[Filter]) -> tuple[Filter, ...]:
        """Return the filters that hold in a row of a table: what its key names takes the place of the scope's."""
        named = {item.column for item in key}
        return (*(item for item in self.filters if item.column not in named), *key)


@dataclass(frozen=True, slots=True)
class Scopes:
    """The scopes of a page. `page` is None where it declares no run, `none` the reason where it says so itself."""

    page: Scope | None
    sections: tuple[Scope, ...]
    none: str | None
    problems: tuple[Problem, ...]
    _edges: list[tuple[int, Scope | None]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        edges: list[tuple[int, Scope | None]] = []
        open_: list[Scope] = []
        # Of two sections the later lies wholly inside the earlier, or wholly behind it.
        for section in self.sections:
            _close(edges, open_, section.start, self.page)
            open_.append(section)
            edges.append((section.start, section))
        _close(edges, open_, max((section.end for section in self.sections), default=0), self.page)
        object.__setattr__(self, "_edges", edges)

    @property
    def all(self) -> tuple[Scope, ...]:
        """Return every scope, the page's first."""
        return (*([self.page] if self.page else []), *self.sections)

    def at(self, offset: int) -> Scope | None:
        """Return the scope of a raw offset: the section that began last, else the page's."""
        index = bisect_right(self._edges, offset, key=lambda edge: edge[0])
        return self._edges[index - 1][1] if index else self.page


def _close(
    edges: list[tuple[int, Scope | None]], open_: list[Scope], offset: int, page: Scope | None
) -> None:
    """Note where the sections end that are over at `offset`, and what holds behind each."""
    while open_ and open_[-1].end <= offset:
        end = open_.pop().end
        edges.append((end, open_[-1] if open_ else page))


def read_scopes(page: Page, bindings: Sequence[Binding]) -> Scopes:
    """Return the scopes of a page; declarations that contradict one another become problems."""
    problems: list[Problem] = []
    declarations = [binding for binding in bindings if isinstance(binding, Declaration)]
    front = _front(page, problems)
    if front is not None:
        declarations.insert(0, front)
    if not declarations:
        return Scopes(None, (), None, tuple(problems))
    first, *others = declarations
    if first.none is not None:
        problems += [_clash(other) for other in others]
        return Scopes(None, (), first.none, tuple(problems))
    whole = _scope(first, None, (0, len(page.text) + 1), problems)
    sections: list[Scope] = []
    for other in others:
        heading = page.heading_before(other.start)
        if (
            other.none is not None
            or heading is None
            or any(section.start == other.start for section in sections)
        ):
            problems.append(_clash(other))
        else:
            sections.append(
                _scope(other, whole, (other.start, _section_end(page, other.start, heading.level)), problems)
            )
    return Scopes(whole, tuple(sections), None, tuple(problems))


def _clash(other: Declaration) -> Problem:
    what = "a second declaration of the page"
    return Problem(
        other.start, other.end, what, "declare the page once; a section's run stands under its heading"
    )


def _section_end(page: Page, offset: int, level: int) -> int:
    first = bisect_right(page.headings, offset, key=lambda heading: heading.start)
    after = (heading.start for heading in islice(page.headings, first, None) if heading.level <= level)
    return next(after, len(page.text) + 1)


def _scope(
    declaration: Declaration, page: Scope | None, span: tuple[int, int], problems: list[Problem]
) -> Scope:
    own: tuple[Filter, ...] = ()
    if declaration.where is not None:
        try:
            own = parse_filters(declaration.where.text)
        except ExpressionInvalidError as error:
            place = declaration.where.start + error.position
            problems.append(
                Problem(place, declaration.end, f"where: {error.what}", f"write {error.expected}")
            )
    replaced = {item.column for item in own}
    outer = tuple(item for item in page.filters if item.column not in replaced) if page else ()
    declared = {declaration.run, *declaration.also, *(page.declared if page else ())}
    return Scope(
        run=declaration.run,
        declared=frozenset(declared),
        filters=(*outer, *own),
        start=span[0],
        end=span[1],
        place=declaration.start,
        place_end=declaration.end,
    )


def _front(page: Page, problems: list[Problem]) -> Declaration | None:
    entry = page.front.entries.get("benchctl")
    if entry is None:
        return None
    try:
        return _from_text(page, entry) if isinstance(entry.value, str) else _from_mapping(entry)
    except GrammarError as error:
        problems.append(Problem(error.position, entry.end, error.what, f"write {error.expected}"))
        return None


def _from_text(page: Page, entry: Entry) -> Declaration:
    word, _, rest = str(entry.value).partition(" ")
    if word.rstrip(":,") != "none":
        raise GrammarError(
            entry.start, "`benchctl:` holds no declaration", "`run: ID` below it, or `none` with a reason"
        )
    reason = page.front.entries.get("reason")
    written = rest.strip(" :,;\u2014\u2013-") or (
        reason.value if reason and isinstance(reason.value, str) else ""
    )
    return Declaration(entry.start, entry.end, none=_reason(entry, written))


def _from_mapping(entry: Entry) -> Declaration:
    if not isinstance(entry.value, dict):
        raise GrammarError(entry.start, "`benchctl:` is a list", "`run: ID` below it")
    fields = entry.value
    for name, entered in fields.items():
        if name not in _KEYS:
            raise GrammarError(
                entered.start, f"`{name}` is no part of a declaration", "run, also, where or none"
            )
    if "none" in fields:
        reason = fields.get("reason", fields["none"]).value
        if "run" in fields:
            raise GrammarError(entry.start, "the page declares a run and none", "one of the two")
        return Declaration(
            entry.start, entry.end, none=_reason(entry, reason if isinstance(reason, str) else "")
        )
    if "run" not in fields or not isinstance(fields["run"].value, str):
        raise GrammarError(entry.start, "the declaration names no run", "`run: ID`")
    where = fields.get("where")
    if where is not None and not isinstance(where.value, str):
        raise GrammarError(where.start, "`where` is no text", "`where: agent=claude`")
    also = fields.get("also")
    runs = [] if also is None else also.value if isinstance(also.value, list) else [also]
    return read_declaration(
        entry.start,
        entry.end,
        _source(fields["run"]),
        tuple(_source(run) for run in runs if isinstance(run, Entry)),
        _source(where) if where else None,
    )


def _source(entry: Entry) -> Source:
    return Source(entry.value if isinstance(entry.value, str) else "", entry.start)


def _reason(entry: Entry, written: str) -> str:
    if not any(char.isalnum() for char in written) or written in {"true", "yes"}:
        raise GrammarError(
            entry.start, "`benchctl: none` gives no reason", "`reason:` and why the page has no result"
        )
    return written
