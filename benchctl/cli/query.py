"""`benchctl query`: one read-only SQL question to the store."""

from __future__ import annotations

import json
from pathlib import Path

import click

from benchctl.cli.console import Console, columns
from benchctl.cli.options import find_project, output_format, project_options

__all__ = ["command"]


@click.command("query", context_settings={"ignore_unknown_options": True})
@click.argument("sql")
@output_format("text", "json", "csv")
@project_options
def command(*, sql: str, form: str, project_dir: Path, quiet: bool, verbose: bool) -> None:
    """Answer one read-only SQL statement (DuckDB) over the store's tables.

    They are runs, cells, attempts, grades, tool_calls and transcripts. Of two columns called `a`
    the second is printed as `a_1`. A run that is damaged is left out and named, and the command
    ends with 1. SQL that is one word and begins with `--` goes behind a `--` of its own.

    \b
    Example:
      benchctl query "select arm, median(wall_s) from cells where run = 'first' group by arm"
    """
    from benchctl.quantities.format import counted
    from benchctl.report.escaping import visible
    from benchctl.report.records import rows_to_csv
    from benchctl.store.query import query_sql
    from benchctl.store.survey import refuse_unreadable

    console = Console(quiet=quiet, verbose=verbose)
    names, rows, runs, unreadable = query_sql(find_project(project_dir).store, sql)
    for each in unreadable:
        click.echo(f"warning: {visible(each.name)} is left out: {visible(each.why)}", err=True)
    records = [dict(zip(names, row, strict=True)) for row in rows]
    if form == "json":
        click.echo(json.dumps(records, indent=1, default=str))
    elif form == "csv":
        click.echo(rows_to_csv(records, names), nl=False)
    else:
        click.echo(columns(rows, names))
    console.detail(counted(len(rows), "row"))
    refuse_unreadable(unreadable, runs)
