"""How a dotted name splits, and what is said about one that does not."""

import pytest

from benchctl.errors import ColumnUnknownError
from benchctl.expressions import is_statistic, near, quantile_of, resolve_column, shadowed_statistics

COLUMNS = ["score", "wall_s", "content_tokens", "a", "a.b", "graph calls", "median", "a.mean"]


@pytest.mark.parametrize(
    ("name", "column", "statistic"),
    [
        (("score",), "score", None),
        (("score", "mean"), "score", "mean"),
        (("score", "p90"), "score", "p90"),
        (("score", "n_failed"), "score", "n_failed"),
        (("a", "b"), "a.b", None),  # the longest column name wins
        (("a", "b", "sum"), "a.b", "sum"),
        (("a.b", "sum"), "a.b", "sum"),  # the same, in quotes
        (("a", "sum"), "a", "sum"),
        (("a", "mean"), "a.mean", None),  # a column hides a statistic of another
        (("graph calls", "max"), "graph calls", "max"),
        (("median",), "median", None),  # a column hides a statistic
        (("count",), None, "count"),
        (("n",), None, "n"),
        (("n_failed",), None, "n_failed"),
        (("share",), None, "share"),
    ],
)
def test_a_name_splits_into_column_and_statistic(name, column, statistic):
    assert resolve_column(name, COLUMNS) == (column, statistic)


@pytest.mark.parametrize(
    ("name", "message", "expected"),
    [
        (("scores",), "column `scores`", "score"),
        (("contenttokens", "median"), "column `contenttokens`", "content_tokens"),
        (("walls", "p90"), "column `walls`", "wall_s"),
        (("counts",), "column `counts`", "count"),
        (("score", "meen"), "no statistic `meen`", "mean"),
        (("score", "p101"), "no statistic `p101`", "p"),
        (("score", "zzzz"), "no statistic `zzzz`", "macro"),
        (("sum",), "`sum` needs a column", "score.sum"),
        (("p90",), "`p90` needs a column", "score.p90"),
        (("x", "y"), "column `x.y`", None),
        (("q" * 100_000,), "no column", None),
    ],
)
def test_an_unknown_name_is_told_what_is_near(name, message, expected):
    with pytest.raises(ColumnUnknownError) as caught:
        resolve_column(name, COLUMNS)
    assert message in caught.value.what
    assert (caught.value.expected is None) if expected is None else (expected in caught.value.expected)


@pytest.mark.parametrize(
    ("statistic", "p"),
    [
        ("p0", 0),
        ("p5", 0.05),
        ("p90", 0.9),
        ("p100", 1),
        ("q1", 0.25),
        ("median", 0.5),
        ("q3", 0.75),
        ("mean", None),
    ],
)
def test_a_quantile_knows_its_p(statistic, p):
    assert is_statistic(statistic)
    assert quantile_of(statistic) == p


@pytest.mark.parametrize("word", ["p", "p101", "p999", "p-1", "P90", "failed", ""])
def test_what_is_no_statistic(word):
    assert not is_statistic(word)


def test_columns_that_hide_a_statistic_are_named():
    assert shadowed_statistics(["score", "p90", "median", "failed"]) == ("median", "p90")


def test_near_names_read_as_a_sentence():
    assert near("arm", ["arms", "arm1", "farm", "x"]) in {
        "arms, farm or arm1",
        "farm, arms or arm1",
        "arms, arm1 or farm",
    }
    assert near("zzz", ["a"]) is None


def test_a_share_is_of_rows_and_stands_without_a_column():
    assert resolve_column(("share",), {"score"}) == (None, "share")
    with pytest.raises(ColumnUnknownError, match="without a column") as caught:
        resolve_column(("score", "share"), {"score"})
    assert caught.value.next_step == "write `share[score=…]` with the value that is meant, or `score.mean`"
    assert resolve_column(("score", "share"), {"score", "score.share"}) == ("score.share", None)
