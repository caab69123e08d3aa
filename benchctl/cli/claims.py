"""`benchctl claims`: help with binding the numbers of a page. The gate itself is `benchctl verify-claims`."""

from __future__ import annotations

from pathlib import Path

import click

from benchctl.cli.console import Console, put, put_json
from benchctl.cli.options import find_project, output_format, project_options

__all__ = ["command"]


@click.group("claims")
def command() -> None:
    """Help with binding the numbers of a page.

    \b
    Example:
      benchctl claims suggest site/analysis.md
    """


@command.command("suggest")
@click.argument("page", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--run", metavar="ID", help="The run of a page that declares none.")
@click.option(
    "--write", "writing", is_flag=True, help="Write the best drafts into the page; they fail until accepted."
)
@output_format("text", "json")
@project_options
def suggest(
    *,
    page: Path,
    run: str | None,
    writing: bool,
    form: str,
    project_dir: Path,
    quiet: bool,
    verbose: bool,
) -> None:
    """Draft bindings for the numbers of PAGE that nothing binds, the likeliest first.

    A draft says what the words around a number speak for, and prints the number. Whether that is what the sentence
    means, only a person knows: a draft in a page fails until its `?` is deleted.

    \b
    Example:
      benchctl claims suggest site/analysis.md
      benchctl claims suggest README.md --run first --write
    """
    from benchctl.claims.suggesting.files import suggest_for
    from benchctl.claims.suggesting.output import to_json, to_text

    console = Console(quiet=quiet, verbose=verbose)
    suggestions, drafted = suggest_for(find_project(project_dir), page, run=run, writing=writing)
    if form == "json":
        put_json(to_json(suggestions, drafted))
    else:
        put(to_text(suggestions, drafted), end="")
    console.detail(f"{len(suggestions.found) + len(suggestions.tables)} places looked at")
