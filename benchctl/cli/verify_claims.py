"""`benchctl verify-claims`: the gate. Every number of a page is what its run says, or the command fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchctl.cli.console import Console, put
from benchctl.cli.options import find_project, output_format, project_options
from benchctl.errors import ClaimsFailedError

if TYPE_CHECKING:
    from benchctl.claims.result import ClaimsReport

__all__ = ["command"]


@click.command("verify-claims")
@click.argument("pages", nargs=-1, type=click.Path(path_type=Path))
@click.option("--all", "show_all", is_flag=True, help="List what is true, too.")
@click.option("--accept", "accepting", is_flag=True, help="Pin the runs' data digests in claims.lock.")
@output_format("text", "json")
@project_options
def command(
    *,
    pages: tuple[Path, ...],
    show_all: bool,
    accepting: bool,
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
    from benchctl.claims.verify import accept, verify_pages
    from benchctl.store.disk.verified_file import hash_anew

    hash_anew()
    console = Console(quiet=quiet, verbose=verbose)
    project = find_project(project_dir)
    report = verify_pages(project, pages, show_all=show_all)
    if accepting:
        accept(project, report)
        console.say(f"pinned {len(report.pins)} pages in claims.lock")
        report = verify_pages(project, pages, show_all=show_all)
    _put(report, form, quiet=quiet)
    _judge(report)


def _put(report: ClaimsReport, form: str, *, quiet: bool) -> None:
    from benchctl.claims.outputs.text import to_json, to_text

    if form == "json":
        put(json.dumps(to_json(report), indent=1))
    elif not quiet or not report.ok:
        put(to_text(report), end="")


def _judge(report: ClaimsReport) -> None:
    """Raise ClaimsFailedError, and with it exit with 1, where a page has an error."""
    if report.ok:
        return
    from benchctl.quantities.format import counted

    wrong = sum(finding.severity == "error" for page in report.pages for finding in page.findings)
    failing = sum(not page.ok for page in report.pages)
    raise ClaimsFailedError(f"{counted(wrong, 'error')} on {counted(failing, 'page')}")
