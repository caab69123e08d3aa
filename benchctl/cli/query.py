"""`benchctl query`: one read-only SQL question to the store."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from benchctl.cli.console import Console, columns, put, put_json, tell
from benchctl.cli.failures import refused
from benchctl.cli.options import find_project, output_format, project_options
from benchctl.errors import QueryRefusedError

__all__ = ["command"]


@click.command("query", context_settings={"ignore_unknown_options": True})
@click.argument("sql")
@click.option("--run", "runs", metavar="ID", multiple=True, help="Ask this run alone; may be repeated.")
@output_format("text", "json", "csv")
@project_options
def command(
    *, sql: str, runs: tuple[str, ...], form: str, project_dir: Path, quiet: bool, verbose: bool
) -> None:
    """Answer one read-only SQL statement (DuckDB) over the store's tables.

    They are runs, cells, attempts, grades, tool_calls, transcripts, voids, backfills and baselines, and the
    further tables that were imported, by their names. `cells` has the newest grade of each cell, what
    was voided or reported late, and the columns that an imported run has of its own. Of two columns
    called `a` the second is printed as `a_1`. A run that is damaged is left out and named, and the
    command ends with 1. A statement has a minute and 2 GB. SQL that is one word and begins with `--` goes behind a `--` of its own.

    \b
    Example:
      benchctl query "select arm, median(wall_s) from cells where run = 'first' group by arm"
    """
    from benchctl.quantities.format import counted
    from benchctl.report.escaping import visible
    from benchctl.report.records import rows_to_csv
    from benchctl.store.sql.limits import limited
    from benchctl.store.sql.query import query_sql
    from benchctl.store.survey import refuse_unreadable

    console = Console(quiet=quiet, verbose=verbose)
    store = find_project(project_dir).store
    names, rows, asked, unreadable, warnings = query_sql(store, sql, runs or None, limits=limited(_too_late))
    for each in unreadable:
        tell(f"warning: {visible(each.name)} is left out: {visible(each.why)}")
    for warning in warnings:
        tell(f"warning: {visible(warning)}")
    records = [dict(zip(names, row, strict=True)) for row in rows]
    if form == "json":
        put_json(records, default=str)
    elif form == "csv":
        put(rows_to_csv(records, names), end="", exact=True)
    else:
        put(columns(rows, names))
    console.detail(counted(len(rows), "row"))
    refuse_unreadable(unreadable, asked)


def _too_late() -> None:
    """End the process: the statement has had its time, and DuckDB does not stop."""
    from benchctl.store.sql.limits import SECONDS

    code = refused(QueryRefusedError(f"it ran for more than {SECONDS:.0f} seconds", next_step="ask for less"))
    sys.stderr.flush()
    os._exit(code)
