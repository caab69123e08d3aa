from __future__ import annotations

from dataclasses import replace

import pytest

from benchctl.agents.base import Invocation
from benchctl.errors import OptionInvalidError
from benchctl.planning.invocations import Places, compose, prompt_text
from benchctl.planning.plan import make_plan
from benchctl.planning.questions import GoldOutcome, written_gold
from benchctl.planning.selection import Selection
from benchctl.schema.cell import Cell
from benchctl.schema.suite import Caps


@pytest.fixture
def plan(suite, world):
    def build(*, world=world, suite=suite, gold=None, selection=None, **terms):
        gold = written_gold(suite) if gold is None else gold
        return make_plan(suite, world=world, gold=gold, selection=selection or Selection(), **terms)

    return build


def test_the_matrix_is_whole_and_numbered_in_order(plan):
    made = plan()
    assert len(made.cells) == 6 * 5 * 2
    assert [cell.order for cell in made.cells] == list(range(60))
    assert len({cell.key for cell in made.cells}) == 60
    assert (made.reps, made.seed, made.attempts) == (2, 7, 2)
    assert made.before_gold == ("a1", "a2", "a3", "a4")
    assert [record.question for record in made.gold] == ["b1", "b2"]


def test_the_worst_case_counts_cells_caps_and_attempts(plan):
    worst = plan(selection=Selection(agents=("script",))).worst_case
    # Four of the six candidates can run (two a repository), with three arms and two repetitions.
    assert (worst.cells, worst.attempts, worst.wall_s, worst.cost_usd) == (24, 48, 480.0, 0.0)
    assert plan().worst_case.cost_usd is None, "a model without a price or a cost cap has no bound"


def test_leaving_something_out_never_reorders_the_rest(plan, suite, world):
    whole = [cell.cell for cell in plan().cells]
    gold = written_gold(suite) | {name: GoldOutcome(name, ("x",)) for name in ("a2", "a3", "a4")}
    gold["a1"] = GoldOutcome("a1", refused="no")
    for part in (
        plan(selection=Selection(arms=("grep", "index"), questions=("b1", "a4"))),
        plan(world=replace(world, commands=frozenset({"big"}))),
        plan(gold=gold),
    ):
        cells = [cell.cell for cell in part.cells]
        assert cells == [cell for cell in whole if cell in cells]
        assert 0 < len(cells) < len(whole)


def test_refusals_of_ways_and_questions_stand_in_one_list(plan, world):
    made = plan(world=replace(world, commands=frozenset({"big"})), selection=Selection(agents=("script",)))
    assert [(refusal.arm, refusal.question) for refusal in made.refusals] == [
        ("grep", None),
        ("graph", None),
        (None, "b3"),
    ]
    assert [refusal.arm for refusal in made.required_refusals] == ["grep"]


def test_an_arm_without_any_selected_agent_is_refused(plan):
    made = plan(selection=Selection(agents=("model",), arms=("grep",)))
    assert made.cells == ()
    assert [refusal.arm for refusal in made.required_refusals] == ["grep"]


def test_unknown_names_are_no_plan(plan):
    with pytest.raises(OptionInvalidError):
        plan(selection=Selection(arms=("nope",)))


def test_practice_is_another_plan(plan):
    made = plan(selection=Selection(practice=True))
    assert {cell.question for cell in made.cells} == {"d1", "d2"}


# What must make another plan, and what must not.
CHANGES = {
    "reps": ({"reps": 3}, True),
    "seed": ({"seed": 8}, True),  # another order is another plan; the cells keep their keys
    "caps": ({"caps": Caps(wall_s=11)}, True),
    "nothing": ({}, False),
    "what the suite says anyway": ({"reps": 2, "seed": 7, "caps": Caps(wall_s=10)}, False),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_digest_is_of_what_decides_a_row(plan, change):
    terms, differs = CHANGES[change]
    assert (plan(**terms).digest != plan().digest) is differs


def test_the_digest_follows_gold_trees_agent_files_and_prompts(plan, suite, world):
    before = plan().digest
    gold = written_gold(suite) | {"b1": GoldOutcome("b1", ("other",))}
    alpha = world.corpora["alpha"].model_copy(update={"tree_digest": "sha256:moved"})
    worded = {**suite.arms, "grep": suite.arms["grep"].model_copy(update={"prompt": "Please: {prompt}"})}
    titled = {**suite.arms, "grep": suite.arms["grep"].model_copy(update={"title": "GREP", "note": "new"})}
    assert plan(gold=gold).digest != before
    assert plan(world=replace(world, corpora={**world.corpora, "alpha": alpha})).digest != before
    assert plan(world=replace(world, agent_files={"script": "sha256:edited"})).digest != before
    assert plan(suite=suite.model_copy(update={"arms": worded})).digest != before
    assert plan(suite=suite.model_copy(update={"arms": titled})).digest == before, "a title is not a term"


def test_a_changed_seed_keeps_the_keys_of_the_cells(plan):
    assert {cell.key for cell in plan(seed=8).cells} == {cell.key for cell in plan().cells}


def test_the_prompt_is_the_arms_wording_around_the_question(suite):
    assert prompt_text(suite.questions[0], suite.arms["index"]) == "Use the index. Who calls a1?"


class Echo:
    CAPABILITIES = None

    def invocation(self, request):
        return Invocation((request.tree, request.prompt, request.model, request.arm, request.question))


def test_a_cell_is_composed_from_its_places(suite):
    places = Places(tree="/t", agent_dir="/a", scratch="/s", python="/p")
    made = compose(Echo(), suite, Cell("a1", "index", "model", "m1", 1), places)
    assert made.argv == ("/t", "Use the index. Who calls a1?", "m1", "index", "a1")
