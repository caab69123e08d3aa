"""One page under examination: what binds what. The steps of `verify` fill it, the checks read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final, Literal, TypeVar, cast

from benchctl.claims.answers.lookup import Answer, Expression, Lookup, within
from benchctl.claims.answers.printed import Judgement
from benchctl.claims.markers.charts import ChartLine
from benchctl.claims.markers.grammar import Source
from benchctl.claims.markers.nouns import Binding
from benchctl.claims.markers.scope import Scope, Scopes
from benchctl.claims.numbers import Atom, Numbers
from benchctl.claims.prose.prose import Prose
from benchctl.claims.reading.inline import Problem
from benchctl.claims.reading.page import Page
from benchctl.claims.recorder import Recorder
from benchctl.claims.values.beside import NOTHING, Beside
from benchctl.errors import BenchctlError, ExpressionInvalidError
from benchctl.expressions import Filter, Probe
from benchctl.report.stamp import Block, StampProblem
from benchctl.schema.project import ProjectFile

__all__ = ["RUN", "Asserted", "BoundTable", "Claim", "Judged", "Retracted", "RowKey", "Sheet", "Standing"]

RUN: Final = "run"
"""The key of a table whose rows are declared runs."""

T = TypeVar("T")
Standing = Literal["bound", "generated", "exempt", "draft"]


@dataclass(frozen=True, slots=True)
class RowKey:
    """The key of a bound table's row: where its labels stand, (column, value) of each, and what is printed for it.

    `stop` is where the row ends.
    """

    start: int
    end: int
    values: tuple[tuple[str, str], ...]
    labels: tuple[str, ...] = ()
    stop: int = 0

    @property
    def filters(self) -> tuple[Filter, ...]:
        """Return the key as filters, the run that it names among them."""
        return tuple(Filter(column, "=", value) for column, value in self.values)

    @property
    def run(self) -> str | None:
        """Return the run that a row of `by=run` stands for; None where the table has no such key."""
        return dict(self.values).get(RUN)


@dataclass(frozen=True, slots=True)
class Claim:
    """One printed number, or a cell that prints none (`atom` None), and the expression that says what it is.

    `listed` is the same number as the paragraph's list names it, where a list binds it.
    """

    atom: Atom | None
    expression: Expression
    scope: Scope
    start: int
    end: int
    row: RowKey | None = None
    listed: Source | None = None

    @property
    def text(self) -> str:
        """Return the expression as messages name it, the row's key written into it."""
        return within(self.expression.text, self.row.filters) if self.row else self.expression.text


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
    """A hand-written table under its binding, as far as the page alone tells.

    `taken` are the raw starts of the numbers that it binds in a row, `problems` what is wrong with a row's cells
    (slug, start, end, message): neither holds where the row turns out to be none of the table's own. `named` are its
    bound headers, each with the values that all of its expressions ask for and the place where that is said.
    """

    scope: Scope
    columns: tuple[str, ...]
    subset: bool
    start: int
    end: int
    rows: list[RowKey] = field(default_factory=list)
    taken: dict[RowKey, list[int]] = field(default_factory=dict)
    problems: list[tuple[RowKey, str, int, int, str]] = field(default_factory=list)
    named: list[tuple[str, tuple[Filter, ...], Source]] = field(default_factory=list)

    @property
    def asked(self) -> tuple[str, ...]:
        """Return the columns of which a header's expressions name a value."""
        return tuple(dict.fromkeys(item.column for _, filters, _ in self.named for item in filters))

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the key columns that are columns of the run: all but the run itself."""
        return tuple(column for column in self.columns if column != RUN)

    def scope_of(self, row: RowKey) -> Scope:
        """Return what a row speaks of: the table's scope, over the run that the row names if it is declared."""
        return replace(self.scope, run=row.run) if row.run in self.scope.declared else self.scope

    def scopes(self) -> tuple[Scope, ...]:
        """Return the scopes whose values the rows are held against: of `by=run` those of the runs that it shows."""
        if RUN not in self.columns:
            return (self.scope,)
        shown = dict.fromkeys(row.run for row in self.rows if row.run in self.scope.declared)
        return tuple(replace(self.scope, run=run) for run in shown if run)

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

    `beside` is what its own file says. `pins` are its digests in claims.lock by run, None without a lock, and
    `accepted_unbound` the least `max_unbound` that was accepted there, None for none; `allowed_before` is that at
    the base of `--changed`. `unusable` are declared runs that
    cannot be asked; `standing` maps an atom's raw start to how it stands: what a draft names is not bound.
    `terse` says that nobody reads the hints of what is false. `unknown_rows` are rows of bound tables whose key
    means nothing in their run, `unbound_rows` those of them that their table leaves to inline bindings, each with why.
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
    beside: Beside = NOTHING
    pins: Mapping[str, str] | None = None
    accepted_unbound: int | None = None
    allowed_before: int | None = None
    show_all: bool = False
    terse: bool = False
    claims: list[Claim] = field(default_factory=list)
    assertions: list[Asserted] = field(default_factory=list)
    retractions: list[Retracted] = field(default_factory=list)
    tables: list[BoundTable] = field(default_factory=list)
    unusable: set[str] = field(default_factory=set)
    unknown_rows: set[RowKey] = field(default_factory=set)
    unbound_rows: dict[RowKey, str] = field(default_factory=dict)
    judged: list[Judged] = field(default_factory=list)
    standing: dict[int, Standing] = field(default_factory=dict)
    _prose: Prose | None = None
    _held: frozenset[int] | None = None
    _made: dict[object, object] = field(default_factory=dict)

    def once(self, make: Callable[[Sheet], T]) -> T:
        """Return what is made of this page, made at the first time; asked for once everything is judged."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast("T", self._made[make])

    @property
    def about(self) -> Decimal:
        """Return the share of a number that `~` allows, by the project's policy."""
        return Decimal(repr(self.config.claims.approx_pct)) / 100

    @property
    def prose(self) -> Prose:
        """Return the page's numbers with the words between them; asked for once everything is attached."""
        if self._prose is None:
            generated = {start for start, standing in self.standing.items() if standing == "generated"}
            retracted = {item.atom.start for item in self.retractions}
            self._prose = Prose(self.page, self.numbers, generated | retracted)
        return self._prose

    def holds(self, *atoms: Atom) -> bool:
        """Whether the run's data has confirmed every one of these; asked for once everything is judged.

        Arithmetic that denies numbers which are all true has misread the sentence.
        """
        if self._held is None:
            judged = (item.claim.atom for item in self.judged if item.judgement.holds)
            self._held = frozenset(atom.start for atom in judged if atom)
        return all(atom.start in self._held for atom in atoms)

    def stand(self, atom: Atom, standing: Standing) -> bool:
        """Note how an atom stands; False (and a finding) where another binding has claimed it."""
        if atom.start in self.standing:
            self.record.find("number-bound-twice", atom.start, atom.end, f"{atom.literal} is bound twice")
            return False
        self.standing[atom.start] = standing
        return True

    def try_measure(self, scope: Scope, wanted: Iterable[Probe], run: str | None = None) -> bool:
        """Measure over a scope's run, or over another, for what may stay unknown; False where it cannot be read."""
        return self.lookup.try_measure(run or scope.run, wanted, scope.declared - self.unusable)

    def read(self, source: Source, scope: Scope, row: RowKey | None = None) -> Expression | None:
        """Return the expression of a comment's piece, the row's key merged into the scope's filters.

        None, and a finding at its place, where it is no expression.
        """
        key = tuple(item for item in row.filters if item.column != RUN) if row else ()
        try:
            return self.lookup.read(source.text, scope.under(key))
        except BenchctlError as error:
            position = error.position if isinstance(error, ExpressionInvalidError) else 0
            start = source.start + min(position, max(0, len(source.text) - 1))
            self.record.fail(error, start, source.start + len(source.text), claim=source.text)
            return None
