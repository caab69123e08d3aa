"""`benchctl gc`: transcripts of closed runs dropped, their digests kept; a leaked secret erased."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import Console, put, put_json
from benchctl.cli.options import find_project, output_format, project_options
from benchctl.errors import OptionInvalidError, RunOpenError, SecretNotFoundError, Where
from benchctl.report.escaping import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchctl.store.disk.manifest import Manifest
    from benchctl.store.reader import Store, StoredRun
    from benchctl.store.survey import Unreadable
    from benchctl.store.writing.sighting import Sighting

__all__ = ["GC_SCHEMA", "command"]

GC_SCHEMA = "benchctl.gc/1"
_WHY = "transcripts dropped to make room"
_LONGEST_SECRET = 1024 * 1024
"""Bytes of the text to erase; a secret has no more."""

_TRANSCRIPTS_OPEN = "its transcripts are not in a file of their own yet"
_JOURNAL_OPEN = "a journal is never rewritten"


@click.command("gc")
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("--yes", is_flag=True, help="Do it; without this, it is only said what would be removed.")
@click.option("--older-than", type=click.IntRange(0), metavar="DAYS", help="Only runs started longer ago.")
@click.option("--erase", "secret_file", metavar="FILE", help="Erase the text in FILE (`-`: standard input).")
@click.option("--why", metavar="TEXT", help="Why; it is kept in the manifest, and stands in an erased place.")
@output_format("text", "json")
@project_options
def command(
    *,
    runs: tuple[str, ...],
    yes: bool,
    older_than: int | None,
    secret_file: str | None,
    why: str | None,
    form: str,
    project_dir: Path,
    quiet: bool,
    verbose: bool,
) -> None:
    """Drop the transcripts of each RUN, or of all closed runs; or erase a text that must not be kept.

    Rows, answers and grades stay, and so does the sha256 of each stream. With --erase, `[erased: TEXT]`
    takes the place of the text in every file of the runs named.

    \b
    Example:
      benchctl gc --older-than 90
    """
    from benchctl.schema.reason import checked_reason
    from benchctl.store.disk.verified_file import hash_anew
    from benchctl.store.survey import refuse_unreadable

    hash_anew()
    console = Console(quiet=quiet, verbose=verbose)
    store = find_project(project_dir).store
    unreadable: Sequence[Unreadable] = ()
    if secret_file is None:
        reason = checked_reason(_WHY if why is None else why)
        chosen, unreadable = _chosen(store, runs, older_than)
        told = [_drop(run, reason, yes=yes) for run in chosen]
    else:
        told = _erase(store, runs, secret_file, why, yes=yes)
    shown = [each for each in told if each["files"]]
    if form == "json":
        output = {"schema": GC_SCHEMA, "done": yes, "erase": secret_file is not None, "runs": shown}
        put_json(output)
    else:
        for each in shown:
            put("\n".join(_lines(each, yes=yes)))
    _close(console, shown, erase=secret_file is not None, yes=yes)
    refuse_unreadable(unreadable, len(told))


def _close(console: Console, shown: list[dict[str, Any]], *, erase: bool, yes: bool) -> None:
    """Say what is left to do."""
    if not shown:
        console.say("nothing to remove")
    elif not yes:
        console.say("nothing was changed; `--yes` does it")
    elif erase:
        console.say(
            "pages that were rendered before may still show the text, and version control keeps the old files:"
            " render them anew, rewrite the history, and take the secret out of use"
        )


def _closed(run: StoredRun, why_not: str) -> Manifest:
    """Return the newest manifest of a closed run. Raises RunOpenError."""
    if run.manifest is None:
        raise RunOpenError(
            f"run {run.id} is open, and {why_not}",
            next_step=f"`benchctl run --run-id {run.id}` closes it; nothing was changed",
        )
    return run.manifest


def _named(store: Store, names: tuple[str, ...], why_not: str) -> list[StoredRun]:
    """Return the runs of these names. Raises RunUnknownError, and RunOpenError before any is touched."""
    runs = [store.run(name) for name in dict.fromkeys(names)]
    for run in runs:
        _closed(run, why_not)
    return runs


def _chosen(
    store: Store, names: tuple[str, ...], older_than: int | None
) -> tuple[list[StoredRun], Sequence[Unreadable]]:
    """Return the closed runs that are meant, and what cannot be read. Raises RunOpenError for an open one that is named."""
    from benchctl.store.survey import survey

    unreadable: Sequence[Unreadable] = ()
    if names:
        found = _named(store, names, _TRANSCRIPTS_OPEN)
    else:
        everything = survey(store)
        found, unreadable = [run for run in everything.runs if run.state == "closed"], everything.unreadable
    now = datetime.now(UTC)
    young = older_than or 0
    return [
        run
        for run in found
        if not young or (now - datetime.fromisoformat(run.record.created_at)).days >= young
    ], unreadable


def _drop(run: StoredRun, why: str, *, yes: bool) -> dict[str, Any]:
    """Drop a run's transcripts, or say what that would remove."""
    from benchctl.store.writing.removal import drop_transcripts, droppable
    from benchctl.store.writing.sighting import Sighting

    before = _closed(run, _TRANSCRIPTS_OPEN)
    name = droppable(before)
    if yes and name:
        return _said(run.id, *drop_transcripts(run.layout, why))
    return _said(run.id, before, None, [Sighting(name, 0, whole=True)] if name else [])


