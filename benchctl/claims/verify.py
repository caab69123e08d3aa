"""Pages in, verdicts out. What is wrong with a page is a finding; an empty check fails."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.claims.files import find_pages, read_page, shown_path
from benchctl.claims.lock import Lock, read_lock, write_lock
from benchctl.claims.page_memory import PageMemory
from benchctl.claims.result import ClaimsReport, PageReport
from benchctl.errors import NoPagesError, PageUnreadableError
from benchctl.store.remote.address import is_url

if TYPE_CHECKING:
    from benchctl.claims.examine import Examiner
    from benchctl.store.project import Project

__all__ = ["accept", "verify_pages", "verify_text"]


def verify_pages(
    project: Project,
    paths: Sequence[Path] = (),
    *,
    show_all: bool = False,
    changed: frozenset[str] | None = None,
) -> ClaimsReport:
    """Verify the named pages, or those of the project's policy; a folder stands for its `*.md`.

    `show_all` keeps what is true among the findings; `changed` are the files that are not trusted, as paths
    inside the project (`Examiner`). A page that cannot be read is a finding of its own.
    Raises PageUnreadableError where none can be, NoPagesError where no page would be checked and none
    that was named takes itself out, LockInvalidError, and ValueInvalidError for the project's own named
    values.
    """
    verifier = _Verifier(project, changed, show_all=show_all)
    pages: list[PageReport] = []
    undeclared: list[str] = []
    files = find_pages(project, paths)
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
    if len(unreadable) == len(files):
        raise unreadable[0]
    asked = {shown_path(project, file) for file, named in files if named}
    if all(page.excluded is not None and page.path not in asked and page.ok for page in pages):
        raise NoPagesError(
            "no page would be checked: none declares a run",
            expected="a page with `benchctl: run: ID` in its front matter, or the same in a comment",
        )
    return ClaimsReport(tuple(pages), tuple(undeclared), _notes(verifier.lock, pages))


class _Verifier:
    """Reports of pages: remembered ones, else examined; a call that examines none loads nothing that it takes."""

    def __init__(self, project: Project, changed: frozenset[str] | None, *, show_all: bool) -> None:
        self.lock: Lock | None = read_lock(project.root)
        self._project, self._show_all, self._changed = project, show_all, changed
        local = not is_url(project.config.store)  # what is behind a URL would have to be fetched to be compared
        self._memory = PageMemory.of(project, show_all, sorted(changed or ())) if local else None
        self._examiner: Examiner | None = None

    def report(self, path: str, text: str, *, named: bool) -> PageReport | None:
        """Return a page's report; None for one that was not named and says nothing of any run."""
        beside = (text, named, self.lock and self.lock.pages.get(path))
        known = self._memory and self._memory.recall(path, *beside)
        if known:
            return known.report
        found = self._examined(path, text, named=named)
        if self._memory:
            self._memory.remember(path, found, *beside)
        return found

    def _examined(self, path: str, text: str, *, named: bool) -> PageReport | None:
        from benchctl.claims.examine import Examiner, check, says_nothing
        from benchctl.claims.tally import page_report

        if self._examiner is None:
            self._examiner = Examiner.of(self._project, show_all=self._show_all, changed=self._changed)
        sheet = self._examiner.read(path, text)
        if not named and says_nothing(sheet):
            return None
        check(sheet)
        return page_report(sheet)


def verify_text(
    project: Project, path: str, text: str, *, show_all: bool = False, examiner: Examiner | None = None
) -> PageReport:
    """Verify one page's text; `path` is what messages call it. An `examiner` may be shared by the pages of one call."""
    from benchctl.claims.examine import Examiner
    from benchctl.claims.tally import page_report

    own = examiner or Examiner.of(project, show_all=show_all)
    return page_report(own.examine(path, text))


def accept(project: Project, report: ClaimsReport) -> None:
    """Pin in claims.lock what `report.pins` holds; a page with another error than moved data keeps its old pins."""
    if report.pins:
        write_lock(project.root, report.pins)


def _notes(lock: Lock | None, pages: Sequence[PageReport]) -> tuple[str, ...]:
    pin = "`benchctl verify-claims --accept` pins the data digests"
    if lock is None:
        return (f"no claims.lock: data may move under a page unnoticed; {pin}",)
    loose = [page.path for page in pages if page.run and page.path not in lock.pages]
    return (f"not in claims.lock: {', '.join(loose)}; {pin}",) if loose else ()
