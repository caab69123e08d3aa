"""Run and cell pages that stand alone: for a folder, an artefact of CI, or any other site generator.

Every page is rendered and checked before the first file is written, and a file that
benchctl did not write is never overwritten.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from benchctl.errors import MarkupRefusedError, PageExistsError, Where
from benchctl.publish import addresses, pages
from benchctl.publish.guard import check_html, content_security_policy, script_hash
from benchctl.publish.payload import downloads
from benchctl.publish.view import RunView
from benchctl.report.escaping import visible
from benchctl.report.templates import asset, environment
from benchctl.report.whole_file import replace_file
from benchctl.store.survey import Survey, refuse_unreadable, survey

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchctl.store.project import Project

__all__ = ["MARK", "render_run", "render_site"]

MARK = '<meta name="generator" content="benchctl">'
"""What tells a page of ours from a hand-written one."""


def render_run(project: Project, run_id: str, out: Path) -> Path:
    """Write one run's page, its cells' pages, its downloads and the list of runs under `out`; return the path of the run's page.

    The list names the runs that have a page under `out`. A list that benchctl did not write is left as it is.

    Raises RunUnknownError, ChartRendererMissingError, PageExistsError, and MarkupRefusedError
    for a page that holds what it must not.
    """
    view = RunView(project, project.store.run(run_id))
    shell = _Shell(project)
    files = dict(_run_files(view, shell))
    if not _is_foreign(out / addresses.RUNS_PAGE):
        # A damaged run beside this one costs its own line, not this page.
        found = [run for run in survey(project.store).runs if run.id != run_id]
        listed = [view.run, *(run for run in found if (out / addresses.run_page(run.id)).is_file())]
        index = pages.runs_body(listed, shell.env, leaf=True)
        files[addresses.RUNS_PAGE] = shell.page(index, addresses.RUNS_PAGE)
    _write(out, files)
    return out / addresses.run_page(run_id)


def render_site(project: Project, out: Path, runs: Sequence[str] | None = None) -> tuple[Path, ...]:
    """Write the pages of `runs` (default: every run) and the page that lists them; return the pages' paths.

    A damaged run hides no other: the sound ones are written, and then StoreDamagedError names it. Raises what
    `render_run` raises.
    """
    store = project.store
    found = survey(store) if runs is None else Survey(tuple(store.run(run) for run in runs), ())
    wanted = found.runs
    shell = _Shell(project)
    index = pages.runs_body(wanted, shell.env, leaf=True)
    files = {addresses.RUNS_PAGE: shell.page(index, addresses.RUNS_PAGE)}
    for run in wanted:
        files |= dict(_run_files(RunView(project, run), shell))
    _write(out, files)
    refuse_unreadable(found.unreadable, len(wanted))
    return tuple(out / path for path in files if path.endswith(".html"))


class _Shell:
    """The page around a body, with its style and script inside it: one file opens anywhere."""

    def __init__(self, project: Project) -> None:
        self.env = environment(project.root)
        self._title = visible(project.config.title)
        self._style = asset("standalone.css", project.root) + asset("benchctl.css", project.root)
        self._script = asset("benchctl.js", project.root)
        self._hashes = frozenset({script_hash(self._script)})

    def page(self, page: pages.Page, path: str) -> bytes:
        """Return a whole page. Raises MarkupRefusedError where it holds what nobody here wrote."""
        html = self.env.get_template("standalone.html.j2").render(
            title=page.title,
            site=self._title,
            body=Markup(page.html),  # noqa: S704 - bodies are escaped where they are made
            style=Markup(self._style),  # noqa: S704 - our own file, or the project's
            script=Markup(self._script),  # noqa: S704 - likewise
            policy=content_security_policy(self._hashes, scripts=""),
        )
        if problems := check_html(html, allowed=self._hashes):
            raise MarkupRefusedError(f"{path}:{problems[0]}", expected="nothing that runs or loads")
        return html.encode()


def _run_files(view: RunView, shell: _Shell) -> Iterator[tuple[str, bytes]]:
    run_page = addresses.run_page(view.id)
    yield run_page, shell.page(pages.run_body(view, shell.env, leaf=True), run_page)
    for name, content in downloads(view).items():
        yield f"{addresses.run_folder(view.id)}/{name}", content
    for cell in view.cells_with_page:
        path = addresses.cell_page(view.id, cell)
        yield path, shell.page(pages.cell_body(view, cell, shell.env, leaf=True), path)


def _write(out: Path, files: Mapping[str, bytes]) -> None:
    for path in files:
        _refuse_foreign(out / path)
    for path, content in files.items():
        replace_file(out / path, content)


def _is_foreign(path: Path) -> bool:
    return path.suffix == ".html" and path.exists() and MARK.encode() not in path.read_bytes()[:2000]


def _refuse_foreign(path: Path) -> None:
    if _is_foreign(path):
        raise PageExistsError(
            "a page that benchctl did not write stands here",
            where=Where(str(path)),
            next_step="choose another --out, or move the page away",
        )
