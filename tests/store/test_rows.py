from dataclasses import fields, replace

import pytest
from small_run import AT, evidence, grade, planned

from benchctl.schema.canonical import digest
from benchctl.schema.evidence import AGAIN_OUTCOMES, FINAL_FAILURES, OUTCOMES, VOID_OUTCOMES, Evidence, Stream
from benchctl.schema.grade import Fact
from benchctl.schema.result import TABLES
from benchctl.schema.usage import Usage
from benchctl.store.disk.rows import (
    attempt_row,
    canonical_row,
    cell_row,
    columns_of,
    evidence_json,
    grade_json,
    grade_row,
    interrupted_row,
    transcript_rows,
)

CELL = planned().cell


def row_of(*attempts, started=None, finished=True):
    ended = [evidence_json(attempt) for attempt in attempts]
    return cell_row(planned(), ended, started or len(ended), "landlock", finished=finished)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_an_outcome_is_either_good_or_failed_or_void(outcome):
    row = row_of(evidence(CELL, outcome=outcome))
    assert (row["failed"], row["void"]) == (outcome in FINAL_FAILURES, outcome in VOID_OUTCOMES)
    assert (outcome == "ok") + row["failed"] + row["void"] == 1


def test_a_cell_is_charged_for_all_its_attempts():
    usage = Usage(input_tokens=100, output_tokens=1, cost_usd=0.5, source="proxy", cost_source="agent")
    row = row_of(
        evidence(CELL, 1, outcome="timeout", wall_s=60, usage=usage, tool_calls=4),
        evidence(CELL, 3, wall_s=0.5, usage=replace(usage, source="agent")),
        started=3,
    )
    assert row["attempts"] == 3
    assert row["wall_s"] == 60.5
    assert row["cpu_s"] == 0.25
    assert (row["input_tokens"], row["output_tokens"], row["total_tokens"]) == (200, 2, 202)
    assert (row["cost_usd"], row["cost_source"], row["token_source"]) == (1.0, "agent", "agent+proxy")
    assert row["tool_calls"] == 7
    assert (row["outcome"], row["failed"]) == ("ok", False)


def test_a_sum_with_an_unmeasured_part_is_not_measured():
    row = row_of(evidence(CELL, 1, cpu_s=None, usage=Usage(), tool_calls=None), evidence(CELL, 2))
    unmeasured = {
        "cpu_s",
        "input_tokens",
        "output_tokens",
        "total_tokens",
        "cost_usd",
        "cost_source",
        "tool_calls",
        "prepare_s",
        "check_failed",
    }
    assert {name for name, value in row.items() if value is None} == unmeasured
    assert row["token_source"] == "agent"


@pytest.mark.parametrize(
    ("usage", "total"),
    [
        (Usage(10, 5, 99), 99),  # what was reported wins over a sum
        (Usage(10, 5), 15),
        (Usage(0, 0), 0),  # 0 is a measurement
        (Usage(10, None), None),
        (Usage(), None),
    ],
)
def test_total_tokens(usage, total):
    assert row_of(evidence(CELL, usage=usage))["total_tokens"] == total


def test_a_cell_that_never_finished_is_interrupted_and_void():
    row = row_of(evidence(CELL, 1, outcome="timeout", answer="half"), started=2, finished=False)
    assert (row["outcome"], row["failed"], row["void"], row["attempts"]) == ("interrupted", False, True, 2)
    assert (row["answer"], row["wall_s"], row["sandbox"]) == (None, 0.25, "landlock")


def test_rows_have_the_declared_columns_and_types_in_order():
    kinds = {"VARCHAR": str, "BIGINT": int, "DOUBLE": float, "BOOLEAN": bool}
    e, g = evidence_json(evidence(CELL, wall_s=1)), grade_json(grade(1))
    rows = {
        "cells": row_of(evidence(CELL, wall_s=1)),
        "attempts": attempt_row(e),
        "grades": grade_row(e, g),
        "transcripts": transcript_rows(e)[0],
    }
    for table, row in rows.items():
        assert list(row) == [column.name for column in TABLES[table]]
        for column in TABLES[table]:
            assert row[column.name] is None or type(row[column.name]) is kinds[column.type], column.name
            assert row[column.name] is not None or column.null, f"{table}.{column.name} is never null"
    assert list(interrupted_row(CELL, 1, AT)) == list(rows["attempts"])


