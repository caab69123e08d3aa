"""Regions of a page, and that every offset of what is read leads back to the raw text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.claims.numbers import Numbers
from benchctl.claims.reading.page import Page
from benchctl.claims.reading.visible import OBJECT
from benchctl.quantities.fold import WALL

READ = [
    # (page, the numbers that are read)
    ("5 here", ["5"]),
    ("code `x = 5` and `5`", ["5"]),  # only a span that is wholly a quantity
    ("`$0.01253 -> $0.00686`", ["$0.01253", "$0.00686"]),
    ('[3 links](http://x.y/4 "5") and ![6](7.png)', ["3", "5", "6"]),  # a title shows
    ("a](5) and [6", ["5", "6"]),  # no link without its bracket
    ("<td>5</td> <a title='6'>7</a>", ["5", "6", "7"]),
    ('<iframe srcdoc="5 cells"></iframe> <input placeholder="6">', ["5", "6"]),  # these are shown
    ('<iframe srcdoc="<b>5</b> cells"></iframe>', ["5"]),
    ("[x](5\\) 6", ["5", "6"]),  # an escaped bracket ends no target
    ("<?\n`x = 5`", ["5"]),  # no code in a block of HTML
    ("- <div>`x = 5`</div>", ["5"]),
    ("a `` b `5` 6", ["5", "6"]),
    ("2 <b and 5 > 3", ["2", "5", "3"]),  # no attribute begins with a digit, so this is no tag
    ("```\n5\n```\n6", ["6"]),
    ("~~~ 5\n`````\n~~~\n6", ["6"]),
    ("```\n5\n~~~\n```", []),
    ("> ```\n> 5\n> ```\n> 6", ["6"]),
    ("- ```\n  5\n  ```\n- 6", ["6"]),
    ("``` not a `fence` 5", ["5"]),
    ("!!! note\n    5 cells\n\n    6 cells", ["5", "6"]),
    ('=== "Tab"\n\n    5 cells\n', ["5"]),
    ("    5 in an indented block", ["5"]),
    ("<!-- 5 --> 6", ["6"]),
    ("<!-- 5\n\n5 --> 6\n\n7", ["6", "7"]),
    ("`<!--` 5 `-->`", ["5"]),
    (r"\<!-- 5 -->", ["5"]),
    (r"\`5\` x", ["5"]),
    ("| a ` | 5 | b ` |\n|---|---|---|\n| c ` | 6 | ` |", ["5", "6"]),  # no code span crosses a cell
    ("`a\n\n5` 6", ["5", "6"]),  # nor a paragraph
    ("`a\n- 5` 6", ["5", "6"]),  # nor a list item
    ("a `b\n5` 6", ["6"]),
    ("[ref]: http://x.y/5\n\n6", ["6"]),
    ("<https://x.y/5> and <mailto:a5@b.c> 6", ["6"]),
    ("<!--> 5 <!---> 6", ["5", "6"]),  # these are whole comments
    ("1<!-- -->2 cells", ["12"]),  # as it reads
    ("---\ntitle: Grep in 48 cells\nnumber: 5\n---\n6", ["48", "6"]),  # a site shows the title
    ("---\nnot closed: 5\n\n6", ["5", "6"]),
    ("---\n- 5\n---\n6", ["5", "6"]),
]


@pytest.mark.parametrize(("text", "numbers"), READ)
def test_which_numbers_are_read(text, numbers):
    page = Page("p.md", text)
    assert [atom.literal for atom in Numbers(page).atoms] == numbers


def test_a_place_counts_code_points_from_one():
    page = Page("p.md", "\u00e9\U0001f600 5\r\n<!-- x --> 6")
    five, six = Numbers(page).atoms
    assert (page.place(five.start), page.place(six.start)) == ((1, 4), (2, 12))
    assert page.place(0) == (1, 1)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("```\n5", "this code fence is never closed"),
        ("- ```\n  5\n\nafter 6", "this code fence is never closed"),
        ("a <!-- 5", "this comment is never closed"),
        ("a\rb", "a carriage return without a line feed: renderers disagree whether the line ends here"),
        ("| a | b |\n|---|---|\n| 1 <!-- x | y --> | 2 |", "a comment in a table holds `|` or a line end"),
        ("---\na: 1\na: 2\n---\n", "the front matter is no YAML: the key `a` stands twice"),
        ("---\na: [1\n---\n", "the front matter is no YAML: expected ',' or ']', but got '<stream end>'"),
        ("---\n- 1\n---\n", "the front matter is no mapping"),
        (f"---\na: {'[' * 40}{']' * 40}\n---\n", "the front matter is no YAML: it cannot be read"),
    ],
)
def test_what_renderers_disagree_about_is_a_problem(text, what):
    assert [problem.what for problem in Page("p.md", text).problems] == [what]


def test_a_fence_that_its_container_ends_hides_nothing_behind_it():
    page = Page("p.md", "- ```\n  5\n\nafter 6")
    assert [atom.literal for atom in Numbers(page).atoms] == ["6"]


def test_headings_tables_and_blocks():
    text = "# One\n\npara\ngraph\n\nTwo\n---\n\n| a | b |\n|---|:-:|\n| 1 | `x\\|y` |\n2 | 3\n\n| no | table |\n|---|\n"
    page = Page("p.md", text)
    assert [(heading.level, text[heading.start : heading.end]) for heading in page.headings] == [
        (1, "# One"),
        (2, "Two\n---"),
    ]
    (table,) = page.tables
    cells = [[text[cell.start : cell.end] for cell in row.cells] for row in (table.header, *table.rows)]
    assert cells == [["a", "b"], ["1", "`x\\|y`"], ["2", "3"]]
    assert text[page.blocks[0].start : page.blocks[0].end] == "para\ngraph\n"
    assert page.heading_before(0).level == 1
    assert page.heading_before(len(text)).level == 2
    assert page.table_at(table.start) is table
    assert page.table_at(0) is None
    assert page.block_at(0) is None


def test_skipped_digits_are_counted_by_kind():
    page = Page("p.md", "`a5` `5` [x](y/6) <i id=i7>\n\n```\n8 9\n```\n")
    assert page.skipped == {"code": 3, "url": 1, "html": 1}


PIECES = [
    "&#57;",
    "&frac12;",
    "&nbsp;",
    "**",
    "_",
    "~~",
    "<br>",
    "<b>",
    "</b>",
    "<p title='1'>",
    "1. ",
    "- ",
    '](u "2")',
    "!!! note\n",
    *"ab 1\n`<>!-[]()|#:*~\\\"'=/{}\r\t",
    "<!--",
    "-->",
    "```",
    "---\n",
    "| ",
    "[^1]: ",
    "<b a='",
]
MARKDOWN = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


@given(MARKDOWN)
def test_every_offset_of_the_visible_text_leads_back(text):
    page = Page("p.md", text)
    last = 0
    for offset, char in enumerate(page.visible):
        raw = page.raw(offset)
        assert last <= raw <= page.behind(offset + 1) <= len(text)
        last = raw
        if char not in (WALL, OBJECT, "\n"):
            assert text[raw] == char or char == " " or text[raw] == "&"
        assert page.seen(raw) <= offset or char == WALL
    for comment in page.comments:
        assert 0 <= page.seen(comment.start) <= len(page.visible)


@given(MARKDOWN)
def test_every_line_of_a_page_is_taken_once(text):
    page = Page("p.md", text)
    spans = sorted((region.start, region.end) for region in page.regions)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert all(0 <= start < end <= len(text) for start, end in spans)


@pytest.mark.parametrize(
    "text",
    [
        "5 `x1` <!-- 2 --> **3**\n\n```py\n4\n```\n\n> ~~~\n> 6\n> ~~~\n\n[7](u/8)\n",
        "- a\n\n  ```\n  1\n  ```\n- 2 <!-- 3\n4 --> 5\n",
        "| a `b1` | 2 |\n|---|---|\n| [3](4) | <!-- 5 --> 6 |\n",
    ],
)
def test_a_parser_of_commonmark_sees_the_same_text(text):
    import pyromark

    markdown = pyromark.Markdown(options=pyromark.Options.ENABLE_TABLES)
    data = text.encode()
    seen = [""]
    fence = 0
    for event, span in markdown.events_with_range(text):
        if isinstance(event, dict) and "Start" in event and isinstance(event["Start"], dict):
            fence += "CodeBlock" in event["Start"]
        elif isinstance(event, dict) and "End" in event:
            fence -= event["End"] == "CodeBlock"
        elif isinstance(event, dict) and "Text" in event and not fence:
            seen.append(data[span["start"] : span["end"]].decode())
    digits = [char for char in "".join(seen) if char.isdigit()]
    assert [char for char in Page("p.md", text).visible if char.isdigit()] == digits
