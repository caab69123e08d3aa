"""Run a plan's cells, strictly one at a time: contention would corrupt every time that is measured."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchctl.runner.cell import run_cell
from benchctl.runner.interrupts import CollectionInterruptedError

if TYPE_CHECKING:
    from pathlib import Path

    from benchctl.runner.interrupts import Interrupts
    from benchctl.runner.progress import Progress
    from benchctl.runner.ready import Ready
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


def execute(ready: Ready, writer: RunWriter, progress: Progress, interrupts: Interrupts) -> RunSummary:
    """Run what the run, or the shard, still lacks, close the run if nobody else has to, and return what came of it.

    Raises CollectionInterruptedError on SIGINT, SIGTERM or SIGHUP, the running attempt ended and recorded as
    interrupted; the run then stays open, and the same command with its id continues it.
    """
    cells, known = ready.cells(), writer.outcomes
    outcomes = Counter(known[cell.cell] for cell in cells if cell.cell in known)
    left = [cell for cell in cells if cell.cell not in known]
    progress.begin(len(cells), len(cells) - len(left))
    collected = 0
    try:
        for number, planned in enumerate(left):
            progress.starting(planned)
            marker = f"{run_marker(writer.journal)}-{number}"
            evidence = run_cell(ready, writer, planned, marker, interrupts)
            if evidence is not None:
                collected += 1
                outcomes[evidence.outcome] += 1
                progress.ended(planned, evidence.outcome)
    except KeyboardInterrupt:
        of = f"shard {ready.shard} of run" if ready.shard else "run"
        raise CollectionInterruptedError(
            f"{of} {writer.record.run} is interrupted, {outcomes.total()} of {len(cells)} cells are done\n  next: {ready.again}"
        ) from None
    finally:
        progress.close()
    return _over(ready, writer, collected, outcomes)


def _over(ready: Ready, writer: RunWriter, collected: int, outcomes: Counter[str]) -> RunSummary:
    """Close the run, or leave it to the others, and return what came of it."""
    run = writer.record.run
    if ready.shard is None:
        return RunSummary(run, collected, outcomes, writer.close().data)
    left = len(writer.unfinished)
    if manifest := writer.leave():
        return RunSummary(run, collected, Counter(writer.outcomes.values()), manifest.data)
    return RunSummary(run, collected, outcomes, None, left)
