"""A table as HTML: escaped, sortable by click and by keyboard, readable without a script.

The markup is complete without JavaScript; the script in templates/assets only moves rows.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchctl.report.escaping import html_text
from benchctl.report.shape import Column, Table, TableCell

__all__ = ["to_html"]


def to_html(table: Table, *, links: Mapping[tuple[str, ...], str] | None = None) -> str:
    """Return one `<figure>` with the table, its caption and its notes.

    `links` maps a row's key texts to ready, escaped HTML for a last, unsorted column
    (the row's own pages).
    """
    head = "".join(_head(column) for column in table.columns)
    if links is not None:
        head += '<th scope="col">Cells</th>'
    body = "\n".join(_row(table, row, links) for row in table.rows)
    notes = "".join(f"<p>{html_text(note)}</p>" for note in table.notes)
    label = html_text(table.title)
    return (
        f'<figure class="bc-figure">\n<div class="bc-scroll" tabindex="0" role="region" aria-label="{label}">\n'
        f'<table class="bc-table" data-table="{html_text(table.name)}">\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table>\n</div>\n"
        f"<figcaption><p>{html_text(table.caption)}</p>{notes}</figcaption>\n</figure>\n"
    )


def _head(column: Column) -> str:
    kind = "bc-key" if column.key else "bc-num"
    return (
        f'<th scope="col" class="{kind}" aria-sort="none">'
        f'<button type="button" class="bc-sort">{html_text(column.title)}</button></th>'
    )


def _row(table: Table, row: tuple[TableCell, ...], links: Mapping[tuple[str, ...], str] | None) -> str:
    cells = "".join(_cell(column, cell) for column, cell in zip(table.columns, row, strict=True))
    if links is not None:
        keys = tuple(cell.text for column, cell in zip(table.columns, row, strict=True) if column.key)
        cells += f'<td class="bc-links">{links.get(keys, "")}</td>'
    return f"<tr>{cells}</tr>"


def _cell(column: Column, cell: TableCell) -> str:
    title = f' title="{html_text("; ".join(cell.notes))}"' if cell.notes else ""
    if column.key:
        return f'<th scope="row" class="bc-key"{title}>{html_text(cell.text)}</th>'
    return f'<td class="bc-num" data-sort="{_sort_key(cell)}"{title}>{_figure(cell)}</td>'


def _sort_key(cell: TableCell) -> str:
    """Return what the script compares; empty for "no value", which always sorts last."""
    if cell.value is None:
        return ""
    return html_text(cell.value if isinstance(cell.value, str) else repr(float(cell.value)))


def _figure(cell: TableCell) -> str:
    """Return the figure, with the interval set back so that the estimate reads first."""
    if isinstance(cell.value, str):
        return html_text(cell.text)
    estimate, bracket, interval = cell.text.partition(" [")
    behind = f' <span class="bc-interval">[{html_text(interval)}</span>' if bracket else ""
    return html_text(estimate) + behind
