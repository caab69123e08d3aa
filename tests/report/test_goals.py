from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest
from synthetic_run import RUN, make_project

from benchctl.report.goals import goal_lines, goal_verdicts


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return make_project(tmp_path_factory.mktemp("goals")).store


@pytest.mark.parametrize(
    ("assertion", "verdict"),
    [
        ("count > 0", "met"),
        ("count < 0", "not met"),
        ("score.mean[arm=nobody] > 0", "undecided"),  # no such arm: said, and not counted as missed
        ("nonsense.mean > 0", "undecided"),
        ("count >", "undecided"),
    ],
)
def test_a_goal_is_met_or_not_or_cannot_be_decided(store, assertion, verdict):
    run = store.run(RUN)
    goal = {"id": "g", "title": "a rule", "assertion": assertion}
    asked = SimpleNamespace(id=run.id, record=run.record.model_copy(update={"goals": (goal,)}))
    (found,) = goal_verdicts(store, asked)
    assert found.verdict == verdict
    assert bool(found.note) == (verdict == "undecided")
    (line,) = goal_lines((found,))
    assert verdict in line
    assert assertion in line
    assert dataclasses.asdict(found)["id"] == "g"
