"""Pages in, verdicts out. What is wrong with a page is a finding; an empty check fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.claims.files import Found, files_beside, find_pages, named_really, read_page, shown_path
from benchctl.claims.lock import Lock, read_lock, write_lock
from benchctl.claims.page_memory import PageMemory
from benchctl.claims.result import ClaimsReport, PageReport
from benchctl.errors import NoPagesError, PageUnreadableError
from benchctl.store.remote.address import is_url

if TYPE_CHECKING:
    from benchctl.claims.changed import Changes
    from benchctl.claims.examine import Examiner
    from benchctl.claims.sheet import Sheet
    from benchctl.store.project import Project

__all__ = ["accept", "verify_pages", "verify_text"]


def verify_pages(
    project: Project,
    paths: Sequence[Path] = (),
    *,
    show_all: bool = False,
    changes: Changes | None = None,
) -> ClaimsReport:
    """Verify the named pages, or those of the project's policy; a folder stands for its `*.md`.

    `show_all` keeps what is true among the findings. With `changes` only the pages that they affect are
    verified, how many were passed over is a note, and what they hold is not trusted (`Examiner`). A page that
    cannot be read is a finding of its own.
    Raises PageUnreadableError where none can be, NoPagesError where no page would be checked and none
    that was named takes itself out, LockInvalidError, and ValueInvalidError for the project's own named
    values.
    """
    files = find_pages(project, paths)
    every = len(files)
    changed: frozenset[str] | None = None
    passed_over: tuple[str, ...] = ()
    if changes is not None:
        files, changed, passed_over = _affected(project, files, changes)
    allowed = changes.allowed_before if changes else {}
    verifier = _Verifier(project, changed, allowed, show_all=show_all)
    pages: list[PageReport] = []
    undeclared: list[str] = []
    unreadable: list[PageUnreadableError] = []
    for file, named in files:
        shown = shown_path(project, file)
        try:
            text = read_page(file)
        except PageUnreadableError as error:
            from benchctl.claims.tally import unread_report

            unreadable.append(error)
            pages.append(unread_report(shown, error))
            continue
        report = verifier.report(shown, text, named=named)
        if report is None:
            undeclared.append(shown)
        else:
            pages.append(report)
    if files and len(unreadable) == len(files):
        raise unreadable[0]
    asked = {shown_path(project, file) for file, named in files if named}
    idle = all(page.excluded is not None and page.path not in asked and page.ok for page in pages)
    if idle and changes is None:
        raise NoPagesError(
            "no page would be checked: none declares a run",
            expected="a page with `benchctl: run: ID` in its front matter, or the same in a comment",
        )
    if not paths and len(files) == every:
        from benchctl.claims.values.whole import project_reports

        pages += project_reports(project, pages, [file for file, _ in files])
    return ClaimsReport(tuple(pages), tuple(undeclared), (*passed_over, *_notes(verifier.lock, pages)))


def _affected(
    project: Project, files: list[tuple[Path, bool]], changes: Changes
) -> tuple[list[tuple[Path, bool]], frozenset[str] | None, tuple[str, ...]]:
    """Return the files that changes affect, which of them are not to be trusted, and a note on the others."""
    affected = set(changes.affected(project, [file for file, _ in files]))
    kept = [(file, named) for file, named in files if file in affected or (named and not _readable(file))]
    note = changes.note(len(kept), len(files) - len(kept))
    return kept, changes.untrusted(project, sorted(affected)), (note,)


def _readable(file: Path) -> bool:
    try:
        read_page(file)
    except PageUnreadableError:
        return False
    return True


class _Verifier:
    """Reports of pages: remembered ones, else examined; a call that examines none loads nothing that it takes."""

    def __init__(
        self, project: Project, changed: frozenset[str] | None, allowed: Mapping[str, int], *, show_all: bool
    ) -> None:
        self.lock: Lock | None = read_lock(project.root)
        self._project, self._show_all, self._changed = named_really(project), show_all, changed
        self._allowed_before = allowed
        local = not is_url(
            project.config.store
        )  # what is behind a URL would have to be fetched to be compared
        self._memory = PageMemory.of(project, show_all, sorted(changed or ())) if local else None
        self._examiner: Examiner | None = None
        self._stood: dict[str, str | None] = {}
        self._asked_of_others = False

    def report(self, path: str, text: str, *, named: bool) -> PageReport | None:
        """Return a page's report; None for one that was not named and says nothing of any run."""
        found = files_beside(self._project, path)
        if self._memory is None:
            return self._examined(path, text, found, named=named)[0]
        pinned = self.lock and (self.lock.pages.get(path), self.lock.unbound.get(path))
        limits = (self._project.config.claims.max_unbound.get(path), self._allowed_before.get(path))
        key = self._memory.key(path, text, named, pinned, limits, found)
        if known := self._memory.recall(path, key):
            return known.report
        report, runs = self._examined(path, text, found, named=named)
        self._memory.remember(path, key, report, runs)
        return report

    def _examined(
        self, path: str, text: str, found: tuple[Found, ...], *, named: bool
    ) -> tuple[PageReport | None, dict[str, str] | None]:
        """Return a page's report, and how its runs stood before anything was asked of them."""
        from benchctl.claims.examine import Examiner, check, says_nothing
        from benchctl.claims.tally import page_report

        if self._examiner is None:
            examiner = Examiner.of(self._project, show_all=self._show_all, changed=self._changed)
            self._examiner = replace(examiner, lock=self.lock, allowed_before=self._allowed_before)
        sheet = self._examiner.read(path, text, found)
        if not named and says_nothing(sheet):
            return None, {}
        runs = self._standing(sheet)
        check(sheet)
        report = page_report(sheet)
        self._asked_of_others |= not report.ok
        return report, runs

    def _standing(self, sheet: Sheet) -> dict[str, str] | None:
        """Return how a page's runs stood before the first page of this call that asked them; None where that is not known.

        The pages of a call share what was measured, and help for an error may have asked any run.
        """
        declared = sorted({run for scope in sheet.scopes.all for run in scope.declared})
        for run in declared:
            if run not in self._stood:
                stands = self._memory.stand([run]) if self._memory and not self._asked_of_others else None
                self._stood[run] = stands[run] if stands else None
        known = {run: stood for run in declared if (stood := self._stood[run]) is not None}
        return known if len(known) == len(declared) else None


