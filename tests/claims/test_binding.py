"""The grammar of comments: what each says, and that nothing like one is ever ignored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.claims.markers.nouns import (
    Assertion,
    Declaration,
    Exemption,
    Inline,
    Listed,
    Retraction,
    TableBinding,
)
from benchctl.claims.markers.parsing import read_bindings
from benchctl.claims.markers.scope import read_scopes
from benchctl.claims.reading.page import Page


def read(text):
    page = Page("p.md", text)
    bindings, problems = read_bindings(page)
    assert problems == []
    return bindings


def problems_of(text):
    page = Page("p.md", text)
    bindings, problems = read_bindings(page)
    assert bindings == []
    return [problem.what for problem in problems]


def test_inline_assertion_exemption_retraction():
    inline, assertion, exemption, bare, meant = read(
        "5<!--= a.mean[x='y;z']; b --> <!--assert: all q: a > 0 --> 6<!--exempt: the rule --> "
        "7<!--retracted --> 8<!--retracted: a.mean -->"
    )
    assert isinstance(inline, Inline)
    assert [source.text for source in inline.expressions] == ["a.mean[x='y;z']", "b"]
    assert isinstance(assertion, Assertion)
    assert assertion.expression.text == "all q: a > 0"
    assert isinstance(exemption, Exemption)
    assert exemption.reason == "the rule"
    assert isinstance(bare, Retraction)
    assert bare.expression is None
    assert meant.expression.text == "a.mean"


def test_an_expression_knows_its_place():
    text = "5<!--=  a ;  b -->"
    (inline,) = read(text)
    assert [text[source.start :][:1] for source in inline.expressions] == ["a", "b"]


def test_a_table_binding():
    text = (
        '<!--claims:table by=arm{"Plain grep"=grep, x=\'a b\'},agent "content tokens"=tok.median '
        'answered="count[outcome=ok] of count" both=\'a[x="of, y"]; b\' rows=subset -->'
    )
    (table,) = read(text)
    assert isinstance(table, TableBinding)
    assert [(key.column, key.labels) for key in table.keys] == [
        ("arm", {"Plain grep": "grep", "x": "a b"}),
        ("agent", {}),
    ]
    assert [(name, [source.text for source in sources]) for name, sources in table.columns] == [
        ("content tokens", ["tok.median"]),
        ("answered", ["count[outcome=ok]", "count"]),
        ("both", ['a[x="of, y"]', "b"]),
    ]
    assert table.subset
    assert text[table.columns[1][1][1].start :].startswith('count"')


def test_a_paragraph_list():
    (listed,) = read('<!--claims: 2.0x = tok(a); 1,000 = count[a=1]; _ = "issue number" -->')
    assert isinstance(listed, Listed)
    assert [
        (item.literal.text, item.expression and item.expression.text, item.reason) for item in listed.items
    ] == [
        ("2.0x", "tok(a)", ""),
        ("1,000", "count[a=1]", ""),
        ("_", None, "issue number"),
    ]


def test_declarations():
    (run,) = read('<!-- benchctl: run=r9 also=r8,r-7.1 where="agent=claude, rep>1" -->')
    assert isinstance(run, Declaration)
    assert (run.run, run.also, run.where.text) == ("r9", ("r8", "r-7.1"), "agent=claude, rep>1")
    for text in (
        "none: the manual",
        "none \u2014 the manual",
        'none reason="the manual"',
        "none, reason: the manual",
    ):
        (none,) = read(f"<!-- benchctl: {text} -->")
        assert none.none == "the manual"


BAD = [
    "5<!--= -->",
    "5<!--= a; -->",
    "5<!--= a | b -->",
    "5<!--= a](b -->",
    "5<!--= a -- b -->",
    "5<!--exempt -->",
    "5<!--exempt: -->",
    "5<!--exempt: !? -->",
    "5<!--exempted: x -->",
    "5<!--Exempt: x -->",
    "5<!--retracted x -->",
    "<!--assert -->",
    "<!--assert: -->",
    "<!--benchctl -->",
    "<!-- benchctl run=r9 -->",
    "<!-- benchctl: -->",
    "<!-- benchctl: run= -->",
    "<!-- benchctl: runs=r9 -->",
    "<!-- benchctl: run=r9 run=r8 -->",
    "<!-- benchctl: also=r9 -->",
    "<!-- benchctl: run=latest -->",
    "<!-- benchctl: run='r 9' -->",
    "<!-- benchctl: none -->",
    "<!-- benchctl: none: -->",
    "x <!-- benchctl: run=r9 -->",
    "<!-- BENCHCTL: run=r9 -->",
    "<!--claims -->",
    "<!--claims: -->",
    "<!--claims: 5 -->",
    "<!--claims: = x -->",
    "<!--claims: _ = reason -->",
    "<!--claims:tabel by=arm x=y -->",
    "text <!--claims: 5 = x -->",
    "<!--claims:table -->",
    "<!--claims:table by=arm -->",
    "<!--claims:table x=y -->",
    "<!--claims:table by=arm x=y x=z -->",
    "<!--claims:table by=arm,arm x=y -->",
    "<!--claims:table by=arm{a} x=y -->",
    "<!--claims:table by=arm{a=b,a=c} x=y -->",
    "<!--claims:table by=arm rows=all x=y -->",
    "<!--claims:table by=arm x -->",
    '<!--claims:table by=arm x="y -->',
    "<!--claims:table by=a{b x=y -->",
    "<!--claim: 5 = x -->",
    "5<!--exmpt: x -->",
    "5<!--expr= x -->",
]


@pytest.mark.parametrize("text", BAD)
def test_whatever_looks_like_a_binding_and_is_none_is_a_problem(text):
    assert len(problems_of(text)) == 1


@pytest.mark.parametrize("text", ["<!-- more -->", "<!-- command: run -->", "<!-- note: 5 -->", "<!---->"])
def test_other_comments_are_left_alone(text):
    assert read(text) == []


PIECES = [*"abc=:;,. []{}\"'()_1|", " of ", "by=", "run=", "none"]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_no_comment_raises(inner):
    for word in ("=", "exempt:", "claims:table ", "claims:", "benchctl:", "assert:", "retracted:"):
        page = Page("p.md", f"<!--{word}{inner} -->")
        bindings, problems = read_bindings(page)
        assert len(bindings) + len(problems) == len(page.comments)


FRONT = [
    # (front matter, run, also, reason of none, problems)
    ("benchctl:\n  run: r9\n  also: [r8]\n", "r9", {"r8", "r9"}, None, 0),
    ("benchctl:\n  run: 2026-08\n  also: r8\n", "2026-08", {"2026-08", "r8"}, None, 0),
    ("benchctl: none\nreason: the manual\n", None, set(), "the manual", 0),
    ("benchctl: none the manual\n", None, set(), "the manual", 0),
    ("benchctl:\n  none: the manual\n", None, set(), "the manual", 0),
    ("benchctl: none\n", None, set(), None, 1),
    ("benchctl:\n  none: true\n", None, set(), None, 1),
    ("benchctl: r9\n", None, set(), None, 1),
    ("benchctl: [r9]\n", None, set(), None, 1),
    ("benchctl:\n  runs: r9\n", None, set(), None, 1),
    ("benchctl:\n  also: r9\n", None, set(), None, 1),
    ("benchctl:\n  run: r9\n  none: x\n", None, set(), None, 1),
    ("benchctl:\n  run: latest\n", None, set(), None, 1),
    ("benchctl:\n  run: r9\n  also: [[a]]\n", None, set(), None, 1),
    ("benchctl:\n  run: r9\n  where: [a]\n", None, set(), None, 1),
    ("benchctl:\n  run: r9\n  where: agent\n", "r9", {"r9"}, None, 1),
    ("title: x\n", None, set(), None, 0),
]


@pytest.mark.parametrize(("front", "run", "declared", "reason", "count"), FRONT)
def test_front_matter(front, run, declared, reason, count):
    page = Page("p.md", f"---\n{front}---\n# T\n")
    scopes = read_scopes(page, read_bindings(page)[0])
    assert (scopes.page.run if scopes.page else None) == run
    assert (scopes.page.declared if scopes.page else set()) == declared
    assert scopes.none == reason
    assert len(scopes.problems) == count


def test_a_section_inside_another_gives_way_to_it_again():
    def declared(run):
        return f"<!-- benchctl: run={run} -->\n\n"

    text = f"{declared('r1')}A\n\n# T\n\n{declared('r2')}B\n\n## S\n\n{declared('r3')}C\n\n### U\n\n{declared('r4')}D\n\n## V\n\nE\n\n# W\n\nF\n"
    page = Page("p.md", text)
    scopes = read_scopes(page, read_bindings(page)[0])
    runs = [scopes.at(text.index(f"\n{mark}\n") + 1).run for mark in "ABCDEF"]
    assert runs == ["r1", "r2", "r3", "r4", "r2", "r1"]


def test_a_declaration_names_so_many_runs():
    for count, problems in ((100, 0), (101, 1)):
        also = ",".join(f"x{n}" for n in range(count))
        page = Page("p.md", f"<!-- benchctl: run=r9 also={also} -->\n")
        assert [problem.what for problem in read_bindings(page)[1]] == ["too many runs"] * problems


def test_a_section_ends_at_the_next_heading_of_its_level_or_a_higher_one():
    text = (
        "---\nbenchctl: {run: r9, where: 'agent=a, rep=1'}\n---\n# T\n\nA\n\n## S\n\n"
        "<!-- benchctl: run=r8 where=agent=b -->\n\nB\n\n### Sub\n\nC\n\n## Next\n\nD\n\n## Other\n\n<!-- benchctl: run=r8 -->\n\nE\n\n# Higher\n\nF\n"
    )
    page = Page("p.md", text)
    scopes = read_scopes(page, read_bindings(page)[0])
    assert [scopes.at(text.index(f"\n{mark}\n") + 1).run for mark in "ABCDEF"] == [
        "r9",
        "r8",
        "r8",
        "r9",
        "r8",
        "r9",
    ]
    inner = scopes.at(text.index("\nB\n") + 1)
    assert [(item.column, item.value) for item in inner.filters] == [("rep", "1"), ("agent", "b")]
    assert inner.declared == {"r8", "r9"}
    assert scopes.problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "---\nbenchctl: {run: r9}\n---\n<!-- benchctl: run=r8 -->\n",
        "<!-- benchctl: run=r9 -->\n\n<!-- benchctl: run=r8 -->\n\n# T\n",
        "---\nbenchctl: none\nreason: x\n---\n# T\n\n<!-- benchctl: run=r8 -->\n",
        "<!-- benchctl: run=r9 -->\n\n# T\n\n<!-- benchctl: none: x -->\n",
    ],
)
def test_a_page_is_declared_once(text):
    page = Page("p.md", text)
    scopes = read_scopes(page, read_bindings(page)[0])
    assert [problem.what for problem in scopes.problems] == ["a second declaration of the page"]
