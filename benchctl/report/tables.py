"""From a specification and a run to a table: one row a combination of keys, all figures in one query.

A figure that has no value over its rows is None with the reason as a note; an expression
that asks for what does not exist is an error, never an empty cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchctl.errors import (
    DivisionByZeroError,
    NoRowsError,
    NullResultError,
    TableUnknownError,
)
from benchctl.expressions.evaluate import evaluate
from benchctl.expressions.expansion import expand
from benchctl.expressions.measured import Measured
from benchctl.expressions.parser import parse
from benchctl.expressions.probes import bounded, probes, scoped
from benchctl.expressions.reference import parse_filters
from benchctl.expressions.tree import Bound, Filter, Node, Probe
from benchctl.expressions.values import Definition, parse_definitions
from benchctl.report.asked import unread_suite
from benchctl.report.builtin import BUILTIN_TABLES
from benchctl.report.cell_rows import knows_outcomes
from benchctl.report.corrections import grading
from benchctl.report.imported_table import IMPORTED, fitted, imported_table
from benchctl.report.labels import in_cell, own_names, table_notes, unit_and_places, with_unit
from benchctl.report.row_keys import combinations, left_out
from benchctl.report.shape import Column, Table, TableCell, Value
from benchctl.schema.project import ProjectFile, TableColumn, TableSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchctl.store.reader import Store, StoredRun

__all__ = ["build_table", "named_table", "table_spec"]

_ROWS = Probe(("count",))
_COUNTS = frozenset({"count", "n", "share", "failed", "n_failed"})


def table_spec(name: str, config: ProjectFile | None = None, *, further: Iterable[str] = ()) -> TableSpec:
    """Return the specification of a name: the project's own, else a built-in.

    Raises TableUnknownError, which names these and `further` ones.
    """
    own = config.tables if config else {}
    spec = own.get(name) or BUILTIN_TABLES.get(name)
    if spec is None:
        known = ", ".join(sorted({*own, *BUILTIN_TABLES, *further}))
        raise TableUnknownError(f"no table {name!r}", expected=f"one of: {known}")
    return spec


def named_table(
    store: Store,
    run_id: str,
    name: str,
    config: ProjectFile | None = None,
    *,
    generation: int | None = None,
    values: Mapping[str, Definition] | None = None,
) -> Table:
    """Return the table of a name over a run, with the project's named values at hand: `values`, else read from `config`.

    `imported` is the table that an imported run has of itself, unless the project has one of that name.
    """
    if values is None:
        values = parse_definitions(config.values) if config else {}
    spec = _spec_for(store.run(run_id), name, config)
    return build_table(store, run_id, name, spec, values, generation=generation)


def _spec_for(run: StoredRun, name: str, config: ProjectFile | None) -> TableSpec:
    """Return the specification of a name as it fits the run. Raises TableUnknownError."""
    imported = run.record.imported
    if imported is None or (config and name in config.tables):
        return table_spec(name, config)
    return (
        imported_table(run, imported)
        if name == IMPORTED
        else fitted(table_spec(name, config, further=(IMPORTED,)), run)
    )


def build_table(
    store: Store,
    run_id: str,
    name: str,
    spec: TableSpec,
    values: Mapping[str, Definition] | None = None,
    *,
    generation: int | None = None,
) -> Table:
    """Return the table of a specification over one run, its scores of one grading or the newest.

    Rows are the combinations of the `by` columns that occur under `where`, in the order of
    the suite. Behind the specification's columns stand `failed` and `n`, and `void` where
    any cell is void. Raises ColumnUnknownError, ExpressionInvalidError, GenerationUnknownError for a
    generation that is none, and what evaluation raises.
    """
    from benchctl.store.measuring.question import measure

    run = store.run(run_id)
    where = parse_filters(spec.where) if spec.where else ()
    own = own_names(run)
    columns = [_Asked.read(column, values or {}, own) for column in spec.columns]
    keys, without = combinations(run, spec.by)
    scopes = {key: _scope(spec.by, key, where) for key in keys}
    asked = dict.fromkeys(
        probe for scope in scopes.values() for probe in (scoped(_ROWS, scope), *_probes(columns, scope))
    )
    measured = measure(store, run_id, tuple(asked), declared=frozenset({run_id}), generation=generation)
    rows = {
        key: _row(key, columns, scope, measured)
        for key, scope in scopes.items()
        if _count(measured, scope).count
    }
    counts = {key: _count(measured, scopes[key]) for key in rows}
    has_void, known = any(count.void for count in counts.values()), knows_outcomes(run)
    return Table(
        name=name,
        title=spec.title,
        run=run_id,
        data_digest=run.data_digest,
        columns=(
            *(Column(key, key=True) for key in spec.by),
            *(Column(with_unit(column.title, column.unit), unit=column.unit) for column in columns),
            *(Column(title) for title in ("failed", "n", *(("void",) if has_void else ()))),
        ),
        rows=tuple(
            (*cells, *_standing(counts[key], has_void=has_void, known=known)) for key, cells in rows.items()
        ),
        notes=(
            *table_notes(run, spec, where, [cell for cells in rows.values() for cell in cells]),
            *left_out(without, spec.by),
            *filter(None, (unread_suite(run),)),
        ),
        grading=grading(run, generation),
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """One column, parsed: what it shows, and what stands behind and around that."""

    title: str
    value: Node
    of: Node | None
    interval: bool
    unit: str | None
    places: int | None

    @classmethod
    def read(cls, column: TableColumn, values: Mapping[str, Definition], own: frozenset[str]) -> _Asked:
        value = expand(parse(column.value), values)
        unit, places = unit_and_places(value, column, own)
        of = expand(parse(column.of), values) if column.of else None
        return cls(column.title, value, of, column.interval, unit, places)

    @property
    def nodes(self) -> tuple[Node, ...]:
        ends = (Bound("lo", self.value), Bound("hi", self.value)) if self.interval else ()
        return (self.value, *((self.of,) if self.of else ()), *ends)


def _probes(columns: Iterable[_Asked], scope: tuple[Filter, ...]) -> list[Probe]:
    return [probe for column in columns for node in column.nodes for probe in probes(node, filters=scope)]


def _scope(by: Sequence[str], key: Sequence[str], where: tuple[Filter, ...]) -> tuple[Filter, ...]:
    return (*where, *(Filter(column, "=", value) for column, value in zip(by, key, strict=True)))


def _count(measured: Mapping[Probe, Measured], scope: tuple[Filter, ...]) -> Measured:
    answer = measured[scoped(_ROWS, scope)]
    return Measured(0) if isinstance(answer.error, NoRowsError) else answer


def _row(
    key: tuple[str, ...],
    columns: Sequence[_Asked],
    scope: tuple[Filter, ...],
    measured: Mapping[Probe, Measured],
) -> tuple[TableCell, ...]:
    rows = _count(measured, scope)
    figures = (_figure(column, scope, measured, rows.count - rows.void) for column in columns)
    return (*(TableCell(text) for text in key), *figures)


def _figure(
    column: _Asked, scope: tuple[Filter, ...], measured: Mapping[Probe, Measured], row_n: int
) -> TableCell:
    notes: list[str] = []

    def value(node: Node | None) -> Value:
        if node is None:
            return None
        try:
            return evaluate(node, measured, filters=scope)
        except (NullResultError, NoRowsError, DivisionByZeroError) as error:
            notes.append(error.what)
            return None

    asked = list(probes(column.value, filters=scope))
    answers = [measured[probe] for probe in asked]
    of_cells = all(probe.table is None for probe in asked)  # another table has rows of its own number
    n = min((answer.n for answer in answers), default=None)
    ends = [value(Bound(side, column.value)) for side in ("lo", "hi")] if column.interval else [None, None]
    estimate, of = value(column.value), value(column.of)
    return TableCell(
        value=estimate,
        unit=column.unit if in_cell(column.unit) else None,
        places=column.places,
        lo=_number(ends[0]),
        hi=_number(ends[1]),
        scope=_scope_of_interval(column, scope, measured),
        n=n,
        failed=max((answer.failed for answer in answers), default=None),
        void=max((answer.void for answer in answers), default=None),
        of=_number(of),
        partial=estimate is not None and n not in (None, row_n) and _is_summary(column.value) and of_cells,
        notes=tuple(dict.fromkeys(notes)),
    )


def _scope_of_interval(
    column: _Asked, scope: tuple[Filter, ...], measured: Mapping[Probe, Measured]
) -> str | None:
    if not column.interval or not isinstance(column.value, Probe):
        return None
    return measured[bounded(scoped(column.value, scope))].scope


def _is_summary(node: Node) -> bool:
    """Return whether a figure summarises values, so that how many there were must be seen."""
    return not isinstance(node, Probe) or node.name[-1] not in _COUNTS


def _number(value: object) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _standing(rows: Measured, *, has_void: bool, known: bool) -> tuple[TableCell, ...]:
    """Return the cells that stand behind every row: what failed, what counts, what is void.

    Where nobody recorded how cells ended (`known` false), what failed is not zero but unknown.
    """
    n, failed = rows.count - rows.void, rows.failed if known else None
    notes = () if known else ("the import has no outcome",)
    cells = (
        TableCell(failed, n=n, failed=failed, void=rows.void, notes=notes),
        *(TableCell(figure, n=n, failed=failed, void=rows.void) for figure in (n, rows.void)),
    )
    return cells if has_void else cells[:2]
