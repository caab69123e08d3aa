"""A tree and measured probes in, a value out; what has no value is an error with its own name."""

import pytest

from benchctl.errors import (
    ColumnUnknownError,
    DivisionByZeroError,
    KindMismatchError,
    NoRowsError,
    NotFiniteError,
    NullResultError,
    ValueUnknownError,
    Where,
)
from benchctl.expressions import (
    Measured,
    evaluate,
    evaluate_groups,
    expand,
    parse,
    parse_filters,
    probes,
    show,
)
from benchctl.expressions.cursor import NESTING

RUN = {
    "a": Measured(6, n=3, count=4, failed=1),
    "b": Measured(4.0),
    "zero": Measured(0),
    "yes": Measured(value=True),
    "no": Measured(value=False),
    "name": Measured("grep"),
    "null": Measured(None, count=4),
    "nan": Measured(float("nan")),
    "huge": Measured(1e308),
    "big": Measured(10**30),
    "missing": Measured(None, error=ColumnUnknownError("no column `missing`", expected="a")),
    "mean": Measured(0.5, lo=0.4, hi=0.7),
    "pin": Measured(7),
}


def answers(node, filters=(), table=RUN):
    return {probe: table[probe.name[0]] for probe in probes(node, filters=filters)}


def value(text, table=RUN):
    node = parse(text)
    return evaluate(node, answers(node, table=table))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", 6),
        ("name", "grep"),
        ("yes", True),
        ("a + b - 1", 9),
        ("a / b", 1.5),
        ("a - b - 1", 1),  # from the left
        ("a / b / 2", 0.75),
        ("a * (b + 1)", 30),
        ("-a + --b", -2),
        ("big", 10**30),
        ("big * big * big", 1e90),  # no product grows without bound
        ("big * big", pytest.approx(1e60)),
        ("abs(-a)", 6),
        ("min(a, b, 5)", 4),
        ("max(a, b, 5)", 6),
        ("round(2.5)", 2),  # half to even
        ("round(12.5)", 12),
        ("round(2.675, 2)", 2.68),  # in decimals: binary would give 2.67
        ("round(a / 7, 3)", 0.857),
        ("round(-0.125, 2)", -0.12),
        ("round(huge, 2)", 1e308),
        ("ratio(a, b)", 1.5),
        ("delta(a, b)", 2),
        ("speedup(a, b)", 1.5),
        ("change_pct(a, b)", pytest.approx(-100 / 3)),
        ("change_pct(b, a)", 50),
        ("reduction_pct(a, b)", pytest.approx(100 / 3)),
        ("lo(mean)", 0.4),
        ("hi(mean)", 0.7),
        ("lo(delta(mean, arm=x, arm=y))", 0.4),
    ],
)
def test_numbers(text, expected):
    got = value(text)
    assert got == expected
    assert isinstance(got, bool) is isinstance(expected, bool)


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("a > b", True),
        ("a <= b", False),
        ("a = 6", True),
        ("a != 6", False),
        ("0.1 + 0.2 = 0.3", True),  # the order of a sum is not data
        ("0.1 + 0.2 > 0.3", False),
        ("0.1 + 0.2 >= 0.3", True),
        ("0.3 < 0.1 + 0.2", False),
        ("0.3 <= 0.1 + 0.2", True),
        ("0.3000001 > 0.3", True),
        ("zero = 0", True),
        ("zero < 1e-300", True),
        ("name = 'grep'", True),
        ("name != 'grep'", False),
        ("yes = true", True),
        ("no = true", False),
        ("yes and a > 1 and not no", True),
        ("yes and no", False),
        ("no or a > 1", True),
        ("no or no", False),
    ],
)
def test_truths(text, truth):
    assert value(text) is truth


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("a / zero", DivisionByZeroError, "`zero`"),
        ("a / (b - 4)", DivisionByZeroError, "`b - 4`"),
        ("ratio(a, zero)", DivisionByZeroError, "`ratio"),
        ("change_pct(zero, a)", DivisionByZeroError, "`change_pct"),
        ("reduction_pct(zero, a)", DivisionByZeroError, "`reduction_pct"),
        ("null", NullResultError, "in none of its 4 rows"),
        ("null > 1", NullResultError, "`null`"),
        ("nan", NotFiniteError, "`nan`"),
        ("huge * 10", NotFiniteError, "`huge * 10` is no finite number"),
        ("change_pct(1, huge)", NotFiniteError, "`change_pct"),
        ("missing", ColumnUnknownError, "no column `missing`"),
        ("yes or missing > 1", ColumnUnknownError, "no column"),  # not hidden behind what is true
        ("no and missing > 1", ColumnUnknownError, "no column"),
        ("lo(a)", NullResultError, "no interval"),
        ("hi(missing)", ColumnUnknownError, "no column"),
        ("yes + 1", KindMismatchError, "`yes` is true or false"),
        ("name * 2", KindMismatchError, "`name` is a text"),
        ("-name", KindMismatchError, "a text"),
        ("abs(yes)", KindMismatchError, "`yes`"),
        ("not a", KindMismatchError, "`a` is neither true nor false"),
        ("a and yes", KindMismatchError, "neither true nor false"),
        ("name < 'x'", KindMismatchError, "a text"),
        ("yes > no", KindMismatchError, "true or false"),
        ("name = 1", KindMismatchError, "a text"),
        ("a = 'x'", KindMismatchError, "a text"),
        ("round(a, 0.5)", KindMismatchError, "rounds to 0.5"),
        ("round(a, 16)", KindMismatchError, "rounds to 16"),
        ("round(a, -1)", KindMismatchError, "rounds to -1"),
    ],
)
def test_what_has_no_value_is_an_error_of_its_own(text, error, message):
    with pytest.raises(error) as caught:
        value(text)
    assert message in str(caught.value)


