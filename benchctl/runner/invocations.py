"""A planned cell's command, composed the same way for the dry run and for the run."""

from __future__ import annotations

import sys

from benchctl.agents import AGENTS
from benchctl.agents.base import Invocation
from benchctl.planning.invocations import Places, compose
from benchctl.schema.cell import Cell
from benchctl.schema.run import PlannedCell
from benchctl.schema.suite import Suite

__all__ = ["PLANNED", "planned_invocation"]

PLANNED = Places(
    tree="<tree>",
    agent_dir="<agent>",
    scratch="<scratch>",
    python=sys.executable,
    indexes="<indexes>",
)
"""What the dry run writes where a run has the folders of a cell."""


def planned_invocation(
    suite: Suite, planned: PlannedCell, places: Places = PLANNED, *, session: str | None = None
) -> Invocation:
    """Return the command of a planned cell in its places, or of one more turn of its session."""
    cell = Cell(planned.question, planned.arm, planned.agent, planned.model, planned.rep)
    return compose(AGENTS[suite.agents[planned.agent].kind], suite, cell, places, session=session)