def _erase(
    store: Store, names: tuple[str, ...], secret_file: str, why: str | None, *, yes: bool
) -> list[dict[str, Any]]:
    """Erase a secret from the runs, or say in which files it stands. Raises SecretNotFoundError where in none."""
    from benchctl.store.writing.removal import erase
    from benchctl.store.writing.secret import Secret
    from benchctl.store.writing.sighting import sightings

    if not names:
        raise OptionInvalidError(
            "--erase needs the runs to be named", expected="gc RUN… --erase FILE --why TEXT"
        )
    if why is None:
        raise OptionInvalidError("--erase needs --why", expected="what is to stand in place of the text")
    secret = Secret.of(_text(secret_file), why)
    runs = _named(store, names, _JOURNAL_OPEN)
    manifests = [_closed(run, _JOURNAL_OPEN) for run in runs]
    # All are looked through first: one that has to be refused leaves the others as they are, too.
    found = [sightings(run.layout, each, secret) for run, each in zip(runs, manifests, strict=True)]
    if not any(found):
        raise SecretNotFoundError(
            f"the text occurs nowhere in {', '.join(run.id for run in runs)}",
            expected="the secret alone, as it stands in the run",
            next_step="look for a part of it; text that is compressed or in base64 is not recognised",
        )
    if yes:
        return [_said(run.id, *erase(run.layout, secret)) for run in runs]
    return [_said(run.id, each, None, seen) for run, each, seen in zip(runs, manifests, found, strict=True)]


def _text(secret_file: str) -> str:
    """Return the text to erase, byte for byte; never an argument, for every process of the machine can read those."""
    from benchctl.store.disk.given_file import read_given

    try:
        return read_given(secret_file, _LONGEST_SECRET).decode()
    except UnicodeDecodeError as error:
        raise OptionInvalidError("the text to erase is not UTF-8", where=Where(secret_file)) from error


def _said(run: str, before: Manifest, after: Manifest | None, found: Sequence[Sighting]) -> dict[str, Any]:
    """Return what is removed from a run; `after` is None where nothing was done."""
    return {
        "run": run,
        "files": [
            {
                "path": each.name,
                "bytes": before.files[each.name].bytes,
                "sha256": before.files[each.name].sha256,
                "how": "dropped" if each.whole else "replaced",
                "values": each.times,
            }
            for each in found
        ],
        "bytes": sum(before.files[each.name].bytes for each in found),
        "data": {"before": before.data, "after": after.data if after else None},
        "generation": after.generation if after else None,
    }


def _lines(said: dict[str, Any], *, yes: bool) -> list[str]:
    verb = {"dropped": ("would drop", "dropped"), "replaced": ("would replace", "replaced")}
    lines = [
        visible(
            f"{said['run']}: {verb[file['how']][yes]} {file['path']}, {file['bytes']:,} bytes, sha256 {file['sha256']}"
        )
        for file in said["files"]
    ]
    moved = said["data"]["after"] not in (None, said["data"]["before"])
    return lines + (
        [f"{said['run']}: data {said['data']['after']}, before {said['data']['before']}"] if moved else []
    )
