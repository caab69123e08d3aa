"""Pages fixed on disk: each is there whole as it was or whole as it is now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.claims.examine import Examiner, says_nothing
from benchctl.claims.files import find_pages, is_inside, read_page, shown_path
from benchctl.claims.fixing.reasons import REASONS
from benchctl.claims.fixing.text import FixedText, Refusal, fix_text
from benchctl.claims.result import ClaimsReport
from benchctl.claims.verify import verify_pages
from benchctl.errors import PageUnreadableError
from benchctl.report.whole_file import rewrite_file

if TYPE_CHECKING:
    from benchctl.store.project import Project

__all__ = ["FixReport", "FixedPage", "fix_pages"]


@dataclass(frozen=True, slots=True)
class FixedPage:
    """What became of one page; `written` says that its file was replaced."""

    path: str
    fixed: FixedText
    written: bool


@dataclass(frozen=True, slots=True)
class FixReport:
    """The pages that declare a run, and what `verify-claims` says of all of them now."""

    pages: tuple[FixedPage, ...]
    claims: ClaimsReport


def fix_pages(project: Project, paths: Sequence[Path] = ()) -> FixReport:
    """Fix the named pages, or those of the project's policy, and verify them again as they are on disk.

    A page is written only where something changed, and not where its file is another one than was read, or is
    out of the project behind a link and was not named itself.
    Raises what `verify_pages` raises, and OSError.
    """
    examiner = Examiner.of(project)
    pages: list[FixedPage] = []
    for file, named in find_pages(project, paths):
        try:
            text = read_page(file)
        except PageUnreadableError:
            continue  # `verify_pages` says so
        shown = shown_path(project, file)
        sheet = examiner.read(shown, text)
        if sheet.scopes.page is None or (not named and says_nothing(sheet)):
            continue
        fixed = fix_text(examiner, shown, text)
        pages.append(_page(file, shown, text, fixed, allowed=named or is_inside(project, file)))
    return FixReport(tuple(pages), verify_pages(project, paths))


def _page(file: Path, shown: str, text: str, fixed: FixedText, *, allowed: bool) -> FixedPage:
    if fixed.text == text:
        return FixedPage(shown, fixed, written=False)
    if not allowed or read_page(file) != text:
        reason = "moved" if allowed else "outside"
        left = Refusal(1, 1, 2, "", "", reason, REASONS[reason])
        return FixedPage(shown, replace(fixed, rewrites=(), blocks=(), refused=(left,)), written=False)
    rewrite_file(file, fixed.text.encode())
    return FixedPage(shown, fixed, written=True)
