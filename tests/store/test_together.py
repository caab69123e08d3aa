"""Probes that are answered together are answered as each is alone, whatever their columns and values are."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from results_file import imported_run

from benchctl.errors import AmbiguousRowError
from benchctl.expressions import Filter, Probe, evaluate, evaluate_groups, parse, probes
from benchctl.store.measuring.question import measure
from benchctl.store.reader import Store
from benchctl.store.relations import cells_view, connection, loaded

BIG = 2**53
COLUMNS = {
    "share": ("DOUBLE", [1.0, 2.0, 0.5, -0.0, 0.0, 1e-7, 1e17, float(BIG), None, 1.0, 3.0, 3.0]),
    "big": ("BIGINT", [BIG, BIG + 1, BIG + 2, -BIG - 1, 2**63 - 1, 5, 5, 1, None, 0, 1, 2]),
    "flag": ("BOOLEAN", [True, False, None] * 4),
    "word": ("VARCHAR", ["1", "1.0", "01", "+1", "1e0", "x", "", "null", None, "NULL", "true", "1"]),
    "weight": ("DOUBLE", [float(n) for n in range(12)]),
    "count": ("BIGINT", [7] * 12),
}
NUMBERS = (
    "1", "1.0", "+1", "01", "1e0", "2", "0", "-0", "-0.0", "0.5", "1e17", "100000000000000000", "5.0",
    str(BIG), f"{BIG}.0", str(BIG + 1), f"{BIG + 1}.0", f"{BIG + 1}e0", str(-BIG - 1), str(2**63 - 1), "1e300",
)  # fmt: skip
VALUES = {
    "share": NUMBERS,
    "big": NUMBERS,
    "flag": ("true", "false"),
    "word": (*NUMBERS, "x", "null", "NULL", "true", "*1*"),
    "arm": ("a", "b", "null"),
}


@pytest.fixture(params=["tables", "views"])
def store(request, tmp_path, monkeypatch):
    monkeypatch.setattr(loaded, "_LOADED", loaded.OrderedDict())
    if request.param == "views":
        monkeypatch.setattr(connection, "_MANY_ROWS", 0)
        monkeypatch.setattr(cells_view, "_SMALL", 0)
    store = Store(tmp_path / "data")
    imported_run(store, "x1", COLUMNS, {"arm": ["a", "b", None] * 4}, {"score": [0.0, 1.0, 0.5, 1.0] * 3})
    return store


FILTERS = st.sampled_from(sorted(VALUES)).flatmap(
    lambda name: st.builds(
        Filter,
        st.just(name),
        st.sampled_from(["=", "=", "=", "!=", "<", ">=", "~"]),
        st.sampled_from(VALUES[name]),
    )
)
PROBES = st.builds(
    Probe,
    st.sampled_from([("weight", "count"), ("weight", "sum"), ("big", "max"), ("share", "n"), ("weight",)]),
    st.lists(FILTERS, max_size=2).map(tuple),
    group_by=st.sampled_from([None, None, None, "arm", "word", "share"]),
)


def told(answer):
    groups = {name: told(group) for name, group in answer.groups.items()}
    return repr((answer.value, answer.n, answer.count, str(answer.error), groups))


@given(asked=st.lists(PROBES, min_size=2, max_size=12))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_probes_that_are_answered_together_are_answered_as_each_is_alone(store, asked):
    together = measure(store, "x1", asked)
    for probe in together:
        assert told(together[probe]) == told(measure(store, "x1", [probe])[probe])


def ask(store, text):
    node = parse(text)
    return evaluate(node, measure(store, "x1", probes(node)))


@pytest.mark.parametrize(
    ("filters", "counts"),
    [
        (("share=1", "share=2", "share=0"), (2, 1, 2)),
        (("share=1.0", "share=1", "share=1e0"), (2, 2, 2)),
        (("score=0", "score=1", "score=0.5"), (3, 6, 3)),
        ((f"big={BIG}", f"big={BIG + 1}", f"big={BIG + 2}"), (1, 1, 1)),
        ((f"big={BIG}.0", f"big={BIG + 1}.0", f"big={BIG + 2}.0"), (1, 1, 1)),
        (('word="1"', 'word="1.0"', 'word="01"'), (2, 1, 1)),
    ],
)
def test_filters_of_one_shape_each_have_their_rows(store, filters, counts):
    nodes = [parse(f"weight.count[{each}]") for each in filters]
    measured = measure(store, "x1", [probe for node in nodes for probe in probes(node)])
    assert tuple(evaluate(node, measured) for node in nodes) == counts


def test_rows_without_a_value_are_a_group_of_their_own(store):
    (over,) = [parse("count over word: weight.count > 0")]
    groups = evaluate_groups(over, measure(store, "x1", probes(over)))
    assert set(groups) == {*COLUMNS["word"][1]}
    assert ask(store, "count over word: weight.count > 0") == len(groups)
    assert ask(store, "max over word: weight.count") == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("big.max", 2**63 - 1),
        ("big.min", -BIG - 1),
        (f"big.max[big<={BIG + 1}]", BIG + 1),
        ("big.sum", 2**63 + 2 * BIG + 15),
        ("big.max - 1", 2**63 - 2),
        ("big.max - big.max[big<100]", 2**63 - 6),
        ("big.max * 2 + 1", 2**64 - 1),
        ("-big.min", BIG + 1),
        ("max(big.min, 1)", 1),
        ("round(big.max, 2)", 2**63 - 1),
        ("delta(big.max, big.min)", 2**63 + BIG),
        (f"big.max = {2**63 - 1}", True),
        (f"big.max = {2**63 - 2}", False),
        (f"big.max[big<={BIG + 1}] > {BIG}", True),
    ],
)
def test_a_whole_number_stays_exact(store, text, value):
    found = ask(store, text)
    assert (type(found), found) == (type(value), value)


def test_a_column_that_hides_a_statistic_says_so_where_many_rows_match(store):
    assert ask(store, "count.max") == 7
    with pytest.raises(AmbiguousRowError, match="`count` is a column here, which hides the statistic"):
        ask(store, "count")
    with pytest.raises(AmbiguousRowError, match="without a statistic \\["):
        ask(store, "weight")
