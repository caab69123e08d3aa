"""One contract for every metric: a known unit, a stated direction, a column that it describes, a meaning."""

import dataclasses

import pytest

from benchctl import metrics
from benchctl.metrics import METRICS
from benchctl.quantities.units import family
from benchctl.schema.result import VIEWS

CELLS = {column.name: column for column in VIEWS["cells"]}
IDENTITY = {"rep", "order"}
MEASURABLE = [name for name, column in CELLS.items() if column.type != "VARCHAR" and name not in IDENTITY]

every_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)


def test_every_measurable_column_of_a_cell_is_a_metric_and_nothing_else_is():
    assert sorted(METRICS) == sorted(MEASURABLE)


def test_the_score_is_read_first():
    assert next(iter(METRICS)) == "score"


@every_metric
def test_the_unit_is_the_columns_own_and_known(metric):
    assert metric.unit == CELLS[metric.name].unit
    assert metric.unit is None or family(metric.unit) is not None


@every_metric
def test_it_is_documented(metric):
    assert metric.title
    assert metric.meaning.endswith(".")
    assert metric.assumption.endswith(".")


@every_metric
def test_a_mean_between_0_and_1_and_nothing_else_has_the_score_interval(metric):
    bounded = metric.domain == (0, 1) and metric.better != "neither"
    assert (metric.interval == "score") == bounded
    assert (metric.summary == "macro") == bounded


@every_metric
def test_a_ratio_is_taken_only_of_what_is_better_low_and_has_a_unit(metric):
    if metric.interval == "ratio":
        assert metric.better == "lower"
        assert metric.unit is not None


@every_metric
def test_counts_and_bytes_print_no_decimals(metric):
    assert (metric.places == 0) == (metric.kind in {"count", "size", "tokens"})


@every_metric
def test_it_cannot_be_changed(metric):
    with pytest.raises(dataclasses.FrozenInstanceError):
        metric.unit = "s"


def test_public_names_are_listed():
    assert set(metrics.__all__) == {"METRICS", "Metric"}
