from __future__ import annotations

from itertools import groupby

from benchctl.planning.matrix import Combination, combinations, ordered_cells


def test_an_agent_kept_to_some_arms_meets_only_those(suite):
    assert combinations(suite) == (
        Combination("grep", "script", "none"),
        Combination("index", "script", "none"),
        Combination("index", "model", "m1"),
        Combination("index", "model", "m2"),
        Combination("graph", "script", "none"),
    )


def test_cells_stand_in_whole_blocks_of_question_and_repetition(suite):
    ways = combinations(suite)
    cells = ordered_cells(suite.questions, ways, reps=3, seed=5)
    assert len(cells) == len(set(cells)) == len(suite.questions) * len(ways) * 3
    blocks = [list(block) for _, block in groupby(cells, key=lambda cell: (cell.question, cell.rep))]
    assert len(blocks) == len(suite.questions) * 3
    assert all(
        {(c.arm, c.agent, c.model) for c in block} == {(w.arm, w.agent, w.model) for w in ways}
        for block in blocks
    )
    assert len({tuple(cell.arm for cell in block) for block in blocks}) > 1, "arms are drawn block by block"
    assert [block[0].question for block in blocks] != sorted(block[0].question for block in blocks)


def test_another_seed_is_another_order(suite):
    ways = combinations(suite)
    one, two = (ordered_cells(suite.questions, ways, reps=1, seed=seed) for seed in (1, 2))
    assert one != two
    assert sorted(one) == sorted(two)
