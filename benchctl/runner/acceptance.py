"""Whether each agent's models are accepted, asked in a way that spends nothing, where an agent has such a way."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from benchctl.agents import AGENTS
from benchctl.agents.base import Invocation, Request
from benchctl.planning.world import Reason
from benchctl.runner.invocations import PLANNED
from benchctl.runner.trials import ending

if TYPE_CHECKING:
    from benchctl.planning.invocations import Places
    from benchctl.planning.matrix import Combination
    from benchctl.runner.given import Given
    from benchctl.runner.progress import Progress
    from benchctl.runner.trials import Trials
    from benchctl.schema.suite import AgentSpec

__all__ = ["refused_models"]

_ACCEPTANCE_WALL_S = 60.0
"""How long a command may take to say whether it takes a model."""


def refused_models(
    given: Given, ways: Sequence[Combination], trials: Trials, progress: Progress
) -> dict[tuple[str, str | None], Reason]:
    """Return why a model cannot be used, by agent and model, of those that were asked and said so."""
    refused: dict[tuple[str, str | None], Reason] = {}
    for agent, model in dict.fromkeys((way.agent, way.model) for way in ways):
        spec = given.suite.agents[agent]
        if _question(spec, model, PLANNED) is None:
            continue
        progress.note(f"agent {agent}: asking whether {model} is accepted")
        ended = trials.run(
            partial(_asked, spec, model),
            wall_s=_ACCEPTANCE_WALL_S,
            grant=given.agent_grants[agent],
            agent_dir=given.agent_dirs.get(agent),
            agent=spec,
        )
        if ended.result.outcome != "ok":
            refused[agent, model] = Reason(
                f"its model {model} is not accepted: {ending(ended)}",
                f"correct agents.{agent}.models, the key or the network, or leave the model out",
            )
    return refused


def _question(spec: AgentSpec, model: str, places: Places) -> Invocation | None:
    request = Request(
        spec=spec,
        question="",
        arm="",
        model=model,
        prompt="",
        tree=places.tree,
        agent_dir=places.agent_dir,
        scratch=places.scratch,
        python=places.python,
    )
    return AGENTS[spec.kind].acceptance(request)


def _asked(spec: AgentSpec, model: str, places: Places) -> Invocation:
    made = _question(spec, model, places)
    assert made is not None  # noqa: S101 - it was one in other places
    return made
