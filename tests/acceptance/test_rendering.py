"""The full page as GitHub and as our own site render it: no trace of any binding, wherever it stands.

cmarkgfm is the library that GitHub's markdown was written in; Python-Markdown with the extensions of our own
mkdocs.yml is what MkDocs renders with. A page with its bindings must come out as the page without them: the same
tags, attributes and words in the same order.
"""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from renderers import github, mkdocs, site

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
ROOT = Path(__file__).resolve().parents[2]
TRACES = (
    "<!--",
    "--",
    "claims",
    "assert",
    "exempt",
    "retracted",
    "benchctl",
    "arm=",
    "tok(",
    "coding-r8",
    "[arm",
    "count[",
)
"""Words and signs of bindings. `coding-r8` is named by bindings alone: no sentence of the page says it."""


class Outline(HTMLParser):
    """What a browser makes of HTML: tags with their attributes, and words; comments are not seen."""

    def __init__(self, html):
        super().__init__()
        self.parts, self._text = [], ""
        self.feed(html)
        self.close()
        self._said()
        self.words = [word for part in self.parts if isinstance(part, list) for word in part]

    def handle_starttag(self, tag, attrs):
        self._said()
        self.parts.append((tag, tuple(attrs)))

    def handle_endtag(self, tag):
        self._said()
        self.parts.append(f"/{tag}")

    def handle_data(self, data):
        self._text += data  # a comment parts a text in two, which no reader sees

    def _said(self):
        if words := self._text.split():
            self.parts.append(words)
        self._text = ""


@pytest.fixture(scope="module")
def body(page):
    """The page below its front matter, which neither renderer shows."""
    return page.split("---\n", 2)[2]


@pytest.mark.parametrize("render", [github, mkdocs])
def test_a_page_with_bindings_comes_out_as_the_page_without(render, body):
    bound, plain = Outline(render(body)), Outline(render(COMMENT.sub("", body)))
    assert bound.parts == plain.parts
    assert bound.words == plain.words


@pytest.mark.parametrize("render", [github, mkdocs])
def test_no_word_and_no_attribute_says_anything_of_a_binding(render, body):
    outline = Outline(render(body))
    shown = " ".join(outline.words)
    attributes = [str(value) for part in outline.parts if isinstance(part, tuple) for _, value in part[1]]
    for trace in TRACES:
        assert trace not in shown, trace
        assert not [value for value in attributes if trace in value and "align" not in value], trace
    assert "&lt;!--" not in render(body)


@pytest.mark.parametrize("render", [github, mkdocs])
def test_what_is_bound_is_shown_in_tables_headings_lists_links_and_bold(render, body):
    html = COMMENT.sub("", render(body))
    tags = [part[0] for part in Outline(html).parts if isinstance(part, tuple)]
    assert {"table", "td", "h1", "h2", "li", "a", "strong", "code"} <= set(tags)
    assert re.search(r"<h1[^>]*>Graphs read [\d.]+× what grep reads", html)
    assert re.search(r"<strong>[\d.]+k tokens</strong>", html)
    assert re.search(r"<code>[\d.]+ s</code>", html)
    assert re.search(r'<a href="https://example.org/7/">a link to \$[\d.]+ a cell</a>', html)


def test_a_headings_address_and_the_tables_of_contents_know_no_binding(body):
    renderer, plain = site(), site()
    html = renderer.convert(body)
    plain.convert(COMMENT.sub("", body))
    assert COMMENT.sub("", str(renderer.toc_tokens)) == str(plain.toc_tokens)
    assert {token["name"] for token in renderer.toc_tokens} == {token["name"] for token in plain.toc_tokens}
    assert re.search(r'<h1 id="graphs-read-\d+x?-what-grep-reads">', html)


def test_a_trace_would_be_seen():
    """An expression in a code span is printed, and a bar in a comment splits its table: both are what is looked for."""
    printed = Outline(github("It has `5<!--= count[arm=grep] -->` cells."))
    assert "count[arm=grep]" in " ".join(printed.words)
    row = "| a |\n|---|\n| 5<!--= x | y --> |\n"
    assert Outline(github(row)).parts != Outline(github(COMMENT.sub("", row))).parts
