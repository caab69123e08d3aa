"""`benchctl plan`: the dry run. It composes every command with the code that `run` uses, and starts none."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import Console, columns, put, put_json, refusal_lines
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
from benchctl.cli.plan_bounds import bound_lines, limits_of, step_lines, steps_of
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
    continuations: int | None,
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
    from benchctl.planning.refusals import known_refusals
    from benchctl.runner.problems import nothing_to_run, raise_problems
    from benchctl.runner.survey import survey

    console = Console(quiet=quiet, verbose=verbose)
    project = find_project(project_dir)
    read, file = project.read_suite(suite_name(project, suite))
    selection = selection_of(only, arms, agents, models, practice=practice)
    found = survey(read, file, selection)
    caps_asked = caps_of(read, caps)
    raise_problems(found.problems, known_refusals(read, selection, found.world, caps_asked)[1])
    plan = make_plan(
        read,
        world=found.world,
        gold=written_gold(read),
        selection=selection,
        reps=reps,
        seed=seed,
        caps=caps_asked,
        continuations=continuations,
    )
    if form == "json":
        put_json(plan_json(read, plan))
    else:
        put(visible(plan_text(read, plan), keep="\n"))
    if not plan.cells:
        raise nothing_to_run(plan.refusals, told=True)
    rest = "the rest, and ends with 3 for what is refused" if plan.required_refusals else "it"
    console.say(f"nothing was started; `benchctl run {read.name}` collects {rest}")


def plan_json(suite: Suite, plan: Plan) -> dict[str, Any]:
    """Return the plan in the shape that `--format json` promises; environment variables by name alone."""
    from benchctl.runner.environment import environment_names, unset_names

    return {
        "schema": PLAN_SCHEMA,
        "suite": suite.name,
        "cells": [
            {
                "cell": cell.cell,
                "argv": list(made.argv),
                "env": list(environment_names(suite.agents[cell.agent], made)),
                "unset": list(unset_names(suite.agents[cell.agent])),
                "files": sorted(made.files),
                "order": cell.order,
                "key": cell.key,
                "before_gold": cell.question in plan.before_gold,
            }
            for cell, made in _composed(suite, plan)
        ],
        "refusals": [refusal.model_dump() for refusal in plan.refusals],
        "caps": plan.caps.told(),
        "reps": plan.reps,
        "seed": plan.seed,
        "worst_case": {
            "cells": plan.worst_case.cells,
            "attempts": plan.worst_case.attempts,
            "wall_s": plan.worst_case.wall_s,
            "cost_usd": plan.worst_case.cost_usd,
            "tokens": plan.worst_case.tokens,
            "steps_s": plan.worst_case.steps_s,
            "empty_runs": plan.worst_case.floors,
            "paid": plan.worst_case.paid,
        },
        "continuations": plan.continuations,
        "arms": _arms(suite, plan),
        "steps": steps_of(suite, plan),
        "limits": limits_of(suite),
        "before_gold": list(plan.before_gold),
        "plan_digest": None if plan.before_gold else plan.digest,
    }


def plan_text(suite: Suite, plan: Plan) -> str:
    """Return the plan for a person: cells in order with their commands, then refusals, caps and the worst case."""
    from benchctl.quantities.format import format_number
    from benchctl.runner.environment import environment_names, unset_names

    rows = []
    shared: set[str] = set()
    for cell, made in _composed(suite, plan):
        open_gold = "before gold" if cell.question in plan.before_gold else ""
        rows.append((cell.order, cell.cell, open_gold, shlex.join(made.argv)))
        files = " ".join(sorted(made.files)) or "no files"
        spec = suite.agents[cell.agent]
        unset = f"; unset here {' '.join(gone)}" if (gone := unset_names(spec)) else ""
        shared.add(f"  {cell.agent}: {' '.join(environment_names(spec, made))}{unset}; writes {files}")
    caps = ", ".join(f"{name}={format_number(value)}" for name, value in plan.caps.told().items())
    given = list(_given(suite, plan))
    steps = list(step_lines(suite, plan))
    limits = ", ".join(f"{name}={value}" for name, value in limits_of(suite).items() if value is not None)
    turns = f", {plan.continuations} continuations a session at most" if plan.continuations else ""
    parts = [
        f"{suite.name}: {plan.worst_case.cells} cells at most, {plan.reps} repetitions, seed {plan.seed}",
        *([columns(rows, ("order", "cell", "gold", "command"))] if rows else []),
        *(["\n".join(["environment and files, by agent", *sorted(shared)])] if shared else []),
        *(["\n".join(["given, by arm", *given])] if given else []),
        *(["\n".join(["around each attempt, by repository", *steps])] if steps else []),
        f"caps: {caps}{turns}{f'; the whole run: {limits}' if limits else ''}",
        "\n".join(bound_lines(suite, plan)),
    ]
    if plan.refusals:
        parts.insert(2 if rows else 1, "\n".join(["refused", *refusal_lines(plan.refusals)]))
    return "\n\n".join(parts)


def _arms(suite: Suite, plan: Plan) -> dict[str, dict[str, Any]]:
    """Return what each arm of the plan tells and gives its agents; its servers with the commands that a run starts."""
    from benchctl.planning.invocations import granted_tools, server_command
    from benchctl.runner.invocations import PLANNED

    found: dict[str, dict[str, Any]] = {}
    for name in dict.fromkeys(cell.arm for cell in plan.cells):
        arm = suite.arms[name]
        servers = {each: server_command(server, PLANNED) for each, server in arm.servers.items()}
        found[name] = {
            "prompt": arm.prompt,
            "tools": list(granted_tools(arm)),
            "effort": arm.effort,
            "instructions": arm.instructions,
            "servers": {
                each: {"argv": list(made.argv), "env": sorted(made.env)} for each, made in servers.items()
            },
            "indexes": {each: index.repo for each, index in arm.indexes.items()},
        }
    return found


def _given(suite: Suite, plan: Plan) -> Iterator[str]:
    """Yield a line for each thing that an arm gives beside its prompt."""
    for name, arm in _arms(suite, plan).items():
        if arm["tools"]:
            yield f"  {name}: may call {' '.join(arm['tools'])}"
        for server, made in arm["servers"].items():
            variables = f"; variables {' '.join(made['env'])}" if made["env"] else ""
            yield f"  {name}: starts {server} as {shlex.join(made['argv'])}{variables}"
        for index, repo in arm["indexes"].items():
            yield f"  {name}: reads index {index} of {repo}, checked before the first cell"
        if arm["effort"]:
            yield f"  {name}: effort {arm['effort']}"
        if arm["instructions"]:
            yield f"  {name}: {len(arm['instructions'].splitlines())} lines of instructions"


def _composed(suite: Suite, plan: Plan) -> Iterator[tuple[PlannedCell, Invocation]]:
    from benchctl.runner.invocations import planned_invocation

    for cell in plan.cells:
        yield cell, planned_invocation(suite, cell)
