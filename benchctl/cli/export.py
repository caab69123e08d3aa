"""`benchctl export`: the store's tables as files for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import Console, columns, put, put_json
from benchctl.cli.options import find_project, listed_names, output_format, project_options
from benchctl.errors import OptionInvalidError, RunOpenError

if TYPE_CHECKING:
    from benchctl.store.frames.export import Written
    from benchctl.store.frames.frame import Frame
    from benchctl.store.reader import Store, StoredRun

__all__ = ["EXPORT_SCHEMA", "command"]

EXPORT_SCHEMA = "benchctl.export/1"
_STANDARD = ("cells", "attempts", "grades", "tool_calls", "voids", "backfills", "baselines")
_FORMATS = ("parquet", "csv", "jsonl", "duckdb")


@click.command("export")
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option(
    "--to",
    required=True,
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="The folder that the files go into; of duckdb the file.",
)
@click.option(
    "--as",
    "kind",
    type=click.Choice(_FORMATS),
    default="parquet",
    show_default=True,
    help="The files' format.",
)
@click.option(
    "--table",
    "tables",
    multiple=True,
    metavar="NAMES",
    help="Only these tables, separated by commas; default: every table that has rows, but the transcripts.",
)
@click.option("--open", "with_open", is_flag=True, help="Export open runs too, as they are now.")
@click.option("--force", is_flag=True, help="Replace files that are there already.")
@output_format("text", "json")
@project_options
def command(
    *,
    runs: tuple[str, ...],
    to: Path,
    kind: Any,
    tables: tuple[str, ...],
    with_open: bool,
    force: bool,
    form: str,
    project_dir: Path,
    quiet: bool,
    verbose: bool,
) -> None:
    """Write the tables of RUN, or of every closed run, as files: exact values, no row twice.

    Each file says of which runs and data digests it is: Parquet in its metadata, DuckDB in the table
    benchctl_export, CSV and JSON Lines in a .json file beside them. What is there already is not replaced.
    Runs in which a column of one name is of different types are exported one by one.

    \b
    Example:
      benchctl export first --to out --as csv --table cells
    """
    from benchctl.quantities.format import counted
    from benchctl.store.disk.verified_file import hash_anew
    from benchctl.store.frames.export import export

    hash_anew()
    console = Console(quiet=quiet, verbose=verbose)
    store = find_project(project_dir).store
    chosen = _chosen(store, runs, console, with_open=with_open)
    frames = _frames(chosen, tables)
    written = export(frames, to, kind, force=force)
    if form == "json":
        put_json(_document(kind, frames, written))
    else:
        listed = [(each.table, each.rows, each.path) for each in written]
        put(columns(listed, ("table", "rows", "file")))
    if formulas := sum(each.formulas for each in written if kind == "csv"):
        found = counted(formulas, "text")
        console.say(f"{found} like a formula written exactly: read the file into a spreadsheet as text")
    console.detail(counted(len(chosen), "run"))


def _chosen(
    store: Store, runs: tuple[str, ...], console: Console, *, with_open: bool
) -> tuple[StoredRun, ...]:
    """Return the runs to export. Raises RunOpenError, RunUnknownError, StoreDamagedError."""
    from benchctl.store.survey import refuse_unreadable, survey

    if runs:
        found = tuple(store.run(run) for run in dict.fromkeys(runs))
        for run in found:
            if run.state == "open" and not with_open:
                raise RunOpenError(
                    f"run {run.id} is open: what is exported now may not be what it says when it is closed",
                    next_step="close it with `benchctl run`, or add --open",
                )
        return found
    held = survey(store)
    refuse_unreadable(held.unreadable, len(held.runs))
    left_out = [run.id for run in held.runs if run.state == "open" and not with_open]
    if left_out:
        console.say(f"left out, because they are open: {', '.join(left_out)}; --open exports them too")
    chosen = tuple(run for run in held.runs if run.id not in left_out)
    if not chosen:
        raise OptionInvalidError("there is no run to export", next_step="`benchctl runs` lists them")
    return chosen


def _frames(runs: tuple[StoredRun, ...], tables: tuple[str, ...]) -> list[Frame]:
    """Return a frame a table: those that are named, else the standard ones and the runs' own that have rows."""
    from benchctl.store.frames.view_frame import view_frame
    from benchctl.store.relations.own_columns import further_of

    if named := listed_names("--table", tables):
        return [view_frame(runs, name) for name in named]
    further = sorted(further_of(runs).values())
    frames = [view_frame(runs, name) for name in (*_STANDARD, *further)]
    return [frame for frame in frames if frame.name == "cells" or len(frame)]


def _document(kind: str, frames: list[Frame], written: tuple[Written, ...]) -> dict[str, Any]:
    return {
        "schema": EXPORT_SCHEMA,
        "as": kind,
        "runs": {run: digest for frame in frames for run, digest in frame.digests.items()},
        "files": [
            {
                "table": each.table,
                "path": str(each.path),
                "rows": each.rows,
                "bytes": each.bytes,
                "sha256": each.sha256,
            }
            for each in written
        ],
    }
