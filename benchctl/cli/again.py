"""The command line that goes on with a run, for whoever was interrupted and for whoever finds it stopped."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchctl.schema.run import RunRecord
    from benchctl.schema.suite import Suite

__all__ = ["again", "recorded_options"]

_SAID_LAST = ("run_id", "resume", "detach", "restarts")


def again(command: click.Command, given: Mapping[str, Any], run_id: str) -> str:
    """Return the command line of `run` with what was given, its id said out loud; what is left out has its default."""
    ctx = click.Context(command)
    words = ["benchctl", "run"]
    for parameter in command.params:
        value = given.get(str(parameter.name))
        if parameter.name in _SAID_LAST or value in (None, (), parameter.get_default(ctx)):
            continue
        if isinstance(parameter, click.Argument):
            words.append(str(value))
        elif value is True:
            words.append(parameter.opts[0])
        else:
            for each in value if isinstance(value, tuple) else (value,):
                words += [parameter.opts[0], str(each)]
    return shlex.join([*words, "--run-id", run_id])


def recorded_options(record: RunRecord, suite: Suite) -> dict[str, Any]:
    """Return the options of `run` that give this record's plan, as far as its suite would plan otherwise today."""
    caps = suite.caps.model_dump()
    options = {
        "suite": suite.name,
        "no_sandbox": record.sandbox == "none",
        "practice": record.practice,
        "reps": record.reps if record.reps != suite.run.reps else None,
        "seed": record.seed if record.seed != suite.run.seed else None,
        "continuations": record.continuations if record.continuations != suite.run.continuations else None,
        "caps": tuple(f"{name}={value}" for name, value in record.caps.items() if caps.get(name) != value),
        "allow_refused": record.allow_refused,
    }
    if record.baseline_reps not in (None, suite.run.baseline_reps):
        options["no_baseline"] = record.baseline_reps == 0
        options["baseline_reps"] = record.baseline_reps or None
    return options | _selected(record, suite)


def _selected(record: RunRecord, suite: Suite) -> dict[str, tuple[str, ...]]:
    """Return the axes of which the run was asked for a part: what was not run and not refused was not asked for."""
    questions = [each.id for each in suite.questions if suite.practice(each) == record.practice]
    models = {model for agent in suite.agents.values() for model in agent.models}
    axes = (
        ("only", "question", questions),
        ("arms", "arm", suite.arms),
        ("agents", "agent", suite.agents),
        ("models", "model", models),
    )
    return {option: _part(record, noun, offered) for option, noun, offered in axes}


def _part(record: RunRecord, noun: str, offered: Iterable[str]) -> tuple[str, ...]:
    seen = {str(getattr(each, noun)) for each in (*record.cells, *record.refusals)}
    asked = [name for name in offered if name in seen]
    return () if len(asked) in (0, len(list(offered))) else (",".join(asked),)
