"""`benchctl run`: preflight, then one cell at a time, then what came of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.again import again
from benchctl.cli.console import Console, duration, put, put_json, refusal_lines
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
from benchctl.cli.progress import LiveView
from benchctl.cli.run_verdict import judge, refuse, unmeasured_floors
from benchctl.errors import OptionInvalidError
from benchctl.quantities.format import counted

if TYPE_CHECKING:
    from benchctl.report.shape import Table
    from benchctl.runner.execute import RunSummary
    from benchctl.runner.options import RunOptions
    from benchctl.runner.ready import Ready
    from benchctl.schema.run import RefusalRecord, RunRecord
    from benchctl.schema.suite import Suite
    from benchctl.store.project import Project
    from benchctl.store.reader import StoredRun

__all__ = ["RUN_OUTPUT_SCHEMA", "command"]

RUN_OUTPUT_SCHEMA = "benchctl.run/1"


@click.command("run")
@click.argument("suite", required=False)
@click.option("--run-id", metavar="ID", help="The run's id; of one that exists, continue it.")
@click.option("--resume", is_flag=True, help="Continue; without --run-id the suite's newest open run.")
@click.option("--allow-refused", is_flag=True, help="Do not end with 3 for refused combinations.")
@click.option("--no-sandbox", is_flag=True, help="Give up containment; every row is stamped with it.")
@click.option(
    "--no-page", is_flag=True, help="Do not render the run's page; `benchctl site render` does it later."
)
@click.option(
    "--shard",
    metavar="I/N",
    help="Collect every N-th cell from the I-th on, beside other processes that collect the rest.",
)
@click.option("--wait", is_flag=True, help="Wait for the end of another run on this machine.")
@click.option("--detach", is_flag=True, help="Collect in the background, also after this terminal is gone.")
@click.option(
    "--restarts",
    type=click.IntRange(0, 1000),
    metavar="N",
    help="How often --detach goes on with a run whose process was killed.  [default: 8]",
)
@click.option("--no-baseline", is_flag=True, help="Measure no floor of tokens by empty runs.")
@click.option(
    "--baseline-reps",
    type=click.IntRange(0, 100),
    help="Another number of empty runs for each arm, agent and model.",
)
@click.option("--preflight-only", is_flag=True, help="Check everything, collect nothing.")
@axes
@terms
@output_format("text", "json")
@project_options
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Check everything that SUITE needs, then collect a run of it, one cell at a time.

    Without SUITE: the project's default suite. What is refused is printed and recorded, and
    the rest runs; the command then ends with 3, unless the suite calls it optional.
    An interrupted run is continued by the same command with its --run-id. Several processes
    share a run where each is given another --shard of it; the last one closes it. A machine
    collects one run at a time: another one is refused, or waits for it with --wait.

    \b
    Example:
      benchctl run callers-v1 --run-id first --reps 1
    """
    from benchctl.runner.collect import collect
    from benchctl.runner.interrupts import Interrupts
    from benchctl.runner.preflight import prepared

    console = Console(quiet=given["quiet"], verbose=given["verbose"])
    if given["shard"] and given["run_id"] is None and not given["resume"]:
        raise OptionInvalidError("--shard without --run-id", expected="the id of the run that is shared")
    project = find_project(given["project_dir"])
    project.refuse_remote()
    suite, file = project.read_suite(suite_name(project, given["suite"]))
    options = _options(ctx, project, suite, given)
    if given["detach"] or given["restarts"] is not None:
        ctx.exit(_detached(ctx, console, project, {**given, "suite": suite.name}, options.run_id))
    line = LiveView(console)
    if given["preflight_only"]:
        with Interrupts(), prepared(project, suite, file, options, line) as ready:
            _checked(console, ready)
            refuse(ready.plan.required_refusals, allowed=given["allow_refused"])
        return
    summary = collect(project, suite, file, options, line)
    run = project.store.run(summary.run)
    record = run.record
    if summary.data_digest is None:
        _left(console, project, record, summary, shard=given["shard"], form=given["form"])
    else:
        _finish(console, project, record, summary, form=given["form"], paged=not given["no_page"])
    floors = None if summary.data_digest is None else unmeasured_floors(run)
    judge(summary, record.refusals, floors, allowed=given["allow_refused"])


def _detached(
    ctx: click.Context, console: Console, project: Project, given: dict[str, Any], run_id: str
) -> int:
    """Launch the run, and return what the command ends with."""
    from benchctl.cli.detach import RESTARTS, detach

    if not given["detach"]:
        raise OptionInvalidError("--restarts without --detach", expected="a run that goes on by itself")
    if given["preflight_only"]:
        raise OptionInvalidError("--detach with --preflight-only", expected="one of them")
    restarts = RESTARTS if given["restarts"] is None else given["restarts"]
    words = {**given, "project_dir": project.root, "form": "text"}
    command = again(ctx.command, words, run_id)
    return detach(console, project, command, run=run_id, restarts=restarts, form=given["form"])


