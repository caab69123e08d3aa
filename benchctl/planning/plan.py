"""The plan: cells in order, refusals, caps, the worst case, and one digest over all that decides a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchctl.planning.keys import CellKeys
from benchctl.planning.matrix import Combination, combinations, ordered_cells
from benchctl.planning.questions import GoldOutcome, call_roll
from benchctl.planning.refusals import refuse_ways, unreachable
from benchctl.planning.selection import Selection, check_selection
from benchctl.planning.world import World
from benchctl.schema.canonical import digest
from benchctl.schema.cell import Cell
from benchctl.schema.run import GoldRecord, PlannedCell, RefusalRecord
from benchctl.schema.suite import Caps, Suite

__all__ = ["PLAN_VERSION", "Plan", "WorstCase", "make_plan"]

PLAN_VERSION = 1
"""Raised when the content of the digest changes meaning."""


@dataclass(frozen=True, slots=True)
class WorstCase:
    """What the plan can take at most. `wall_s` is cells x cap x attempts, the harness's own time left out.

    `cost_usd` is 0 where no cell asks a model, and None where nothing bounds the cost.
    """

    cells: int
    attempts: int
    wall_s: float
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Plan:
    """A planned run. `before_gold` names questions whose gold is not derived yet: they may still drop out."""

    cells: tuple[PlannedCell, ...]
    refusals: tuple[RefusalRecord, ...]
    gold: tuple[GoldRecord, ...]
    before_gold: tuple[str, ...]
    caps: Caps
    reps: int
    seed: int
    attempts: int
    worst_case: WorstCase
    digest: str

    @property
    def required_refusals(self) -> tuple[RefusalRecord, ...]:
        """Return the refusals that end the command with 3 unless they are allowed."""
        return tuple(refusal for refusal in self.refusals if refusal.required)


def make_plan(
    suite: Suite,
    *,
    world: World,
    gold: Mapping[str, GoldOutcome],
    selection: Selection,
    reps: int | None = None,
    seed: int | None = None,
    caps: Caps | None = None,
) -> Plan:
    """Return the plan of a suite; what is None comes from the suite.

    `gold` holds an outcome for each question whose gold is known; the others are planned as
    "before gold". A plan may be empty of cells. Raises OptionInvalidError for unknown names.
    """
    check_selection(suite, selection)
    reps = suite.run.reps if reps is None else reps
    seed = suite.run.seed if seed is None else seed
    caps = caps or suite.caps
    roll = call_roll(suite, selection, gold)
    everything = combinations(suite)
    wanted = [way for way in everything if selection.takes_way(way)]
    ways, refusals = refuse_ways(suite, wanted, world)
    refusals += unreachable(suite, selection.arms or suite.arms, wanted)
    # The order is drawn over everything the suite could ask, so that leaving something out never reorders the rest.
    asked = [question for question in suite.questions if suite.practice(question) == selection.practice]
    kept = {(question.id, way) for question in roll.questions for way in ways}
    drawn = ordered_cells(asked, everything, reps=reps, seed=seed)
    running = [cell for cell in drawn if (cell.question, _way(cell)) in kept]
    cells = _planned(suite, running, world, caps)
    records = tuple(gold[question.id].record() for question in roll.questions if question.id in gold)
    return Plan(
        cells=cells,
        refusals=refusals + roll.refusals,
        gold=records,
        before_gold=roll.before_gold,
        caps=caps,
        reps=reps,
        seed=seed,
        attempts=suite.run.attempts,
        worst_case=_worst_case(cells, roll.at_most * len(ways) * reps, suite.run.attempts, caps),
        digest=_digest(suite, cells, records, caps, selection),
    )


def _way(cell: Cell) -> Combination:
    return Combination(cell.arm, cell.agent, cell.model)


def _planned(suite: Suite, cells: list[Cell], world: World, caps: Caps) -> tuple[PlannedCell, ...]:
    questions = {question.id: question for question in suite.questions}
    keys = CellKeys(suite, world, caps)
    return tuple(
        PlannedCell(
            cell=cell.id,
            key=keys.key(questions[cell.question], cell),
            order=order,
            question=cell.question,
            question_class=questions[cell.question].question_class,
            repo=questions[cell.question].repo,
            arm=cell.arm,
            agent=cell.agent,
            model=cell.model,
            rep=cell.rep,
        )
        for order, cell in enumerate(cells)
    )


def _worst_case(cells: tuple[PlannedCell, ...], at_most: int, attempts: int, caps: Caps) -> WorstCase:
    without_model = all(cell.model == "none" for cell in cells)
    return WorstCase(
        at_most, at_most * attempts, at_most * attempts * caps.wall_s, 0.0 if without_model else None
    )


def _digest(
    suite: Suite,
    cells: tuple[PlannedCell, ...],
    gold: tuple[GoldRecord, ...],
    caps: Caps,
    selection: Selection,
) -> str:
    """Return the plan's digest: same digest, same cells in the same order, graded against the same key."""
    return digest(
        {
            "version": PLAN_VERSION,
            "suite": suite.name,
            "practice": selection.practice,
            "cells": [[cell.cell, cell.key] for cell in cells],
            "gold": [[record.question, record.digest] for record in gold],
            "caps": caps.model_dump(mode="json"),
            "attempts": suite.run.attempts,
        }
    )
