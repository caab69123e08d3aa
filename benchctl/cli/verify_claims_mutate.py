"""`benchctl verify-claims --mutate`: change every bound number of true pages, and see whether it is found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.cli.console import Console, put, put_json
from benchctl.errors import ClaimsFailedError, MutantSurvivedError, NothingMutatedError

if TYPE_CHECKING:
    from benchctl.claims.mutation.result import MutationReport, PageMutation
    from benchctl.store.project import Project

__all__ = ["run"]


def run(project: Project, pages: tuple[Path, ...], *, form: str, console: Console) -> None:
    """Mutate the pages and print what was found.

    Raises ClaimsFailedError where a page is false to begin with, MutantSurvivedError where a change passed,
    NothingMutatedError where no number is bound or generated.
    """
    from benchctl.claims.mutation.mutate import mutate_pages
    from benchctl.claims.mutation.printing import to_json, to_text

    def told(page: PageMutation) -> None:
        if page.report.ok:
            console.detail(
                f"{page.report.path}: {page.total.mutants} mutants in {page.examinations} examinations"
            )

    report = mutate_pages(project, pages, told=told)
    if form == "json":
        put_json(to_json(report))
    elif not console.quiet or not report.ok:
        put(to_text(report), end="")
    _judge(report)


def _judge(report: MutationReport) -> None:
    from benchctl.quantities.format import counted

    false = [page for page in report.pages if not page.report.ok]
    if false:
        raise ClaimsFailedError(
            f"{counted(len(false), 'page')} false as it stands, and not mutated",
            next_step="put it right with `benchctl verify-claims`, then mutate it",
        )
    survived = sum(len(page.survivors) for page in report.pages)
    if survived:
        blind = sum(page.numbers - page.seen for page in report.pages)
        raise MutantSurvivedError(
            f"{counted(survived, 'change')} not found, at {counted(blind, 'bound number')}",
            next_step="bind each number to what its sentence says, or generate it",
        )
    if report.nothing:
        raise NothingMutatedError(
            "nothing was mutated: no number is bound or generated",
            next_step="bind a number of a page that declares a run",
        )
