"""Text in, tree out: one line for each rule of the grammar, and one for each way to break it."""

import pytest

from benchctl.errors import ExpressionInvalidError
from benchctl.expressions import Contrast, Filter, Over, Probe, parse, parse_filters, show
from benchctl.expressions.cursor import LONGEST, NESTING
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
)

A, B, C = (Probe((name,)) for name in "abc")
ONE, TWO = Number(1), Number(2)


def where(*conditions):
    return tuple(Filter(*condition) for condition in conditions)


GREP = where(("arm", "=", "grep"))

REFERENCES = [
    ("score", Probe(("score",))),
    ("score.mean", Probe(("score", "mean"))),
    ("a.b.c.p90", Probe(("a", "b", "c", "p90"))),  # which of them is the column is not known yet
    ("count", Probe(("count",))),
    ("n_failed", Probe(("n_failed",))),
    ('"graph calls".median', Probe(("graph calls", "median"))),
    ('"a ""b"""', Probe(('a "b"',))),  # a doubled quote is one of the name
    ('"all"', Probe(("all",))),  # a word of the language, in quotes, is a column
    ("zeitmaß", Probe(("zeitmaß",))),
    ("score[arm=grep]", Probe(("score",), GREP)),
    ("score [ arm = grep ] @ r8", Probe(("score",), GREP, "r8")),
    ("count[outcome=ok, wall_s<=10]", Probe(("count",), where(("outcome", "=", "ok"), ("wall_s", "<=", "10")))),
    ("n[a!=b,c>=1,d>2,e<3]", Probe(("n",), where(("a", "!=", "b"), ("c", ">=", "1"), ("d", ">", "2"), ("e", "<", "3")))),
    ("n[model~gpt-*]", Probe(("n",), where(("model", "~", "gpt-*")))),
    ("n[model=a/b:c+d@e(f)]", Probe(("n",), where(("model", "=", "a/b:c+d@e(f)")))),
    ('n[a="x, ]"]', Probe(("n",), where(("a", "=", "x, ]")))),
    ("n[a='x \"y\"']", Probe(("n",), where(("a", "=", 'x "y"')))),
    ("n[a='it''s']", Probe(("n",), where(("a", "=", "it's")))),
    ('n[a=""]', Probe(("n",), where(("a", "=", "")))),
    ('n["a b"=c]', Probe(("n",), where(("a b", "=", "c")))),
    ("n[a.b=c]", Probe(("n",), where(("a.b", "=", "c")))),
    ("score@coding-v1-r8", Probe(("score",), (), "coding-v1-r8")),
    ("score@r6+r7+x2", Probe(("score",), (), "r6+r7+x2")),
    ("index::files", Probe(("files",), table="index")),
    ('"index stats"::files.sum[a=b]@r', Probe(("files", "sum"), where(("a", "=", "b")), "r", "index stats")),
]  # fmt: skip


def contrast(function, scope=None, **probe):
    return Probe(contrast=Contrast(function, "arm", "x", "y", scope), **probe)


CALLS = [
    ("abs(1)", Call("abs", (ONE,))),
    ("min(1, 2, a)", Call("min", (ONE, TWO, A))),
    ("max(a, b)", Call("max", (A, B))),
    ("round(a)", Call("round", (A,))),
    ("round(a, 2)", Call("round", (A, TWO))),
    ("ratio(a, b)", Call("ratio", (A, B))),
    ("speedup(a, b)", Call("speedup", (A, B))),
    ("change_pct (a, b)", Call("change_pct", (A, B))),
    ("reduction_pct(a, b)", Call("reduction_pct", (A, B))),
    ("delta(a, b)", Call("delta", (A, B))),
    ("delta(score.macro, arm=x, arm=y)", contrast("delta", name=("score", "macro"))),
    ("paired_ratio(t[a=b]@r, arm='x', arm = \"y\")", contrast("paired_ratio", name=("t",), filters=where(("a", "=", "b")), run="r")),
    ("mcnemar_p(i::score, arm=x, arm=y, scope=rerun)", contrast("mcnemar_p", "rerun", name=("score",), table="i")),
    ("delta(a, scope=questions, arm=x, arm=y)", contrast("delta", "questions", name=("a",))),
    ('delta(a, "the arm"=x, "the arm"=y)', Probe(("a",), contrast=Contrast("delta", "the arm", "x", "y"))),
    ("lo(a.macro)", Bound("lo", Probe(("a", "macro")))),
    ("hi(delta(a, arm=x, arm=y))", Bound("hi", contrast("delta", name=("a",)))),
    ("lo(tok(graphify))", Bound("lo", NamedCall("tok", ("graphify",)))),
    ("tok()", NamedCall("tok", ())),
    ("tok(graphify, 1.5, 'a b', gpt-5.2)", NamedCall("tok", ("graphify", "1.5", "a b", "gpt-5.2"))),
]  # fmt: skip

