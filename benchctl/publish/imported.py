"""The page of an imported run, and what a cell's page shows of its own columns.

A file may have any columns and any number of rows: the page lists the first rows with the first columns
that have values, says how many there are, and leaves the rest to the downloads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from benchctl.publish import addresses
from benchctl.publish.payload import download_notes
from benchctl.publish.terms import shown_terms
from benchctl.publish.texts import cut_to_fit
from benchctl.publish.view import MOST_CELL_PAGES
from benchctl.quantities.format import NOT_MEASURED
from benchctl.report.escaping import visible
from benchctl.report.html import to_html
from benchctl.report.imported_table import IMPORTED
from benchctl.report.labels import own_names, stored_text
from benchctl.report.provenance import imported_from

if TYPE_CHECKING:
    from jinja2 import Environment

    from benchctl.publish.view import RunView
    from benchctl.schema.imported import ImportRecord
    from benchctl.schema.result import Column

__all__ = ["imported_run", "own_columns"]

_MOST_ROWS = 200
_MOST_COLUMNS = 10
_MOST_CHARACTERS = 80
_IDENTITY = ("question", "class", "repo", "arm", "agent", "model", "rep")
_NUMBERS = frozenset({"BIGINT", "DOUBLE"})


def imported_run(view: RunView, imported: ImportRecord, env: Environment, *, leaf: bool) -> str:
    """Return the body of an imported run's page."""
    listed = [c for c in view.columns if c.name not in {"run", "order", "cell", "answer"}][:_MOST_COLUMNS]
    rows = list(view.shown.items())[:_MOST_ROWS]
    paged = set(view.cells_with_page)
    here, own = addresses.run_page(view.id), own_names(view.run)
    return env.get_template("imported.html.j2").render(
        up=addresses.link(here, addresses.RUNS_PAGE, leaf=leaf),
        source=visible(imported_from(imported)),
        headline=Markup(to_html(view.table(IMPORTED))),  # noqa: S704 - escaped by its own renderer
        titles=[(visible(c.name), "bc-num" if c.type in _NUMBERS else "bc-text-cell") for c in listed],
        rows=[
            {
                "cell": visible(cell),
                "href": addresses.link(here, addresses.cell_page(view.id, cell), leaf=leaf)
                if cell in paged
                else "",
                "values": [_value(column, row[column.name], own) for column in listed],
            }
            for cell, row in rows
        ],
        notes=_notes(view, len(rows), len(listed)),
        terms=shown_terms(view),
        downloads=download_notes(view),
    )


def own_columns(view: RunView, cell: str) -> list[tuple[str, str]]:
    """Return what names an imported cell, then its own columns, with their values; nothing of a collected one."""
    imported, row = view.record.imported, view.shown[cell]
    if imported is None:
        return []
    standard = [(name, view.cells[cell][name]) for name in _IDENTITY if view.cells[cell][name] is not None]
    own = [(each.name, row[each.name]) for each in imported.foreign]
    return [(visible(name), _whole(value)) for name, value in (*standard, *own)]


def _whole(value: object) -> str:
    return visible(cut_to_fit(_text(value)), keep="\n\t")


def _value(column: Column, value: Any, own: frozenset[str]) -> str:
    """Return a value as a cell of the list shows it: a metric as every table does, a long text cut."""
    if (shown := stored_text(column.name, value, own)) is not None:
        return shown
    text = _text(value)
    return visible(text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…")


def _text(value: object) -> str:
    if value is None:
        return NOT_MEASURED
    return str(value).lower() if isinstance(value, bool) else str(value)


def _notes(view: RunView, rows: int, columns: int) -> list[str]:
    """Return what the list leaves out, in so many words."""
    notes = []
    if rows < len(view.cells):
        notes.append(f"The first {rows} of {len(view.cells):,} cells; the downloads hold them all.")
    if columns < len(view.columns) - 2:
        notes.append("The first columns that have values; the downloads hold them all.")
    if not view.cells_with_page:
        notes.append(
            f"An import of more than {MOST_CELL_PAGES:,} rows has no page a cell; "
            f"`benchctl show {view.id} CELL` shows one."
        )
    return notes
