"""`benchctl report`: a run's tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchctl.cli.console import Console, put
from benchctl.cli.options import find_project, output_format, project_options
from benchctl.errors import OptionInvalidError, TableRowlessError

if TYPE_CHECKING:
    from benchctl.report.shape import Table
    from benchctl.store.project import Project

__all__ = ["command"]


@click.command("report")
@click.argument("run", required=False)
@click.option(
    "--table", "tables", multiple=True, metavar="NAME", help="Only these tables; default: every one."
)
@click.option(
    "--stamp", is_flag=True, help="Print markdown between the markers by which verify-claims knows it."
)
@click.option(
    "--update",
    "pages",
    multiple=True,
    metavar="PAGE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Render the stamped blocks of this page anew, in place; with RUN, for that run.",
)
@click.option(
    "--generation",
    type=click.IntRange(1),
    metavar="N",
    help="The scores of this grading; default: the newest.",
)
@output_format("text", "md", "html", "csv", "json")
@project_options
def command(
    *,
    run: str | None,
    tables: tuple[str, ...],
    generation: int | None,
    stamp: bool,
    pages: tuple[Path, ...],
    form: str,
    project_dir: Path,
    quiet: bool,
    verbose: bool,
) -> None:
    """Print the tables of RUN, or of the run that was started last.

    Of a run that was graded more than once, each table says of which grading its scores are.

    \b
    Example:
      benchctl report first --table arms --stamp
      benchctl report first --generation 1
      benchctl report --update site/analysis.md
    """
    from benchctl.quantities.format import counted
    from benchctl.report.own_tables import tables_of
    from benchctl.report.stamp import render_block
    from benchctl.report.tables import named_table
    from benchctl.store.disk.verified_file import hash_anew

    console = Console(quiet=quiet, verbose=verbose)
    project = find_project(project_dir)
    if generation is not None and (stamp or pages):
        raise OptionInvalidError(
            "a stamped block is of the newest grading, as verify-claims renders it",
            next_step="leave --generation or the stamp out",
        )
    if stamp or pages:  # what is to be published
        hash_anew()
    if pages:
        for page in pages:
            put(f"{page}: {_updated(project, page, run)}")
        return
    chosen = run or _newest(project)
    names = tables or tables_of(project.store.run(chosen), project.config)
    built = [
        named_table(project.store, chosen, name, project.config, generation=generation) for name in names
    ]
    if tables:
        for table in built:
            _refuse_empty(project, table)
    if stamp:
        put("\n\n".join(render_block(table) for table in built))
    else:
        put(_printed(built, form), end="", exact=form == "csv")
    console.detail(f"{counted(len(built), 'table')} of run {chosen}")


def _updated(project: Project, page: Path, run: str | None) -> str:
    """Render the blocks of one page anew and return what happened, as a person says it."""
    from benchctl.quantities.format import counted
    from benchctl.report.stamp import parse_blocks, render_block, update_text
    from benchctl.report.whole_file import rewrite_file

    text = page.read_bytes().decode()
    count = len(parse_blocks(text, file=str(page)))
    if not count:
        raise OptionInvalidError(
            f"{page} holds no stamped block",
            next_step="`benchctl report --table NAME --stamp` prints one to paste",
        )
    blocks = counted(count, "block")
    updated = update_text(
        text,
        lambda block: render_block(_table(project, run or block.run, block.table)),
    )
    if updated == text:
        return f"{blocks}: up to date"
    rewrite_file(page, updated.encode())
    return f"{blocks}: rendered anew"


def _table(project: Project, run: str, name: str) -> Table:
    from benchctl.report.tables import named_table

    table = named_table(project.store, run, name, project.config)
    _refuse_empty(project, table)
    return table


def _refuse_empty(project: Project, table: Table) -> None:
    """Raise TableRowlessError for a table without a row, naming those of its run that have some."""
    if table.rows:
        return
    from benchctl.report.own_tables import tables_of
    from benchctl.report.tables import named_table

    store, config = project.store, project.config
    names = [name for name in tables_of(store.run(table.run), config) if name != table.name]
    known = [name for name in names if named_table(store, table.run, name, config).rows]
    keys = [column.title for column in table.columns if column.key]
    raise TableRowlessError(
        f"table {table.name!r} has no row of run {table.run}: rows are made of {', '.join(keys)}",
        expected=f"one of: {', '.join(known)}" if known else "a run with cells",
    )


def _newest(project: Project) -> str:
    from benchctl.store.survey import survey

    runs = sorted((run.record.created_at, run.id) for run in survey(project.store).runs)
    if not runs:
        raise OptionInvalidError("there is no run to report", next_step="`benchctl run` collects one")
    return runs[-1][1]


def _printed(tables: list[Table], form: str) -> str:
    from benchctl.report.escaping import as_json
    from benchctl.report.html import to_html
    from benchctl.report.markdown import to_markdown
    from benchctl.report.records import to_csv, to_json
    from benchctl.report.terminal import to_text

    if form == "json":
        return as_json([to_json(table) for table in tables])
    write = {"text": to_text, "md": to_markdown, "html": to_html, "csv": to_csv}[form]
    return "\n".join(write(table).rstrip("\n") + "\n" for table in tables)
