"""Pages in, verdicts out. What is wrong with a page is a finding; an empty check fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.claims.attach import attach_all
from benchctl.claims.binding import read_bindings
from benchctl.claims.charts import read_charts
from benchctl.claims.checks import CHECKS
from benchctl.claims.checks.table import needs
from benchctl.claims.files import find_pages, read_page, shown_path
from benchctl.claims.lock import Lock, read_lock, write_lock
from benchctl.claims.lookup import Expression, Lookup
from benchctl.claims.markers import Assertion, Inline, Listed, Retraction, TableBinding
from benchctl.claims.numbers import Numbers
from benchctl.claims.page import Page
from benchctl.claims.recorder import Recorder
from benchctl.claims.result import ClaimsReport, PageReport
from benchctl.claims.scope import Scope, read_scopes
from benchctl.claims.sheet import Sheet
from benchctl.errors import BenchctlError, NoPagesError, PageUnreadableError, RunUnknownError
from benchctl.expressions import Probe, near, parse_definitions
from benchctl.quantities.format import counted
from benchctl.report.stamp import scan_blocks

if TYPE_CHECKING:
    from benchctl.store.project import Project

__all__ = ["accept", "verify_pages", "verify_text"]

_SHOWN_RUNS = 5


def verify_pages(project: Project, paths: Sequence[Path] = (), *, show_all: bool = False) -> ClaimsReport:
    """Verify the named pages, or those of the project's policy; a folder stands for its `*.md`.

    `show_all` keeps what is true among the findings. A page that cannot be read is a finding of its own.
    Raises PageUnreadableError where none can be, NoPagesError where no page would be checked and none
    that was named takes itself out, LockInvalidError, and ValueInvalidError for the project's own named
    values.
    """
    lookup = Lookup(project.store, parse_definitions(project.config.values))
    lock = read_lock(project.root)
    pages: list[PageReport] = []
    undeclared: list[str] = []
    files = find_pages(project, paths)
    unreadable: list[PageUnreadableError] = []
    for file, named in files:
        shown = shown_path(project, file)
        try:
            text = read_page(file)
        except PageUnreadableError as error:
            unreadable.append(error)
            pages.append(_unread(shown, error))
            continue
        sheet = _sheet(project, shown, text, lookup, lock, show_all=show_all)
        if not named and _says_nothing(sheet):
            undeclared.append(shown)
        else:
            pages.append(_verified(sheet))
    if len(unreadable) == len(files):
        raise unreadable[0]
    asked = {shown_path(project, file) for file, named in files if named}
    if all(page.excluded is not None and page.path not in asked and page.ok for page in pages):
        raise NoPagesError(
            "no page would be checked: none declares a run",
            expected="a page with `benchctl: run: ID` in its front matter, or the same in a comment",
        )
    return ClaimsReport(tuple(pages), tuple(undeclared), _notes(lock, pages))


def _unread(path: str, error: PageUnreadableError) -> PageReport:
    """Return the report of a page that cannot be read: that it cannot."""
    nothing = Page(path, "")
    record = Recorder(nothing)
    record.fail(PageUnreadableError(error.what, next_step="save it as UTF-8 text where it is named"), 0, 0)
    return PageReport(
        path=path, run=None, data=None, runs={}, numbers=0, bound=0, generated=0, exempt=0, unbound=0,
        kinds={}, findings=tuple(record.findings),
    )  # fmt: skip


def verify_text(
    project: Project, path: str, text: str, *, show_all: bool = False, lookup: Lookup | None = None
) -> PageReport:
    """Verify one page's text; `path` is what messages call it. `lookup` may be shared by pages of one call."""
    own = lookup or Lookup(project.store, parse_definitions(project.config.values))
    return _verified(_sheet(project, path, text, own, read_lock(project.root), show_all=show_all))


def accept(project: Project, report: ClaimsReport) -> None:
    """Pin in claims.lock what `report.pins` holds; a page with another error than moved data keeps its old pins."""
    if report.pins:
        write_lock(project.root, report.pins)


def _sheet(
    project: Project, path: str, text: str, lookup: Lookup, lock: Lock | None, *, show_all: bool
) -> Sheet:
    lookup.turn_page()
    page = Page(path, text)
    record = Recorder(page, project.config.claims.errors)
    bindings, malformed = read_bindings(page)
    scopes = read_scopes(page, bindings)
    blocks, block_problems = scan_blocks(text)
    charts, chart_problems = read_charts(page)
    for problem in page.problems:
        record.problem("page-malformed", problem)
    for problem in (*malformed, *scopes.problems):
        record.problem("marker-malformed", problem)
    return Sheet(
        page=page,
        record=record,
        bindings=bindings,
        scopes=scopes,
        numbers=Numbers(page),
        blocks=blocks,
        block_problems=block_problems,
        charts=charts,
        chart_problems=chart_problems,
        lookup=lookup,
        config=project.config,
        pins=lock.pages.get(path, {}) if lock else None,
        show_all=show_all,
    )


