from __future__ import annotations

from dataclasses import replace

import pytest

from benchctl.agents.base import Capabilities, Invocation
from benchctl.errors import OptionInvalidError
from benchctl.planning.invocations import Places, compose, granted_tools, prompt_text, server_command
from benchctl.planning.plan import make_plan
from benchctl.planning.questions import GoldOutcome, written_gold
from benchctl.planning.selection import Selection
from benchctl.schema.cell import Cell
from benchctl.schema.suite import Caps, Index, Step, ToolServer


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


STEP = Step(argv=("make",), wall_s=30.0)


def test_the_worst_case_counts_attempts_and_the_suites_own_steps(plan, suite):
    before = plan().worst_case
    repos = {**suite.repos, "beta": suite.repos["beta"].model_copy(update={"prepare": STEP, "check": STEP})}
    after = plan(suite=suite.model_copy(update={"repos": repos})).worst_case
    ways = 5  # grep, index, graph by the script; index by two models
    assert before.wall_s == before.cells * 2 * 10
    assert after.cells == before.cells
    assert after.wall_s == before.wall_s + 2 * 2 * ways * 2 * 60, "2 questions, 2 repetitions, 2 attempts"


# Caps and the run's own limit, and the most that the plan can cost. 4 questions, 2 reps, 2 attempts, 2 models in one arm.
COSTS = {
    "nothing bounds it": (None, None, None),
    "a limit of the run alone does not": (None, 3.0, None),  # one attempt could cost any amount
    "the cap of each attempt": (0.5, None, 16.0),
    "the run's limit, and one attempt more": (0.5, 3.0, 3.5),
    "a limit that is never reached": (0.5, 100.0, 16.0),
}


@pytest.mark.parametrize("case", COSTS)
def test_the_worst_cost_is_bounded_by_the_caps_and_the_runs_limit(plan, suite, case):
    cap, limit, cost = COSTS[case]
    suite = suite.model_copy(update={"run": suite.run.model_copy(update={"spend_usd": limit})})
    assert plan(suite=suite, caps=Caps(cost_usd=cap)).worst_case.cost_usd == cost
    scripted = plan(suite=suite, caps=Caps(cost_usd=cap), selection=Selection(agents=("script",)))
    assert scripted.worst_case.cost_usd == 0, "where no cell asks a model there is nothing to pay"


def test_the_worst_tokens_are_those_of_the_cap(plan):
    assert plan().worst_case.tokens is None
    assert plan(caps=Caps(tokens=100)).worst_case.tokens == 32 * 100
    assert plan(selection=Selection(agents=("script",))).worst_case.tokens == 0


def test_empty_runs_are_paid_for_and_are_no_cells(plan, world):
    able_agent = Capabilities(
        withholds_tools=False,
        reports_tokens=True,
        reports_cost=True,
        reports_tool_calls=False,
        resumes_session=False,
    )
    able = replace(world, capabilities={"model": able_agent})
    caps = Caps(wall_s=10, cost_usd=0.5, tokens=100)
    before, after = (plan(world=able, caps=caps, baseline_reps=reps).worst_case for reps in (0, 3))
    assert (after.cells, after.attempts) == (before.cells, before.attempts)
    assert after.wall_s - before.wall_s == 2 * 3 * 10, "one arm, two models, three repetitions"
    assert after.cost_usd - before.cost_usd == 2 * 3 * 0.5
    assert after.tokens - before.tokens == 2 * 3 * 100
    assert plan(caps=caps, baseline_reps=3).worst_case == before, (
        "an agent that reports no tokens has no floor"
    )


def test_an_arm_that_controls_for_drift_stands_first_and_reorders_nothing_else(plan, suite):
    before = [cell.cell for cell in plan().cells]
    arms = {**suite.arms, "index": suite.arms["index"].model_copy(update={"first": True})}
    after = plan(suite=suite.model_copy(update={"arms": arms})).cells
    first = [cell.cell for cell in after if cell.arm == "index"]
    assert [cell.cell for cell in after][: len(first)] == first
    assert [name for name in before if name in first] == first
    assert [name for name in before if name not in first] == [cell.cell for cell in after][len(first) :]
    assert [cell.order for cell in after] == list(range(len(after)))


def test_continuations_are_a_term_of_the_plan_and_none_is_the_plan_of_old(plan, suite):
    assert plan(continuations=0).digest == plan().digest
    assert plan(continuations=2).digest != plan().digest
    assert plan(continuations=2).continuations == 2
    told = suite.model_copy(update={"run": suite.run.model_copy(update={"continuations": 2})})
    assert plan(suite=told).digest == plan(continuations=2).digest


# What of an arm, a repository or the world makes another cell.
KEYS = {
    "effort": {"effort": "high"},
    "tools": {"tools": ("Read",)},
    "instructions": {"instructions": "Be brief."},
    "git": {"git": True},
    "servers": {"servers": {"g": ToolServer(argv=("{python}",), tools=("t",))}},
    "indexes": {"indexes": {"i": Index(repo="alpha", argv=("{python}", "{index}"))}},
}


@pytest.mark.parametrize("case", KEYS)
def test_what_an_arm_tells_or_gives_makes_another_cell(plan, suite, case):
    arms = {**suite.arms, "grep": suite.arms["grep"].model_copy(update=KEYS[case])}
    before = {cell.cell: cell.key for cell in plan().cells}
    after = {cell.cell: cell.key for cell in plan(suite=suite.model_copy(update={"arms": arms})).cells}
    assert {name for name in before if before[name] != after[name]} == {
        cell.cell for cell in plan().cells if cell.arm == "grep"
    }


def test_a_given_index_and_a_step_make_other_cells(plan, suite, world):
    before = {cell.cell: cell.key for cell in plan().cells}
    given = replace(world, index_files={("index", "i"): "sha256:i"})
    after = {cell.cell: cell.key for cell in plan(world=given).cells}
    assert {name for name in before if before[name] != after[name]} == {
        cell.cell for cell in plan().cells if cell.arm == "index"
    }
    repos = {**suite.repos, "beta": suite.repos["beta"].model_copy(update={"prepare": STEP})}
    after = {cell.cell: cell.key for cell in plan(suite=suite.model_copy(update={"repos": repos})).cells}
    assert {name for name in before if before[name] != after[name]} == {
        cell.cell for cell in plan().cells if cell.repo == "beta"
    }


def test_what_an_arm_grants_is_its_own_tools_and_its_servers(suite):
    servers = {"g": ToolServer(argv=("{python}",), tools=("callers", "read"))}
    arm = suite.arms["grep"].model_copy(update={"tools": ("Read", "g.read"), "servers": servers})
    assert granted_tools(arm) == ("Read", "g.read", "g.callers")


def test_preflight_and_agents_start_a_server_by_the_same_words():
    places = Places(tree="/t", agent_dir="/a", scratch="/s", python="/usr/bin/python", indexes="/i")
    server = ToolServer(argv=("{python}", "{indexes}/g", "{tree}"), tools=("x",), env={"G": "{scratch}/g"})
    made = server_command(server, places)
    assert made.argv == ("/usr/bin/python", "/i/g", "/t")
    assert dict(made.env) == {"G": "/s/g"}
