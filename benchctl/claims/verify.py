"""Pages in, verdicts out. What is wrong with a page is a finding; an empty check fails."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.claims.examine import Examiner, check, says_nothing
from benchctl.claims.files import find_pages, read_page, shown_path
from benchctl.claims.lock import Lock, write_lock
from benchctl.claims.result import ClaimsReport, PageReport
from benchctl.claims.tally import page_report, unread_report
from benchctl.errors import NoPagesError, PageUnreadableError

if TYPE_CHECKING:
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
    examiner = Examiner.of(project, show_all=show_all, changed=changed)
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
            pages.append(unread_report(shown, error))
            continue
        sheet = examiner.read(shown, text)
        if not named and says_nothing(sheet):
            undeclared.append(shown)
        else:
            check(sheet)
            pages.append(page_report(sheet))
    if len(unreadable) == len(files):
        raise unreadable[0]
    asked = {shown_path(project, file) for file, named in files if named}
    if all(page.excluded is not None and page.path not in asked and page.ok for page in pages):
        raise NoPagesError(
            "no page would be checked: none declares a run",
            expected="a page with `benchctl: run: ID` in its front matter, or the same in a comment",
        )
    return ClaimsReport(tuple(pages), tuple(undeclared), _notes(examiner.lock, pages))


def verify_text(
    project: Project, path: str, text: str, *, show_all: bool = False, examiner: Examiner | None = None
) -> PageReport:
    """Verify one page's text; `path` is what messages call it. An `examiner` may be shared by the pages of one call."""
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
