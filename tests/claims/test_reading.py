"""What a reader sees of a page, and that each number of it is read whole, where it stands."""

from __future__ import annotations

import pytest

from benchctl.claims.markers.parsing import read_bindings
from benchctl.claims.markers.scope import read_scopes
from benchctl.claims.numbers import Numbers
from benchctl.claims.reading.emphasis import emphasis_marks
from benchctl.claims.reading.page import Page
from benchctl.claims.reading.visible import Edit, read
from benchctl.quantities.fold import WALL

B = "<!--= x -->"


def numbers(text: str) -> list[str]:
    found = Numbers(Page("p.md", text))
    return [atom.literal + ("" if atom.token.cmp == "=" else atom.token.cmp) for atom in found.atoms]


SEEN_THROUGH = [
    # Units and signs behind closing marks.
    (f"**0.20**{B} ms", ["0.20 ms"]), (f"`0.20`{B} ms", ["0.20 ms"]), (f"``0.20``{B} ms", ["0.20 ms"]), (f"<b>0.20</b>{B} ms", ["0.20 ms"]),
    (f"<x-y>0.20</x-y>{B} ms", ["0.20 ms"]), (f"[0.20](x){B} ms", ["0.20 ms"]), (f"[0.20][a]{B} ms\n\n[a]: /x", ["0.20 ms"]),
    (f"[0.20][]{B} ms\n\n[0.20]: /x", ["0.20 ms"]), (f"[0.20]{B} ms\n\n[0.20]: /x", ["0.20 ms"]), (f"[0.20]{B} ms", ["0.20"]),
    ("[0.20][b] ms\n\n[a]: /x", ["0.20"]), ("see [7] ms\n\n[7]: /x", []), ("![0.20](x) ms", ["0.20 ms"]), (r"\![0.20](x) ms", ["0.20 ms"]),
    ("**0.768**%", ["0.768%"]), ("~~0.768~~%", ["0.768%"]), ("==0.768==%", ["0.768%"]), ("-**36**", ["-36"]), ("\u2212`36`", ["\u221236"]),
    ("**36** million", ["36 million"]), ("**36**k", ["36k"]), ("*36* %", ["36 %"]), ("_36_ MiB", ["36 MiB"]), ("over **36**", ["36>"]), ("**over** 36", ["36>"]),
    (r"36\% of", ["36%"]), (r"\-36", ["-36"]), ("36&nbsp;%", ["36\u00a0%"]), ("36<wbr>0 cells", ["360"]),
    # Emphasis inside and around numbers.
    ("_977_ cells", ["977"]), ("__977__", ["977"]), ("**9**77 cells", ["977"]), ("9**77** cells", ["977"]), ("*9*77", ["977"]), ("***977***", ["977"]),
    ("5*3*2", ["532"]), ("2**10", []), ("2 * 3 * 4", ["2", "3", "4"]), ("**5 and *6***", ["5", "6"]), ("*a **5* b**", ["5"]), ("a_5_b", []),
    ("a==1, b==2", []), ("**5", ["5"]), ("`**` 5 `**`", ["5"]), ("~5~", ["5~"]),
    # Character references.
    ("&#57;&#55;&#55; cells", ["977"]), ("&#x39;77", ["977"]), ("&minus;108", ["\u2212108"]), ("&frac12; of", ["\u00bd"]), ("97&percnt;", ["97%"]), ("&lt; 5", ["5<"]),
    ("&lt;b 5&gt;", ["5"]), ("&bogus;5", ["5"]), ("`&#57;` 5", ["5"]),
    # Titles and attributes.
    ('[a](x "977 cells")', ["977"]), ("![a](x '977')", ["977"]), ("![977 wins](x)", ["977"]), ("[a]: x (977 cells)", ["977"]), ('<img alt="977">', ["977"]),
    ('<i title="&#57;77">5</i>', ["977", "5"]), ("<p aria-label=977>", ["977"]), ("<progress value='0.977'>", ["0.977"]), ('<option label="9">', ["9"]),
    ('<a href="977" id=8>5</a>', ["5"]), ('over <i title="none">5</i>', ["5>"]), ('over <i title="9">5</i>', ["9", "5"]),
    # Code spans that talk like prose.
    ("`977 cells`", ["977"]), ("`0.977 F1`", ["0.977"]), ("`F1=0.977`", ["0.977"]), ("`x = 5`", []), ("over `x` 5", ["5"]),
]  # fmt: skip
WALLED = [
    ("## What is left over\n\n108 cells", ["108"]), ("## Over\n5", ["5"]), ("- left over\n- 5 cells", ["5"]), ("1. over\n2. 5 cells", ["5"]), ("over\n===\n5", ["5"]),
    ("over\n# 5 cells", ["5"]), ("> over\n\n5", ["5"]), ("a over\n> 5", ["5"]), ("> over\n> 5", ["5>"]), ("> over\n> > 5", ["5"]), ("<p>over</p>\n<p>5</p>", ["5"]),
    ("<td>over</td><td>5</td>", ["5"]), ("over<br>5", ["5>"]), ("| over | 5 |\n|---|---|\n| over | 6 |", ["5", "6"]), ("a | over\n---|---\n5 | b", ["5"]),
    ("a | 5\n---|---\nms | b", ["5"]), ('!!! note "over"\n    5 cells', ["5"]), ("over\n<!-- x -->\n5", ["5"]), ("over\n```\n```\n5", ["5"]), ("over\n\u20295", ["5>"]),
    ("---\ntitle: over\n---\n5", ["5"]), ("# Over", []),
    ("18 of\n\n48", ["18", "48"]),
    # List numbers.
    ("was then\n977. It was", ["977"]), ("- was then\n  977. It was", ["977"]), ("1. was\n   977. It", ["977"]), ("977. cells", []), ("1. a\n2. b", []), ("a\n1. b", []),
    ("1. a\n\n   5 b\n\n2. c", ["5"]), ("> a\n> 977. b", ["977"]), ("1. a\n   - b\n   5. c", ["5"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SEEN_THROUGH)
def test_markup_is_seen_through(text, expected):
    assert numbers(text) == expected


@pytest.mark.parametrize(("text", "expected"), WALLED)
def test_blocks_are_walls(text, expected):
    assert numbers(text) == expected


@pytest.mark.parametrize(
    ("text", "literal", "raw"),
    [
        (f"**0.20** ms{B}", "0.20 ms", "0.20** ms"), (f"_0.768{B}_", "0.768", "0.768"), (f"_0.768_{B}", "0.768", "0.768"), (f"=={'108'}=={B}", "108", "108"),
        (f"9&#55;7{B}", "977", "9&#55;7"), (f"97&percnt;{B}", "97%", "97&percnt;"), (f"**9**7**7**{B}", "977", "9**7**7"), (f"[36](u){B}", "36", "36"),
        (f"&#57;{B}", "9", "&#57;"), (f"`36 of 48`{B}", "48", "48"), (f"(<b>36</b>){B}", "36", "36"),
    ],
)  # fmt: skip
def test_a_binding_behind_markup_finds_its_number(text, literal, raw):
    page = Page("p.md", text)
    found = Numbers(page)
    atom = found.before(page.comments[0].start)
    assert (atom.literal, text[atom.start : atom.end]) == (literal, raw)


def test_no_group_reaches_across_a_wall():
    page = Page("p.md", f"- 18 of\n- 48{B}")
    found = Numbers(page)
    assert [atom.literal for atom in found.group(found.before(page.comments[0].start))] == ["48"]


@pytest.mark.parametrize(
    "head",
    [
        "\ufeff<!-- benchctl: run=r9 -->\n\n5",
        "\ufeff<!-- benchctl: run=r9 -->\n# T\n",
        "> <!-- benchctl: run=r9 -->\n",
    ],
)
def test_a_declaration_may_stand_behind_a_byte_order_mark(head):
    page = Page("p.md", head)
    assert page.comments[0].alone
    assert page.problems == []


def test_a_heading_tag_ends_a_scope():
    text = "<!-- benchctl: run=a -->\n\n## Alpha\n\n<!-- benchctl: run=b -->\n\n5\n\n<h1 id=x>Beta</h1>\n\n6\n\n<header>7</header>\n"
    page = Page("p.md", text)
    scopes = read_scopes(page, read_bindings(page)[0])
    assert [scopes.at(atom.start).run for atom in Numbers(page).atoms] == ["b", "a", "a"]
    assert [heading.level for heading in page.headings] == [2, 1]


def test_a_reading_leads_back():
    text = f"a{WALL}bc"
    reading = read(text, [Edit(2, 3, ("xyz", Edit(2, 2, ("!",)))), Edit(2, 2, (WALL,)), Edit(2, 4)])
    assert reading.text == f"a {WALL}xyz!c"
    assert [reading.raw(offset) for offset in range(8)] == [0, 1, 2, 2, 2, 2, 2, 3]
    assert [reading.behind(offset) for offset in range(1, 9)] == [1, 2, 2, 3, 3, 3, 2, 4]
    assert [reading.seen(offset) for offset in range(5)] == [0, 1, 6, 7, 8]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("**a**", "a"), ("*a*", "a"), ("***a***", "a"), ("*a**b*", "a**b"), ("**a*b*", "**ab"), ("*a _b* c_", "a _b c_"), ("a_b_c", "a_b_c"), ("_a_b", "_a_b"),
        ("* a *", "* a *"), ("**a **", "**a **"), ("~~a~~", "a"), ("~a~", "~a~"), ("===a===", "===a==="), ("==a==", "a"), ("a==b==c", "a==b==c"), ("*foo**bar**baz*", "foobarbaz"),
        ("**foo*bar*baz**", "foobarbaz"), ("*foo [bar* baz]", "foo [bar baz]"), ("_(a)_.", "(a)."), ("a*\u201cb\u201d*", "a*\u201cb\u201d*"),
    ],
)  # fmt: skip
def test_emphasis_follows_the_flanking_rules(text, left):
    marks = sorted(emphasis_marks(text, 0, len(text), ()))
    kept = [char for index, char in enumerate(text) if not any(start <= index < end for start, end in marks)]
    assert "".join(kept) == left


@pytest.mark.parametrize(
    "unit",
    [
        "**a",
        "_a ",
        "*a_ ",
        "**a* ",
        "*a **b ",
        "~~a ",
        "==a ",
        "[*a](x)",
        "*[a*](x)",
        "***",
        "&#57;",
        "<b>",
        "[a][b]",
        "\\*",
        "> 5\n",
        "- 5\n",
    ],
)
def test_hostile_markup_is_read_to_its_end(unit):
    page = Page("p.md", unit * 20_000)
    assert page.raw(len(page.visible)) == len(page.text)