OPERATORS = [
    ("12", Number(12)),
    ("0.5", Number(0.5)),
    ("1e3", Number(1000.0)),
    ("1.5E-3", Number(0.0015)),
    ("true", Truth(value=True)),
    ("false", Truth(value=False)),
    ("'it''s'", Text("it's")),
    ("-a", Negative(A)),
    ("--a", Negative(Negative(A))),
    ("a + b - c", Chain(A, (("+", B), ("-", C)))),
    ("a - (b - c)", Chain(A, (("-", Chain(B, (("-", C),))),))),
    ("a + b * c", Chain(A, (("+", Chain(B, (("*", C),))),))),
    ("(a + b) / c", Chain(Chain(A, (("+", B),)), (("/", C),))),
    ("-a * b", Chain(Negative(A), (("*", B),))),
    ("-(a * b)", Negative(Chain(A, (("*", B),)))),
    ("a * -b", Chain(A, (("*", Negative(B)),))),
    ("a@r8 - 1", Chain(Probe(("a",), (), "r8"), (("-", ONE),))),
    ("a@r8-1", Probe(("a",), (), "r8-1")),  # a run id may hold `-`
    ("a-1", Chain(A, (("-", ONE),))),
    ("((a))", A),
    ("  a  ", A),
    *((f"a {op} 1", Compare(op, A, ONE)) for op in ("=", "!=", "<", "<=", ">", ">=")),
    ("a + 1 < b", Compare("<", Chain(A, (("+", ONE),)), B)),
    ("a = 1 and b or c", Logical("or", (Logical("and", (Compare("=", A, ONE), B)), C))),
    ("a or b and c", Logical("or", (A, Logical("and", (B, C))))),
    ("(a or b) and c", Logical("and", (Logical("or", (A, B)), C))),
    ("a and b and c", Logical("and", (A, B, C))),
    ("not a = 1", Not(Compare("=", A, ONE))),
    ("not not a and b", Logical("and", (Not(Not(A)), B))),
    ("notes", Probe(("notes",))),  # begins like `not`
    ("order and android", Logical("and", (Probe(("order",)), Probe(("android",))))),
    ("any question: a > 1", Over("any", "question", Compare(">", A, ONE))),
    ('none "a b": a', Over("none", "a b", A)),
    ("all question: a and b", Over("all", "question", Logical("and", (A, B)))),  # reaches to the end
    ("b and all question: a", Logical("and", (B, Over("all", "question", A)))),
    ("(all question: a) and b", Logical("and", (Over("all", "question", A), B))),
    ("count over question: a.sum > 0", Over("count", "question", Compare(">", Probe(("a", "sum")), Number(0)))),
    ("median over question: a / b", Over("median", "question", Chain(A, (("/", B),)))),
    ("p90 over rep: a", Over("p90", "rep", A)),
    ("min(count over q: a, 1)", Call("min", (Over("count", "q", A), ONE))),
]  # fmt: skip


@pytest.mark.parametrize(("text", "tree"), REFERENCES + CALLS + OPERATORS)
def test_it_reads(text, tree):
    assert parse(text) == tree
    assert parse(show(tree)) == tree


@pytest.mark.parametrize(
    "text",
    [
        "content_tokens.median[arm=graphify] / content_tokens.median[arm=grep]",
        "count[outcome=ok] / count",
        "wall_s.p90[arm=grep, agent=claude]",
        "score.mean[arm=grep]@coding-v1-r8",
        "time_s[tool=rg, bench=linux_literal]",
        "delta(score.macro, arm=a, arm=b)",
        "paired_ratio(content_tokens, arm=a, arm=b)",
        "mcnemar_p(score, arm=a, arm=b)",
        "lo(delta(score.macro, arm=a, arm=b))",
        "hi(paired_ratio(content_tokens, arm=a, arm=b))",
        "count over question: graph_calls.sum > 0",
        "median over question: content_tokens.max / content_tokens.min",
        "all question: score.mean[arm=grep] >= score.mean[arm=graphify]",
        "count[graph_calls>0]",
    ],
)
def test_the_contracts_own_examples_are_canonical(text):
    assert show(parse(text)) == text


