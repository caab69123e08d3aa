"""Run a plan's cells, strictly one at a time: contention would corrupt every time that is measured."""

from __future__ import annotations

import hashlib
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchctl.errors import RunStoppedError
from benchctl.quantities.format import counted
from benchctl.runner.baselines import record_baselines
from benchctl.runner.cell import VOID_AGAIN, Sitting, run_cell
from benchctl.runner.cost import paying_agents
from benchctl.runner.interrupts import CollectionInterruptedError
from benchctl.runner.progress import Standing
from benchctl.runner.stop_rules import StopRules
from benchctl.schema.evidence import AGAIN_OUTCOMES
from benchctl.workspace.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from benchctl.runner.interrupts import Interrupts
    from benchctl.runner.progress import Progress
    from benchctl.runner.ready import Ready
    from benchctl.schema.evidence import Evidence
    from benchctl.schema.run import PlannedCell
    from benchctl.schema.spent import Spent
    from benchctl.store.writing.writer import RunWriter

__all__ = ["RunSummary", "execute", "run_marker"]


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What came of a run, or of a shard of it. `outcomes` counts final outcomes, those of earlier sittings included.

    `collected` counts the cells of this sitting, `data_digest` pins the run's rows. It is None where the run
    is still open because others collect it too: `outcomes` are then those of this shard, and `left` counts the
    cells of the whole run that have no result yet.
    """

    run: str
    collected: int
    outcomes: Counter[str]
    data_digest: str | None
    left: int = 0

    @property
    def not_ok(self) -> Counter[str]:
        """Return the outcomes that are not `ok`."""
        return Counter({outcome: count for outcome, count in self.outcomes.items() if outcome != "ok"})


def run_marker(journal: Path) -> str:
    """Return the mark by which the processes that a writer started are known; it tells an agent nothing."""
    return hashlib.sha256(bytes(journal.resolve())).hexdigest()[:16]


def execute(
    ready: Ready,
    writer: RunWriter,
    progress: Progress,
    interrupts: Interrupts,
    turn: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> RunSummary:
    """Run what the run, or the shard, still lacks, close the run if nobody else has to, and return what came of it.

    Each cell has the machine for itself while `turn()` is held, and each of its processes a worker of its own.

    Raises RunStoppedError where a rule of the suite's says that going on would be in vain or cost too much, and
    where cells are left by what the machine did to them again and again: the run then stays open. Raises
    CollectionInterruptedError on SIGINT, SIGTERM or SIGHUP, the running attempt ended and recorded as
    interrupted; the run then stays open too, and the same command with its id continues it.
    """
    cells, known = ready.cells(), writer.outcomes
    outcomes = Counter(known[cell.cell] for cell in cells if cell.cell in known)
    left = [cell for cell in cells if cell.cell not in known]
    progress.begin(len(cells), len(cells) - len(left), _standing(ready, writer, outcomes))
    collected, rules, void = 0, _rules(ready, writer), Counter[str]()
    try:
        with Workers() as workers:
            mark = run_marker(writer.journal)
            if not rules.stop():
                record_baselines(
                    ready, writer, workers.run, marker=mark, progress=progress, turn=turn, ended=rules.ended
                )
            sitting = Sitting(ready, writer, interrupts, workers.run, rules.ended)
            for planned, evidence in _results(sitting, left, progress, turn, rules):
                final = evidence.outcome not in AGAIN_OUTCOMES
                collected += final
                (outcomes if final else void)[evidence.outcome] += 1
                progress.ended(
                    planned,
                    evidence.outcome,
                    detail=evidence.detail,
                    spent=_spent(ready, writer),
                    final=final,
                )
    except KeyboardInterrupt:
        of = f"shard {ready.shard} of run" if ready.shard else "run"
        writer.stop("it was interrupted")
        raise CollectionInterruptedError(
            f"{of} {writer.record.run} is interrupted, {outcomes.total()} of {len(cells)} cells are done\n  next: {ready.again}"
        ) from None
    finally:
        progress.close()
    if not writer.finished.issuperset(cell.cell for cell in cells) and (why := rules.stop() or _void(void)):
        writer.stop(why)
        raise _stopped(ready, writer, why, outcomes)
    return _over(ready, writer, collected, outcomes)


def _results(
    sitting: Sitting,
    left: Sequence[PlannedCell],
    progress: Progress,
    turn: Callable[[], AbstractContextManager[None]],
    rules: StopRules,
) -> Iterator[tuple[PlannedCell, Evidence]]:
    """Run cells and yield each one's last attempt; none where the rules say stop, or where others have the cell."""
    mark = run_marker(sitting.writer.journal)
    for number, planned in enumerate(left):
        if rules.stop():
            return
        with turn():
            progress.starting(planned)
            evidence = run_cell(sitting, planned, f"{mark}-{number}")
        if evidence is not None:
            yield planned, evidence


def _rules(ready: Ready, writer: RunWriter) -> StopRules:
    """Return the rules by which this run stops; only an agent that can report its cost is charged."""
    run = ready.suite.run
    return StopRules(run.stop_after, run.spend_usd, lambda: _spent(ready, writer))


def _spent(ready: Ready, writer: RunWriter) -> Spent | None:
    return writer.spent(paying_agents(ready.suite.agents))


def _void(ended: Counter[str]) -> str | None:
    """Return what the machine did to cells until this sitting gave them up; None where it left none so."""
    if not ended:
        return None
    said = ", ".join(f"{count} {outcome}" for outcome, count in sorted(ended.items()))
    return f"{counted(ended.total(), 'cell')} could not be run in {VOID_AGAIN + 1} attempts each ({said})"


def _stopped(ready: Ready, writer: RunWriter, why: str, outcomes: Counter[str]) -> RunStoppedError:
    cells = len(ready.cells())
    return RunStoppedError(
        f"run {writer.record.run} stopped: {why}; {outcomes.total()} of {cells} cells have a result,"
        f" {cells - outcomes.total()} are left",
        next_step=f"see `benchctl status {writer.record.run}`, mend the cause, or raise `spend_usd` or `stop_after`"
        f" under [run] of the suite; then: {ready.again}",
    )


def _standing(ready: Ready, writer: RunWriter, outcomes: Counter[str]) -> Standing:
    """Return how far it is; a copy, since the outcomes go on being counted."""
    record = writer.record
    return Standing(
        record.run, Counter(outcomes), _spent(ready, writer), record.refusals, ready.plan.caps.wall_s
    )


def _over(ready: Ready, writer: RunWriter, collected: int, outcomes: Counter[str]) -> RunSummary:
    """Close the run, or leave it to the others, and return what came of it."""
    run = writer.record.run
    if ready.shard is None:
        return RunSummary(run, collected, outcomes, writer.close().data)
    left = len(writer.unfinished)
    if manifest := writer.leave():
        return RunSummary(run, collected, Counter(writer.outcomes.values()), manifest.data)
    return RunSummary(run, collected, outcomes, None, left)
