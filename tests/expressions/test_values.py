"""Named values: said once, with parameters, used often; and every way in which they go wrong."""

import pytest

from benchctl.errors import ValueInvalidError, ValueUnknownError
from benchctl.expressions import expand, parse, parse_definitions, show
from benchctl.schema.project import Value


def with_values(text, values):
    return show(expand(parse(text), parse_definitions(values)))


@pytest.mark.parametrize(
    ("values", "text", "result"),
    [
        (
            {"tok(arm)": "content_tokens.median[arm=$arm] / content_tokens.median[arm=grep]"},
            "tok(graphify)",
            "content_tokens.median[arm=graphify] / content_tokens.median[arm=grep]",
        ),
        ({"cells": "count"}, "cells", "count"),  # without parameters, without parentheses
        ({"cells": "count"}, "cells()", "count"),
        ({"cells": "count"}, "cells[arm=grep]", "cells[arm=grep]"),  # with filters it is a column
        ({"cells": "count"}, "cells.max", "cells.max"),
        ({"half": "count + 1"}, "half * 2", "(count + 1) * 2"),  # never by pasting text
        ({"m(x)": "$x.median"}, "m(wall_s)", "wall_s.median"),
        ({"m(x)": "$x"}, "m(wall_s)", "wall_s"),
        ({"twice(k)": "2 * $k"}, "twice(3)", "2 * 3"),
        ({"twice(k)": "2 * $k"}, "twice(2.5)", "2 * 2.5"),
        ({"twice(k)": "2 * $k"}, "twice(-3)", "2 * -3"),
        ({"f(x)": "$x::files.sum"}, "f(index)", "index::files.sum"),
        ({"s(r)": "score.mean@$r + score.mean@$r+r9"}, "s(r8)", "score.mean@r8 + score.mean@r8+r9"),
        ({"d(x, y)": "delta(score.macro, arm=$x, arm=$y, scope=rerun)"}, "d(a, b)", "delta(score.macro, arm=a, arm=b, scope=rerun)"),
        ({"d(c)": "count[$c=1]"}, "d(rep)", "count[rep=1]"),
        ({"tok(a)": "count[arm=$a]", "both(x)": "tok($x) + tok(grep)"}, "both(hybrid)", "count[arm=hybrid] + count[arm=grep]"),
        ({"a": "b + 1", "b": "count"}, "a", "count + 1"),
        ({"q(x)": "count over question: $x.sum > 0"}, "q(tool_calls)", "count over question: tool_calls.sum > 0"),
        ({"e(a)": "count[arm=$a]"}, "lo(e('plain grep'))", 'lo(count[arm="plain grep"])'),
        ({"e()": "count"}, "min(e, 1)", "min(count, 1)"),
        ({"wall_s": "count"}, "wall_s", "count"),  # a named value hides a column
    ],
)  # fmt: skip
def test_a_named_value_is_its_expression(values, text, result):
    assert with_values(text, values) == result


def test_unit_and_note_travel_with_the_definition():
    (value,) = parse_definitions(
        {"rate(a)": Value(expr="count[arm=$a] / count", unit="fraction", note="n")}
    ).values()
    assert (value.name, value.parameters, value.unit, value.note) == ("rate", ("a",), "fraction", "n")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"a b": "1"}, "does not name a value"),
        ({"a(": "1"}, "does not name a value"),
        ({"a(1)": "1"}, "does not name a value"),
        ({"": "1"}, "does not name a value"),
        ({"a(x, x)": "1"}, "a parameter twice"),
        ({"a": "1", "a(x)": "$x"}, "defined twice"),
        ({"ratio(a, b)": "$a"}, "`ratio` is a word of the language"),
        ({"mcnemar_p": "1"}, "word of the language"),
        ({"lo": "1"}, "word of the language"),
        ({"and": "1"}, "word of the language"),
        ({"a(x)": "$y"}, "the value `a(x)`: no parameter $y at position 1"),
        ({"a": "1 +"}, "the value `a`: it ends too early"),
    ],
)
def test_a_definition_that_is_refused(values, message):
    with pytest.raises(ValueInvalidError) as caught:
        parse_definitions(values)
    assert message in caught.value.what


@pytest.mark.parametrize(
    ("values", "text", "error", "message"),
    [
        ({"tok(a)": "count[arm=$a]"}, "tk(x)", ValueUnknownError, "tok"),
        ({}, "rato(1)", ValueUnknownError, "ratio"),
        ({}, "zzzzzz(1)", ValueUnknownError, "`zzzzzz`"),
        ({"tok(a)": "count[arm=$a]"}, "tok()", ValueInvalidError, "tok(a)"),
        ({"tok(a)": "count[arm=$a]"}, "tok(x, y)", ValueInvalidError, "given 2 arguments"),
        ({"tok(a)": "count[arm=$a]"}, "tok", ValueInvalidError, "given 0 arguments"),
        ({"a": "b", "b": "c + 1", "c": "b"}, "a", ValueInvalidError, "in a circle: b -> c -> b"),
        ({"a": "a"}, "a", ValueInvalidError, "in a circle: a -> a"),
        ({f"a{i}": f"a{i + 1} + a{i + 1}" for i in range(40)}, "a0", ValueInvalidError, "grow too large"),
        ({f"a{i}": f"-a{i + 1}" for i in range(300)}, "a0", ValueInvalidError, "grow too large"),
    ],
)
def test_a_call_that_is_refused(values, text, error, message):
    with pytest.raises(error) as caught:
        with_values(text, values)
    assert message in str(caught.value)


def test_an_expression_that_is_too_large_without_any_value():
    with pytest.raises(ValueInvalidError, match="grow too large"):
        expand(parse(" + ".join(["a"] * 10_001)), {})
