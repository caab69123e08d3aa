"""`benchctl show`: one run, or one cell with its answer, its grade and its attempts."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import Console, columns, put, put_json, refusal_lines
from benchctl.cli.options import find_project, output_format, project_options
from benchctl.cli.show_attempts import attempt_lines, put_stream
from benchctl.errors import OptionInvalidError, StoreDamagedError, Where
from benchctl.report.escaping import visible

if TYPE_CHECKING:
    from benchctl.store.reader import Store, StoredRun

__all__ = ["CELL_SCHEMA", "RUN_SCHEMA", "command"]

RUN_SCHEMA = "benchctl.show-run/1"
CELL_SCHEMA = "benchctl.show-cell/1"

_LISTED = ("cell", "outcome", "score", "precision", "recall", "wall_s")
_MOST_COLUMNS, _MOST_ROWS = 10, 200
_FLOOR = ("arm", "agent", "model", "probes", "floor", "least", "most", "source")
_ATTEMPT = ("attempt", "outcome", "started_at", "wall_s", "exit_code", "detail")


@click.command("show")
@click.argument("run")
@click.argument("cell", required=False)
@click.option(
    "--stream",
    metavar="NAME",
    help="Print what CELL wrote, as it is: stdout, stderr, diff, network, prepare, check ...",
)
@click.option(
    "--attempt", type=click.IntRange(1), help="Of this attempt; the last that has the stream otherwise."
)
@output_format("text", "json")
@project_options
def command(
    *,
    run: str,
    cell: str | None,
    stream: str | None,
    attempt: int | None,
    form: str,
    project_dir: Path,
    quiet: bool,
    verbose: bool,
) -> None:
    """Show RUN with its terms and cells, or one CELL of it with answer, grade and attempts.

    \b
    Example:
      benchctl show first click-echo/grep/script/none/1
      benchctl show first click-echo/grep/script/none/1 --stream diff | git apply
    """
    console = Console(quiet=quiet, verbose=verbose)
    if stream is None and attempt is not None:
        raise OptionInvalidError("--attempt without --stream", expected="the stream of it to print")
    if stream is not None and cell is None:
        raise OptionInvalidError("--stream without CELL", expected="the cell that wrote it")
    store = find_project(project_dir).store
    stored = store.run(run)
    if cell is not None and stream is not None:
        stored.cell(cell)  # an unknown one is said as such
        put_stream(stored, cell, stream, attempt)
        return
    if cell is None:
        data, text = _run(store, stored)
    else:
        data, text = _cell(stored, cell)
    if form == "json":
        put_json(data)
    else:
        put(text)
    if cell is None:
        console.say(f"\n`benchctl show {run} CELL` shows one of them")
    elif data["transcripts"]:
        console.say(f"\n`benchctl show {run} {cell} --stream NAME` prints one of its streams")


def _run(store: Store, run: StoredRun) -> tuple[dict[str, Any], str]:
    from benchctl.report.cell_rows import cell_rows
    from benchctl.report.comparability import terms
    from benchctl.report.corrections import corrections
    from benchctl.report.goals import goal_lines, goal_verdicts

    record, cells, seen = run.record, run.cells(), cell_rows(run)
    goals = goal_verdicts(store, run)
    measured = _floors(run)
    data = {
        "schema": RUN_SCHEMA,
        "record": record.model_dump(mode="json", by_alias=True),
        "state": run.state,
        "data": run.data_digest,
        "goals": [asdict(goal) for goal in goals],
        "floors": measured,
        "cells": seen,
    }
    stated = [
        f"{'' if below else term.name.lower():<13} {visible(line)}"
        for term in (*terms(record, cells, run.data_digest), *corrections(run))
        for below, line in enumerate((*term.lines, *term.details))
    ]
    parts = ["\n".join(stated)]
    if goals:
        parts.append("\n".join(["goals, fixed before the first cell", *goal_lines(goals)]))
    if record.refusals:
        parts.append("\n".join(["refused", *refusal_lines(record.refusals)]))
    if measured:
        listed = columns([[_of_floor(name, floor[name]) for name in _FLOOR] for floor in measured], _FLOOR)
        parts.append(f"floors of tokens, by empty runs\n{listed}")
    parts.append(_listing(run, seen))
    return data, "\n\n".join(parts)


def _floors(run: StoredRun) -> list[dict[str, Any]]:
    """Return the floors of tokens that a run has; an imported one has none."""
    from benchctl.runner.baselines import floors, newest

    return [] if run.record.imported else floors(newest(run.rows("baselines")))


def _of_floor(name: str, value: object) -> object:
    return _figure("floor_tokens", value) if name in ("floor", "least", "most") else value


def _listing(run: StoredRun, cells: list[dict[str, Any]]) -> str:
    """Return the cells as a table; of an imported run the columns that have values, and not 100,000 rows."""
    from benchctl.report.cell_rows import filled
    from benchctl.report.labels import own_names

    if run.record.imported is None:
        return columns([[_figure(name, row[name]) for name in _LISTED] for row in cells], _LISTED)
    with_value = [c.name for c in filled(run) if c.name not in ("run", "order")]
    names = [name for name in with_value if name != "answer"][:_MOST_COLUMNS]
    own = own_names(run)
    listed = columns([[_figure(name, row[name], own) for name in names] for row in cells[:_MOST_ROWS]], names)
    notes = [f"the first {_MOST_ROWS} of {len(cells):,} cells"] if len(cells) > _MOST_ROWS else []
    hidden = len(with_value) - len(names)
    notes += [f"{hidden} further columns; `benchctl query` reaches them all"] if hidden else []
    return "\n".join([listed, *notes])


def _cell(run: StoredRun, name: str) -> tuple[dict[str, Any], str]:
    from benchctl.report.labels import own_names
    from benchctl.store.writing.removal import dropped_transcripts

    own = own_names(run)
    row, attempts, grades = _with_own(run, run.cell(name)), run.attempts(name), run.grades(name)
    facts_of = [_facts(run, grade) for grade in grades]
    facts = facts_of[0] if facts_of else []
    transcripts = run.transcripts(name)
    data = {
        "schema": CELL_SCHEMA,
        "cell": row,
        "attempts": attempts,
        "grades": [{**grade, "facts": found} for grade, found in zip(grades, facts_of, strict=True)],
        "transcripts": transcripts,
    }
    answer = "no answer" if row.get("answer") is None else visible(row["answer"], keep="\n\t")
    shown = [key for key in row if key not in ("answer", "key", "run", "cell") and row[key] is not None]
    parts = [
        visible(f"{run.id} {name}"),
        columns([(key, _figure(key, row[key], own)) for key in shown], ("column", "value")),
        f"answer\n{answer}",
        *([f"grade\n{visible(grades[0]['note'])}"] if grades and grades[0]["note"] else []),
    ]
    if run.record.imported is None:
        parts += [
            columns([(fact["state"], fact["id"], fact["note"]) for fact in facts], ("fact", "what", "note")),
            columns([[_figure(key, attempt[key]) for key in _ATTEMPT] for attempt in attempts], _ATTEMPT),
        ]
        if happened := list(attempt_lines(attempts, transcripts)):
            parts.append("\n".join(["what happened", *happened]))
    if run.manifest and (gone := dropped_transcripts(run.manifest)):
        parts.append(visible(gone))
    if row.get("outcome") != "ok" and (last := _last_words(transcripts, "stderr")):
        parts.append(f"the last of standard error\n{visible(last, keep=chr(10))}")
    if row.get("check_failed") and (last := _last_words(transcripts, "check_stderr", "check")):
        parts.append(f"the last of its check, which failed\n{visible(last, keep=chr(10))}")
    return data, "\n\n".join(parts)


def _with_own(run: StoredRun, row: dict[str, Any]) -> dict[str, Any]:
    """Return a cell's row with what an imported run's own columns say of it."""
    if run.record.imported is None:
        return row
    from benchctl.report.cell_rows import cell_row

    return cell_row(run, str(row["cell"]))


def _last_words(transcripts: list[dict[str, Any]], *streams: str) -> str:
    """Return the last lines that the last attempt wrote to the first of the `streams` that holds any."""
    for stream in streams:
        found = [each for each in transcripts if each["stream"] == stream and each["text"].strip()]
        if found:
            return "\n".join(max(found, key=lambda each: each["attempt"])["text"].splitlines()[-10:])
    return ""


def _facts(run: StoredRun, grade: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the facts of a grade, of an imported one none. Raises StoreDamagedError where they are no facts."""
    from benchctl.store.disk.untrusted import parse_json

    try:
        return [
            {name: fact[name] for name in ("id", "state", "note")}
            for fact in parse_json(grade["facts"] or "[]")
        ]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise StoreDamagedError(
            f"the facts of the grade of cell {grade['cell']} are none: {error}",
            where=Where(str(run.layout.table("grades"))),
            next_step="`benchctl verify-store` checks every file",
        ) from error


def _figure(name: str, value: object, own: frozenset[str] = frozenset()) -> object:
    """Return a stored value as every table shows it; what is no metric, as it is. `own` are a run's own columns."""
    from benchctl.report.labels import stored_text

    shown = stored_text(name, value, own)
    return value if shown is None else shown
