"""The axes of a suite, and its cells in a seeded, blocked order.

A block is one (question, repetition). All ways of answering stand next to each other
inside a block, in drawn order, and the blocks are drawn too: what drifts over the hours
of a run (a warmer machine, a slower disk) then meets every arm alike. An arm that controls for
that drift may be put before all of them: its figures are then those of a machine that nobody has used.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from benchctl.planning.order import Draw
from benchctl.schema.cell import Cell
from benchctl.schema.suite import Question, Suite

__all__ = ["Combination", "combinations", "ordered_cells"]


@dataclass(frozen=True, slots=True, order=True)
class Combination:
    """One way of answering: an arm, an agent and a model."""

    arm: str
    agent: str
    model: str


def combinations(suite: Suite) -> tuple[Combination, ...]:
    """Return every combination that the suite allows, in file order; an agent may be kept to some arms."""
    return tuple(
        Combination(arm, agent, model)
        for arm in suite.arms
        for agent, spec in suite.agents.items()
        if spec.arms is None or arm in spec.arms
        for model in spec.models
    )


def ordered_cells(
    questions: Sequence[Question],
    ways: Sequence[Combination],
    *,
    reps: int,
    seed: int,
    first: Container[str] = (),
) -> tuple[Cell, ...]:
    """Return all cells in drawn order; those of the arms named in `first` stand before the others, in that same order.

    First the blocks are drawn, then, block by block, the ways inside each. Whoever runs only
    a part draws the whole and leaves out the rest: the parts then keep their relative order.
    """
    draw = Draw(seed)
    blocks = draw.shuffled((question.id, rep) for question in questions for rep in range(1, reps + 1))
    drawn = [
        Cell(question, way.arm, way.agent, way.model, rep)
        for question, rep in blocks
        for way in draw.shuffled(ways)
    ]
    return tuple(sorted(drawn, key=lambda cell: cell.arm not in first))
