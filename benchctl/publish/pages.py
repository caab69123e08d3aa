"""The pages of runs as escaped HTML bodies: all runs, one run, one cell.

Titles hold only run ids and cell names, whose characters are checked when they are
made: a site generator may not escape a title, and what an agent or an author wrote
must not get the chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from benchctl.errors import ChartRendererMissingError
from benchctl.metrics import METRICS
from benchctl.publish import addresses
from benchctl.publish.figures import score_figure
from benchctl.publish.imported import imported_run, own_columns
from benchctl.publish.payload import download_notes
from benchctl.publish.terms import shown_terms
from benchctl.publish.texts import cut_to_fit
from benchctl.publish.view import FactGroup, RunView
from benchctl.quantities.format import NOT_MEASURED, format_number
from benchctl.report.comparability import refusals
from benchctl.report.escaping import html_text, visible
from benchctl.report.html import to_html
from benchctl.report.labels import metric_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jinja2 import Environment

    from benchctl.schema.run import RefusalRecord, RunRecord
    from benchctl.store.reader import StoredRun

__all__ = ["Page", "cell_body", "page_title", "run_body", "runs_body"]

_CELL_FIGURES = ("score", "precision", "recall", "wall_s", "cpu_s", "total_tokens", "cost_usd", "tool_calls")
_ATTEMPT_COLUMNS = (
    ("attempt", "bc-num"),
    ("outcome", "bc-text-cell"),
    ("started", "bc-text-cell"),
    ("wall", "bc-num"),
    ("CPU", "bc-num"),
    ("exit", "bc-num"),
    ("detail", "bc-text-cell"),
)


@dataclass(frozen=True, slots=True)
class Page:
    """One page: `title` is of safe characters only, `html` is escaped and complete below the title."""

    title: str
    html: str


def page_title(text: str) -> str:
    """Return a title that no template can turn into markup: anything but `A-Za-z0-9 ._/%-` is left out."""
    return "".join(char for char in text if char.isascii() and (char.isalnum() or char in " ._/%-"))


def runs_body(runs: Iterable[StoredRun], env: Environment, *, leaf: bool) -> Page:
    """Return the page of all runs, newest first."""
    entries = [
        {
            "id": run.id,
            "href": addresses.link(addresses.RUNS_PAGE, addresses.run_page(run.id), leaf=leaf),
            **_of_record(run.record),
            "state": run.state,
        }
        for run in runs
    ]
    entries.sort(key=lambda entry: (entry["created_at"], entry["id"]), reverse=True)
    return Page("Runs", env.get_template("runs.html.j2").render(runs=entries))


def _of_record(record: RunRecord) -> dict[str, Any]:
    imported = record.imported
    return {
        "suite": visible(f"from {imported.file}") if imported else record.suite,
        "created_at": record.created_at,
        "cells": imported.rows if imported else len(record.cells),
    }


def run_body(view: RunView, env: Environment, *, leaf: bool) -> Page:
    """Return a run's page: figures, chart, questions with links to their cells, refusals, terms, downloads.

    An imported run's figures are those of its own table, and its cells are listed as the file has them.
    """
    record = view.record
    if record.imported:
        return Page(page_title(f"Run {view.id}"), imported_run(view, record.imported, env, leaf=leaf))
    html = env.get_template("run.html.j2").render(
        up=addresses.link(addresses.run_page(view.id), addresses.RUNS_PAGE, leaf=leaf),
        suite_title=visible(record.suite_title),
        warnings=_warnings(view),
        headline=Markup(to_html(view.table("arms"))),  # noqa: S704 - escaped by its own renderer
        chart=_chart(view),
        questions=Markup(to_html(view.builtin("questions"), links=_cell_links(view, leaf=leaf))),  # noqa: S704 - likewise
        goals=[
            {
                "title": visible(g.title),
                "assertion": g.assertion,
                "verdict": g.verdict,
                "note": visible(g.note),
            }
            for g in view.goals
        ],
        refusals=[_refusal(each) for each in refusals(record)],
        terms=shown_terms(view),
        canary=record.canary,
        downloads=download_notes(view),
    )
    return Page(page_title(f"Run {view.id}"), html)


def cell_body(view: RunView, cell: str, env: Environment, *, leaf: bool) -> Page:
    """Return a cell's page. Raises KeyError for a cell without a row."""
    row = view.cells[cell]
    here = addresses.cell_page(view.id, cell)
    question = view.question(str(row["question"]))
    grade: dict[str, Any] = next(iter(view.grades.get(cell, [])), {})
    html = env.get_template("cell.html.j2").render(
        run=view.id,
        up_runs=addresses.link(here, addresses.RUNS_PAGE, leaf=leaf),
        up_run=addresses.link(here, addresses.run_page(view.id), leaf=leaf),
        figures=_figures(row),
        question_title=visible(question.title) if question else "",
        prompt=_block(question.prompt) if question else None,
        answer=None if row["answer"] is None else _block(row["answer"]),
        note=visible(str(grade.get("note") or "")),
        facts=[_shown(group) for group in view.facts(cell)],
        attempt_columns=_ATTEMPT_COLUMNS,
        attempts=[_attempt(each) for each in view.attempts.get(cell, [])],
        own=own_columns(view, cell),
        imported=view.record.imported is not None,
        canary=view.record.canary,
        transcripts=[_stream(each) for each in view.transcripts.get(cell, [])],
    )
    return Page(page_title(cell), html)


