"""`benchctl merge`: the runs of other stores, and the shards of a run, become runs of this store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import Console, columns, put, put_json, tell
from benchctl.cli.options import find_project, output_format, project_options
from benchctl.errors import OptionInvalidError

if TYPE_CHECKING:
    from benchctl.store.merging.act import Merge, MergedRun
    from benchctl.store.reader import Store

__all__ = ["MERGE_SCHEMA", "command"]

MERGE_SCHEMA = "benchctl.merge/1"

_WORDS = {
    "added": "added",
    "extended": "extended",
    "united": "united",
    "closed": "replaced its own shard",
    "present": "already here",
    "refused": "refused",
}


@click.command("merge")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--into", metavar="STORE", help="The store to write, a folder or a URL; default: the project's."
)
@click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")
@click.option("--close", is_flag=True, help="Close a run whose cells all have a result afterwards.")
@click.option("--skip-damaged", is_flag=True, help="Merge the sound runs although others are damaged.")
@output_format("text", "json")
@project_options
def command(
    *,
    sources: tuple[str, ...],
    into: str | None,
    dry_run: bool,
    close: bool,
    skip_damaged: bool,
    form: str,
    project_dir: Path,
    quiet: bool,
    verbose: bool,
) -> None:
    """Put the runs of each SOURCE into the project's store, or into another.

    A SOURCE is a project, a store (a folder that holds `runs`), one run's folder, or a store's URL.
    Shards of one open run are united. A run that is there with another content is refused, and then
    nothing is written. Merging twice changes nothing.

    \b
    Example:
      benchctl merge ../shard-1 ../shard-2 --close
      benchctl merge . --into s3://bucket/benchmarks
    """
    from benchctl.store.disk.verified_file import hash_anew
    from benchctl.store.merging.act import merge_runs, refuse_refused

    hash_anew()
    console = Console(quiet=quiet, verbose=verbose)
    target = _target(into, project_dir)
    merge = merge_runs(target, sources, dry_run=dry_run, close=close, skip_damaged=skip_damaged)
    if form == "json":
        put_json(_document(merge, target, dry_run=dry_run))
    else:
        rows = [[run.run, _WORDS[run.action], run.state, run.files, run.bytes] for run in merge.runs]
        put(columns(rows, ("run", "what", "state", "files", "bytes")))
    refused = [run for run in merge.runs if run.error]
    if len(refused) > 1:
        for run in refused:
            tell(str(run.error))
    if dry_run and not refused:
        console.say("nothing was written")
    sys.stdout.flush()
    refuse_refused(merge, target.place)


def _target(into: str | None, project_dir: Path) -> Store:
    from benchctl.store.remote.address import is_url
    from benchctl.store.remote.remote_store import open_store_at

    if into is None:
        return find_project(project_dir).store
    if is_url(into):
        return open_store_at(into)
    if Path(into).exists() and not Path(into).is_dir():
        raise OptionInvalidError(
            f"--into {into} is no folder", expected="a store, a project, or a store's URL"
        )
    return (
        find_project(Path(into)).store if Path(into, "benchctl.toml").is_file() else open_store_at(Path(into))
    )


def _document(merge: Merge, target: Store, *, dry_run: bool) -> dict[str, Any]:
    return {
        "schema": MERGE_SCHEMA,
        "ok": all(run.error is None for run in merge.runs),
        "into": target.place,
        "dry_run": dry_run,
        "written": merge.written,
        "runs": [_line(run) for run in merge.runs],
    }


def _line(run: MergedRun) -> dict[str, Any]:
    return {
        "run": run.run,
        "action": run.action,
        "from": list(run.places),
        "files": run.files,
        "bytes": run.bytes,
        "state": run.state,
        "generation": run.generation,
        "unfinished": run.unfinished,
        "why": run.error.what if run.error else None,
        "slug": run.error.slug if run.error else None,
    }
