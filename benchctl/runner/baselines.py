"""Empty runs: what each way of answering reads before it is asked anything, so that it can be told from its content.

A probe starts the agent of an arm with the same tools, servers and instructions, on an empty tree and a public
prompt that asks for one word. The floor of an arm, agent and model is the median of its probes' input tokens; it is
derived from the rows wherever it is asked for, and never stored beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

from benchctl.agents import AGENTS
from benchctl.errors import FloorUnmeasuredError
from benchctl.planning.invocations import PROBE_PROMPT
from benchctl.runner.attempt import verdict
from benchctl.runner.cell import VOID_AGAIN
from benchctl.runner.environment import agent_secrets
from benchctl.runner.parts import Parts, all_tokens
from benchctl.runner.setting import Setting
from benchctl.runner.turn import run_turn
from benchctl.schema.canonical import digest
from benchctl.schema.cell import Cell
from benchctl.schema.evidence import AGAIN_OUTCOMES
from benchctl.schema.run import PlannedCell
from benchctl.schema.suite import Question
from benchctl.workspace.cells import fresh_cell
from benchctl.workspace.clock import utc_now
from benchctl.workspace.tree import Base

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from benchctl.runner.progress import Progress
    from benchctl.runner.ready import Ready
    from benchctl.runner.setting import Start
    from benchctl.store.writing.writer import RunWriter

__all__ = ["floors", "measured", "newest", "probes_of", "record_baselines", "unmeasurable", "unmeasured"]

_NAME = "baseline"


def unmeasurable(ready: Ready) -> tuple[str, ...]:
    """Return the agents of a run that report no tokens, so that no empty run would tell their floor."""
    return tuple(dict.fromkeys(cell.agent for cell in ready.record.cells if not _reports(ready, cell.agent)))


def probes_of(ready: Ready, reps: int, known: Iterable[str]) -> tuple[PlannedCell, ...]:
    """Return the probes that are still to be run, `reps` for each way of answering, those named in `known` left out.

    Of a shard every N-th one, so that shards which are merged later have different ones.
    """
    first = {(cell.arm, cell.agent, cell.model): cell for cell in reversed(ready.record.cells)}
    wanted = [
        _probe(first[way], number)
        for way in sorted(first)
        if _reports(ready, way[1])
        for number in range(1, reps + 1)
        if ready.shard is None or number % ready.shard.parts == ready.shard.part - 1
    ]
    done = frozenset(known)
    return tuple(probe for probe in wanted if probe.cell not in done)


def record_baselines(
    ready: Ready,
    writer: RunWriter,
    start: Start,
    *,
    marker: str,
    progress: Progress,
    turn: Callable[[], AbstractContextManager[None]] = nullcontext,
    ended: Callable[[str], str | None] = lambda _: None,
) -> None:
    """Measure the floors that a run is to have and has not yet, and say whose cannot be measured.

    `ended` hears how each probe ended, and gives a reason where no further one may begin.
    """
    if not ready.baseline_reps:
        return
    if mute := unmeasurable(ready):
        progress.note(f"no floor is measured of {', '.join(mute)}: nobody reports its tokens")
    probes = probes_of(ready, ready.baseline_reps, writer.baselines)

    def void(row: Mapping[str, Any]) -> str | None:
        writer.void_probe(str(row["cell"]), row["cost_usd"])
        return ended(str(row["outcome"]))

    for row in measured(
        ready, probes, start, marker=marker, progress=progress, turn=turn, begun=writer.begin_probe, void=void
    ):
        writer.baseline(row)
        if ended(str(row["outcome"])):
            return


def measured(
    ready: Ready,
    probes: Iterable[PlannedCell],
    start: Start,
    *,
    marker: str,
    progress: Progress,
    turn: Callable[[], AbstractContextManager[None]] = nullcontext,
    begun: Callable[[str, str, str], None] = lambda *_: None,
    void: Callable[[Mapping[str, Any]], str | None] = lambda _: None,
) -> Iterator[Mapping[str, Any]]:
    """Run probes and yield each one's row: the columns of `baselines` but its generation, `post_hoc` and digest.

    What the machine did to a probe (a stall, a broken sandbox) is tried again; one that never got through has no row.
    `begun` hears a try's name, agent and instant before it spends anything, `void` of one that the machine undid,
    and gives a reason where there is to be no further one.
    """
    asking = _asking(ready)
    empty = _empty_base(ready)
    for probe in probes:
        progress.note(f"measuring {probe.cell}")
        for again in range(VOID_AGAIN + 1):
            with turn(), fresh_cell(empty, ready.root) as folder:
                secrets = agent_secrets(ready.suite.agents[probe.agent])
                setting = Setting(asking, probe, folder, f"{marker}-{_NAME}-{again}", start, secrets)
                begun(probe.cell, probe.agent, utc_now())
                row = _row(setting, probe)
            if row["outcome"] not in AGAIN_OUTCOMES:
                if row["outcome"] != "ok":
                    progress.note(f"{probe.cell}: {row['outcome']}; it measures no floor")
                elif row["input_tokens"] is None:
                    progress.note(f"{probe.cell}: its agent reported no tokens; it measures no floor")
                yield row
                break
            if void(row):
                return
        else:
            progress.note(f"{probe.cell}: {row['outcome']} each time; its floor is not measured by it")


def newest(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the stored empty runs that count: of those with one name the one that was measured last."""
    found: dict[str, Mapping[str, Any]] = {}
    for row in sorted(rows, key=lambda row: int(row["generation"])):
        found[row["cell"]] = row
    return list(found.values())