BROKEN = [
    # text, 1-based position, what stands in the message, what was expected
    ("", 1, "nothing is written", "a number"),
    ("   ", 3, "nothing is written", "a number"),
    ("a b", 3, "unexpected `b`", "an operator or the end"),
    ("a +", 3, "ends too early", "a number"),
    ("a ]", 3, "unexpected `]`", "an operator"),
    ("(a", 2, "ends too early", "or )"),
    ("()", 2, "unexpected `)`", "a number"),
    ("1x", 1, "unexpected `1x`", "a number such as"),
    ("1.", 1, "unexpected `1.`", "a number such as"),
    ("1.2.3", 1, "unexpected", "a number such as"),
    ("1e999", 1, "too large", "below 1.8e308"),
    ("1" * 41, 1, "too large", "at most 40 digits"),
    ("1 < 2 < 3", 7, "do not chain", "`and`"),
    ("or", 1, "unexpected `or`", "stands in quotes"),
    ("a and or b", 7, "unexpected `or`", "stands in quotes"),
    ("over", 1, "unexpected `over`", "stands in quotes"),
    ('"a', 1, "never closed", 'a closing "'),
    ("'a", 1, "never closed", "a closing '"),
    ('""', 2, 'unexpected `"`', "a name between"),
    ("a.", 2, "ends too early", "behind the dot"),
    ("a..b", 3, "unexpected `.b`", "behind the dot"),
    ("a. b", 3, "unexpected `b`", "behind the dot"),
    ("a.1", 3, "unexpected `1`", "behind the dot"),
    ("a::", 3, "ends too early", "a column of the table"),
    ("a.b::c", 4, "unexpected `::c`", "an operator"),
    ("a[", 2, "ends too early", "a column name"),
    ("a[]", 3, "unexpected `]`", "a column name"),
    ("a[b", 3, "ends too early", "one of = !="),
    ("a[b]", 4, "unexpected `]`", "one of = !="),
    ("a[b=", 4, "ends too early", "a value"),
    ("a[b==c]", 5, "unexpected `=c]`", "a value"),
    ("a[b=c", 5, "ends too early", "a comma or ]"),
    ("a[b=c d]", 7, "unexpected `d]`", "a comma or ]"),
    ("a[b=c,]", 7, "unexpected `]`", "a column name"),
    ("a@", 2, "ends too early", "a run id"),
    ("a@r8[b=c]", 5, "unexpected `[b=c]`", "an operator"),
    ("a@" + "r" * 101, 3, "run id too long", "at most 100"),
    ("$a", 1, "no parameter $a", "only in named values"),
    ("a[b=$c]", 5, "no parameter $c", "only in named values"),
    ("a@$r", 3, "no parameter $r", "only in named values"),
    ("abs()", 5, "unexpected `)`", "a number"),
    ("abs(1, 2)", 1, "abs has 2", "1 arguments"),
    ("round(1, 2, 3)", 1, "round has 3", "1 to 2"),
    ("min(1)", 1, "min has 1", "at least 2"),
    ("abs(1", 5, "ends too early", "a comma or )"),
    ("a.b(1)", 1, "unexpected `a.b(1)`", "without dots"),
    ('"abs"(1)', 1, "unexpected", "without dots and quotes"),
    ("delta(a, arm=x)", 10, "compares two levels", "two different levels"),
    ("delta(a, arm=x, arm=x)", 10, "compares two levels", "two different levels"),
    ("delta(a, arm=x, agent=y)", 10, "compares two levels", "of one column"),
    ("delta(a, arm=x, arm=y, arm=z)", 10, "compares two levels", "two different levels"),
    ("delta(a, arm=x, 3)", 17, "unexpected `3)`", "column=level"),
    ("delta(a, arm=x, arm y)", 21, "unexpected `y)`", "= and a level"),
    ("delta(a, arm=x, arm=y", 21, "ends too early", "a comma or )"),
    ("delta(a, arm=x, arm=y, scope=cells)", 10, "no scope `cells`", "rerun, questions, repositories"),
    ("delta(1 + a, arm=x, arm=y)", 1, "compares a column", "a column in front"),
    ("delta(delta(a, arm=x, arm=y), arm=x, arm=y)", 1, "compares a column", "a column in front"),
    ("paired_ratio(a, b)", 18, "unexpected `)`", "paired_ratio(column, arm=a, arm=b)"),
    ("lo(1 + a)", 4, "no interval", "a comparison"),
    ("lo(a", 4, "ends too early", "a closing )"),
    ("tok(a b)", 7, "unexpected `b)`", "a comma or )"),
    ("tok(a,", 6, "ends too early", "a value"),
    ("tok(1 + 2)", 7, "unexpected `+`", "words, numbers or texts"),
    ("all", 3, "ends too early", "a column and a colon"),
    ("all a b", 7, "unexpected `b`", "a colon"),
    ("all a::b", 6, "unexpected `::b`", "a column and a colon"),
    ("mean over", 9, "ends too early", "a column and a colon, as in `mean over"),
    ("macro over q: a", 1, "unexpected `macro`", "count, median or another"),
    ("frobs over q: a", 1, "unexpected `frobs`", "count, median or another"),
    ("all q:", 6, "ends too early", "a number"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "position", "what", "expected"), BROKEN)