def _chart(view: RunView) -> Markup:
    """Return the chart, or how to get it: a run's figures are worth showing where charts cannot be drawn."""
    try:
        return score_figure(view)
    except ChartRendererMissingError as error:
        return Markup('<p class="bc-next">{}: {}</p>').format(error.what, error.next_step)


def _warnings(view: RunView) -> list[str]:
    """Return what a reader must know before any figure."""
    planned, done = len(view.record.cells), len(view.cells)
    warnings = []
    if view.run.state == "open":
        warnings.append(f"This run is still open: {done} of {planned} cells have a result.")
    elif done < planned:
        warnings.append(f"This run was closed with {done} of {planned} planned cells.")
    if view.record.practice:
        warnings.append("A practice run: it tunes the set-up, and none of its figures counts.")
    return warnings


def _cell_links(view: RunView, *, leaf: bool) -> dict[tuple[str, ...], str]:
    """Return, for each (question, arm), links to its cells by repetition; agent and model where they are several."""
    here = addresses.run_page(view.id)
    several = [axis for axis in ("agent", "model") if len({row[axis] for row in view.cells.values()}) > 1]
    links: dict[tuple[str, ...], list[str]] = {}
    for row in sorted(view.cells.values(), key=lambda row: (row["agent"], row["model"], row["rep"])):
        cell = str(row["cell"])
        href = html_text(addresses.link(here, addresses.cell_page(view.id, cell), leaf=leaf))
        text = html_text(" ".join(str(row[axis]) for axis in (*several, "rep")))
        key = (str(row["question"]), str(row["arm"]))
        links.setdefault(key, []).append(f'<a href="{href}" aria-label="cell {html_text(cell)}">{text}</a>')
    return {key: " ".join(anchors) for key, anchors in links.items()}


def _refusal(refusal: RefusalRecord) -> dict[str, Any]:
    parts = (refusal.question, refusal.arm, refusal.agent, refusal.model)
    return {
        "what": visible(" / ".join(part for part in parts if part) or "run"),
        # Only an arm or an agent can be called optional; a question is refused by a rule, not by choice.
        "optional": not refusal.required and not refusal.question,
        "reason": visible(refusal.reason),
        "next_step": visible(refusal.next_step),
    }


def _figures(row: dict[str, Any]) -> list[tuple[str, str]]:
    figures = [
        (METRICS[name].title, metric_text(name, row[name])) for name in _CELL_FIGURES if row[name] is not None
    ]
    state = " (void)" if row["void"] else " (failed)" if row["failed"] else ""
    known = [(title, row[name]) for title, name in (("Outcome", "outcome"), ("Sandbox", "sandbox"))]
    words = [(title, f"{value}{state if title == 'Outcome' else ''}") for title, value in known if value]
    return [*figures, *words]


def _attempt(attempt: dict[str, Any]) -> tuple[str, ...]:
    def shown(value: object) -> str:
        return NOT_MEASURED if value is None else visible(str(value))

    return (
        shown(attempt["attempt"]),
        shown(attempt["outcome"]),
        shown(attempt["started_at"]),
        metric_text("wall_s", attempt["wall_s"]),
        metric_text("cpu_s", attempt["cpu_s"]),
        shown(attempt["exit_code"]),
        shown(attempt["detail"] or None),
    )


def _shown(group: FactGroup) -> dict[str, Any]:
    facts = [{"id": visible(fact["id"]), "note": visible(fact.get("note", ""))} for fact in group.facts]
    return {"state": group.state, "title": visible(group.title), "facts": facts}


def _stream(stream: dict[str, Any]) -> dict[str, Any]:
    size = format_number(stream["total_bytes"], unit="B")
    if stream["dropped_bytes"]:
        size += f", {format_number(stream['dropped_bytes'], unit='B')} not kept"
    return {
        "attempt": stream["attempt"],
        "name": visible(stream["stream"]),
        "size": size,
        "text": visible(stream["text"], keep="\n\t"),
    }


def _block(text: str) -> str:
    return visible(cut_to_fit(text), keep="\n\t")
