"""No binding leaves a trace, on GitHub or on the site: in tables, headings, lists, links, bold, admonitions."""

import re

import pytest
from claims_page import true_page
from renderers import github, mkdocs

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def shown(html: str) -> str:
    """Return what a browser shows of HTML: no comments, no tags, one space where there was any."""
    return " ".join(re.sub(r"<[^>]*>", " ", COMMENT.sub("", html)).split())


PARTS = """# Twice 2.0x<!--= ratio(a.mean, b.mean) -->

Bold **18 of 48<!--= count[x='y, z']; count -->** and [a link 5<!--exempt: by rule -->](https://x.y/), `5`<!--= count -->.

- item 5<!--= count[arm=a, n>=3] --> s
- 2.0<!--= a.mean -->x in a list

<!--claims:table by=arm{"Plain grep"=grep} "content tokens"=tok.median answered="count[a=b] of count" -->

| arm | tokens |
|-----|-------:|
| a | **5**<!--= count --> |
| b | 6<!--exempt: the rule --> |

<!--claims: 5 = count; _ = "the year" -->
Five is 5 and 6.

Never.<!--assert: all question: score.mean[arm=a] >= score.mean[arm=b] --> It was 0.9<!--retracted -->.

<!-- benchctl: run=r8 where="agent=a" -->

Last.
"""


@pytest.mark.parametrize("render", [github, mkdocs])
def test_bindings_are_invisible(render):
    html = render(PARTS)
    plain = render(COMMENT.sub("", PARTS))
    assert shown(html) == shown(plain)
    assert "&lt;!--" not in html
    assert COMMENT.sub("", html).count("<td") == COMMENT.sub("", plain).count("<td") == 4
    assert html.count("<p>") == plain.count("<p>")


def test_a_heading_keeps_its_anchor():
    assert 'id="twice-20x"' in mkdocs(PARTS)


@pytest.mark.parametrize("render", [github, mkdocs])
def test_the_page_of_every_binding_shows_none(render, project):
    text = true_page(project).split("---\n", 2)[2]
    words = shown(render(text))
    for trace in ("--", "claims:", "exempt", "assert", "retracted", "benchctl", "arm=", "tok("):
        assert trace not in words
