"""`benchctl verify-claims`: the gate. Every number of a page is what its run says, or the command fails."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchctl.cli.console import Console
from benchctl.cli.failures import as_ours
from benchctl.cli.options import find_project, output_format, project_options
from benchctl.cli.verify_claims_output import FORM_NAMES, Output, ReportingCommand
from benchctl.errors import ClaimsFailedError, OptionInvalidError

if TYPE_CHECKING:
    from benchctl.claims.changed import Changes
    from benchctl.claims.result import ClaimsReport
    from benchctl.store.project import Project

__all__ = ["command"]

_OTHER_WORK = ("--fix", "--mutate", "--explain")
"""Modes that make no report of pages, so nothing but standard output takes theirs."""
_OTHER_FORMS = ("text", "json")


@click.command("verify-claims", cls=ReportingCommand)
@click.argument("pages", nargs=-1, type=click.Path(path_type=Path))
@click.option("--all", "show_all", is_flag=True, help="List what is true, too.")
@click.option("--accept", "accepting", is_flag=True, help="Pin the runs' data digests in claims.lock.")
@click.option(
    "--fix",
    "fixing",
    is_flag=True,
    help="Write false numbers and stale blocks anew; leave, and say why, what only a person can put right.",
)
@click.option(
    "--mutate",
    "mutating",
    is_flag=True,
    help="Change every bound number, one at a time and in memory, and fail where that is not found.",
)
@click.option(
    "--explain",
    "claim",
    metavar="CLAIM",
    help="Print what stands behind page.md:LINE, a printed number, an expression or a named value.",
)
@click.option(
    "--changed",
    "base",
    metavar="BASE",
    help="Only pages that what changed since the git commit BASE can have made untrue.",
)
@click.option(
    "--touched",
    is_flag=True,
    help="PAGES are edited files of any kind, as a hook hands them over: check the pages they affect.",
)
@click.option(
    "--write",
    "writes",
    multiple=True,
    metavar="FORMAT=FILE",
    help="Write the outcome into a file, too, in any of the formats.",
)
@output_format(*FORM_NAMES)
@project_options
def command(
    *,
    pages: tuple[Path, ...],
    show_all: bool,
    accepting: bool,
    fixing: bool,
    mutating: bool,
    claim: str | None,
    base: str | None,
    touched: bool,
    writes: tuple[str, ...],
    form: str,
    project_dir: Path,
    quiet: bool,
    verbose: bool,
) -> None:
    """Check every number of PAGES (default: README.md and site/) against the runs they declare.

    \b
    Example:
      benchctl verify-claims site/analysis.md --format json
    """
    from benchctl.store.disk.verified_file import hash_anew

    hash_anew()
    console = Console(quiet=quiet, verbose=verbose)
    output = Output.of(form, writes, quiet=quiet)
    modes = {"--fix": fixing, "--mutate": mutating, "--explain": claim is not None, "--accept": accepting}
    narrowed = {"--all": show_all, "--changed": base is not None, "--touched": touched, "--write": writes}
    try:
        output.check()
        mode = _mode(modes)
        if mode in _OTHER_WORK:
            _refuse(mode, [name for name, given in narrowed.items() if given], form)
            _other_work(mode, find_project(project_dir), pages, claim, form=form, console=console)
            return
        project = find_project(project_dir)
        report = _verified(
            project, pages, base, console, touched=touched, show_all=show_all, accepting=accepting
        )
        output.write(report, project.root)
    except Exception as error:
        if said := as_ours(error):
            output.failure(said, project_dir)
        raise
    output.show(report, project.root)
    _judge(report)


def _mode(modes: dict[str, bool]) -> str:
    """Return the one mode that is asked for, "" for none. Raises OptionInvalidError where there are more."""
    asked = [name for name, given in modes.items() if given]
    if len(asked) > 1:
        raise OptionInvalidError(f"{' and '.join(asked)} exclude each other", expected="one of them")
    return asked[0] if asked else ""


def _refuse(mode: str, others: list[str], form: str) -> None:
    """Raise OptionInvalidError for an option that a mode has no use for, and for a form that it is not printed in."""
    if others:
        raise OptionInvalidError(
            f"{mode} does not go with {' and '.join(others)}", next_step=f"leave {' and '.join(others)} out"
        )
    if form not in _OTHER_FORMS:
        raise OptionInvalidError(f"{mode} prints no {form}", expected=f"--format {' or '.join(_OTHER_FORMS)}")


def _other_work(
    mode: str, project: Project, pages: tuple[Path, ...], claim: str | None, *, form: str, console: Console
) -> None:
    """Do what another module does, which is loaded for it alone."""
    if mode == "--fix":
        from benchctl.cli.verify_claims_fix import run as fix

        fix(project, pages, form=form, console=console)
    elif mode == "--mutate":
        from benchctl.cli.verify_claims_mutate import run as mutate

        mutate(project, pages, form=form, console=console)
    else:
        from benchctl.cli.verify_claims_explain import run as explain

        explain(project, pages, claim or "", form=form, console=console)


def _verified(
    project: Project,
    pages: tuple[Path, ...],
    base: str | None,
    console: Console,
    *,
    touched: bool,
    show_all: bool,
    accepting: bool,
) -> ClaimsReport:
    """Return the report of the pages that were asked for, pinned first where that was asked for, too."""
    from benchctl.claims.verify import accept, verify_pages

    changes = _changes(project, pages, base, touched=touched)
    asked = () if touched else pages
    report = verify_pages(project, asked, show_all=show_all, changes=changes)
    if accepting:
        accept(project, report)
        console.say(f"pinned {len(report.pins)} pages in claims.lock")
        report = verify_pages(project, asked, show_all=show_all, changes=changes)
    return report


def _changes(project: Project, pages: tuple[Path, ...], base: str | None, *, touched: bool) -> Changes | None:
    """Return what narrows the pages down; None where nothing does. Raises OptionInvalidError, ChangesUnknownError."""
    if base is None and not touched:
        return None
    if base is not None and touched:
        raise OptionInvalidError("--changed and --touched both say what changed", expected="one of them")
    from benchctl.claims.changed import changes_since, changes_told

    if base is not None:
        return changes_since(project, base)
    if not pages:
        raise OptionInvalidError("--touched without a file", expected="the files that were edited")
    return changes_told(pages)


def _judge(report: ClaimsReport) -> None:
    """Raise ClaimsFailedError, and with it exit with 1, where a page has an error."""
    if report.ok:
        return
    from benchctl.quantities.format import counted

    wrong = sum(finding.severity == "error" for page in report.pages for finding in page.findings)
    failing = sum(not page.ok for page in report.pages)
    raise ClaimsFailedError(f"{counted(wrong, 'error')} on {counted(failing, 'page')}")
