"""Any text is a page: what is wrong with it is a finding, never an exception."""

import os

import pytest
from claims_page import TEMPLATE, true_page
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchctl.claims.examine import Examiner
from benchctl.claims.outputs.document import to_document
from benchctl.claims.outputs.text import to_text
from benchctl.claims.result import ClaimsReport
from benchctl.claims.verify import verify_text

PIECES = [
    *" \n|`*_[]()<>#-~=:;,.0123456789%\u00d7\u2192\u2013\"'&$\\\t\r",
    "<!--", "-->", "<!--= ", "<!--exempt: ", "<!--claims: ", "<!--claims:table by=arm ", "<!--assert: ", "<!--retracted -->",
    "<!-- benchctl: run=r9 -->\n", "<!-- benchctl: run=r8 -->\n", "<!-- benchctl:begin table=arms run=r9 ",
    "<!-- benchctl:end -->", "---\n", "benchctl:\n  run: r9\n", "benchctl: none\n", "# T\n", "```\n", "    ", "| arm | n |\n|---|---|\n",
    "grep", "count", "score.mean[arm=grep]", "score.macro", "tok(grep)", "/ 0", "@r8", " of ", "1e999", "at least ", "\u0661\u0662",
    "{", "}", "all question: ", "> 0", "\U0001f600", "\x00", "\ufeff",
]  # fmt: skip
EXAMPLES = int(os.environ.get("BENCHCTL_EXAMPLES", "0"))
"""How many pages of each kind a long run tries; 0 is the short slice."""
HEAD = "<!-- benchctl: run=r9 also=r8 -->\n\n"


@pytest.fixture(scope="module")
def examiner(project):
    return Examiner.of(project)


def verified(project, examiner, text):
    report = verify_text(project, "page.md", text, examiner=examiner)
    assert to_text(ClaimsReport((report,)))
    to_document(ClaimsReport((report,)))
    assert report.numbers == report.bound + report.generated + report.exempt + report.unbound
    lines = text.split("\n")
    for finding in report.findings:
        assert 1 <= finding.line <= len(lines)
        assert 1 <= finding.column < finding.end_column
    return report


@settings(max_examples=EXAMPLES or 150, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join), st.booleans())
def test_any_text_is_a_page(project, examiner, text, declared):
    verified(project, examiner, HEAD * declared + text)


@settings(max_examples=EXAMPLES or 60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_page_cut_and_spliced_is_a_page(project, examiner, data):
    page = true_page_once(project)
    first, second = sorted(data.draw(st.tuples(*[st.integers(0, len(page))] * 2)))
    piece = data.draw(st.sampled_from(PIECES))
    verified(project, examiner, page[:first] + piece + page[second:])


_PAGE: list[str] = []


def true_page_once(project):
    if not _PAGE:
        _PAGE.append(true_page(project))
    return _PAGE[0]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 20_000 + "](x)" * 1000,
        "<!--" * 20_000,
        "`" * 20_000 + "` `` ``` ````" * 500,
        "|" * 5_000 + "\n" + "|-" * 5_000 + "|\n" + "|5" * 5_000,
        "<a " + "b='" * 20_000,
        " " * 100_000 + "|\n" + " " * 100_000 + "-",
        "> " * 5_000 + "```\n5",
        "5<!--= " + "(" * 20_000 + " -->",
        "5<!--= " + "1+" * 20_000 + "1 -->",
        "5 of " * 5_000 + "5<!--= count -->",
        "5" + "<!-- x -->" * 10_000 + "<!--= count -->",
        "---\n" + "a: &a [*a, *a]\n" * 1000 + "---\n",
        "---\nbenchctl: " + "{a: " * 5_000 + "}" * 5_000 + "\n---\n",
        "`" * 100_000,
        "~" * 100_000,
        "[a](" * 30_000 + "<!-- 5 -->",
        "[" * 20_000 + "<!-- [ -->" * 5_000,
        "<? <![CDATA[ <a b=" * 5_000 + "<!-- 5 -->",
        "5<!--= count[" + ",".join(["arm=grep"] * 9_000) + "] -->",
        "<!-- benchctl: run=r9 also=" + ",".join(f"x{n}" for n in range(15_000)) + " -->",
        "5<!--claims:table " + " ".join(f'"a{n}"=count' for n in range(6_000)) + " -->",
        "5 % faster " * 9_000,
        "5\u00d7" * 50_000,
        "5 " * 50_000,
    ],
    ids=range(24),
)
def test_no_form_is_costly(project, examiner, text):
    verified(project, examiner, HEAD + text if not text.startswith("---") else text)


def test_the_template_has_every_binding():
    for marker in (
        "<!--= ",
        "<!--claims:table ",
        "<!--claims: ",
        "<!--assert: ",
        "<!--exempt: ",
        "<!--retracted",
        "{{block}}",
    ):
        assert marker in TEMPLATE