def test_an_error_is_a_new_object_for_everybody_who_asks():
    node = parse("missing")
    table = answers(node)
    raised = []
    for line in (1, 2):
        with pytest.raises(ColumnUnknownError) as caught:
            evaluate(node, table)
        raised.append(caught.value.at(Where("a.md", line)))
    assert [str(error.where) for error in raised] == ["a.md:1", "a.md:2"]
    assert raised[0].expected == "a"


@pytest.mark.parametrize("text", ["tok(a)", "1 + tok(a)"])
def test_a_named_value_that_was_not_expanded_is_an_error(text):
    with pytest.raises(ValueUnknownError):
        evaluate(parse(text), {})


def test_an_interval_of_an_expanded_sum_is_an_error():
    bound = parse("lo(tok(a))")
    with pytest.raises(KindMismatchError, match="no interval"):
        evaluate(type(bound)("lo", parse("a + b")), {})


def test_the_filters_of_the_scope_are_part_of_the_question():
    node, where = parse("a[arm=grep]"), parse_filters("agent=pi")
    assert evaluate(node, answers(node, where), filters=where) == 6
    with pytest.raises(KeyError):
        evaluate(node, answers(node), filters=where)


def grouped(**values):
    return Measured(None, groups={name: Measured(value) for name, value in values.items()})


GROUPS = {
    "count": grouped(q1=3, q2=3, q3=3),
    "a": grouped(q1=1, q2=2, q3=9),
    "b": grouped(q1=1, q2=1, q3=10),
    "same": grouped(q1=5, q2=5, q3=5),
    "part": grouped(q1=1, q2=2),
    "yes": grouped(q1=True, q2=True, q3=False),
    "text": grouped(q1="x", q2="x", q3="x"),
    "pin": Measured(2),
    "missing": RUN["missing"],
    "failing": Measured(None, groups={"q1": Measured(1), "q2": Measured(None, error=NoRowsError("no row"))}),
    "share": grouped(q1=0.5),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("all question: a > 0", True),
        ("all question: a >= b", False),
        ("any question: a > 8", True),
        ("any question: a > 9", False),
        ("none question: a > 9", True),
        ("none question: a > 8", False),
        ("all question: same = 5 and a > 0", True),
        ("any question: yes", True),
        ("count over question: a > 1", 2),
        ("count over question: a", 3),
        ("n over question: a", 3),
        ("share over question: a > 1", pytest.approx(2 / 3)),
        ("sum over question: a", 12),
        ("mean over question: a", 4),
        ("median over question: a", 2),
        ("median over question: a / b", 1),
        ("min over question: a", 1),
        ("max over question: a - b", 1),
        ("q1 over question: a", 1.5),
        ("q3 over question: a", 5.5),
        ("p100 over question: a", 9),
        ("p90 over question: a", pytest.approx(7.6)),
        ("iqr over question: a", 4),
        ("sd over question: a", pytest.approx(19**0.5)),
        ("distinct over question: same", 1),
        ("(count over question: a > 1) * 10 + 1", 21),
        ("all question: a > 0 and a <= pin[question=q9] * 5", True),  # the same for every group
    ],
)
def test_groups(text, expected):
    assert value(text, GROUPS) == expected


