"""A site being built: which pages are generated, what stands in their slots, and what is wrong with the others.

Knows nothing of a site generator; the mkdocs plugin passes text in and out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.errors import BenchctlError, NoPagesError
from benchctl.publish import addresses, pages
from benchctl.publish.figures import chart_figure
from benchctl.publish.payload import downloads
from benchctl.publish.slots import chart_places, put_slots, slot
from benchctl.publish.view import RunView
from benchctl.report.escaping import entities, html_text
from benchctl.report.html import to_html
from benchctl.report.templates import asset, environment
from benchctl.store.survey import survey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from benchctl.claims.finding import Finding
    from benchctl.publish.slots import ChartPlace
    from benchctl.report.stamp import Block
    from benchctl.store.project import Project

__all__ = ["Generated", "Site"]


@dataclass(frozen=True, slots=True)
class Generated:
    """A file that no person wrote. `listed` says whether a navigation may name it."""

    content: str | bytes
    listed: bool = False


class Site:
    """The runs of a project and the hand-written pages beside them."""

    def __init__(self, project: Project, docs_dir: Path) -> None:
        self._project = project
        self._docs_dir = docs_dir
        self._env = environment(project.root)
        self._views: dict[str, RunView] = {}
        self._bodies: dict[str, Callable[[], pages.Page]] = {}
        self._slots: dict[str, list[str]] = {}
        self._problems: dict[str, list[str]] = {}

    @property
    def problems(self) -> list[str]:
        """Return what is wrong with hand-written pages, as `file:line:column: sentence`, page by page."""
        return [problem for page in sorted(self._problems) for problem in self._problems[page]]

    def watched(self) -> tuple[Path, ...]:
        """Return what a page depends on besides its own text."""
        candidates = (
            self._project.runs_dir,
            self._project.root / "benchctl.toml",
            self._project.root / "claims.lock",
        )
        return tuple(path for path in candidates if path.exists())

    def generated(self, assets: Mapping[str, str]) -> dict[str, Generated]:
        """Return every generated file by its path below the pages' folder; `assets` maps paths to our own files.

        Pages are one line each until `filled` is asked for them. A damaged run hides no other: it is a problem.
        """
        files = {path: Generated(asset(name, self._project.root)) for path, name in assets.items()}
        found = survey(self._project.store)
        runs = found.runs
        self._problem("", *(f"run {each.name} is left out: {each.why}" for each in found.unreadable))
        index = _source(addresses.RUNS_PAGE)
        self._bodies[index] = lambda: pages.runs_body(runs, self._env, leaf=False)
        files[index] = Generated(_placeholder("Runs"), listed=True)
        for run in runs:
            self._views[run.id] = RunView(self._project, run)
            files |= dict(self._of_run(self._views[run.id]))
        return files

    def _of_run(self, view: RunView) -> Iterator[tuple[str, Generated]]:
        page = _source(addresses.run_page(view.id))
        self._bodies[page] = lambda: pages.run_body(view, self._env, leaf=False)
        yield page, Generated(_placeholder(pages.page_title(f"Run {view.id}")))
        for name, content in downloads(view).items():
            yield f"{addresses.run_folder(view.id)}/{name}", Generated(content)
        for cell in view.cells_with_page:
            page = _source(addresses.cell_page(view.id, cell))
            self._bodies[page] = self._cell_body(view, cell)
            yield page, Generated(_placeholder(pages.page_title(cell)))

    def _cell_body(self, view: RunView, cell: str) -> Callable[[], pages.Page]:
        return lambda: pages.cell_body(view, cell, self._env, leaf=False)

    def verify(self) -> None:
        """Check the hand-written pages; what is wrong is kept in `problems`.

        Pages that declare no run are passed over, but a project that has runs must have a page
        that declares one: a check of nothing would pass for ever. Raises what reading pages raises.
        """
        from benchctl.claims.verify import verify_pages

        for path in sorted(self._docs_dir.rglob("*.md")):
            _, malformed = chart_places(path.read_text(encoding="utf-8-sig"))
            found = [f"{self._shown(path)}:{each.line}:{each.column}: {each.what}" for each in malformed]
            self._problem(path.relative_to(self._docs_dir).as_posix(), *found)
        if not self._project.store.names():
            return
        try:
            report = verify_pages(self._project, [self._docs_dir])
        except NoPagesError as error:
            self._problem("", f"{self._shown(self._docs_dir)}: {error}")
            return
        for page in report.pages:
            source = (self._project.root / page.path).relative_to(self._docs_dir).as_posix()
            self._problem(
                source, *(_finding(page.path, each) for each in page.findings if each.severity == "error")
            )

    def with_slots(self, source: str, markdown: str) -> str:
        """Return a hand-written page's markdown with slots for its charts and verified tables."""
        sound = source not in self._problems
        text, filled = put_slots(
            markdown, table=self._table if sound else None, chart=lambda place: self._chart(source, place)
        )
        self._slots[source] = filled
        return text

    def filled(self, source: str, html: str) -> str:
        """Return a finished page with its slots filled, and a warning on top where something is wrong with it."""
        contents = [self._bodies[source]().html] if source in self._bodies else self._slots.get(source, [])
        for number, content in enumerate(contents):
            html = html.replace(slot(number), content, 1)
        return _with_banner(html, self._problems[source]) if source in self._problems else html

    def _table(self, block: Block) -> str:
        return to_html(self._view(block.run).table(block.table))

    def _chart(self, source: str, place: ChartPlace) -> str:
        try:
            return str(chart_figure(self._view(place.run), place.chart))
        except BenchctlError as error:
            self._problem(source, f"{self._shown(self._docs_dir / source)}: chart {place.chart}: {error}")
            return ""

    def _view(self, run: str) -> RunView:
        if run not in self._views:
            self._views[run] = RunView(self._project, self._project.store.run(run))
        return self._views[run]

    def _problem(self, source: str, *found: str) -> None:
        if found:
            self._problems.setdefault(source, []).extend(found)

    def _shown(self, path: Path) -> str:
        return (
            path.relative_to(self._project.root).as_posix()
            if path.is_relative_to(self._project.root)
            else str(path)
        )


def _finding(path: str, finding: Finding) -> str:
    hint = f" ({finding.hint})" if finding.hint else ""
    return (
        f"{path}:{finding.line}:{finding.column}: {finding.verdict}: {finding.message}{hint} [{finding.slug}]"
    )


def _source(page: str) -> str:
    return page.removesuffix(".html") + ".md"


def _placeholder(title: str) -> str:
    # The heading is markdown, so that search knows the page by its name; everything below it is filled in later.
    return f"---\ntitle: {json.dumps(title)}\nhide: [toc]\n---\n\n# {entities(title)}\n\n{slot(0)}\n"


def _with_banner(html: str, problems: Sequence[str]) -> str:
    items = "".join(f"<li>{html_text(problem)}</li>" for problem in problems)
    banner = (
        '<div class="bc-warning" role="alert"><strong>A build of this page would fail.</strong>'
        f"<ul>{items}</ul></div>"
    )
    for opening in ("<article", "<body"):
        start = html.find(opening)
        end = html.find(">", start) + 1
        if start >= 0 and end:
            return html[:end] + banner + html[end:]
    return banner + html
