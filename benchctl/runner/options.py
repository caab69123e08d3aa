"""What a caller asks of one run, beyond what its suite says."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchctl.planning.selection import Selection
from benchctl.runner.shard import Shard
from benchctl.schema.suite import Caps

__all__ = ["RunOptions"]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of `benchctl run`; None is the suite's own value.

    `run_id` is always given here (the command makes one up). `no_sandbox` gives up containment, which
    stamps every row; without it, no containment is only taken where the suite allows it and nothing
    stronger works. `shard` is the part of the cells to collect, beside others who collect the rest; None is
    all of them, alone. `wait` waits for the end of another run on this machine, where else this one is refused.
    `again` is the command line that continues the run, for whoever is interrupted. `allow_refused` is recorded
    for whoever goes on with the run: nothing here depends on it.
    """

    run_id: str
    selection: Selection = field(default_factory=Selection)
    reps: int | None = None
    seed: int | None = None
    caps: Caps | None = None
    no_sandbox: bool = False
    shard: Shard | None = None
    again: str = ""
    wait: bool = False
    continuations: int | None = None
    baseline_reps: int | None = None
    allow_refused: bool = False