def test_an_error_says_where_and_what_was_expected(text, position, what, expected):
    with pytest.raises(ExpressionInvalidError) as caught:
        parse(text)
    assert what in caught.value.what
    assert f"at position {position} of" in caught.value.what
    assert expected in caught.value.expected


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("agent=claude", where(("agent", "=", "claude"))),
        (" agent = claude , model~'gpt *' ", where(("agent", "=", "claude"), ("model", "~", "gpt *"))),
    ],
)
def test_a_where_is_filters_without_brackets(text, filters):
    assert parse_filters(text) == filters


@pytest.mark.parametrize(
    ("text", "position", "expected"),
    [
        ("", 1, "a column name"),
        ("a", 1, "one of"),
        ("a=b]", 4, "a comma or the end"),
        ("a=b,", 4, "a column"),
    ],
)
def test_a_broken_where_says_where(text, position, expected):
    with pytest.raises(ExpressionInvalidError, match=f"position {position} of") as caught:
        parse_filters(text)
    assert expected in caught.value.expected


def test_parameters_are_read_where_they_are_declared():
    names = ("m", "x", "r")
    assert parse("$m.median[arm=$x]@$r", parameters=names) == Probe(
        ("$m", "median"), where(("arm", "=", "$x")), "$r"
    )
    with pytest.raises(ExpressionInvalidError) as caught:
        parse("$y", parameters=names)
    assert caught.value.expected == "$m, $x, $r"


@pytest.mark.parametrize("wrap", ["({})", "-{}", "abs({})", "all q: {}", "not {}"])
def test_nesting_ends_with_a_clear_error(wrap):
    text = "a"
    for _ in range(NESTING):
        text = wrap.format(text)
    parse(text)
    with pytest.raises(ExpressionInvalidError, match="nested too deeply"):
        parse(wrap.format(text))


@pytest.mark.parametrize("part", ["(a)", "-a", "abs(a)", "min(1, a)", "(not a)", "(all q: a)"])
def test_what_stands_side_by_side_is_not_nested(part):
    parse(" + ".join([part] * (2 * NESTING)))


def test_an_expression_has_a_greatest_length():
    parse("a" + " " * (LONGEST - 1))
    with pytest.raises(ExpressionInvalidError, match=f"this is {LONGEST + 1:,} characters long") as caught:
        parse("a" + " " * LONGEST)
    assert (caught.value.expected, caught.value.position) == (f"at most {LONGEST:,} characters", 0)


@pytest.mark.parametrize("form", ["{}", "a[{}]"])
def test_a_reference_has_so_many_filters(form):
    read = parse if "[" in form else parse_filters
    read(form.format(",".join(["a=1"] * 200)))
    with pytest.raises(ExpressionInvalidError, match="too many filters") as caught:
        read(form.format(",".join(["a=1"] * 201)))
    assert caught.value.expected == "at most 200 filters"


LONG_NONSENSE = [
    "(",
    "-",
    "not ",
    "abs(",
    "all q: ",
    "lo(",
    '"',
    "'",
    "a[",
    "a.",
    " ",
    "a::",
    "1",
    "min(1,",
    "tok(a,",
]


@pytest.mark.parametrize("text", [piece * 99_999 for piece in LONG_NONSENSE], ids=LONG_NONSENSE)
def test_long_nonsense_ends_with_an_error(text):
    with pytest.raises(ExpressionInvalidError) as caught:
        parse(text)
    assert 0 <= caught.value.position < len(text)


@pytest.mark.parametrize(
    "text",
    [
        " + ".join(["a"] * 10_000),
        " and ".join(["a"] * 7_000),
        f"min({', '.join(['1'] * 10_000)})",
        f"n[{','.join(['a=b'] * 200)}]",
        "a@" + "+".join(["r"] * 10_000),
        "'" + "''" * 10_000 + "'",
    ],
    ids=["sum", "and", "arguments", "filters", "runs", "quotes"],
)
def test_a_long_expression_is_flat(text):
    assert parse(show(parse(text))) == parse(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (" + ".join(["a"] * 20_000), "79,997 characters long"),
        (f"n[{','.join(['a=b'] * 201)}]", "too many filters"),
    ],
)
def test_what_nobody_writes_is_refused(text, says):
    with pytest.raises(ExpressionInvalidError, match=says):
        parse(text)
