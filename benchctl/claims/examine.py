"""One page read, its bindings attached, everything measured that they need, and every check run over it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchctl.claims.answers.lookup import Expression, Lookup
from benchctl.claims.attaching.attach import attach_all
from benchctl.claims.checks import CHECKS, scope_rows
from benchctl.claims.checks.table import needs
from benchctl.claims.files import Found, files_beside, named_really
from benchctl.claims.lock import Lock, read_lock
from benchctl.claims.markers.charts import read_charts
from benchctl.claims.markers.nouns import Assertion, Inline, Listed, Retraction, TableBinding
from benchctl.claims.markers.parsing import read_bindings
from benchctl.claims.markers.scope import Scope, read_scopes
from benchctl.claims.numbers import Numbers
from benchctl.claims.reading.page import Page
from benchctl.claims.recorder import Recorder
from benchctl.claims.sheet import Sheet
from benchctl.claims.values.beside import read_beside
from benchctl.claims.values.project_names import project_names
from benchctl.errors import BenchctlError, RunUnknownError
from benchctl.expressions import Probe, near
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
    where no base is given, and then every file is trusted. `allowed_before` is what claims.lock let each page leave
    unbound at that base. `terse` seeks no help for what is false.
    """

    project: Project
    lookup: Lookup
    lock: Lock | None
    show_all: bool = False
    changed: frozenset[str] | None = None
    allowed_before: Mapping[str, int] = field(default_factory=dict)
    terse: bool = False

    @classmethod
    def of(
        cls, project: Project, *, show_all: bool = False, changed: frozenset[str] | None = None
    ) -> Examiner:
        """Return the examiner of a project. Raises LockInvalidError, and ValueInvalidError for its named values."""
        lookup = Lookup(project.store, project_names(project, changed))
        return cls(named_really(project), lookup, read_lock(project.root), show_all, changed)

    def examine(self, path: str, text: str) -> Sheet:
        """Return a page with everything found on it; `path` is what messages call it."""
        sheet = self.read(path, text)
        check(sheet)
        return sheet

    def read(self, path: str, text: str, found: tuple[Found, ...] | None = None) -> Sheet:
        """Return a page as it reads, its markers parsed, nothing attached, measured or checked yet.

        `found` are the files beside it, None to look for them.
        """
        self.lookup.turn_page()
        page = Page(path, text)
        found = files_beside(self.project, path) if found is None else found
        beside = read_beside(found, self.lookup.definitions, self.changed)
        record = Recorder(page, (*self.project.config.claims.errors, *beside.errors))
        bindings, malformed = read_bindings(page)
        scopes = read_scopes(page, bindings)
        blocks, block_problems = scan_blocks(text)
        charts, chart_problems = read_charts(page)
        for problem in page.problems:
            record.problem("page-malformed", problem)
        for problem in (*malformed, *scopes.problems):
            record.problem("marker-malformed", problem)
        for error in beside.problems:
            record.fail(error, 0, 0)
        names = self.lookup.definitions
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
            lookup=self.lookup.with_names({**names, **beside.definitions} if beside.definitions else names),
            config=self.project.config,
            beside=beside,
            accepted_unbound=self.lock.unbound.get(path) if self.lock else None,
            allowed_before=self.allowed_before.get(path),
            pins=self.lock.pages.get(path, {}) if self.lock else None,
            show_all=self.show_all,
            terse=self.terse,
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
    """Whether a page has nothing to do with claims: no declaration, no marker, not even a broken one, no file beside it."""
    said = sheet.scopes.page or sheet.scopes.none or sheet.bindings or sheet.blocks or sheet.charts
    said = said or sheet.beside.file
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
    elif sheet.beside.file:
        message = f"`benchctl: none` takes this page out, and {sheet.beside.file} stands beside it"
        sheet.record.find("page-excluded-bound", 0, 0, message)


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
            wanted.setdefault(scope, []).extend(expression.probes)
    for table in sheet.tables:
        for scope in table.scopes():
            wanted.setdefault(scope, []).extend(needs(table))
    for scope, counts in scope_rows.needs(sheet).items():
        wanted.setdefault(scope, []).extend(counts)
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
