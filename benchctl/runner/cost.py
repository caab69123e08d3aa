"""What a run has cost so far, by one reckoning for whoever limits it and for whoever shows it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pydantic import ValidationError

from benchctl.agents import AGENTS
from benchctl.errors import RunClosedError
from benchctl.schema.agent_spec import AgentSpec
from benchctl.schema.spent import Spent

if TYPE_CHECKING:
    from benchctl.schema.run import RunRecord
    from benchctl.store.reader import StoredRun

__all__ = ["costs_of", "paying_agents", "spent_of"]


def paying_agents(agents: Mapping[str, AgentSpec]) -> frozenset[str]:
    """Return the agents that report what they cost: an attempt of theirs that does not is charged for."""
    return frozenset(
        name for name, spec in agents.items() if AGENTS[spec.kind].capabilities(spec).reports_cost
    )


def costs_of(run: StoredRun) -> list[float | None]:
    """Return what each attempt and each empty run of a run cost, as `Spent.of` takes them."""
    record = run.record
    if record.imported:
        return [row["cost_usd"] for row in run.cells() if row["cost_usd"] is not None]
    agents = paying_agents(_agents(record))
    cells = frozenset(cell.cell for cell in record.cells if cell.agent in agents)
    if run.state == "closed":
        return list(_closed_costs(run, cells, agents))
    try:
        return list(run.history().costs(cells, agents))
    except (RunClosedError, FileNotFoundError):
        return costs_of(run.current())


def spent_of(run: StoredRun) -> Spent | None:
    """Return what a run has cost, open or closed, its empty runs included; None where nobody says what it costs."""
    return Spent.of(costs_of(run), run.record.caps.get("cost_usd"))


def _closed_costs(run: StoredRun, cells: frozenset[str], agents: frozenset[str]) -> Iterator[float | None]:
    """Yield the cost of each attempt and empty run; one sum for a cell whose cost arrived late."""
    attempts: dict[str, list[float | None]] = {}
    for row in run.rows("attempts"):
        attempts.setdefault(row["cell"], []).append(row["cost_usd"])
    for cell in run.cells():
        each = attempts.get(cell["cell"], [])
        if cell["cost_usd"] is not None and all(cost is None for cost in each):
            yield cell["cost_usd"]
            continue
        yield from (cost for cost in each if cost is not None or cell["cell"] in cells)
    for probe in run.rows("baselines"):
        if probe["cost_usd"] is not None or probe["agent"] in agents:
            yield probe["cost_usd"]


def _agents(record: RunRecord) -> dict[str, AgentSpec]:
    """Return the record's agents that this version can read: of others it does not know what they report."""
    found = {}
    for name, told in record.agents.items():
        try:
            spec = AgentSpec.model_validate_json(json.dumps(told))
        except ValidationError:
            continue
        if spec.kind in AGENTS:
            found[name] = spec
    return found
