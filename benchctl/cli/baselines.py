"""`benchctl baselines`: the floors of tokens alone, by empty runs; shown, or added to a run that was collected without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.again import recorded_options
from benchctl.cli.console import Console, columns, put, put_json
from benchctl.cli.options import axes, find_project, output_format, project_options, selection_of, suite_name
from benchctl.cli.progress import LiveView
from benchctl.errors import OptionInvalidError, PlanDiffersError, RunStoppedError
from benchctl.quantities.format import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchctl.planning.selection import Selection
    from benchctl.runner.ready import Ready
    from benchctl.schema.spent import Spent
    from benchctl.schema.suite import Suite
    from benchctl.store.reader import StoredRun

__all__ = ["BASELINES_SCHEMA", "command"]

BASELINES_SCHEMA = "benchctl.baselines/1"

_REPS = 3
_SAME = ("arms", "agents", "sandbox")
"""What of its terms a run and an empty run that is measured later must have in common."""


@click.command("baselines")
@click.argument("suite", required=False)
@click.option("--run-id", metavar="ID", help="Add what is measured to this closed run, marked as post hoc.")
@click.option("--remeasure", is_flag=True, help="With --run-id: measure again what it has; the newer counts.")
@click.option(
    "--baseline-reps",
    type=click.IntRange(1, 100),
    default=_REPS,
    show_default=True,
    help="How many empty runs for each arm, agent and model.",
)
@click.option("--no-sandbox", is_flag=True, help="Give up containment.")
@axes
@output_format("text", "json")
@project_options
def command(**given: Any) -> None:
    """Measure what each arm, agent and model of SUITE reads before it is asked anything.

    An empty run asks for one word on an empty tree, with the arm's tools and servers. The floor is the median
    of their input tokens, and what a cell reads above it are its content tokens. `benchctl run` measures it on
    its own where the suite says `baseline_reps`.

    \b
    Example:
      benchctl baselines callers-v1 --baseline-reps 3
    """
    from benchctl.runner.baselines import floors, unmeasured

    console = Console(quiet=given["quiet"], verbose=given["verbose"])
    if given["remeasure"] and given["run_id"] is None:
        raise OptionInvalidError(
            "--remeasure without --run-id", expected="the run whose floors are measured again"
        )
    found = _measured(console, given)
    shown = floors(found.rows or found.known)
    if given["form"] == "json":
        put_json(
            {
                "schema": BASELINES_SCHEMA,
                "run": given["run_id"],
                "probes": found.rows,
                "floors": shown,
                "unreported": found.mute,
            }
        )
    else:
        names = ("arm", "agent", "model", "probes", "floor", "least", "most", "source")
        put(columns([[floor[name] for name in names] for floor in shown], names))
    for agent in found.mute:
        console.say(f"no floor of {agent}: nobody reports its tokens")
    if given["run_id"] is not None and found.rows:
        console.say(f"{counted(len(found.rows), 'empty run')} added to {given['run_id']}, marked as post hoc")
    elif given["run_id"] is not None and found.known:
        console.say(
            f"nothing is to be measured: these are the floors that run {given['run_id']} has;"
            " --remeasure measures them again"
        )
    if found.spent is not None:
        console.say(f"spent {found.spent}")
    if found.stopped:
        raise RunStoppedError(
            f"the empty runs stopped: {found.stopped}; {found.left} are left",
            next_step="mend the cause, or raise `spend_usd` or `stop_after` under [run] of the suite",
        )
    if lost := unmeasured(found.rows or found.known):
        lost.next_step = "mend what the agent fails at, and measure again"
        raise lost


@dataclass(frozen=True, slots=True)
class _Found:
    """What was measured: the rows, those that the run had, and the agents of which none can be had.

    `spent` is what the rows cost, None where nobody says. `stopped` is why `left` probes were not begun.
    """

    rows: list[Mapping[str, Any]]
    known: list[Mapping[str, Any]]
    mute: list[str]
    spent: Spent | None
    stopped: str | None
    left: int


def _measured(console: Console, given: dict[str, Any]) -> _Found:
    """Run the probes, within what the suite lets a run spend."""
    from benchctl.runner.interrupts import Interrupts
    from benchctl.runner.options import RunOptions
    from benchctl.runner.preflight import prepared
    from benchctl.store.writing.corrections import append_baselines
    from benchctl.workspace.machine_lock import machine_lock

    project = find_project(given["project_dir"])
    project.refuse_remote()
    suite, file = project.read_suite(suite_name(project, given["suite"]))
    run = None if given["run_id"] is None else _closed(project.store.run(given["run_id"]))
    options = RunOptions(
        run_id=given["run_id"] or "baselines",
        selection=_selection(suite, given, run),
        no_sandbox=given["no_sandbox"],
    )
    view = LiveView(console)
    machine = machine_lock(f"of the floors of {options.run_id}", project.runs_dir)
    with (
        Interrupts(),
        machine as lock,
        lock.turn(),
        prepared(project, suite, file, options, view) as ready,
    ):
        if run is not None:
            _refuse_other_terms(ready, run)
        found = _probed(ready, run, view, reps=given["baseline_reps"], remeasure=given["remeasure"])
    if run is not None and found.rows:
        append_baselines(run, found.rows)
    return found


def _selection(suite: Suite, given: dict[str, Any], run: StoredRun | None) -> Selection:
    """Return what is measured: what was asked for, and of a run no more than it has asked."""
    axes = {name: given[name] for name in ("only", "arms", "agents", "models")}
    practice = given["practice"]
    if run is not None:
        its = recorded_options(run.record, suite)
        axes = {name: asked or its[name] for name, asked in axes.items()}
        practice = practice or run.record.practice
    return selection_of(axes["only"], axes["arms"], axes["agents"], axes["models"], practice=practice)


def _probed(ready: Ready, run: StoredRun | None, view: LiveView, *, reps: int, remeasure: bool) -> _Found:
    from benchctl.runner.baselines import measured, newest, probes_of, unmeasurable
    from benchctl.runner.cost import costs_of, paying_agents
    from benchctl.runner.stop_rules import StopRules
    from benchctl.schema.spent import Spent
    from benchctl.workspace.workers import Workers

    known = [] if run is None else newest(run.rows("baselines"))
    probes = probes_of(ready, reps, [] if remeasure else [row["cell"] for row in known])
    if run is not None:
        ways = {(cell.arm, cell.agent, cell.model) for cell in run.record.cells}
        probes = tuple(probe for probe in probes if (probe.arm, probe.agent, probe.model) in ways)
    before, cap = [] if run is None else costs_of(run), ready.plan.caps.cost_usd
    paying, costs = paying_agents(ready.suite.agents), list[float | None]()
    limits = ready.suite.run
    rules = StopRules(limits.stop_after, limits.spend_usd, lambda: Spent.of([*before, *costs], cap))
    rows: list[Mapping[str, Any]] = []
    stopped = rules.stop() if probes else None
    if probes and not stopped:
        with Workers() as workers:
            for row in measured(ready, probes, workers.run, marker="baselines", progress=view):
                rows.append(row)
                if row["cost_usd"] is not None or row["agent"] in paying:
                    costs.append(row["cost_usd"])
                if (stopped := rules.ended(str(row["outcome"]))) and len(rows) < len(probes):
                    break
    left = len(probes) - len(rows)
    return _Found(
        rows, known, list(unmeasurable(ready)), Spent.of(costs, cap), stopped if left else None, left
    )


def _closed(run: StoredRun) -> StoredRun:
    if run.state != "closed" or run.record.imported:
        raise OptionInvalidError(
            f"--run-id {run.id}: floors are added to a closed run that was collected here",
            next_step=f"an open one measures them itself: `benchctl run --run-id {run.id} --baseline-reps {_REPS}`",
        )
    return run


def _refuse_other_terms(ready: Ready, run: StoredRun) -> None:
    ours, theirs = ready.record.comparability, run.record.comparability
    if other := [name for name in _SAME if ours.get(name) != theirs.get(name)]:
        raise PlanDiffersError(
            f"run {run.id} had other {', '.join(other)} than the suite has now, and so another floor",
            next_step="measure with the suite and the options that the run was collected with",
        )
