"""`benchctl backfill`: token counts and costs that arrived after a run was closed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.aftermath import Aftermath, pins_of
from benchctl.cli.console import Console, columns
from benchctl.cli.options import find_project, output_format, project_options
from benchctl.report.escaping import visible

if TYPE_CHECKING:
    from benchctl.runner.backfill import Backfilling, UsageMove

__all__ = ["BACKFILL_SCHEMA", "command"]

BACKFILL_SCHEMA = "benchctl.backfill/1"


@click.command("backfill")
@click.argument("run")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@click.option(
    "--as",
    "kind",
    type=click.Choice(["csv", "jsonl"]),
    help="What the file is; default: what its name ends in.",
)
@click.option("--why", metavar="TEXT", help="The reason; default: the name of the file.")
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@output_format("text", "json")
@project_options
def command(
    *,
    run: str,
    file: Path,
    kind: str | None,
    why: str | None,
    dry_run: bool,
    form: str,
    project_dir: Path,
    quiet: bool,
    verbose: bool,
) -> None:
    """Fill the late token counts and costs of FILE into RUN, never over what was reported in time.

    FILE (`-`: standard input) has a row a cell: cell, source (who counted), and as far as they are known
    input_tokens, output_tokens, total_tokens and cost_usd. One row that cannot be used, and nothing is
    written. The same file again changes nothing; a later one replaces what an earlier one filled in.

    \b
    Example:
      benchctl backfill first proxy.csv --dry-run
    """
    from benchctl.runner.backfill import backfill
    from benchctl.runner.closed import closed_run
    from benchctl.runner.late_usage import read_late_usage
    from benchctl.schema.reason import checked_reason
    from benchctl.store.disk.verified_file import hash_anew

    reason = checked_reason(f"late counts of {visible(file.name)}" if why is None else why)
    hash_anew()
    console = Console(quiet=quiet, verbose=verbose)
    project = find_project(project_dir)
    stored = closed_run(project.store, run)
    pins = pins_of(project, run)
    done = backfill(stored, file, read_late_usage(file, kind), reason, dry_run=dry_run)
    told = _json(run, done.found, dry_run=dry_run), _text(run, done.found, dry_run=dry_run)
    Aftermath.of(done, pins).tell(console, form, *told)


def _json(run: str, found: Backfilling, *, dry_run: bool) -> dict[str, Any]:
    return {
        "schema": BACKFILL_SCHEMA,
        "run": run,
        "dry_run": dry_run,
        "cells": found.cells,
        "already": found.already,
        "moves": [
            {"cell": move.cell, "line": move.line, "group": move.group, "was": dict(move.was), "now": dict(move.now)}
            for move in found.moves
        ],
    }  # fmt: skip


def _text(run: str, found: Backfilling, *, dry_run: bool) -> str:
    from benchctl.quantities.format import counted

    if not found.moves:
        told = f"{counted(found.already, 'row')}, there already; nothing is written"
        return f"run {run}: {told}"
    head = ("cell", "group", "before", "now")
    table = columns(
        [(move.cell, move.group, _figures(move, move.was), _figures(move, move.now)) for move in found.moves],
        head,
    )
    there = f", {found.already} of the file's rows are there already" if found.already else ""
    return f"{table}\n\nrun {run}: {counted(found.cells, 'cell')} {'to fill' if dry_run else 'filled'}{there}"


def _figures(move: UsageMove, figures: Any) -> str | None:
    """Return a group's figures as text: `input_tokens 10, … (proxy)`; None where nobody reported them."""
    *names, source = move.now
    told = [f"{name} {figures[name]}" for name in names if figures[name] is not None]
    return f"{', '.join(told)} ({figures[source]})" if told else None
