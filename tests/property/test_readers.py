"""What a renderer shows as a number is read: by GitHub's markdown, by the site's, and by a parser with positions.

Numbers that are read needlessly are no matter here; one that is shown and not read would be a hole.
"""

import html
import itertools
import os
import re

import pyromark
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from renderers import github, mkdocs

from benchctl.claims.reading.page import Page

LINES = [
    "plain N text", "**N** bold", "*N*_N_ x", "`N ms` code", "a `code N` b", "| a | N |", "|---|---|", "| N | x |", "# Head N",
    "## N", "- item N", "  - sub N", "    indented N", "\tTab N", "1. one N", "> quote N", ">> q N", "```", "```python", "~~~",
    "````", "!!! note", '!!! note "Title N"', "    body N", '=== "Tab N"', "<details>", "<summary>N</summary>", "</details>",
    "<div>", "</div>", "<p>N</p>", "<td>N</td>", "<table><tr><td>N</td></tr></table>", "<!-- comment N -->", "<!--", "-->",
    "<!-- N", "N -->", "[link N](http://x/N)", "[link N][ref]", '[ref]: http://x/N "N"', "![alt N](x.png)",
    "text N<!--= count --> more", "N<br>N", "a \\\\` N `", "\\`N\\`", "``N ` N``", "` N", "N `", "$N$", "N\\", "N  ", "Setext N",
    "===", "---", "***", "* * *", "[^1]: note N", "text[^1] N", "<http://x/N>", "<b>N</b>", "<script>", "N </script>",
    "<style>N</style>", "<pre>N", "</pre>", "&lt;N&gt;", "<code>N</code>", "<?php N ?>", "<![CDATA[ N ]]>", "<!DOCTYPE N>",
    '<a href="N">N</a>', "| `a | N` | N |", "| \\| N | x |", "term", "", "", "", "   ", "  N", "     N", "        N", "???+ note",
    "+ N", "* N", "2) N", "- [ ] N", "<!-- benchctl: run=r9 -->", "N {: #id }", "``` N", "~~~ N", "    ```", "  ```",
    "> ```", "- ```", "-     N", "1.      N",
    # what opens a comment, or seems to
    "para <!-- N", "<!-- x", "  <!-- N", "    <!-- N", "    N -->", "\t<!--", "> <!-- N", "> N -->", "- <!-- N", "  N -->", "- N -->",
    "# a <!-- N", "# N -->", "a <!-- N --> N", "N --!> N", "<!-- N --!> N <!-- -->", "a <!-- N -- N --> N", "<!-- N -- N --> N", "--!>",
    "-- > N", '<a title="<!--">N</a> -->', "<a title='<!-- N'>N</a>", "<div <!-- > N -->", "<span <!-- > N -->", '<div title="', '"> N',
    '<a title="', "<b <!-- N", "<b N", "a <b N", "<![CDATA[<!--]]> N -->", "<![CDATA[", "]]> N", "<?<!--?> N -->", "<?", "?> N", "<!X <!-- > N",
    '=== "a <!-- b"', '!!! note "<!--"', '??? note "a <!-- N"', "[^<!--]: x N", "[a](<!--) N -->", "[<!--](x) N -->", "![<!--](x.png) N -->",
    "[a <!-- N", "N --> b](x)", "a](x <!-- N", "`a <!-- N", "N` --> N", "a <!-- ` -->", "` <!-- N -->", "\\<!-- N -->", "a <!-- N \\--> N",
    "<script>/*<!--*/</script> N -->", "<textarea><!--</textarea> N", "<title>N<!--</title> N -->", "<style>", "</style> N", "</script>",
    "<!-->", "<!---> N", "<!-- <!-- N -->", "***", "<p><!-- N", "</p> N -->", "text <!--= N -->", "a <!-- [ N --> b", "a <!-- N ](x) -->",
    "<!-- x --> N <!--", "<!-- a --> <!-- N", "<pre><!-- N", "  N", "#N -->", "> > <!--", "<https://x/<!--> N", "&lt;!-- N -->", "x<!-- N",
]  # fmt: skip
EXAMPLES = int(os.environ.get("BENCHCTL_EXAMPLES", "300"))
FIRST = 71001
PLACE = re.compile(r"(?<![A-Z])N(?![A-Z])")
SENTINEL = re.compile(r"71\d{3}")
UNSEEN = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))"  # as a browser reads it: `--!>` ends a comment too
    r"|<(script|style|title|xmp|iframe|noembed|noframes)\b.*?(?:</\1\b|\Z)"
    r"|<pre\b(?:(?!<!--).)*?</pre>"
    r"|<code\b(?:(?!<!--).)*?</code>"
    r"|</?[A-Za-z](?:=\s*\"[^\"]*\"|=\s*'[^']*'|[^>])*?>|<[/!?][^>]*>|</?[A-Za-z].*\Z",
    re.DOTALL | re.IGNORECASE,
)

pages = st.lists(st.sampled_from(LINES), min_size=1, max_size=7).map("\n".join)


def numbered(text):
    """Return the page with a number of its own in every place for one."""
    count = itertools.count(FIRST)
    return PLACE.sub(lambda _: str(next(count)), text) + "\n"


def shown(rendered):
    """Return the numbers that a browser shows, those in code and in addresses left out."""
    rendered = re.sub(
        r"<code\b[^>]*>[^<]*</code>", " ", rendered
    )  # a code span is no claim unless it is a quantity
    rendered = UNSEEN.sub(" ", rendered)
    text = re.sub(r"(`+)[^`].*?[^`]?\1(?!`)|http://x/\d+", "", html.unescape(rendered))
    return set(SENTINEL.findall(text))


def read(text):
    """Return a page without a problem of its form, and the numbers that it reads."""
    page = Page("page.md", text)
    assume(not page.front.end and not page.problems)  # a disputed fence or comment is an error already
    # Right behind an indented line the site's fences are none, which no page does on purpose.
    assume(not re.search(r"^(?: {4,}|\t).*\n *(?:```|~~~)", text, re.MULTILINE))
    return page, set(SENTINEL.findall(page.visible))


@given(pages)
@settings(max_examples=EXAMPLES, deadline=None, derandomize="BENCHCTL_EXAMPLES" not in os.environ)
def test_what_a_renderer_shows_is_read(lines):
    text = numbered(lines)
    _, ours = read(text)
    assert shown(github(text)) <= ours
    assert shown(mkdocs(text)) <= ours


@given(pages)
@settings(max_examples=EXAMPLES, deadline=None, derandomize="BENCHCTL_EXAMPLES" not in os.environ)
def test_a_parser_with_positions_finds_no_number_elsewhere(lines):
    text = numbered(lines)
    assume(not re.search(r"<!--(?!.*-->)", text))  # a browser hides what the parser calls text behind it
    page, _ = read(text)
    ours = {page.raw(found.start()) for found in SENTINEL.finditer(page.visible)}
    assert set(_positions(text)) <= ours


def _positions(text):
    """Yield where a parser with byte ranges sees a number in plain text, and so no code, tag or address."""
    code = False
    for event, place in pyromark.events_with_range(text, options=pyromark.Options.ENABLE_TABLES):
        kind = next(iter(event)) if isinstance(event, dict) else event
        inside = event.get(kind) if isinstance(event, dict) else None
        if (
            kind in ("Start", "End")
            and isinstance(inside, dict)
            and ("CodeBlock" in inside or "Image" in inside)
        ):
            code = kind == "Start"
        elif kind == "Text" and not code:
            for found in re.finditer(r"(?<!http://x/)71\d{3}", text[place["start"] : place["end"]]):
                yield place["start"] + found.start()
