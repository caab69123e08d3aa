"""`benchctl site render`: the run pages, as files that need no server."""

from __future__ import annotations

from pathlib import Path

import click

from benchctl.cli.console import Console, put
from benchctl.cli.options import find_project, project_options

__all__ = ["command"]


@click.group("site")
def command() -> None:
    """Render what the public sees.

    \b
    Example:
      benchctl site render --out build/pages
    """


@command.command("render")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="Where to write.",
)
@project_options
def render(*, out: Path, project_dir: Path, quiet: bool, verbose: bool) -> None:
    """Write a page for every run and every cell of this project into DIR.

    `mkdocs build` makes the whole site, these pages included.

    \b
    Example:
      benchctl site render --out build/pages
    """
    from benchctl.publish.render import render_site
    from benchctl.quantities.format import counted
    from benchctl.store.disk.verified_file import hash_anew

    hash_anew()
    console = Console(quiet=quiet, verbose=verbose)
    written = render_site(find_project(project_dir), out)
    put(str(out / "runs" / "index.html"))
    console.say(f"{counted(len(written), 'page')} in {out}")
