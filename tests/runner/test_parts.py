"""The parts of an attempt share one budget, and every part is charged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.agents.base import Reply
from benchctl.runner.parts import Part, Parts
from benchctl.schema.evidence import Stream
from benchctl.schema.suite import Caps
from benchctl.schema.usage import Usage
from benchctl.workspace.process import ProcessResult


def part(reply=None, *, wall_s=1.0, out=0, err=0, **fields):
    result = ProcessResult(
        outcome=fields.pop("outcome", "ok"),
        exit_code=0,
        wall_s=wall_s,
        cpu_s=fields.pop("cpu_s", 0.5),
        stdout=Stream("", out),
        stderr=Stream("", err),
        stragglers=fields.pop("stragglers", 0),
        started_at=fields.pop("started_at", "t0"),
        ended_at=fields.pop("ended_at", "t1"),
        **fields,
    )
    return Part(result, reply or Reply(None))


def parts(*each, **caps):
    found = Parts(Caps(**{"wall_s": 100.0, "output_bytes": 1000, **caps}))
    for one in each:
        found.add(one)
    return found


def usage(tokens=None, cost=None, *, cumulative=(), answer=None, **more):
    return Reply(
        answer,
        Usage(total_tokens=tokens, cost_usd=cost, source=tokens and "agent", cost_source=cost and "agent"),
        cumulative=frozenset(cumulative),
        **more,
    )


def test_what_is_left_is_what_no_part_has_used():
    found = parts(
        part(usage(10, 0.5, tool_calls=2), wall_s=30.0, out=100, err=50, counts={"events": 4}),
        part(usage(20, 0.25, tool_calls=1), wall_s=20.0, out=10, counts={"events": 1}),
        tool_calls=5,
        events=9,
        tokens=100,
        cost_usd=1.0,
    )
    assert found.left() == Caps(
        wall_s=50.0, output_bytes=840, tool_calls=2, events=4, tokens=70, cost_usd=0.25
    )


def test_before_the_first_part_everything_is_left():
    caps = Caps(wall_s=0.5, tool_calls=3, tokens=7)
    assert Parts(caps).left() == caps


@pytest.mark.parametrize(
    ("one", "caps"),
    [
        (part(wall_s=100.0), {}),
        (part(wall_s=99.5), {}),  # too little to be worth a start
        (part(out=1000), {}),
        (part(usage(tool_calls=3)), {"tool_calls": 3}),
        (part(counts={"events": 3}), {"events": 3}),
        (part(usage(3)), {"tokens": 3}),
        (part(usage(cost=0.1)), {"cost_usd": 0.1}),
        (part(), {"tokens": 3}),  # nobody knows what is left
        (part(), {"cost_usd": 1.0}),
        (part(), {"tool_calls": 3}),
        (part(), {"events": 3}),
    ],
)
def test_nothing_is_left_where_one_cap_is_used_up_or_not_known(one, caps):
    assert parts(one, **caps).left() is None


@pytest.mark.parametrize(
    ("one", "caps", "name"),
    [
        (part(usage(101)), {"tokens": 100}, "tokens"),
        (part(usage(100)), {"tokens": 100}, None),  # a cap may be used to the last
        (part(usage(cost=1.01)), {"cost_usd": 1.0}, "cost_usd"),
        (part(usage(tool_calls=4)), {"tool_calls": 3}, "tool_calls"),
        (part(counts={"events": 4}), {"events": 3}, "events"),
        (
            part(),
            {"tokens": 1, "cost_usd": 1.0, "tool_calls": 1, "events": 1},
            None,
        ),  # not measured, not broken
        (part(usage(10**9)), {}, None),
    ],
)
def test_a_cap_that_was_passed_is_named(one, caps, name):
    broken = parts(one, **caps).broken()
    assert (broken and broken[0]) == name


def test_input_and_output_tokens_stand_for_a_total_that_nobody_gave():
    one = part(Reply(None, Usage(input_tokens=70, output_tokens=31)))
    assert parts(one, tokens=100).broken() == ("tokens", "101 of at most 100 tokens")
    assert parts(part(Reply(None, Usage(input_tokens=999))), tokens=100).broken() is None


def test_one_part_that_did_not_report_makes_the_whole_unmeasured():
    reply = parts(part(usage(5, 0.1, tool_calls=1)), part(usage(answer="[]"))).reply()
    assert (reply.usage, reply.tool_calls, reply.answer) == (Usage(), None, "[]")


def test_figures_of_all_parts_are_summed_and_cumulative_ones_are_the_last():
    own, whole = usage(5, 0.1, tool_calls=1), usage(8, 0.3, tool_calls=2, cumulative=("cost",))
    reply = parts(part(own), part(whole)).reply()
    assert reply.usage == Usage(total_tokens=13, cost_usd=0.3, source="agent", cost_source="agent")
    assert reply.tool_calls == 3


def test_a_cumulative_figure_never_falls():
    of = {"cumulative": ("cost", "tokens", "tool_calls")}
    found = parts(
        part(usage(1000, 5.0, tool_calls=3, **of)), part(usage(11, 0.1, tool_calls=1, answer="[]", **of)),
        cost_usd=3.0,
    )  # fmt: skip
    reply = found.reply()
    assert (reply.usage.total_tokens, reply.usage.cost_usd, reply.tool_calls) == (1000, 5.0, 3)
    assert found.broken() == ("cost_usd", "5 of at most 3 cost usd")
    assert found.doubts() == (
        "total_tokens of the whole session fell from 1000 to 11",
        "cost_usd of the whole session fell from 5 to 0.1",
        "tool_calls of the whole session fell from 3 to 1",
    )
    grown = parts(part(usage(cost=1.0, **of)), part(usage(cost=1.5, **of)))
    assert (grown.reply().usage.cost_usd, grown.doubts()) == (1.5, ())
    mute = parts(part(usage(cost=1.0, **of)), part(usage(**of)))
    assert (mute.reply().usage.cost_usd, mute.doubts()) == (None, ())


@pytest.mark.parametrize(
    ("said", "total"),
    [((70, 31, 101), 101), ((70, 31, 200), 200), ((70, 31, 100), None), ((None, 31, 30), None), ((None, None, 5), 5)],
)  # fmt: skip
def test_a_total_is_at_least_what_it_is_the_total_of(said, total):
    found = parts(part(Reply(None, Usage(*said, source="agent"))), tokens=100)
    assert found.reply().usage == Usage(*said[:2], total, source="agent")
    assert bool(found.doubts()) == (total != said[2])
    if said == (70, 31, 100):
        assert found.broken() == ("tokens", "101 of at most 100 tokens")


@pytest.mark.parametrize(
    ("costs", "cumulative", "least"),
    [
        ((5.0, None), (), 5.0),
        ((5.0, 1.0, None), (), 6.0),
        ((5.0, 6.0, None), ("cost",), 6.0),
        ((5.0, 1.0), (), None),
        ((None, None), (), None),
        ((None, 5.0), ("cost",), None),  # the whole session's
    ],
)
def test_what_some_parts_said_is_what_all_cost_at_least(costs, cumulative, least):
    assert parts(*(part(usage(cost=cost, cumulative=cumulative)) for cost in costs)).least_usd() == least


def test_figures_that_are_none_together_are_not_measured():
    one = part(Reply(None, Usage(2**53, 1, None, 1e15, "agent", "agent"), tool_calls=2**53))
    whole = parts(one, one).reply()
    assert whole == Reply(None, Usage(None, 2, None, None, "agent", None))


def test_the_session_is_the_last_that_was_named():
    assert parts(part(Reply(None, session="a")), part(Reply(None))).session == "a"
    assert parts(part(Reply(None, session="a")), part(Reply(None, session="b"))).session == "b"
    assert parts(part()).session is None


def test_as_one_process_times_are_summed_and_the_last_one_is_the_end():
    first = part(
        wall_s=2.0, cpu_s=1.0, stragglers=2, started_at="a", ended_at="b", pipes_held=True, max_gap_s=0.5,
        counts={"events": 2, "x": 1}, redactions={"KEY": 1}, suspended_s=1.0, detail="first",
    )  # fmt: skip
    last = part(
        wall_s=3.0, cpu_s=2.0, stragglers=1, started_at="c", ended_at="d", max_gap_s=0.25, out=7,
        counts={"events": 1}, redactions={"KEY": 1, "TOKEN": 4}, suspended_s=0.5, outcome="timeout",
        cap="wall_s", detail="last",
    )  # fmt: skip
    found = parts(first, last).result()
    assert (found.wall_s, found.cpu_s, found.stragglers, found.max_gap_s) == (5.0, 3.0, 3, 0.5)
    assert (found.started_at, found.ended_at, found.pipes_held) == ("a", "d", True)
    assert found.counts == {"events": 3, "x": 1}
    assert found.redactions == {"KEY": 2, "TOKEN": 4}
    assert (found.suspended_s, found.clock_drift_s) == (1.5, None)
    assert (found.outcome, found.cap, found.detail, found.stdout.total_bytes) == (
        "timeout",
        "wall_s",
        "last",
        7,
    )
    assert parts(part(cpu_s=None), part()).result().cpu_s is None


@given(
    st.lists(
        st.tuples(st.floats(0, 50), st.integers(0, 400), st.integers(0, 40), st.integers(0, 40)),
        min_size=1,
        max_size=6,
    )
)
def test_parts_that_keep_to_what_is_left_never_pass_the_caps_together(wanted):
    """The law of one budget: however the parts are cut, their sum is within the caps of one attempt."""
    caps = {"wall_s": 100.0, "output_bytes": 1000, "tool_calls": 50, "events": 60}
    found = parts(**caps)
    used = [0.0, 0, 0, 0]
    for wall_s, out, calls, events in wanted:
        left = found.left()
        if left is None:
            break
        took = (
            min(wall_s, left.wall_s),
            min(out, left.output_bytes),
            min(calls, left.tool_calls),
            min(events, left.events),
        )
        found.add(part(usage(tool_calls=took[2]), wall_s=took[0], out=took[1], counts={"events": took[3]}))
        used = [sum(pair) for pair in zip(used, took, strict=True)]
    assert used[0] <= caps["wall_s"] + 1e-9
    assert all(have <= most for have, most in zip(used[1:], (1000, 50, 60), strict=True))
    assert found.broken() is None
