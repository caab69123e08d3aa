"""Named values that are SQL: a reference like any other, its arguments bound, never a part of its text."""

import pytest

from benchctl.errors import SqlUntrustedError, ValueInvalidError, Where
from benchctl.expressions import (
    Filter,
    Measured,
    Query,
    calls_in,
    evaluate,
    expand,
    is_vacuous,
    names_in,
    parse,
    parse_definitions,
    probes,
    show,
)
from benchctl.schema.project import Value

SQL = "select count(*) from cells where arm = $a"
COUNTED = {"of(a)": Value(sql=SQL, kind="count"), "whole": Value(sql="select 1 from cells", unit="s")}


def read(text, values=None, **more):
    return expand(parse(text), parse_definitions(values or COUNTED, **more))


def test_a_call_is_one_reference_with_its_arguments():
    node = read("of('plain grep')")
    assert node.query == Query("of", SQL, (("a", "plain grep"),), exact=True)
    assert (node.name, node.filters, node.run) == (("of()",), (), None)
    assert not is_vacuous(node)
    assert probes(node, filters=(Filter("agent", "=", "x"),))[0].filters == (Filter("agent", "=", "x"),)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("of(grep)", "of(grep)"),
        ("of('a b')", 'of("a b")'),
        ("whole", "whole"),
        ("whole()", "whole"),
        ("ratio(of(a), of(b)) - whole", "ratio(of(a), of(b)) - whole"),
    ],
)
def test_it_is_shown_as_it_is_called(text, shown):
    assert show(read(text)) == shown


def test_it_is_part_of_arithmetic():
    node = read("ratio(of(a), of(b)) + 1")
    a, b = probes(node)
    assert a != b
    assert hash(a) != hash(b)
    assert evaluate(node, {a: Measured(6), b: Measured(3)}) == 3


def test_a_parameter_reaches_it_through_other_names():
    values = {**COUNTED, "both(x)": "of($x) + of(grep)"}
    assert show(read("both(index)", values)) == "of(index) + of(grep)"


@pytest.mark.parametrize("text", ["", "x" * 1_000, "'; drop table cells; --", "$a", "\u202e\U0001f600"])
def test_an_argument_is_any_short_text(text):
    quoted = text.replace("'", "''")
    assert read(f"of('{quoted}')").query.arguments == (("a", text),)
    assert read(f"of('{quoted}')").query.sql == SQL


@pytest.mark.parametrize("text", ["x" * 1_001, "a\0b", "\ud800"])
def test_what_is_none_is_refused(text):
    with pytest.raises(ValueInvalidError, match="characters for a"):
        read(f"of('{text}')")


def test_groups_cannot_ask_it():
    with pytest.raises(ValueInvalidError, match="`of` is SQL, and cannot be asked for each question"):
        probes(read("all question: of(grep) > 0"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"x(a, b)": Value(sql="select $a")}, "the value `x`: its SQL does not say $b"),
        ({"x(a)": Value(sql="select $ab")}, "does not say $a"),
        ({"x": Value(sql=" \n")}, "0 characters of SQL"),
        ({"x": Value(sql="x" * 100_001)}, "100,001 characters of SQL"),
    ],
)
def test_a_statement_that_cannot_be_one(values, message):
    with pytest.raises(ValueInvalidError) as caught:
        parse_definitions(values)
    assert message in caught.value.what


def test_sql_of_a_file_that_is_not_trusted_is_refused_where_it_is_used():
    values = parse_definitions(
        {**COUNTED, "plain": "count"}, place=lambda key: Where("b.toml", len(key)), trusted=False
    )
    assert show(expand(parse("plain"), values)) == "count"
    with pytest.raises(SqlUntrustedError) as caught:
        expand(parse("plain + whole"), values)
    assert caught.value.where == Where("b.toml", 5)


def test_every_problem_of_a_table_is_said_with_its_place():
    values = {"a b": "1", "ok": "count", "c": "1 +", "d(x)": Value(sql="select 1")}
    with pytest.raises(ValueInvalidError) as caught:
        parse_definitions(values, place=lambda key: Where("b.toml", list(values).index(key) + 2))
    assert caught.value.where == Where("b.toml", 2)
    assert [line[:8] for line in caught.value.what.splitlines()] == ["`a b` do", "b.toml:4", "b.toml:5"]
    with pytest.raises(ValueInvalidError) as caught:
        parse_definitions(values)
    assert caught.value.where is None
    assert "\nthe value `c`" in caught.value.what


def test_names_are_looked_up_where_they_were_defined():
    outer = parse_definitions({"cells": "count", "double": "cells * 2"})
    inner = parse_definitions({"cells": "count[arm=a]", "both": "cells + double"}, outer=outer)
    assert show(expand(parse("both"), inner)) == "count[arm=a] + count * 2"
    assert show(expand(parse("cells + double"), {**outer, **inner})) == "count[arm=a] + count * 2"


def test_names_in_a_tree_as_written():
    text = "ratio(tok(a), wall_s.mean) + cells - score[arm=x] * f() and all question: other > 0"
    assert names_in(parse(text)) == {"tok", "cells", "f", "other"}
    assert names_in(read("whole")) == frozenset()


def test_what_is_called_can_only_be_a_named_value():
    assert calls_in(parse("ratio(tok(a), cells) - f() and all question: g(x) > 0")) == {"tok", "f", "g"}


def test_kind_travels_with_the_definition():
    found = parse_definitions({"a": Value(expr="count", kind="measure"), "b": "count", **COUNTED})
    assert [found[name].kind for name in ("a", "b", "of", "whole")] == ["measure", None, "count", None]
    assert found["a"].query is None
