"""What the attempts of a run are charged, so that a run knows when it has spent what it may."""

from __future__ import annotations

import pytest
from small_run import AT, evidence, grade, plan, record

from benchctl.runner.cost import spent_of
from benchctl.schema.usage import Usage
from benchctl.store.disk.rows import columns_of
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter


def cost(usd):
    return Usage(cost_usd=usd, cost_source="agent") if usd is not None else Usage()


ALL = {"rg"}


@pytest.mark.parametrize(
    ("costs", "cap", "usd"),
    [
        ((0.5, 0.25), 0.0, 0.75),
        ((0.5, None), 0.0, 1.0),  # who does not say is charged what the dearest cost
        ((None, None), 0.0, 0.0),  # nobody knows anything
        ((None, 0.5), 2.0, 2.5),  # or the cap of an attempt, where that is more
        ((None, 0.5), 0.1, 1.0),
        ((0.0, None), 0.0, 0.0),
    ],
)
def test_every_attempt_that_was_begun_is_charged(tmp_path, costs, cap, usd):
    cells = [cell.cell for cell in plan(2)]
    terms = record(cells=plan(2), caps={"wall_s": 60.0, "cost_usd": cap})
    with RunWriter.create(Store(tmp_path), terms) as writer:
        assert writer.spent(ALL) is None
        for each in costs:
            writer.end(evidence(cells[0], writer.claim(cells[0], AT), usage=cost(each)))
        spent = writer.spent(ALL)
        assert (spent.usd, spent.unreported) == (usd, costs.count(None))
        others = writer.spent(set())
        reported = sum(each for each in costs if each is not None)
        assert (others.usd if others else 0.0) == reported, "who reports no costs is charged for nothing"


def test_an_attempt_that_never_came_back_is_charged_also_by_whoever_resumes(tmp_path):
    store, cells = Store(tmp_path), [cell.cell for cell in plan(2)]
    with RunWriter.create(store, record(cells=plan(2))) as writer:
        writer.finish(evidence(cells[0], writer.claim(cells[0], AT), usage=cost(0.5)), grade(1.0))
        writer.claim(cells[1], AT)
    with RunWriter.resume(store, "r1") as writer:
        assert (writer.spent(ALL).reported_usd, writer.spent(ALL).usd) == (0.5, 1.0)


def test_empty_runs_are_paid_for_too_and_charged_as_attempts_are(tmp_path):
    terms = record(cells=plan(2), caps={"wall_s": 60.0, "cost_usd": 2.0})
    with RunWriter.create(Store(tmp_path), terms) as writer:
        for number, usd in enumerate((0.5, None), 1):
            writer.baseline(probe(number, usd))
        assert writer.spent(ALL).usd == 2.5
        assert writer.spent(set()).usd == 0.5


AGENT = {"kind": "command", "argv": ["x"], "reply": {"cost_usd": "/c"}}


@pytest.mark.parametrize("close", [False, True])
@pytest.mark.parametrize(
    ("agents", "usd"),
    [({"rg": AGENT}, 4.0), ({"rg": {"argv": ["x"]}}, 1.0), ({"rg": {"kind": "later"}}, 1.0)],
)
def test_who_shows_a_run_reckons_as_who_limits_it(tmp_path, close, agents, usd):
    """Two cells and an empty run, of which an attempt that timed out and the one that was cut off did not say."""
    store, cells = Store(tmp_path), [cell.cell for cell in plan(2)]
    terms = record(cells=plan(2), caps={"wall_s": 60.0, "cost_usd": 1.5}, agents=agents)
    with RunWriter.create(store, terms) as writer:
        writer.end(evidence(cells[0], writer.claim(cells[0], AT), outcome="timeout", usage=cost(None)))
        writer.finish(evidence(cells[0], writer.claim(cells[0], AT), usage=cost(0.5)), grade(1.0))
        writer.claim(cells[1], AT)
        writer.baseline(probe(1, 0.5))
        if close:
            writer.close(allow_unfinished=True)
    assert spent_of(store.run("r1")).usd == usd


def probe(number, usd):
    columns = {column.name: None for column in columns_of("baselines")}
    known = {"cell": f"baseline/a/{number}", "arm": "a", "agent": "rg", "model": "none", "probe": number}
    return {**columns, **known, "outcome": "ok", "started_at": AT, "wall_s": 1.0, "cost_usd": usd}
