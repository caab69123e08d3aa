"""Whether each repository's `prepare` step works here: tried once, so that no cell is spent to find out that it does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from benchctl.agents.base import Invocation
from benchctl.errors import BenchctlError, PreflightRefusedError
from benchctl.planning.invocations import Places
from benchctl.runner.grants import Grant
from benchctl.runner.steps import local_links, step_argv, step_variables
from benchctl.runner.trials import Trials, ending

if TYPE_CHECKING:
    from benchctl.planning.matrix import Combination
    from benchctl.runner.given import Given
    from benchctl.runner.progress import Progress
    from benchctl.schema.suite import Step

__all__ = ["failed_steps"]


def failed_steps(
    given: Given, ways: Sequence[Combination], trials: Trials, progress: Progress
) -> Iterator[BenchctlError]:
    """Try the `prepare` step of each repository once, in a cell of its own; yield a problem for each that fails."""
    git = bool(ways) and all(given.suite.arms[way.arm].git for way in ways)
    for name in given.bases if ways else ():
        step = given.suite.repos[name].prepare
        if step is None:
            continue
        progress.note(f"{name}: trying its prepare step")
        question = next(each.id for each in given.suite.questions if each.repo == name)
        ended = trials.run(
            partial(_command, step, question),
            wall_s=step.wall_s,
            grant=Grant(),
            base=given.bases[name],
            git=git,
            reads=local_links(step_variables(step)),
            network=step.network,
        )
        if ended.result.outcome != "ok":
            yield PreflightRefusedError(
                f"repos.{name}: its prepare step failed: {ending(ended)}",
                next_step="mend the step, or what it needs from outside: no cell could be made ready",
            )


def _command(step: Step, question: str, places: Places) -> Invocation:
    return Invocation(step_argv(step, "prepare", places, question), env=step_variables(step))
