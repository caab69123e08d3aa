"""One page read, its bindings attached, everything measured that they need, and every check run over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchctl.claims.answers.lookup import Expression, Lookup
from benchctl.claims.attaching.attach import attach_all
from benchctl.claims.checks import CHECKS
from benchctl.claims.checks.table import needs
from benchctl.claims.lock import Lock, read_lock
from benchctl.claims.markers.charts import read_charts
from benchctl.claims.markers.nouns import Assertion, Inline, Listed, Retraction, TableBinding
from benchctl.claims.markers.parsing import read_bindings
from benchctl.claims.markers.scope import Scope, read_scopes
from benchctl.claims.numbers import Numbers
from benchctl.claims.reading.page import Page
from benchctl.claims.recorder import Recorder
from benchctl.claims.sheet import Sheet
from benchctl.errors import BenchctlError, RunUnknownError
from benchctl.expressions import Probe, near, parse_definitions
from benchctl.quantities.format import counted
from benchctl.report.stamp import scan_blocks

if TYPE_CHECKING:
    from benchctl.store.project import Project

__all__ = ["Examiner", "check", "says_nothing"]

_SHOWN_RUNS = 5


@dataclass(frozen=True, slots=True)
class Examiner:
    """What is the same for every page of one call: the project, what was measured so far, the lock.

    `changed` are the files, as paths inside the project, that differ from the base of `--changed`; None
    where no base is given, and then every file is trusted.
    """

    project: Project
    lookup: Lookup
    lock: Lock | None
    show_all: bool = False
    changed: frozenset[str] | None = None

    @classmethod
    def of(
        cls, project: Project, *, show_all: bool = False, changed: frozenset[str] | None = None
    ) -> Examiner:
        """Return the examiner of a project. Raises LockInvalidError, and ValueInvalidError for its named values."""
        lookup = Lookup(project.store, parse_definitions(project.config.values))
        return cls(project, lookup, read_lock(project.root), show_all, changed)

    def examine(self, path: str, text: str) -> Sheet:
        """Return a page with everything found on it; `path` is what messages call it."""
        sheet = self.read(path, text)
        check(sheet)
        return sheet

    def read(self, path: str, text: str) -> Sheet:
        """Return a page as it reads, its markers parsed, nothing attached, measured or checked yet."""
        self.lookup.turn_page()
        page = Page(path, text)
        record = Recorder(page, self.project.config.claims.errors)
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
            lookup=self.lookup,
            config=self.project.config,
            pins=self.lock.pages.get(path, {}) if self.lock else None,
            show_all=self.show_all,
        )


def check(sheet: Sheet) -> None:
    """Attach what binds to what it binds, measure it, and add every finding of every check."""
    if sheet.scopes.none is not None:
        _excluded(sheet)
        return
    if sheet.scopes.page is None:
        sheet.record.find("page-undeclared", 0, 0, "this page declares no run")
        return
    _ask_for_runs(sheet)
    for block in sheet.blocks:
        for atom in sheet.numbers.between(block.start, block.end):
            sheet.standing[atom.start] = "generated"
    attach_all(sheet)
    _measure(sheet)
    for each in CHECKS.values():
        each(sheet)


def says_nothing(sheet: Sheet) -> bool:
    """Whether a page has nothing to do with claims: no declaration, no marker, not even a broken one."""
    said = sheet.scopes.page or sheet.scopes.none or sheet.bindings or sheet.blocks or sheet.charts
    broken = sheet.block_problems or sheet.chart_problems
    return (
        not said
        and not broken
        and all(finding.slug != "marker-malformed" for finding in sheet.record.findings)
    )


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


def _measure(sheet: Sheet) -> None:
    """Ask the store for everything that the page's bindings need: one call for the scopes of one run."""
    wanted: dict[Scope, list[Probe]] = {scope: [] for scope in sheet.scopes.all}
    bound: list[tuple[Scope, Expression | None]] = [
        *((claim.scope, claim.expression) for claim in sheet.claims),
        *((asserted.scope, asserted.expression) for asserted in sheet.assertions),
        *((retracted.scope, retracted.expression) for retracted in sheet.retractions),
    ]
    for scope, expression in bound:
        if expression:
            wanted[scope] += expression.probes
    for table in sheet.tables:
        wanted[table.scope] += needs(table)
    together: dict[tuple[str, frozenset[str]], list[Scope]] = {}
    for scope in wanted:
        together.setdefault((scope.run, scope.declared), []).append(scope)
    for (run, declared), scopes in together.items():
        if run in sheet.unusable:
            continue
        try:
            probes = [probe for scope in scopes for probe in wanted[scope]]
            sheet.lookup.measure(run, probes, declared - sheet.unusable)
        except BenchctlError as error:
            sheet.unusable.add(run)
            sheet.record.fail(error, scopes[0].place, scopes[0].place_end)
