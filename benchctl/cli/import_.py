"""`benchctl import`: other people's results become a run, or a further table of one."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import Console, columns, put, put_json
from benchctl.cli.import_options import mapping, names, refuse_misplaced, split
from benchctl.cli.options import find_project, output_format, project_options
from benchctl.errors import OptionInvalidError

if TYPE_CHECKING:
    from benchctl.runner.import_ import Imported, Order

__all__ = ["IMPORT_SCHEMA", "command"]

IMPORT_SCHEMA = "benchctl.import/1"
_LONG_WORK = 10_000_000
"""Bytes from which on a person would wonder what takes so long."""


@click.command("import")
@click.argument("kind", metavar="FORMAT", type=click.Choice(("csv", "jsonl", "json", "parquet")))
@click.argument("path", metavar="PATH", type=click.Path(path_type=Path))
@click.option(
    "--run-id", required=True, metavar="ID", help="The run that it becomes, or that --table adds to."
)
@click.option(
    "--map",
    "mapped",
    multiple=True,
    metavar="SOURCE=NAME,…",
    help="Fill a standard column from a source column, or give a source column another name.",
)
@click.option("--key", metavar="A,B", help="The source columns that name a row.")
@click.option(
    "--null",
    "null_texts",
    metavar="TEXT,…",
    help='What reads as null instead of blank, n/a and -: `"",n/a,-`.',
)
@click.option("--pointer", metavar="/A/B", help="Of json: where the array of rows is (RFC 6901).")
@click.option("--table", metavar="NAME", help="Keep the file as a further table of a closed run.")
@click.option("--encoding", metavar="NAME", help="The text's encoding, where it is not UTF-8.")
@click.option(
    "--delimiter", metavar="CHAR", help="Of csv: what parts the fields, where the header does not show it."
)
@click.option("--comment", metavar="TEXT", help="Of csv: leave out lines that begin so.")
@click.option(
    "--short-rows", type=click.Choice(("null",)), help="Of csv: read what a short row lacks as null."
)
@click.option("--dry-run", is_flag=True, help="Say what would become of the file; write nothing.")
@output_format("text", "json")
@project_options
def command(
    *,
    kind: str,
    path: Path,
    run_id: str,
    mapped: tuple[str, ...],
    key: str | None,
    null_texts: str | None,
    pointer: str | None,
    table: str | None,
    encoding: str | None,
    delimiter: str | None,
    comment: str | None,
    short_rows: str | None,
    dry_run: bool,
    form: str,
    project_dir: Path,
    quiet: bool,
    verbose: bool,
) -> None:
    """Read results that somebody else collected, say what becomes of each column, and keep them as a run.

    Types are inferred over the whole file. The file's copy and its sha256 are kept in the run. The same file
    again adds nothing; another under the same id is refused.

    \b
    Example:
      benchctl import csv results.csv --run-id 2026-08 --map harness=agent,issue=question
    """
    from benchctl.importers.base import ReadOptions
    from benchctl.importers.table import check_table_name
    from benchctl.runner.import_ import Order, import_run, import_table
    from benchctl.schema.names import check_run_id

    check_run_id(run_id)
    console = Console(quiet=quiet, verbose=verbose)
    if table is not None:
        check_table_name(table)
        if key is not None:
            raise OptionInvalidError("--key: a further table has no key", next_step="leave it out")
    refuse_misplaced(
        kind,
        {
            "csv": {"delimiter": delimiter, "comment": comment, "short-rows": short_rows},
            "json": {"pointer": pointer},
        },
    )
    order = Order(
        path=path,
        format=kind,
        run_id=run_id,
        options=ReadOptions(
            name=path.name,
            encoding=encoding,
            delimiter={"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter),
            short_rows=short_rows is not None,
            comment=comment,
            pointer=pointer,
        ),
        mapped=mapping(mapped),
        key=None if key is None else names("--key", key),
        null_texts=None if null_texts is None else tuple(split("--null", null_texts)) or ("",),
        dry_run=dry_run,
    )
    store = find_project(project_dir).store
    if path.is_file() and (size := path.stat().st_size) >= _LONG_WORK:
        console.say(f"reading {path.name}, {size // 1_000_000} MB")
    done = import_run(store, order) if table is None else import_table(store, order, table)
    _print(_document(order, table, done), form, console)


def _document(order: Order, table: str | None, done: Imported) -> dict[str, Any]:
    said = ("format", "file", "sha256", "bytes", "rows", "encoding")
    return {
        "schema": IMPORT_SCHEMA,
        "run": order.run_id,
        "table": table,
        "state": done.state,
        **{name: getattr(done.record, name) for name in said},
        "key": list(getattr(done.record, "key", ())),
        "columns": [asdict(each) for each in done.columns],
        "notes": list(done.record.notes),
        "data": done.data,
    }


def _print(result: dict[str, Any], form: str, console: Console) -> None:
    from benchctl.quantities.format import counted
    from benchctl.report.escaping import visible

    if form == "json":
        put_json(result)
        return
    shown = ("source", "type", "null", "becomes")
    put(columns([[line[name] for name in shown] for line in result["columns"]], shown))
    for note in result["notes"]:
        put(f"note: {visible(note)}")
    key = f", named by {', '.join(map(visible, result['key']))}" if result["key"] else ""
    put(f"{counted(result['rows'], 'row')} of {visible(result['file'])}{key}")
    what = f"table {result['table']} of run {result['run']}" if result["table"] else f"run {result['run']}"
    console.say(f"{result['state']}: {what}" + (f", data {result['data']}" if result["data"] else ""))
