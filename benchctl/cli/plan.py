"""`benchctl plan`: the dry run. It composes every command with the code that `run` uses, and starts none."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import Console, columns, duration, put, put_json, refusal_lines
from benchctl.cli.options import (
    axes,
    caps_of,
    find_project,
    output_format,
    project_options,
    selection_of,
    suite_name,
    terms,
)
from benchctl.report.escaping import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchctl.agents.base import Invocation
    from benchctl.planning.plan import Plan
    from benchctl.schema.run import PlannedCell
    from benchctl.schema.suite import Suite

__all__ = ["PLAN_SCHEMA", "command", "plan_json", "plan_text"]

PLAN_SCHEMA = "benchctl.plan/1"


@click.command("plan")
@click.argument("suite", required=False)
@axes
@terms
@output_format("text", "json")
@project_options
def command(
    *,
    suite: str | None,
    only: tuple[str, ...],
    arms: tuple[str, ...],
    agents: tuple[str, ...],
    models: tuple[str, ...],
    practice: bool,
    reps: int | None,
    seed: int | None,
    caps: tuple[str, ...],
    form: str,
    project_dir: Path,
    quiet: bool,
    verbose: bool,
) -> None:
    """Show what a run of SUITE would do: cells, refusals, commands, caps, worst case.

    Starts nothing and writes nothing. Gold that is derived (which would start the gold
    methods) is left open: such questions are marked "before gold" and may still drop out.

    \b
    Example:
      benchctl plan callers-v1 --arms grep --format json
    """
    from benchctl.planning.plan import make_plan
    from benchctl.planning.questions import written_gold
    from benchctl.runner.problems import raise_problems
    from benchctl.runner.survey import survey

    console = Console(quiet=quiet, verbose=verbose)
    project = find_project(project_dir)
    read, file = project.read_suite(suite_name(project, suite))
    selection = selection_of(only, arms, agents, models, practice=practice)
    found = survey(read, file, selection)
    raise_problems(found.problems)
    plan = make_plan(
        read,
        world=found.world,
        gold=written_gold(read),
        selection=selection,
        reps=reps,
        seed=seed,
        caps=caps_of(read, caps),
    )
    if form == "json":
        put_json(plan_json(read, plan))
    else:
        put(visible(plan_text(read, plan), keep="\n"))
    console.say(f"nothing was started; `benchctl run {read.name}` collects it")


def plan_json(suite: Suite, plan: Plan) -> dict[str, Any]:
    """Return the plan in the shape that `--format json` promises; environment variables by name alone."""
    from benchctl.runner.environment import environment_names

    return {
        "schema": PLAN_SCHEMA,
        "suite": suite.name,
        "cells": [
            {
                "cell": cell.cell,
                "argv": list(made.argv),
                "env": list(environment_names(suite.agents[cell.agent], made)),
                "files": sorted(made.files),
                "order": cell.order,
                "key": cell.key,
                "before_gold": cell.question in plan.before_gold,
            }
            for cell, made in _composed(suite, plan)
        ],
        "refusals": [refusal.model_dump() for refusal in plan.refusals],
        "caps": plan.caps.model_dump(),
        "reps": plan.reps,
        "seed": plan.seed,
        "worst_case": {
            "cells": plan.worst_case.cells,
            "attempts": plan.worst_case.attempts,
            "wall_s": plan.worst_case.wall_s,
            "cost_usd": plan.worst_case.cost_usd,
        },
        "before_gold": list(plan.before_gold),
        "plan_digest": None if plan.before_gold else plan.digest,
    }


def plan_text(suite: Suite, plan: Plan) -> str:
    """Return the plan for a person: cells in order with their commands, then refusals, caps and the worst case."""
    from benchctl.quantities.format import format_number
    from benchctl.runner.environment import environment_names

    rows = []
    shared: set[str] = set()
    for cell, made in _composed(suite, plan):
        open_gold = "before gold" if cell.question in plan.before_gold else ""
        rows.append((cell.order, cell.cell, open_gold, shlex.join(made.argv)))
        files = " ".join(sorted(made.files)) or "no files"
        shared.add(
            f"  {cell.agent}: {' '.join(environment_names(suite.agents[cell.agent], made))}; writes {files}"
        )
    worst = plan.worst_case
    cost = "nothing bounds the cost" if worst.cost_usd is None else f"{worst.cost_usd:.2f} USD"
    caps = ", ".join(f"{name}={format_number(value)}" for name, value in plan.caps.model_dump().items())
    parts = [
        f"{suite.name}: {worst.cells} cells at most, {plan.reps} repetitions, seed {plan.seed}",
        columns(rows, ("order", "cell", "gold", "command")),
        "\n".join(["environment and files, by agent", *sorted(shared)]),
        f"caps: {caps}",
        f"worst case: {worst.attempts} attempts, {duration(worst.wall_s)}, {cost}",
    ]
    if plan.refusals:
        parts.insert(2, "\n".join(["refused", *refusal_lines(plan.refusals)]))
    return "\n\n".join(parts)


def _composed(suite: Suite, plan: Plan) -> Iterator[tuple[PlannedCell, Invocation]]:
    from benchctl.runner.invocations import planned_invocation

    for cell in plan.cells:
        yield cell, planned_invocation(suite, cell)