_FOLDED = {"least_cost_usd"}
"""What the journal alone keeps."""


def test_all_that_evidence_says_is_kept_and_has_a_column():
    own = {each.name for each in fields(Evidence)} - {"usage", "stdout", "stderr", "kept"}
    kept = evidence_json(evidence(CELL, least_cost_usd=0.5)).keys()
    assert own <= kept
    columns = {column.name for table in ("cells", "attempts") for column in TABLES[table]}
    assert kept - {"streams"} <= columns | _FOLDED


def test_the_row_digest_is_over_everything_else_in_the_row():
    row = attempt_row(evidence_json(evidence(CELL)))
    said = row.pop("row_digest")
    assert said == digest(row)
    assert said != digest({**row, "exit_code": 1})


def test_an_interrupted_attempt_knows_when_it_began_and_nothing_else():
    row = interrupted_row(CELL, 2, AT)
    assert (row["cell"], row["attempt"], row["outcome"], row["started_at"]) == (CELL, 2, "interrupted", AT)
    assert row["ended_at"] is row["wall_s"] is row["exit_code"] is row["stdout_sha256"] is None


@pytest.mark.parametrize(
    ("outcome", "score"), [("ok", 0.75), ("timeout", 0.0), ("exit_nonzero", 0.0), ("escape", 0.75)]
)
def test_a_failed_cell_scores_nothing_whatever_its_answer_would_have(outcome, score):
    row = grade_row(evidence_json(evidence(CELL, outcome=outcome)), grade_json(grade(0.75)))
    assert row["score"] == score
    assert row["facts"] == '[{"id":"a::b","state":"hit","note":"why"}]'


def test_a_lone_surrogate_becomes_the_replacement_character():
    bad = evidence(CELL, answer="a\ud800b\U0001f600", stdout=Stream("\udcff", 1), detail="\ud83d\ude00")
    e = evidence_json(bad)
    assert (e["answer"], e["streams"]["stdout"]["text"]) == ("a\ufffdb\U0001f600", "\ufffd")
    assert e["detail"] == "\U0001f600"  # a pair is a character
    g = grade_json(grade(facts=(Fact("\ud800", "extra", "\ud800"),), note="\ud800"))
    assert (g["facts"], g["note"]) == ([{"id": "\ufffd", "state": "extra", "note": "\ufffd"}], "\ufffd")
    canonical_row({**e, **g})


def test_columns_of_an_older_schema_leave_out_the_later_ones(monkeypatch):
    late = replace(TABLES["grades"][-1], name="late", since=2)
    monkeypatch.setitem(TABLES, "grades", (*TABLES["grades"], late))
    assert "late" not in {column.name for column in columns_of("grades", 1)}
    assert columns_of("grades", 2)[-1] == late


@pytest.mark.parametrize("outcome", sorted(AGAIN_OUTCOMES))
def test_what_the_machine_ended_is_no_part_of_what_a_cell_took(outcome):
    usage = Usage(input_tokens=100, output_tokens=1, cost_usd=0.5, source="agent", cost_source="agent")
    good = evidence(CELL, 2, wall_s=0.5, usage=usage, tool_calls=4, prepare_s=0.25)
    cut = evidence(
        CELL, 1, outcome=outcome, wall_s=60, usage=Usage(), tool_calls=None, parts=2, prepare_s=9.0
    )
    measures = (
        "wall_s", "cpu_s", "input_tokens", "total_tokens", "token_source", "cost_usd", "cost_source", "tool_calls",
        "continuations", "prepare_s",
    )  # fmt: skip
    alone, both = row_of(good), row_of(cut, good)
    assert [both[name] for name in measures] == [alone[name] for name in measures]
    assert (both["attempts"], both["outcome"]) == (2, "ok"), "and is one of its attempts all the same"


def test_a_cell_that_the_machine_ended_has_all_that_is_known_of_it():
    known = Usage(cost_usd=0.5, cost_source="agent")
    row = row_of(
        evidence(CELL, 1, outcome="timeout", wall_s=60, usage=known, tool_calls=3),
        evidence(CELL, 2, outcome="interrupted", wall_s=1, usage=Usage(), tool_calls=None),
        finished=False,
    )
    assert (row["wall_s"], row["cost_usd"], row["tool_calls"], row["input_tokens"]) == (61, 0.5, 3, None)