@pytest.mark.parametrize("statistic", ["sum", "mean", "sd", "iqr"])
def test_a_statistic_of_the_groups_that_is_too_large_is_an_error(statistic):
    table = {
        "count": grouped(q1=1, q2=1),
        "a": grouped(q1=-1.7e308, q2=1.7e308),
        "b": grouped(q1=1.7e308, q2=1.7e308),
    }
    with pytest.raises(NotFiniteError, match="no finite number"):
        value(f"{statistic} over question: {'b' if statistic in {'sum', 'mean'} else 'a'}", table)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("all question: part > 0", NoRowsError, "no row matches `part`, for question `q3`"),
        ("all question: failing > 0", NoRowsError, "no row, for question `q2`"),
        ("all question: missing > 0", ColumnUnknownError, "no column `missing`"),
        ("all question: a", KindMismatchError, "`a` is neither true nor false"),
        ("share over question: a", KindMismatchError, "`a` is neither true nor false"),
        ("mean over question: yes", KindMismatchError, "`yes` is true or false"),
        ("count over question: text", KindMismatchError, "`text` is a text"),
    ],
)
def test_groups_without_a_value(text, error, message):
    with pytest.raises(error) as caught:
        value(text, GROUPS)
    assert message in caught.value.what


def test_a_count_or_share_of_no_row_in_a_group_is_zero():
    node = parse("all question: count[outcome=timeout] = 0 and share[outcome=timeout] < 1")
    table = dict.fromkeys(probes(node), Measured(None))
    table[probes(node)[0]] = GROUPS["count"]
    assert evaluate(node, table) is True


def test_no_group_at_all_is_an_error_and_not_true():
    with pytest.raises(NoRowsError, match="no question to go through"):
        value("all question: a > 0", {**GROUPS, "count": Measured(0)})


def test_the_values_to_go_through_may_fail_themselves():
    with pytest.raises(ColumnUnknownError):
        value("all question: a > 0", {**GROUPS, "count": RUN["missing"]})


def test_the_sd_of_one_group_is_an_error():
    with pytest.raises(NotFiniteError, match="sd of one value"):
        value("sd over question: a", {"count": grouped(q1=1), "a": grouped(q1=1)})


def test_whoever_failed_is_named():
    over = parse("all question: a >= b")
    assert evaluate_groups(over, answers(over, table=GROUPS)) == {"q1": True, "q2": True, "q3": False}


def test_a_group_without_a_value_is_called_null():
    over = parse("sum over q: a")
    groups = {None: Measured(None, error=NoRowsError("no row")), "null": Measured(1)}
    measured = {probe: Measured(None, groups=groups) for probe in probes(over)}
    with pytest.raises(NoRowsError, match="no row, for q null"):
        evaluate(over, measured)
    measured = {
        probe: Measured(None, groups={None: Measured(2), "null": Measured(1)}) for probe in probes(over)
    }
    assert evaluate_groups(over, measured) == {None: 2, "null": 1}


def test_groups_of_several_runs_are_gone_through_together():
    over = parse("all question: a@r1 >= a@r2")
    first, second = [probe for probe in probes(over) if probe.name == ("count",)]
    table = answers(over, table=GROUPS) | {first: grouped(q1=1), second: grouped(q4=1)}
    with pytest.raises(NoRowsError, match="`q4`"):
        evaluate(over, table)


def test_a_long_sum_is_evaluated_without_depth():
    assert value(" + ".join(["a"] * 10_000)) == 60_000


def test_the_deepest_tree_is_walked_to_its_bottom():
    text = "missing"
    for _ in range(NESTING):
        text = f"(true or true and 1 = 1 + 1 * {text})"
    node = parse(text)
    assert parse(show(node)) == node
    with pytest.raises(ColumnUnknownError):
        evaluate(expand(node, {}), answers(node))


def test_the_error_names_the_expression_canonically():
    assert show(parse("a/ (b-4)")) == "a / (b - 4)"
