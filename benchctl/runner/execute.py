"""Run a plan's cells, strictly one at a time: contention would corrupt every time that is measured."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchctl.runner.cell import run_cell
from benchctl.runner.interrupts import CollectionInterruptedError

if TYPE_CHECKING:
    from benchctl.runner.interrupts import Interrupts
    from benchctl.runner.progress import Progress
    from benchctl.runner.ready import Ready
    from benchctl.store.writer import RunWriter

__all__ = ["RunSummary", "execute", "run_marker"]


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What came of a run. `outcomes` counts final outcomes over all its cells, those of earlier sittings included.

    `collected` counts the cells of this sitting, `data_digest` pins the run's rows.
    """

    run: str
    collected: int
    outcomes: Counter[str]
    data_digest: str

    @property
    def not_ok(self) -> Counter[str]:
        """Return the outcomes that are not `ok`."""
        return Counter({outcome: count for outcome, count in self.outcomes.items() if outcome != "ok"})


def run_marker(run: str) -> str:
    """Return the mark by which the processes of a run are known; it tells an agent nothing."""
    return hashlib.sha256(run.encode()).hexdigest()[:16]


def execute(ready: Ready, writer: RunWriter, progress: Progress, interrupts: Interrupts) -> RunSummary:
    """Run what the run still lacks, close it, and return what came of it.

    Raises CollectionInterruptedError on SIGINT, SIGTERM or SIGHUP, the running attempt ended and recorded as
    interrupted; the run then stays open, and the same command with its id continues it.
    """
    outcomes = Counter(writer.outcomes.values())
    left = [cell for cell in ready.record.cells if cell.cell not in writer.finished]
    progress.begin(len(ready.record.cells), len(ready.record.cells) - len(left))
    try:
        for number, planned in enumerate(left):
            progress.starting(planned)
            marker = f"{run_marker(writer.record.run)}-{number}"
            evidence = run_cell(ready, writer, planned, marker, interrupts)
            outcomes[evidence.outcome] += 1
            progress.ended(planned, evidence.outcome)
    except KeyboardInterrupt:
        raise CollectionInterruptedError(
            f"run {writer.record.run} is interrupted, {sum(outcomes.values())} of {len(ready.record.cells)} cells are done\n  next: {ready.again}"
        ) from None
    finally:
        progress.close()
    manifest = writer.close()
    return RunSummary(writer.record.run, len(left), outcomes, manifest.data)
