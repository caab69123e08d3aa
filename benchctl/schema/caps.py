"""The limits of a cell, and how a run is collected unless its command says otherwise."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from benchctl.schema.fields import Seconds, Strict

__all__ = ["Caps", "RunDefaults"]


class Caps(Strict):
    """The same limits for every cell. Each holds for a whole attempt, continuations included."""

    wall_s: Seconds = 1200.0
    """Seconds of the clock; a cell that reaches them is a did-not-finish."""

    output_bytes: Annotated[int, Field(gt=0)] = 16 * 1024 * 1024
    """Bytes of output."""

    tool_calls: Annotated[int, Field(gt=0)] | None = None
    """Calls of tools, which the agent's `counts` count."""

    events: Annotated[int, Field(gt=0)] | None = None
    """Events of its output, which `counts` count."""

    tokens: Annotated[int, Field(gt=0)] | None = None
    """Tokens, as the agent reports them."""

    cost_usd: Annotated[float, Field(gt=0)] | None = None
    """Dollars, as the agent reports them."""

    def told(self) -> dict[str, float | int]:
        """Return the limits that there are: what a record, a digest and a reader are told."""
        return self.model_dump(mode="json", exclude_none=True)


class RunDefaults(Strict):
    """How a run of this suite is collected unless its command says otherwise."""

    reps: Annotated[int, Field(ge=1, le=1000)] = 1
    """How often each question is asked in each way."""

    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)] = 0
    """What the order of the cells is drawn with."""

    attempts: Annotated[int, Field(ge=1, le=10)] = 1
    """How often a cell is tried that timed out or gave no result."""

    allow_no_sandbox: bool = False
    """Cells may run uncontained where no sandbox works, stamped in every row."""

    questions_per_repo: Annotated[int, Field(ge=1)] | None = None
    """The first usable questions of each repository that are kept, in file order."""

    continuations: Annotated[int, Field(ge=0, le=20)] = 0
    """How many more turns a session gets that ended without a result, within the caps of its attempt."""

    spend_usd: Annotated[float, Field(gt=0)] | None = None
    """No cell is begun once these dollars are spent."""

    stop_after: Annotated[int, Field(ge=1)] = 3
    """After so many cells in a row that the API or this machine failed, the run stops."""

    baseline_reps: Annotated[int, Field(ge=0, le=100)] = 0
    """How many empty runs measure the floor of tokens of each arm, agent and model."""
