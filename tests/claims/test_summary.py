"""The summary of a CI step: whole, or saying what it lacks, and nothing in it is anybody's markup."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from claims_reports import AGREED, HOSTILE, PLACES, REPORTS, finding, page_report
from hypothesis import HealthCheck, given, settings
from renderers import github

from benchctl.claims.outputs.summary import failed_summary, to_summary
from benchctl.claims.result import ClaimsReport
from benchctl.errors import OptionInvalidError

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "claims.summary.md"
TAGS = {"h3", "table", "thead", "tbody", "tr", "th", "td", "code", "ul", "li", "p", "strong", "br"}


def tags(html):
    return set(re.findall(r"<([a-z0-9]+)", html))


def test_the_summary_is_as_it_was_read_and_agreed():
    text = to_summary(AGREED, PLACES)
    actual = GOLDEN.with_suffix(".actual")
    actual.write_text(text)
    assert text == (GOLDEN.read_text() if GOLDEN.exists() else "")
    actual.unlink()


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(REPORTS)
def test_every_finding_is_one_row_whatever_it_holds(said):
    html = github(to_summary(said, PLACES))
    found = sum(len(page.findings) for page in said.pages)
    assert html.count("<tr>") == (found + 1 if found else 0)
    assert html.count("<li>") == len(said.pages) + len(said.undeclared) + len(said.notes)
    assert tags(html) <= TAGS


@pytest.mark.parametrize("text", HOSTILE)
def test_a_page_makes_no_link_mention_or_element(text):
    both = replace(finding(), message=text, literal=text, hint=text, next_step=text)
    html = github(to_summary(ClaimsReport((page_report(text, found=[both]),), (text,), (text,)), PLACES))
    assert tags(html) <= TAGS - {"strong"}
    outside = re.sub(r"<code>.*?</code>", "", html, flags=re.DOTALL)
    assert "octocat" not in outside
    assert "evil" not in outside


@pytest.mark.parametrize("limit", [1_000, 20_000, 1024 * 1024])
def test_a_summary_has_room_or_says_what_is_cut(limit):
    said = ClaimsReport((page_report(found=[finding(line) for line in range(1, 9_000)]),))
    text = to_summary(said, PLACES, limit)
    assert len(text.encode()) <= limit
    shown = github(text).count("<tr>") - 1 if "|---|" in text else 0
    assert f"**{8_999 - shown:,} findings" in text or f"**{8_999 - shown} findings" in text


def test_where_there_is_no_room_nothing_is_written():
    assert to_summary(AGREED, PLACES, 100) == ""
    assert to_summary(AGREED, PLACES, -5) == ""


def test_a_verification_that_fails_says_so():
    html = github(failed_summary(OptionInvalidError("no <b>", expected="[a](b)", next_step="@octocat")))
    assert tags(html) == {"h3", "p", "code", "br"}
