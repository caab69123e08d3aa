"""`benchctl regrade`: all cells of a closed run graded anew from what the run kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from benchctl.cli.aftermath import Aftermath, pins_of
from benchctl.cli.console import Console, columns
from benchctl.cli.options import find_project, listed_names, output_format, project_options

if TYPE_CHECKING:
    from benchctl.runner.regrade import FactMove, GradeMove, Regrading

__all__ = ["REGRADE_SCHEMA", "command"]

REGRADE_SCHEMA = "benchctl.regrade/1"

_SHOWN_FACTS = 4


@click.command("regrade")
@click.argument("run")
@click.option("--only", multiple=True, metavar="NAMES", help="Only these questions, separated by commas.")
@click.option(
    "--gold",
    type=click.Choice(["run", "suite"]),
    default="run",
    show_default=True,
    help="Grade by the key that the run keeps, or by the one that the suite has today.",
)
@click.option("--dry-run", is_flag=True, help="Show what would move; write nothing.")
@output_format("text", "json")
@project_options
def command(
    *,
    run: str,
    only: tuple[str, ...],
    gold: Literal["run", "suite"],
    dry_run: bool,
    form: str,
    project_dir: Path,
    quiet: bool,
    verbose: bool,
) -> None:
    """Grade the cells of RUN anew with today's graders, and append the grades as a new generation.

    Answers, questions and keys come from the run itself. The old grades stay. A run whose questions
    cannot be recovered is refused, and so is one that asked a question otherwise than the suite does.

    \b
    Example:
      benchctl regrade first --dry-run
    """
    from benchctl.runner.closed import closed_run
    from benchctl.runner.regrade import regrade
    from benchctl.store.disk.verified_file import hash_anew

    hash_anew()
    console = Console(quiet=quiet, verbose=verbose)
    project = find_project(project_dir)
    stored = closed_run(project.store, run)
    pins = pins_of(project, run)
    done = regrade(project, stored, only=listed_names("--only", only), gold=gold, dry_run=dry_run)
    told = _json(run, done.found, dry_run=dry_run), _text(run, done.found, dry_run=dry_run)
    Aftermath.of(done, pins).tell(console, form, *told)


def _json(run: str, found: Regrading, *, dry_run: bool) -> dict[str, Any]:
    return {
        "schema": REGRADE_SCHEMA,
        "run": run,
        "dry_run": dry_run,
        "gold": found.gold,
        "keys": dict(found.keys),
        "generation": found.generation if found.moves else None,
        "graded": len(found.rows),
        "stay": found.stay,
        "moves": [
            {
                "cell": move.cell,
                "question": move.question,
                "score_was": move.was,
                "score": move.now,
                "facts": [{"id": fact.id, "was": fact.was, "now": fact.now} for fact in move.facts],
            }
            for move in found.moves
        ],
    }


def _text(run: str, found: Regrading, *, dry_run: bool) -> str:
    if not found.moves:
        return f"run {run}: none of {len(found.rows)} grades moves; nothing is written"
    table = columns([_line(move) for move in found.moves], ("cell", "score", "now", "facts"))
    would = "would be" if dry_run else "is"
    told = f"{len(found.moves)} of {len(found.rows)} grades move, {found.stay} stay; this {would} generation {found.generation}"
    return f"{table}\n\nrun {run}: {told}"


def _line(move: GradeMove) -> tuple[object, ...]:
    from benchctl.report.labels import metric_text

    shown = [_fact(fact) for fact in move.facts[:_SHOWN_FACTS]]
    more = len(move.facts) - len(shown)
    was = None if move.was is None else metric_text("score", move.was)
    facts = "; ".join([*shown, *([f"and {more} more"] if more else [])])
    return move.cell, was, metric_text("score", move.now), facts or "no fact differs"


def _fact(fact: FactMove) -> str:
    return f"{fact.id}: {fact.was or 'not stated'} -> {fact.now or 'not stated'}"
