from __future__ import annotations

import pytest

from benchctl.agents.base import Reply
from benchctl.runner.attempt import verdict
from benchctl.schema.evidence import OUTCOMES, Stream
from benchctl.workspace.process import ProcessResult

CANARY = "benchctl-canary-11111111-2222-4333-8444-555555555555"


def result(outcome="ok", detail="", stdout="", stderr=""):
    return ProcessResult(
        outcome=outcome,
        exit_code=0,
        wall_s=1.0,
        cpu_s=1.0,
        stdout=Stream(stdout),
        stderr=Stream(stderr),
        stragglers=0,
        started_at="",
        ended_at="",
        detail=detail,
    )


@pytest.mark.parametrize("outcome", [outcome for outcome in OUTCOMES if outcome != "ok"])
def test_a_process_that_went_wrong_stays_wrong_whatever_was_said(outcome):
    assert verdict(result(outcome, "why"), Reply("[]"), CANARY) == (outcome, "why")
    assert verdict(result(outcome, "why"), Reply(None, error="429"), CANARY)[0] == outcome


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Reply("[]"), "ok"),
        (Reply(None), "no_result"),
        (Reply(None, error="429"), "api_error"),
        (Reply("x", error="429"), "api_error"),
    ],
)
def test_a_process_that_went_well_may_still_have_no_result(reply, outcome):
    assert verdict(result(), reply, CANARY)[0] == outcome


@pytest.mark.parametrize("where", ["stdout", "stderr"])
@pytest.mark.parametrize("said", [CANARY, f"# {CANARY.upper()}", CANARY[:25] + "\n" + CANARY[25:]])
@pytest.mark.parametrize("outcome", ["ok", "timeout", "exit_nonzero"])
def test_who_prints_the_canary_has_seen_the_key_however_it_ended(where, said, outcome):
    found, detail = verdict(result(outcome, **{where: f"[] {said}"}), Reply("[]"), CANARY)
    assert found == "contaminated"
    assert "canary" in detail
