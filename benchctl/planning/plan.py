"""The plan: cells in order, refusals, caps, the worst case, and one digest over all that decides a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchctl.planning.keys import CellKeys
from benchctl.planning.matrix import Combination, combinations, ordered_cells
from benchctl.planning.questions import GoldOutcome, call_roll
from benchctl.planning.refusals import known_refusals
from benchctl.planning.selection import Selection, check_selection
from benchctl.planning.world import World
from benchctl.schema.canonical import digest
from benchctl.schema.cell import Cell
from benchctl.schema.run import GoldRecord, PlannedCell, RefusalRecord
from benchctl.schema.suite import Caps, Step, Suite

__all__ = ["PLAN_VERSION", "Plan", "WorstCase", "make_plan"]

PLAN_VERSION = 1
"""Raised when the content of the digest changes meaning."""


@dataclass(frozen=True, slots=True)
class WorstCase:
    """What the plan can take at most: every cell used all its attempts, and every attempt its caps to the end.

    The empty runs that measure floors are counted in seconds, cost and tokens, and are neither cells nor
    attempts. `wall_s` is the agents' clock and the suite's own steps around it, the harness's own time left out.
    `cost_usd` is the caps' bound, or the run's own limit and the one attempt that may pass it; 0 where no cell
    asks a model, and None where nothing bounds the cost. `tokens` is None where nothing bounds them. What the
    host undoes (a stall, an interrupt) is done again, and stands in none of these. `steps_s` is what of `wall_s`
    the suite's own steps may take, `floors` how many empty runs there are, `paid` how many attempts and empty runs
    ask a model.
    """

    cells: int
    attempts: int
    wall_s: float
    cost_usd: float | None
    tokens: int | None = None
    steps_s: float = 0.0
    floors: int = 0
    paid: int = 0


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
    continuations: int = 0

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
    continuations: int | None = None,
    baseline_reps: int | None = None,
) -> Plan:
    """Return the plan of a suite; what is None comes from the suite.

    `gold` holds an outcome for each question whose gold is known; the others are planned as
    "before gold". A plan may be empty of cells. Raises OptionInvalidError for unknown names.
    """
    check_selection(suite, selection)
    reps = suite.run.reps if reps is None else reps
    seed = suite.run.seed if seed is None else seed
    caps = caps or suite.caps
    continuations = suite.run.continuations if continuations is None else continuations
    roll = call_roll(suite, selection, gold)
    everything = combinations(suite)
    ways, refusals = known_refusals(suite, selection, world, caps)
    # The order is drawn over everything the suite could ask, so that leaving something out never reorders the rest.
    asked = [question for question in suite.questions if suite.practice(question) == selection.practice]
    kept = {(question.id, way) for question in roll.questions for way in ways}
    first = {name for name, arm in suite.arms.items() if arm.first}
    drawn = ordered_cells(asked, everything, reps=reps, seed=seed, first=first)
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
        worst_case=_worst_case(
            suite,
            ways,
            caps,
            {repo: most * reps for repo, most in roll.at_most.items()},
            _floors(suite, ways, world, baseline_reps),
        ),
        digest=_digest(
            suite, cells, records, caps=caps, practice=selection.practice, continuations=continuations
        ),
        continuations=continuations,
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


def _floors(suite: Suite, ways: Sequence[Combination], world: World, reps: int | None) -> int:
    """Return how many empty runs measure the floors: those of ways whose agents report tokens."""
    reps = suite.run.baseline_reps if reps is None else reps
    able = [way for way in ways if (held := world.capabilities.get(way.agent)) and held.reports_tokens]
    return reps * len(able)


def _worst_case(
    suite: Suite, ways: Sequence[Combination], caps: Caps, asked: Mapping[str, int], floors: int
) -> WorstCase:
    """Return the worst case.

    `asked` is how often each repository can be asked about in each of the `ways`, `floors` how many empty runs
    are made before.
    """
    attempts = suite.run.attempts
    cells = sum(asked.values()) * len(ways)
    paid = sum(asked.values()) * sum(way.model != "none" for way in ways) * attempts + floors
    steps_s = sum(
        most * len(ways) * attempts * sum(step.wall_s for step in _steps(suite, repo))
        for repo, most in asked.items()
    )
    return WorstCase(
        cells=cells,
        attempts=cells * attempts,
        wall_s=(cells * attempts + floors) * caps.wall_s + steps_s,
        cost_usd=_worst_cost(paid, caps.cost_usd, suite.run.spend_usd),
        tokens=None if paid and caps.tokens is None else paid * (caps.tokens or 0),
        steps_s=steps_s,
        floors=floors,
        paid=paid,
    )


def _worst_cost(paid: int, cap_usd: float | None, spend_usd: float | None) -> float | None:
    if not paid:
        return 0.0
    if cap_usd is None:
        return None
    return paid * cap_usd if spend_usd is None else min(paid * cap_usd, spend_usd + cap_usd)


def _steps(suite: Suite, repo: str) -> tuple[Step, ...]:
    own = suite.repos[repo]
    return tuple(step for step in (own.prepare, own.check) if step is not None)


def _digest(
    suite: Suite,
    cells: tuple[PlannedCell, ...],
    gold: tuple[GoldRecord, ...],
    *,
    caps: Caps,
    practice: bool,
    continuations: int,
) -> str:
    """Return the plan's digest: same digest, same cells in the same order, graded against the same key.

    What a suite does not use of later versions changes no digest of an earlier one.
    """
    later = {"continuations": continuations} if continuations else {}
    return digest(
        {
            "version": PLAN_VERSION,
            "suite": suite.name,
            "practice": practice,
            "cells": [[cell.cell, cell.key] for cell in cells],
            "gold": [[record.question, record.digest] for record in gold],
            "caps": caps.told(),
            "attempts": suite.run.attempts,
            **later,
        }
    )
