"""What a column is called, in which unit it stands, and what a reader must know beside the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchctl.expressions.tree import Filter, Node, Probe
from benchctl.metrics import METRICS
from benchctl.quantities.format import format_number
from benchctl.report.cell_rows import credited, distinct
from benchctl.report.provenance import imported_from
from benchctl.report.shape import TableCell
from benchctl.schema.project import TableColumn, TableSpec
from benchctl.schema.run import RunRecord

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from benchctl.store.reader import StoredRun

__all__ = [
    "in_cell",
    "metric_text",
    "own_names",
    "score_name",
    "stored_text",
    "table_notes",
    "unit_and_places",
    "with_unit",
]

_IN_CELL = frozenset({"%", "x", "USD"})
_SILENT = frozenset({None, "", "fraction"})
_WITHOUT_UNIT = frozenset({"count", "n", "share", "failed", "n_failed", "distinct"})
_POOLED = ("agent", "model")
_MOST_NAMED = 20
_CREDITED = (
    "Precision and recall are of what was answered, in failed cells too, whose score is 0 all the same."
)


def own_names(run: StoredRun) -> frozenset[str]:
    """Return the lower-case names of an imported run's own columns: one that is called like a metric is not that metric."""
    imported = run.record.imported
    return frozenset(each.name.lower() for each in imported.foreign) if imported else frozenset()


def unit_and_places(
    node: Node, column: TableColumn, own: Collection[str] = ()
) -> tuple[str | None, int | None]:
    """Return a column's unit and decimals: as specified, else the metric's where the figure is one of its values.

    A figure that is SQL has the unit of its definition. `own` are the names of `own_names`.
    """
    if isinstance(node, Probe) and node.query:
        return column.unit or node.query.unit, column.places
    metric = None
    if isinstance(node, Probe) and node.name[-1] not in _WITHOUT_UNIT and node.name[0].lower() not in own:
        metric = METRICS.get(node.name[0])
    unit = column.unit or (metric.unit if metric else None)
    places = column.places if column.places is not None else (metric.places if metric else None)
    return unit, places


def stored_text(name: str, value: object, own: Collection[str] = ()) -> str | None:
    """Return a stored number as `metric_text` does where it is a metric's value; None where it is none.

    `own` are the names of `own_names`.
    """
    if name not in METRICS or name.lower() in own:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return metric_text(name, value)


def metric_text(name: str, value: float | None) -> str:
    """Return a metric's value as every page and table shows it, its unit included; None is a dash."""
    return format_number(value, unit=METRICS[name].unit, places=METRICS[name].places)


def in_cell(unit: str | None) -> bool:
    """Return whether a unit is printed with each figure (97.7%, 2.0x, $0.60) and not once in the header."""
    return unit in _IN_CELL


def with_unit(title: str, unit: str | None) -> str:
    """Return a column's header: with its unit where the figures do not carry it."""
    return title if unit in _SILENT or in_cell(unit) else f"{title} ({unit})"


def score_name(record: RunRecord) -> str:
    """Return what a score is in this run: F1 where every question has a gold list, else plain `score`."""
    with_list = {gold.question for gold in record.gold}
    asked = {cell.question for cell in record.cells}
    return "F1" if asked and asked <= with_list else "score"


def table_notes(
    run: StoredRun, spec: TableSpec, where: tuple[Filter, ...], cells: Sequence[TableCell]
) -> tuple[str, ...]:
    """Return the footnotes: the author's own, what was filtered, what a score is, the intervals' scope, what is pooled."""
    record = run.record
    notes = [spec.note, f"Only rows where {spec.where}." if spec.where else ""]
    if record.imported:
        notes.append(imported_from(record.imported))
    elif any("score." in column.value for column in spec.columns):
        notes.append(_score_note(score_name(record), spec))
        notes.append(_CREDITED if _shows(spec, "precision", "recall") and credited(run) else "")
    if _shows(spec, "floor_tokens"):
        notes.append(_counted_by(run))
    scopes = sorted({cell.scope for cell in cells if cell.scope and cell.lo is not None})
    notes += [f"Brackets hold the 95 % interval over {scope}." for scope in scopes]
    notes += [_pooled(run, column) for column in _POOLED if not _fixed(column, spec, where)]
    if record.sandbox == "none":
        notes.append("Collected without a sandbox.")
    return tuple(note for note in notes if note)


def _shows(spec: TableSpec, *metrics: str) -> bool:
    return any(column.value.startswith(f"{metric}.") for column in spec.columns for metric in metrics)


def _counted_by(run: StoredRun) -> str:
    """Return who counted the tokens of a run: a floor and what stands above it come from one source, or not at all."""
    cells = sorted(str(source) for (source,) in distinct(run, ("token_source",)))
    empty = sorted({str(row["token_source"]) for row in run.rows("baselines") if row["token_source"]})
    said = [f"of {what} by {', '.join(by)}" for what, by in (("cells", cells), ("empty runs", empty)) if by]
    return f"Tokens were counted {' and '.join(said)}." if said else ""


def _score_note(name: str, spec: TableSpec) -> str:
    meaning = "Score is F1" if name == "F1" else "Score is the grader's, from 0 to 1"
    if any("score.macro" in column.value for column in spec.columns):
        meaning += ", averaged over repetitions, then questions, then repositories with equal weights"
    return f"{meaning}. Failed cells count with score 0."


def _fixed(column: str, spec: TableSpec, where: tuple[Filter, ...]) -> bool:
    return column in spec.by or any(item.column == column and item.op == "=" for item in where)


def _pooled(run: StoredRun, column: str) -> str:
    """Return a warning where rows mix values of a column that nobody asked about."""
    if run.record.imported:
        values = sorted(str(value) for (value,) in distinct(run, (column,)))
    else:
        values = sorted({str(getattr(cell, column)) for cell in run.record.cells})
    if len(values) < 2:
        return ""
    more = len(values) - _MOST_NAMED
    named = ", ".join(values[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"Rows pool {len(values)} values of {column}: {named}."
