"""Laws of the language: parse and show invert each other, no text breaks the parser, arithmetic is Python's."""

import contextlib
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchctl.errors import DivisionByZeroError, EvaluationError, ExpressionInvalidError
from benchctl.expressions import (
    Contrast,
    Filter,
    Over,
    Probe,
    evaluate,
    expand,
    parse,
    parse_filters,
    probes,
    show,
    show_filters,
)
from benchctl.expressions.calls import FUNCTIONS
from benchctl.expressions.tree import (
    Bound,
    Call,
    Chain,
    Compare,
    Logical,
    NamedCall,
    Negative,
    Not,
    Number,
    Text,
    Truth,
    children,
    with_children,
)

WORDS = st.one_of(
    st.sampled_from(["score", "arm", "all", "and", "true", "count", "p90", "over"]), st.text(min_size=1)
)
CALLED = st.from_regex(r"[a-z][a-z0-9_]{0,8}x", fullmatch=True)
VALUES = st.one_of(st.sampled_from(["grep", "gpt-5.2", "*", "a b"]), st.text())
OPS = st.sampled_from(["=", "!=", "<", "<=", ">", ">=", "~"])
FILTERS = st.lists(st.builds(Filter, WORDS, OPS, VALUES), max_size=3).map(tuple)
RUN_IDS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,12}", fullmatch=True)
RUNS = st.none() | st.lists(RUN_IDS, min_size=1, max_size=3).map("+".join)
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(tuple)
SCOPES = st.sampled_from([None, "rerun", "questions", "repositories"])


@st.composite
def contrasts(draw):
    a = draw(VALUES)
    b = draw(VALUES.filter(lambda value: value != a))
    column = draw(WORDS.filter(lambda word: word != "scope"))
    function = draw(st.sampled_from(["delta", "paired_ratio", "mcnemar_p"]))
    return Contrast(function, column, a, b, draw(SCOPES))


REFERENCES = st.builds(Probe, NAMES, FILTERS, RUNS, st.none() | WORDS)
COMPARISONS = st.builds(
    lambda probe, contrast: Probe(probe.name, probe.filters, probe.run, probe.table, contrast),
    REFERENCES,
    contrasts(),
)
NUMBERS = st.builds(Number, st.integers(0, 10**30) | st.floats(0, allow_infinity=False))
CALLS = st.builds(NamedCall, CALLED, st.lists(VALUES, max_size=3).map(tuple))
BOUNDS = st.builds(Bound, st.sampled_from(["lo", "hi"]), REFERENCES | COMPARISONS | CALLS)
LEAVES = (
    NUMBERS
    | st.builds(Text, st.text())
    | st.builds(Truth, st.booleans())
    | REFERENCES
    | COMPARISONS
    | CALLS
    | BOUNDS
)


def chains(nodes):
    def of(operators):
        return st.builds(
            Chain,
            nodes,
            st.lists(st.tuples(st.sampled_from(operators), nodes), min_size=1, max_size=3).map(tuple),
        )

    return of("+-") | of("*/")


def functions(nodes):
    return st.sampled_from(sorted(FUNCTIONS)).flatmap(
        lambda name: st.builds(
            Call,
            st.just(name),
            st.lists(nodes, min_size=FUNCTIONS[name][0], max_size=FUNCTIONS[name][1] or 4).map(tuple),
        )
    )


def grown(nodes):
    operands = st.lists(nodes, min_size=2, max_size=3).map(tuple)
    return (
        chains(nodes)
        | functions(nodes)
        | st.builds(Negative, nodes)
        | st.builds(Not, nodes)
        | st.builds(Compare, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), nodes, nodes)
        | st.builds(Logical, st.sampled_from(["and", "or"]), operands)
        | st.builds(Over, st.sampled_from(["all", "any", "none", "count", "median", "p90"]), WORDS, nodes)
    )


NODES = st.recursive(LEAVES, grown, max_leaves=12)


@given(NODES)
def test_parse_inverts_show(node):
    assert parse(show(node)) == node


@given(NODES)
def test_show_is_canonical(node):
    assert show(parse(show(node))) == show(node)


@given(NODES)
def test_a_tree_is_made_of_its_children(node):
    assert with_children(node, children(node)) == node


@given(FILTERS.filter(bool))
def test_parse_filters_inverts_show_filters(filters):
    assert parse_filters(show_filters(filters)) == filters


PIECES = st.lists(
    st.sampled_from(
        ["a", "1", ".", "::", "[", "]", "(", ")", ",", "=", "<", "@", "+", "-", '"', "'", " ", "all", "over", ":", "not", "and", "delta(", "lo(", "$x", "é", "\n"]
    ),
    max_size=25,
).map("".join)  # fmt: skip


@given(st.text() | PIECES)
@example("\x1f")
def test_any_text_is_a_tree_or_an_error_placed_inside_of_it(text):
    for read in (parse, parse_filters):
        try:
            read(text)
        except ExpressionInvalidError as error:
            placed = 0 <= error.position < max(len(text), 1) and error.expected
        else:
            placed = True
        assert placed


ARITHMETIC = st.recursive(
    st.builds(Number, st.integers(0, 9) | st.sampled_from([0.5, 2.25])),
    lambda nodes: chains(nodes) | st.builds(Negative, nodes),
    max_leaves=10,
)


@given(ARITHMETIC)
def test_arithmetic_is_pythons(node):
    try:
        expected = eval(show(node))
    except ZeroDivisionError:
        with pytest.raises(DivisionByZeroError):
            evaluate(node, {})
        return
    assert math.isclose(evaluate(node, {}), expected, rel_tol=1e-12, abs_tol=1e-12)


@given(ARITHMETIC, ARITHMETIC)
def test_comparisons_exclude_one_another(left, right):
    def holds(op):
        return evaluate(Compare(op, left, right), {})

    try:
        less, equal, more = holds("<"), holds("="), holds(">")
    except DivisionByZeroError:
        return
    assert less + equal + more == 1
    assert holds("<=") == (less or equal)
    assert holds(">=") == (more or equal)
    assert holds("!=") == (not equal)


@given(NODES, FILTERS)
def test_probes_are_unique_and_all_that_evaluation_asks_for(node, filters):
    try:
        asked = probes(node, filters=filters)
    except EvaluationError:
        return
    assert len(set(asked)) == len(asked)
    seen = set()

    class Watched(dict):
        def __missing__(self, probe):
            seen.add(probe)
            raise LookupError

    with contextlib.suppress(LookupError, EvaluationError):
        evaluate(node, Watched(), filters=filters)
    assert seen <= set(asked)


@given(NODES)
def test_without_definitions_only_calls_can_fail_to_expand(node):
    try:
        assert expand(node, {}) == node
    except EvaluationError as error:
        assert "no named value" in error.what  # noqa: PT017 - the other branch is the law
