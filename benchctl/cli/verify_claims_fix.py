"""`benchctl verify-claims --fix`: write a false literal anew, leave every sentence alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.cli.console import Console, put, put_json
from benchctl.errors import ClaimsFailedError

if TYPE_CHECKING:
    from benchctl.store.project import Project

__all__ = ["run"]


def run(project: Project, pages: tuple[Path, ...], *, form: str, console: Console) -> None:
    """Fix the pages, print what was done and what is left. Raises ClaimsFailedError where something is."""
    from benchctl.claims.fixing.output import to_json, to_text
    from benchctl.claims.fixing.pages import fix_pages
    from benchctl.claims.outputs.text import to_text as findings_text
    from benchctl.quantities.format import counted

    report = fix_pages(project, pages)
    if form == "json":
        put_json(to_json(report))
    elif not console.quiet or not report.claims.ok:
        put(to_text(report) + findings_text(report.claims), end="")
    written = [page for page in report.pages if page.written]
    done = sum(len(page.fixed.rewrites) + len(page.fixed.blocks) for page in written)
    console.detail(f"{counted(done, 'place')} rewritten on {counted(len(written), 'page')}")
    if not report.claims.ok:
        left = sum(finding.severity == "error" for page in report.claims.pages for finding in page.findings)
        raise ClaimsFailedError(f"{counted(left, 'error')} left that no rewriting of a number puts right")