def verify_text(
    project: Project, path: str, text: str, *, show_all: bool = False, examiner: Examiner | None = None
) -> PageReport:
    """Verify one page's text; `path` is what messages call it. An `examiner` may be shared by the pages of one call."""
    from benchctl.claims.examine import Examiner
    from benchctl.claims.tally import page_report

    own = examiner or Examiner.of(project, show_all=show_all)
    return page_report(own.examine(path, text))


def accept(project: Project, report: ClaimsReport) -> None:
    """Pin in claims.lock what `report.pins` and `report.ratchets` hold, of which none rises.

    A page with another error than moved data keeps its old pins.
    """
    if report.pins:
        lock = read_lock(project.root)
        limited = {page.path for page in report.pages if page.max_unbound is not None}
        limited |= set(lock.unbound if lock else ())
        ratchets = {path: limit for path, limit in report.ratchets.items() if path in limited}
        write_lock(project.root, report.pins, ratchets)


def _notes(lock: Lock | None, pages: Sequence[PageReport]) -> tuple[str, ...]:
    pin = "`benchctl verify-claims --accept` pins the data digests"
    if lock is None:
        return (f"no claims.lock: data may move under a page unnoticed; {pin}",)
    notes = []
    if loose := [page.path for page in pages if page.run and page.path not in lock.pages]:
        notes.append(f"not in claims.lock: {', '.join(loose)}; {pin}")
    partly = {
        page.path: [run for run, data in page.runs.items() if data and run not in lock.pages[page.path]]
        for page in pages
        if page.run and page.path in lock.pages
    }
    if any(partly.values()):
        without = (f"{path} ({', '.join(runs)})" for path, runs in partly.items() if runs)
        notes.append(f"runs that claims.lock does not pin for their page: {', '.join(without)}; {pin}")
    return tuple(notes)