def _options(ctx: click.Context, project: Project, suite: Suite, given: dict[str, Any]) -> RunOptions:
    from benchctl.runner.options import RunOptions
    from benchctl.runner.shard import Shard
    from benchctl.schema.names import check_run_id

    named = given["run_id"]
    run_id = check_run_id(_chosen_run(project, suite, resume=given["resume"]) if named is None else named)
    return RunOptions(
        run_id=run_id,
        selection=selection_of(
            given["only"], given["arms"], given["agents"], given["models"], practice=given["practice"]
        ),
        reps=given["reps"],
        seed=given["seed"],
        caps=caps_of(suite, given["caps"]),
        continuations=given["continuations"],
        no_sandbox=given["no_sandbox"],
        shard=Shard.read(given["shard"]) if given["shard"] is not None else None,
        again=again(ctx.command, given, run_id),
        wait=given["wait"],
        baseline_reps=0 if given["no_baseline"] else given["baseline_reps"],
        allow_refused=given["allow_refused"],
    )


def _chosen_run(project: Project, suite: Suite, *, resume: bool) -> str:
    """Return the suite's newest open run, or a new id that says when."""
    if not resume:
        return f"{suite.name}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    from benchctl.store.survey import survey

    records = [run.record for run in survey(project.store).runs if run.state == "open"]
    ours = sorted((record.created_at, record.run) for record in records if record.suite == suite.name)
    if not ours:
        raise OptionInvalidError(
            f"--resume: no run of {suite.name} is open",
            next_step="`benchctl runs` lists them; leave --resume out to start one",
        )
    return ours[-1][1]


def _checked(console: Console, ready: Ready) -> None:
    """Say what preflight has found, for those who asked for nothing else."""
    plan = ready.plan
    console.say(
        f"{len(plan.cells)} cells can run, at most {duration(plan.worst_case.wall_s)}; sandbox {ready.sandbox.level}"
    )
    for repo in ready.record.corpora:
        console.detail(f"  {repo.repo} {repo.version or ''}: {repo.files} files, tree {repo.tree_digest}")
    _say_refused(console, plan.refusals)


def _finish(
    console: Console, project: Project, record: RunRecord, summary: RunSummary, *, form: str, paged: bool
) -> None:
    from benchctl.report.goals import goal_lines, goal_verdicts
    from benchctl.report.records import to_json
    from benchctl.report.tables import named_table
    from benchctl.report.terminal import to_text

    if not summary.collected:
        console.say(f"nothing to do: run {record.run} is complete")
    table: Table = named_table(project.store, record.run, "arms", project.config)
    folder = project.runs_dir / record.run
    goals = goal_verdicts(project.store, project.store.run(record.run))
    if form == "text":
        put(to_text(table), end="")
        if goals:
            put("\n".join(["\ngoals, fixed before the first cell", *goal_lines(goals)]))
    page = _page(project, record.run) if paged else None
    if form == "json":
        put_json(_as_json(record, summary, folder, page, to_json(table)))
    _say_unread(console, project.store.run(record.run))
    _say_never_reported(console, project.store.run(record.run))
    _say_refused(console, record.refusals)
    if record.sandbox == "none":
        console.say("\nnothing contained these cells (sandbox none): do not compare them with contained ones")
    shown = page or ("not rendered: charts need `pip install 'benchctl[site]'`" if paged else "not asked for")
    console.say(f"\nrun   {record.run}\ndata  {folder}\npage  {shown}")
    console.say(f"next  benchctl show {record.run}\n      benchctl report {record.run} --table questions")


def _left(
    console: Console, project: Project, record: RunRecord, summary: RunSummary, *, shard: str, form: str
) -> None:
    """Say how far a run is that this shard is done with and others are not."""
    if form == "json":
        put_json(_as_json(record, summary, project.runs_dir / record.run, None, None))
    _say_refused(console, record.refusals)
    left = f"{counted(summary.left, 'cell')} of the run {'is' if summary.left == 1 else 'are'} left to others"
    console.say(f"\nshard {shard} done; {left if summary.left else 'the last of the others closes the run'}")
    console.say(f"next  benchctl status {record.run}")


def _page(project: Project, run: str) -> Path | None:
    """Return the run's page, rendered now; None where the extra that draws its chart is not installed."""
    from importlib.util import find_spec

    from benchctl.publish.render import render_run

    return render_run(project, run, project.root / "build") if find_spec("vl_convert") else None


def _as_json(
    record: RunRecord, summary: RunSummary, folder: Path, page: Path | None, table: dict[str, Any] | None
) -> dict[str, Any]:
    return {
        "schema": RUN_OUTPUT_SCHEMA,
        "run": record.run,
        "path": str(folder),
        "page": str(page) if page else None,
        "data": summary.data_digest,
        "collected": summary.collected,
        "outcomes": dict(summary.outcomes),
        "left": summary.left,
        "refusals": [refusal.model_dump() for refusal in record.refusals],
        "table": table,
    }


def _say_unread(console: Console, run: StoredRun) -> None:
    """Say how many cells ended well and were not understood: a whole run of zeros may be a prompt to mend."""
    unread = [cell for cell in run.cells() if cell["outcome"] == "ok" and not cell["answered"]]
    if unread:
        console.say(
            f"\n{counted(len(unread), 'cell')} ended well without an answer that could be read;"
            f" `benchctl show {run.id} {unread[0]['cell']}` says why"
        )


def _say_never_reported(console: Console, run: StoredRun) -> None:
    """Say which field of `reply` came in no cell: its pointer is probably mistaken."""
    from benchctl.runner.never_reported import never_reported

    if lost := never_reported(run):
        console.say("\n".join(["\nnever reported, in any cell", *(f"  {line}" for line in lost)]))


def _say_refused(console: Console, refusals: tuple[RefusalRecord, ...]) -> None:
    if refusals:
        console.say("\n".join(["\nrefused", *refusal_lines(refusals)]))
