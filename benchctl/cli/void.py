"""`benchctl void`: cells of a closed run taken out of every denominator, with the reason, or put back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.aftermath import Aftermath, pins_of
from benchctl.cli.console import Console
from benchctl.cli.options import find_project, output_format, project_options

if TYPE_CHECKING:
    from benchctl.runner.void import Voiding

__all__ = ["VOID_SCHEMA", "command"]

VOID_SCHEMA = "benchctl.void/1"


@click.command("void")
@click.argument("run")
@click.argument("cells", nargs=-1, metavar="[CELL]...")
@click.option("--question", "questions", multiple=True, metavar="NAME", help="Every cell of this question.")
@click.option("--all", "every", is_flag=True, help="Every cell of the run.")
@click.option("--why", required=True, metavar="TEXT", help="The reason; reports print it.")
@click.option("--lift", is_flag=True, help="Count the cells again that an earlier void took out.")
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@output_format("text", "json")
@project_options
def command(
    *,
    run: str,
    cells: tuple[str, ...],
    questions: tuple[str, ...],
    every: bool,
    why: str,
    lift: bool,
    dry_run: bool,
    form: str,
    project_dir: Path,
    quiet: bool,
    verbose: bool,
) -> None:
    """Void each CELL of RUN: it stays in the store and leaves every denominator.

    A cell that is void by how it ended stays so: --lift takes back an earlier void and nothing else.

    \b
    Example:
      benchctl void first click-echo/grep/script/none/1 --why "the disk was full" --dry-run
    """
    from benchctl.runner.closed import closed_run
    from benchctl.runner.void import VoidingChoice, void_cells
    from benchctl.store.disk.verified_file import hash_anew

    hash_anew()
    console = Console(quiet=quiet, verbose=verbose)
    project = find_project(project_dir)
    stored = closed_run(project.store, run)
    pins = pins_of(project, run)
    done = void_cells(stored, VoidingChoice(cells, questions, every), why, lift=lift, dry_run=dry_run)
    told = _json(run, done.found, dry_run=dry_run), _text(run, done.found, dry_run=dry_run)
    Aftermath.of(done, pins).tell(console, form, *told)


def _json(run: str, found: Voiding, *, dry_run: bool) -> dict[str, Any]:
    return {
        "schema": VOID_SCHEMA,
        "run": run,
        "dry_run": dry_run,
        "lift": found.lift,
        "why": found.why,
        "cells": list(found.cells),
        "already": list(found.already),
        "by_outcome": list(found.by_outcome),
        "counted": {"before": found.counted, "after": found.counted_then},
    }


def _text(run: str, found: Voiding, *, dry_run: bool) -> str:
    from benchctl.quantities.format import counted

    then, already = ("counts again", "is counted") if found.lift else ("is void", "is void already")
    would = "would change: " if dry_run else ""
    lines = [f"{would}{cell} {then}" for cell in found.cells]
    lines += [f"unchanged: {cell} {already}" for cell in found.already]
    lines += [f"unchanged: {cell} is void by how it ended" for cell in found.by_outcome]
    told = (
        f"{counted(found.counted, 'cell')} counted before, {found.counted_then} {'then' if dry_run else 'now'}"
        if found.cells
        else "nothing changes; nothing is written"
    )
    return "\n".join([*lines, f"run {run}: {told}"])
