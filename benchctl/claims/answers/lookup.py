"""Expressions in, values out: every probe of a page and scope goes to the store in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from benchctl.claims.answers.nature import Nature, nature
from benchctl.errors import BenchctlError, EvaluationError
from benchctl.expressions import (
    Definition,
    Filter,
    Measured,
    Node,
    Probe,
    Value,
    evaluate,
    expand,
    parse,
    probes,
    show,
)
from benchctl.expressions.tree import NamedCall, children, with_children
from benchctl.report.stamp import render_block
from benchctl.schema.project import ProjectFile
from benchctl.store.reader import Store, StoredRun
from benchctl.store.relations.own_columns import own_columns_of

__all__ = ["Answer", "Expression", "Lookup", "within"]


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression of a page, names expanded. `unit` is declared or the column's, None where there is none.

    `exact` says that it counts, so that no rounding is allowed, `plain` that it is a number of things, so that
    no unit fits it. `filters` are the scope's and the row's.
    """

    text: str
    node: Node
    filters: tuple[Filter, ...]
    unit: str | None
    exact: bool
    plain: bool = False
    probes: tuple[Probe, ...] = field(init=False, repr=False, compare=False)
    """What has to be measured for it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "probes", probes(self.node, filters=self.filters))


@dataclass(frozen=True, slots=True)
class Answer:
    """The value of an expression, or why there is none. `n` is the least n behind it, None without data."""

    value: Value | None
    n: int | None
    error: EvaluationError | None = None


@dataclass(slots=True)
class Lookup:
    """A store, the project's named values, and what was already measured."""

    store: Store
    definitions: Mapping[str, Definition]
    _blocks: dict[tuple[str, str], str] = field(default_factory=dict)
    _measured: dict[str, dict[Probe, Measured]] = field(default_factory=dict)
    _understood: dict[str, tuple[Node, Nature]] = field(default_factory=dict)
    _runs: dict[str, StoredRun] | None = None
    _own: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)

    @property
    def runs(self) -> dict[str, StoredRun]:
        """Return every run of the store by id, read once; a damaged run is none here (`verify-store` names it)."""
        if self._runs is None:
            self._runs = {}
            for name in self.store.names():
                try:
                    self._runs[name] = self.store.run(name)
                except BenchctlError:
                    continue
        return self._runs

    def own_names(self, run_id: str, table: str | None) -> frozenset[str]:
        """Return the names of the columns that a run has of its own in a table, the cells for None; of an unknown one none."""
        key = (run_id, table or "cells")
        if key not in self._own:
            try:
                self._own[key] = frozenset(
                    column.name for column in own_columns_of(self.store.run(run_id), key[1])
                )
            except BenchctlError:
                self._own[key] = frozenset()
        return self._own[key]

    def block(self, run_id: str, table: str, config: ProjectFile) -> str:
        """Return a table's whole generated block over a run, rendered once.

        Raises TableUnknownError, StampInvalidError and what building the table raises.
        """
        from benchctl.report.tables import named_table

        key = (run_id, table)
        if key not in self._blocks:
            self._blocks[key] = render_block(named_table(self.store, run_id, table, config))
        return self._blocks[key]

    def read(self, text: str, filters: tuple[Filter, ...]) -> Expression:
        """Return an expression, ready to be measured.

        Raises ExpressionInvalidError, ValueUnknownError, ValueInvalidError, ColumnUnknownError.
        """
        if text not in self._understood:  # a column of a table says one text for each of its rows
            self._understood[text] = self._understand(text)
        node, kind = self._understood[text]
        return Expression(text, node, filters, *kind)

    def _understand(self, text: str) -> tuple[Node, Nature]:
        """Return what an expression's text says, names expanded, and what kind of number it gives."""
        written = parse(text)
        node = expand(written, self.definitions)
        kind = nature(node)
        named = self.definitions.get(_name(written))
        if named and named.unit:
            kind = kind._replace(unit=named.unit, plain=False)
        return node, kind

    def measure(self, run_id: str, wanted: Iterable[Probe], declared: frozenset[str]) -> None:
        """Measure what is not yet known of a run, in one call of the store."""
        from benchctl.store.measuring.question import measure

        known = self._measured.setdefault(run_id, {})
        new = tuple(dict.fromkeys(probe for probe in wanted if probe not in known))
        if new:
            known |= measure(self.store, run_id, new, declared=declared)

    def turn_page(self) -> None:
        """Forget what was measured of other runs than a page's own: the next page may declare others."""
        self._understood.clear()
        for known in self._measured.values():
            for probe in [probe for probe in known if probe.run]:
                del known[probe]

    def measured(self, run_id: str) -> Mapping[Probe, Measured]:
        """Return what is known of a run."""
        return self._measured.get(run_id, {})

    def answer(
        self, expression: Expression, run_id: str, swap: Mapping[Probe, Probe] | None = None
    ) -> Answer:
        """Return the value of a measured expression; `swap` lets other probes answer in place of its own."""
        known = self.measured(run_id)
        answers = {probe: known[(swap or {}).get(probe, probe)] for probe in expression.probes}
        n = min((answer.n or answer.count for answer in answers.values()), default=None)
        try:
            return Answer(evaluate(expression.node, answers, filters=expression.filters), n)
        except EvaluationError as error:
            return Answer(None, n, error)


def _name(written: Node) -> str:
    """Return the name of the named value that an expression is as a whole, called or bare; else ""."""
    match written:
        case NamedCall():
            return written.name
        case Probe(name=(name,)) if written == Probe(written.name):
            return name
        case _:
            return ""


def within(text: str, filters: tuple[Filter, ...]) -> str:
    """Return an expression's text with `filters` written into every reference of it."""
    return show(_placed(parse(text), filters))


def _placed(node: Node, filters: tuple[Filter, ...]) -> Node:
    if isinstance(node, Probe):
        own = {item.column for item in node.filters}
        return replace(node, filters=(*node.filters, *(item for item in filters if item.column not in own)))
    return with_children(node, tuple(_placed(child, filters) for child in children(node)))
