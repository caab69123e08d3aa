"""One page under examination: what binds what. The steps of `verify` fill it, the checks read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from benchctl.claims.answers.lookup import Answer, Expression, Lookup
from benchctl.claims.answers.printed import Judgement
from benchctl.claims.markers.charts import ChartLine
from benchctl.claims.markers.grammar import Source
from benchctl.claims.markers.nouns import Binding
from benchctl.claims.markers.scope import Scope, Scopes
from benchctl.claims.numbers import Atom, Numbers
from benchctl.claims.reading.inline import Problem
from benchctl.claims.reading.page import Page
from benchctl.claims.recorder import Recorder
from benchctl.errors import BenchctlError, ExpressionInvalidError
from benchctl.expressions import Filter, Probe
from benchctl.report.stamp import Block, StampProblem
from benchctl.schema.project import ProjectFile

__all__ = ["Asserted", "BoundTable", "Claim", "Judged", "Retracted", "RowKey", "Sheet", "Standing"]

Standing = Literal["bound", "generated", "exempt"]


@dataclass(frozen=True, slots=True)
class RowKey:
    """The key of a bound table's row: where its labels stand, (column, value) of each, and what is printed for it."""

    start: int
    end: int
    values: tuple[tuple[str, str], ...]
    labels: tuple[str, ...] = ()

    @property
    def filters(self) -> tuple[Filter, ...]:
        """Return the key as filters."""
        return tuple(Filter(column, "=", value) for column, value in self.values)


@dataclass(frozen=True, slots=True)
class Claim:
    """One printed number, or a cell that prints none (`atom` None), and the expression that says what it is."""

    atom: Atom | None
    expression: Expression
    scope: Scope
    start: int
    end: int
    row: RowKey | None = None


@dataclass(frozen=True, slots=True)
class Asserted:
    """An assertion with its place."""

    expression: Expression
    scope: Scope
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Retracted:
    """A retracted number; `expression` None means any bound value of the page."""

    atom: Atom
    expression: Expression | None
    scope: Scope


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim whose value is known, and how its print stands to it."""

    claim: Claim
    answer: Answer
    judgement: Judgement


@dataclass(slots=True)
class BoundTable:
    """A hand-written table under its binding, as far as the page alone tells."""

    scope: Scope
    columns: tuple[str, ...]
    subset: bool
    start: int
    end: int
    rows: list[RowKey] = field(default_factory=list)

    def known(self, column: str) -> Probe:
        """Return the probe whose groups are the values that a key may have: a row's key replaces the scope's."""
        return Probe(
            ("count",), tuple(f for f in self.scope.filters if f.column not in self.columns), group_by=column
        )

    def required(self, column: str) -> Probe:
        """Return the probe whose groups are the values that the table must show."""
        return Probe(("count",), self.scope.filters, group_by=column)


@dataclass(slots=True)
class Sheet:
    """Everything known of one page.

    `pins` are its digests in claims.lock by run, None without a lock. `unusable` are declared runs that
    cannot be asked; `standing` maps an atom's raw start to how it stands.
    """

    page: Page
    record: Recorder
    bindings: list[Binding]
    scopes: Scopes
    numbers: Numbers
    blocks: list[Block]
    block_problems: list[StampProblem]
    charts: list[ChartLine]
    chart_problems: list[Problem]
    lookup: Lookup
    config: ProjectFile
    pins: Mapping[str, str] | None = None
    show_all: bool = False
    claims: list[Claim] = field(default_factory=list)
    assertions: list[Asserted] = field(default_factory=list)
    retractions: list[Retracted] = field(default_factory=list)
    tables: list[BoundTable] = field(default_factory=list)
    unusable: set[str] = field(default_factory=set)
    unknown_rows: set[RowKey] = field(default_factory=set)
    judged: list[Judged] = field(default_factory=list)
    standing: dict[int, Standing] = field(default_factory=dict)

    def stand(self, atom: Atom, standing: Standing) -> bool:
        """Note how an atom stands; False (and a finding) where another binding has claimed it."""
        if atom.start in self.standing:
            self.record.find("number-bound-twice", atom.start, atom.end, f"{atom.literal} is bound twice")
            return False
        self.standing[atom.start] = standing
        return True

    def read(self, source: Source, scope: Scope, row: RowKey | None = None) -> Expression | None:
        """Return the expression of a comment's piece, the row's key merged into the scope's filters.

        None, and a finding at its place, where it is no expression.
        """
        key = row.filters if row else ()
        named = {item.column for item in key}
        filters = (*(item for item in scope.filters if item.column not in named), *key)
        try:
            return self.lookup.read(source.text, filters)
        except BenchctlError as error:
            position = error.position if isinstance(error, ExpressionInvalidError) else 0
            start = source.start + min(position, max(0, len(source.text) - 1))
            self.record.fail(error, start, source.start + len(source.text), claim=source.text)
            return None
