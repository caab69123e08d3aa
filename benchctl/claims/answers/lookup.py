"""Expressions in, values out: every probe of a page and scope goes to the store in one call."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from benchctl.claims.answers.nature import Nature, declared, nature
from benchctl.claims.answers.sizes import least_n
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
    names_in,
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
    """An expression of a page, names expanded, and the nature of what it gives. `filters` are the scope's and the row's."""

    text: str
    node: Node
    filters: tuple[Filter, ...]
    nature: Nature
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
    """A store, named values, and what was already measured; `used` are the names of values that were asked for."""

    store: Store
    definitions: Mapping[str, Definition]
    used: set[str] = field(default_factory=set)
    _project: Mapping[str, Definition] | None = None
    _blocks: dict[tuple[str, str], str] = field(default_factory=dict)
    _measured: dict[str, dict[Probe, Measured]] = field(default_factory=dict)
    _understood: dict[str, tuple[Node, Nature, frozenset[str]]] = field(default_factory=dict)
    _runs: list[dict[str, StoredRun]] = field(default_factory=list)
    _own: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)

    @property
    def runs(self) -> dict[str, StoredRun]:
        """Return every run of the store by id, read once; a damaged run is none here (`verify-store` names it)."""
        if not self._runs:
            found: dict[str, StoredRun] = {}
            for name in self.store.names():
                try:
                    found[name] = self.store.run(name)
                except BenchctlError:
                    continue
            self._runs.append(found)
        return self._runs[0]

    def other_runs(self, run_id: str, declared: Collection[str]) -> list[str]:
        """Return the other runs of the store, those that a page declares first."""
        return sorted(set(self.runs) - {run_id}, key=lambda run: (run not in declared, run))

    def with_names(self, definitions: Mapping[str, Definition]) -> Self:
        """Return a lookup by the names of one page, which knows and remembers what this one does."""
        # What texts mean is kept while the names do: a page may be read anew a thousand times.
        same = definitions is self.definitions
        return replace(
            self,
            definitions=definitions,
            used=set(),
            _understood=self._understood if same else {},
            _project=self.project_names,
        )

    @property
    def project_names(self) -> Mapping[str, Definition]:
        """Return the project's own named values."""
        return self.definitions if self._project is None else self._project

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
        """Return a table's whole generated block over a run, rendered once, by the project's own names.

        Raises TableUnknownError, StampInvalidError and what building the table raises.
        """
        from benchctl.report.tables import named_table

        key = (run_id, table)
        if key not in self._blocks:
            names = self.project_names
            self._blocks[key] = render_block(named_table(self.store, run_id, table, config, values=names))
        return self._blocks[key]

    def read(self, text: str, filters: tuple[Filter, ...]) -> Expression:
        """Return an expression, ready to be measured.

        Raises ExpressionInvalidError, ValueUnknownError, ValueInvalidError, SqlUntrustedError, ColumnUnknownError.
        """
        if text not in self._understood:  # a column of a table says one text for each of its rows
            self._understood[text] = self._understand(text)
        node, kind, names = self._understood[text]
        self.used |= names
        return Expression(text, node, filters, kind)

    def _understand(self, text: str) -> tuple[Node, Nature, frozenset[str]]:
        """Return what an expression's text says, names expanded, what kind of number it gives, and these names."""
        written = parse(text)
        names = names_in(written) & self.definitions.keys()
        self.used |= names  # also where it means nothing: a value that is called wrongly is no unused one
        node = expand(written, self.definitions)
        kind = nature(node)
        named = self.definitions.get(_name(written))
        return node, declared(kind, named) if named else kind, frozenset(names)

    def measure(self, run_id: str, wanted: Iterable[Probe], declared: frozenset[str]) -> None:
        """Measure what is not yet known of a run, in one call of the store."""
        from benchctl.store.measuring.question import measure

        known = self._measured.setdefault(run_id, {})
        new = tuple(dict.fromkeys(probe for probe in wanted if probe not in known))
        if new:
            known |= measure(self.store, run_id, new, declared=declared)

    def try_measure(self, run_id: str, wanted: Iterable[Probe], declared: frozenset[str]) -> bool:
        """Measure like `measure`; False where the run cannot be read, and then nothing new is known of it."""
        try:
            self.measure(run_id, wanted, declared)
        except BenchctlError:
            return False
        return True

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
        n = least_n(expression.node, expression.filters, answers)
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
    """Return an expression's text with `filters` written into every reference of it, `run=r8` as its run."""
    return show(_placed(parse(text), filters))


def _placed(node: Node, filters: tuple[Filter, ...]) -> Node:
    if isinstance(node, Probe):
        own = {item.column for item in node.filters} | {"run"}
        runs = (item.value for item in filters if item.column == "run")
        placed = (*node.filters, *(item for item in filters if item.column not in own))
        return replace(node, filters=placed, run=node.run or next(runs, None))
    return with_children(node, tuple(_placed(child, filters) for child in children(node)))
