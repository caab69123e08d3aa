from __future__ import annotations

import pytest

from benchctl.agents.base import Reply
from benchctl.runner.attempt import verdict
from benchctl.schema.evidence import OUTCOMES, Stream
from benchctl.workspace.process import ProcessResult


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


def judged(found, reply, *, seen=None, broken=None):
    return verdict(found, reply, seen=seen, broken=broken)


@pytest.mark.parametrize("outcome", sorted(set(OUTCOMES) - {"ok", "exit_nonzero"}))
def test_a_process_that_was_ended_stays_so_whatever_was_said(outcome):
    for reply in (Reply("[]"), Reply(None, error="429")):
        assert judged(result(outcome, "why"), reply, broken=("tokens", "2 of 1")) == (outcome, "why")


@pytest.mark.parametrize(
    ("process", "reply", "outcome"),
    [
        ("ok", Reply("[]"), "ok"),
        ("ok", Reply(None), "no_result"),
        ("ok", Reply(None, error="429"), "api_error"),
        ("ok", Reply("x", error="429"), "api_error"),  # exit codes lie
        ("exit_nonzero", Reply(None, error="429"), "api_error"),
        ("exit_nonzero", Reply("[]"), "exit_nonzero"),
        ("exit_nonzero", Reply(None), "exit_nonzero"),
    ],
)
def test_what_the_agent_says_of_its_api_counts_more_than_its_exit_code(process, reply, outcome):
    assert judged(result(process), reply)[0] == outcome


@pytest.mark.parametrize("process", ["ok", "exit_nonzero"])
@pytest.mark.parametrize("reply", [Reply("[]"), Reply(None), Reply(None, error="429")])
def test_who_goes_beyond_a_cap_that_is_known_only_afterwards_has_not_finished(process, reply):
    assert judged(result(process), reply, broken=("tokens", "2 of 1")) == ("output_cap", "2 of 1")


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_who_has_seen_the_key_is_contaminated_however_it_ended(outcome):
    found = judged(result(outcome), Reply("[]"), seen="it shows the canary", broken=("tokens", ""))
    assert found == ("contaminated", "it shows the canary")