def _says_nothing(sheet: Sheet) -> bool:
    """Whether a page has nothing to do with claims: no declaration, no marker, not even a broken one."""
    said = sheet.scopes.page or sheet.scopes.none or sheet.bindings or sheet.blocks or sheet.charts
    broken = sheet.block_problems or sheet.chart_problems
    return (
        not said
        and not broken
        and all(finding.slug != "marker-malformed" for finding in sheet.record.findings)
    )


def _verified(sheet: Sheet) -> PageReport:
    if sheet.scopes.none is not None:
        _excluded(sheet)
        return _report(sheet)
    if sheet.scopes.page is None:
        sheet.record.find("page-undeclared", 0, 0, "this page declares no run")
        return _report(sheet)
    _ask_for_runs(sheet)
    for block in sheet.blocks:
        for atom in sheet.numbers.between(block.start, block.end):
            sheet.standing[atom.start] = "generated"
    attach_all(sheet)
    for scope in sheet.scopes.all:
        _measure(sheet, scope)
    for check in CHECKS.values():
        check(sheet)
    return _report(sheet)


def _excluded(sheet: Sheet) -> None:
    """Find the first binding or chart of a page that says it has no result: nobody checks what it claims."""
    claiming = (Inline, Listed, TableBinding, Assertion, Retraction)
    places = [(item.start, item.end) for item in sheet.bindings if isinstance(item, claiming)]
    places += [(block.start, block.body_start - 1) for block in sheet.blocks]
    places += [(chart.start, chart.end) for chart in sheet.charts]
    places += [(problem.start, problem.end) for problem in sheet.chart_problems]
    if places:
        message = f"`benchctl: none` takes this page out, and it has {counted(len(places), 'binding')}"
        sheet.record.find("page-excluded-bound", *min(places), message)


def _ask_for_runs(sheet: Sheet) -> None:
    """Find declared runs that are not there, cannot be trusted, or still grow."""
    seen: set[str] = set()
    for scope in sheet.scopes.all:
        for run in sorted(scope.declared - seen):
            seen.add(run)
            place = (scope.place, scope.place_end)
            try:
                stored = sheet.lookup.store.run(run)
            except RunUnknownError:
                sheet.unusable.add(run)
                like = near(run, sheet.lookup.runs) or ", ".join(list(sheet.lookup.runs)[-_SHOWN_RUNS:])
                message = f"no run `{run}` in the store"
                sheet.record.find("page-run-unknown", *place, message, hint=f"it has {like}" if like else "")
            except BenchctlError as error:
                sheet.unusable.add(run)
                sheet.record.fail(error, *place)
            else:
                if stored.data_digest is None:
                    sheet.record.find("run-open", *place, f"run {run} is still being collected")


def _measure(sheet: Sheet, scope: Scope) -> None:
    """Ask the store for everything that a scope's bindings need, in one call."""
    if scope.run in sheet.unusable:
        return
    wanted: list[Probe] = []
    bound: list[tuple[Scope, Expression | None]] = [
        *((claim.scope, claim.expression) for claim in sheet.claims),
        *((asserted.scope, asserted.expression) for asserted in sheet.assertions),
        *((retracted.scope, retracted.expression) for retracted in sheet.retractions),
    ]
    for where, expression in bound:
        if where == scope and expression:
            wanted += expression.probes
    wanted += [probe for table in sheet.tables if table.scope == scope for probe in needs(table)]
    try:
        sheet.lookup.measure(scope.run, wanted, scope.declared - sheet.unusable)
    except BenchctlError as error:
        sheet.unusable.add(scope.run)
        sheet.record.fail(error, scope.place, scope.place_end)


def _report(sheet: Sheet) -> PageReport:
    scope = sheet.scopes.page
    checked = scope is not None
    standings = Counter(sheet.standing.values())
    atoms = (
        [atom for atom in sheet.numbers.atoms if atom.start in sheet.standing or not atom.optional]
        if checked
        else []
    )
    ones = len(sheet.numbers.atoms) - len(atoms) if checked else 0
    kinds = sheet.numbers.kinds() if checked else {}
    declared = sorted({run for item in sheet.scopes.all for run in item.declared})
    stored = sheet.lookup.runs if declared else {}
    runs = {run: stored[run].data_digest if run in stored else None for run in declared}
    return PageReport(
        path=sheet.page.path,
        run=scope.run if scope else None,
        data=runs.get(scope.run) if scope else None,
        runs=runs,
        numbers=len(atoms),
        bound=standings["bound"],
        generated=standings["generated"],
        exempt=standings["exempt"],
        unbound=len(atoms) - sum(standings.values()),
        kinds=kinds | ({"word-one": ones} if ones else {}),
        findings=tuple(sorted(sheet.record.findings, key=lambda item: (item.line, item.column))),
        excluded=sheet.scopes.none,
    )


def _notes(lock: Lock | None, pages: Sequence[PageReport]) -> tuple[str, ...]:
    pin = "`benchctl verify-claims --accept` pins the data digests"
    if lock is None:
        return (f"no claims.lock: data may move under a page unnoticed; {pin}",)
    loose = [page.path for page in pages if page.run and page.path not in lock.pages]
    return (f"not in claims.lock: {', '.join(loose)}; {pin}",) if loose else ()