def floors(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the floor of each way of answering: the median input tokens of its probes that went well.

    `floor`, `least` and `most` are tokens, None where none went well or where more than one source counted them.
    """
    ways: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        ways.setdefault((row["arm"], row["agent"], row["model"]), []).append(row)
    found = []
    for (arm, agent, model), probes in sorted(ways.items()):
        good = [row for row in probes if row["outcome"] == "ok" and row["input_tokens"] is not None]
        sources = {row["token_source"] for row in good}
        counts = [row["input_tokens"] for row in good] if len(sources) == 1 else []
        found.append(
            {
                "arm": arm,
                "agent": agent,
                "model": model,
                "probes": len(probes),
                "measured": len(good),
                "floor": float(median(counts)) if counts else None,
                "least": min(counts, default=None),
                "most": max(counts, default=None),
                "source": next(iter(sources)) if len(sources) == 1 else None,
            }
        )
    return found


def unmeasured(rows: Iterable[Mapping[str, Any]]) -> FloorUnmeasuredError | None:
    """Return what is wrong where every empty run of a way of answering failed; None where none is without a floor."""
    lost = [floor for floor in floors(rows) if not floor["measured"]]
    if not lost:
        return None
    ways = ", ".join(f"{floor['arm']}/{floor['agent']}/{floor['model']}" for floor in lost)
    return FloorUnmeasuredError(
        f"no empty run measured a floor of tokens of {ways}: each failed or said no tokens"
    )


def _reports(ready: Ready, agent: str) -> bool:
    spec = ready.suite.agents[agent]
    return AGENTS[spec.kind].capabilities(spec).reports_tokens


def _probe(cell: PlannedCell, number: int) -> PlannedCell:
    named = Cell(_NAME, cell.arm, cell.agent, cell.model, number)
    return cell.model_copy(update={"cell": named.id, "question": _NAME, "rep": number})


def _asking(ready: Ready) -> Ready:
    """Return a run that can ask the empty question: as the suite's last one, it is composed as any other is."""
    asked = Question.model_validate(
        {
            "id": _NAME,
            "repo": next(iter(ready.suite.repos)),
            "class": _NAME,
            "prompt": PROBE_PROMPT,
            "grader": "contains",
            "expected": ("OK",),
        }
    )
    others = tuple(question for question in ready.suite.questions if question.id != _NAME)
    return replace(ready, suite=ready.suite.model_copy(update={"questions": (*others, asked)}))


def _empty_base(ready: Ready) -> Base:
    root = ready.root / "bases" / "(empty)"
    root.mkdir(parents=True, exist_ok=True)
    return Base(root, (), (), digest([]))


def _row(setting: Setting, probe: PlannedCell) -> dict[str, Any]:
    spec = setting.spec
    with setting.proxy("agent", spec.network, spec.inject) as proxy:
        part = run_turn(setting, setting.ready.plan.caps, session=None, prepared=None, proxy=proxy)
    assert part is not None  # noqa: S101 - nobody has been in a fresh cell
    parts = Parts(setting.ready.plan.caps)
    parts.add(part)
    reply = parts.reply()
    outcome, _ = verdict(part.result, reply, seen=None, broken=parts.broken())
    usage = reply.usage
    return {
        "cell": probe.cell,
        "arm": probe.arm,
        "agent": probe.agent,
        "model": probe.model,
        "probe": probe.rep,
        "outcome": outcome,
        "started_at": part.result.started_at,
        "wall_s": part.result.wall_s,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": all_tokens(usage),
        "cost_usd": usage.cost_usd,
        "token_source": usage.source,
        "cost_source": usage.cost_source,
    }
