"""What stands beside figures: units where they belong, and warnings a reader must not have to guess."""

from __future__ import annotations

import pytest
from synthetic_run import Recipe, make_project, record

from benchctl.expressions.parser import parse
from benchctl.report.labels import score_name, table_notes, unit_and_places, with_unit
from benchctl.schema.project import TableColumn, TableSpec


@pytest.mark.parametrize(
    ("expression", "given", "unit", "places"),
    [
        ("wall_s.median", {}, "s", 2),
        ("score.mean", {}, "fraction", 3),
        ("wall_s.median", {"places": 0}, "s", 0),
        ("wall_s.count", {}, None, None),  # a count of times is no time
        ("wall_s.median / wall_s.min", {}, None, None),
        ("score.mean", {"unit": "%", "places": 1}, "%", 1),
    ],
)
def test_units_come_from_the_metric_unless_the_column_says(expression, given, unit, places):
    column = TableColumn(title="t", value=expression, **given)
    assert unit_and_places(parse(expression), column) == (unit, places)


@pytest.mark.parametrize(
    ("unit", "header"),
    [("s", "wall (s)"), (None, "wall"), ("fraction", "wall"), ("x", "wall"), ("USD", "wall"), ("%", "wall")],
)
def test_a_unit_stands_once_in_the_header_or_with_each_figure(unit, header):
    assert with_unit("wall", unit) == header


def test_a_score_is_called_f1_only_where_every_question_has_a_gold_list():
    run = record(Recipe())
    assert score_name(run) == "F1"
    assert score_name(run.model_copy(update={"gold": run.gold[1:]})) == "score"
    assert score_name(run.model_copy(update={"cells": ()})) == "score"


class _Run:
    def __init__(self, run):
        self.record = run


def test_pooled_agents_are_named_unless_the_table_fixes_them():
    run = record(Recipe())
    cells = (*run.cells[1:], run.cells[0].model_copy(update={"agent": "other"}))
    mixed = _Run(run.model_copy(update={"cells": cells}))
    column = (TableColumn(title="c", value="count"),)
    assert table_notes(mixed, TableSpec(title="t", by=("arm",), columns=column), (), []) == (
        "Rows pool 2 values of agent: other, script.",
    )
    assert table_notes(mixed, TableSpec(title="t", by=("agent",), columns=column), (), []) == ()


def test_a_run_without_a_sandbox_says_so_on_every_table():
    bare = _Run(record(Recipe()).model_copy(update={"sandbox": "none"}))
    spec = TableSpec(title="t", by=("arm",), columns=(TableColumn(title="c", value="score.mean"),))
    assert table_notes(bare, spec, (), [])[-1] == "Collected without a sandbox."


def test_a_plain_mean_is_not_called_macro(tmp_path):
    run = make_project(tmp_path).store.run("demo-r1")
    spec = TableSpec(title="t", by=("arm",), columns=(TableColumn(title="c", value="score.mean"),))
    assert table_notes(run, spec, (), []) == ("Score is F1. Failed cells count with score 0.",)
