"""`benchctl query`: one read-only SQL question to the store."""

from __future__ import annotations

import json
from pathlib import Path

import click

from benchctl.cli.console import Console, columns
from benchctl.cli.options import find_project, output_format, project_options

__all__ = ["command"]


@click.command("query")
@click.argument("sql")
@output_format("text", "json", "csv")
@project_options
def command(*, sql: str, form: str, project_dir: Path, quiet: bool, verbose: bool) -> None:
    """Answer one read-only SQL statement (DuckDB) over the store's tables.

    They are runs, cells, attempts, grades, tool_calls and transcripts.

    \b
    Example:
      benchctl query "select arm, median(wall_s) from cells where run = 'first' group by arm"
    """
    from benchctl.quantities.format import counted
    from benchctl.report.records import rows_to_csv
    from benchctl.store.query import query_sql

    console = Console(quiet=quiet, verbose=verbose)
    names, rows = query_sql(find_project(project_dir).store, sql)
    records = [dict(zip(names, row, strict=True)) for row in rows]
    if form == "json":
        click.echo(json.dumps(records, indent=1, default=str))
    elif form == "csv":
        click.echo(rows_to_csv(records, names), nl=False)
    else:
        click.echo(columns(rows, names))
    console.detail(counted(len(rows), "row"))
