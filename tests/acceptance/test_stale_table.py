"""A hand-written table that was pasted from an earlier run, under a page that declares the later one."""

import re

import pytest
from full_page import filled
from true_runs import ARMS, QUESTIONS

from benchctl.claims.outputs.text import to_text
from benchctl.claims.result import ClaimsReport
from benchctl.claims.verify import verify_text

LATER, EARLIER = "coding-r9", "coding-r8"
DECLARED = f"<!-- benchctl: run={LATER} -->\n# What the arms read\n\n"
ROW = (
    "| {0} | {{{{0 | total_tokens.median[arm=grep, question={0}]}}}} | {{{{0 | total_tokens.median[arm=index, question={0}]}}}}"
    " | {{{{2 | wall_s.median[arm=grep, question={0}]}}}} | {{{{3 | score.mean[arm=grep, question={0}]}}}} |\n"
)
TABLE = """\
<!--claims:table by=question "grep"=tok(grep) "index"=tok(index) "wall (s)"=wall(grep) "score"=score_of(grep) -->

| question | grep | index | wall (s) | score |
|---|---:|---:|---:|---:|
""" + "".join(ROW.format(question) for question in QUESTIONS)
PROSE = """
The index reads {{2× | x(index, grep)}}<!--= x(index, grep) --> what grep reads, and a cell of it takes
{{2 × | slower(index, grep)}}<!--= slower(index, grep) --> the time.
"""
HEADING = "## Grep reads less than the index<!--assert: tok(grep) < tok(index) -->\n\n"
OTHER_HEADING = "## The index reads less than grep<!--assert: tok(index) < tok(grep) -->\n\n"
CELL = re.compile(r"(?<=\| )[\d,.]+(?= \|)")


@pytest.fixture
def verified(project):
    return lambda text: verify_text(project, "page.md", DECLARED + text)


@pytest.fixture
def written(project):
    return lambda template, run: filled(project, template, run, "")


def told(report):
    return to_text(ClaimsReport((report,)))


def cells(text):
    """Return (line, column, literal) of each number in a table's body, as messages count them."""
    lines = (DECLARED + text).split("\n")
    return [
        (number, match.start() + 1, match[0])
        for number, line in enumerate(lines, start=1)
        if line.startswith("| q")
        for match in CELL.finditer(line)
    ]


def test_the_runs_own_table_passes(verified, written):
    report = verified(written(HEADING + TABLE + PROSE, LATER))
    assert report.findings == (), told(report)
    assert report.bound == 6 * 4 + 2


def test_every_cell_of_the_earlier_run_is_named_with_its_run(verified, written):
    report = verified(written(TABLE, EARLIER))
    right = {(line, column): literal for line, column, literal in cells(written(TABLE, LATER))}
    stale = [place for place in cells(written(TABLE, EARLIER)) if right.get(place[:2]) != place[2]]
    assert len(stale) == 24
    errors = [item for item in report.findings if item.severity == "error"]
    assert [(item.line, item.column, item.literal) for item in errors] == stale
    assert {(item.verdict, item.hint) for item in errors} == {("stale-run", f"equals {EARLIER}")}
    assert told(report).count(f"equals {EARLIER}") == 24


def test_one_stale_cell_among_right_ones_is_the_one_that_is_named(verified, written):
    right, stale = written(TABLE, LATER), written(TABLE, EARLIER)
    for (line, _, literal), (_, _, old) in zip(cells(right), cells(stale), strict=True):
        lines = (DECLARED + right).split("\n")
        lines[line - 1] = lines[line - 1].replace(f" {literal} ", f" {old} ", 1)
        report = verified("\n".join(lines).removeprefix(DECLARED))
        errors = [item for item in report.findings if item.severity == "error"]
        assert [(item.line, item.literal, item.verdict) for item in errors] == [(line, old, "stale-run")]


def test_the_ratios_of_the_earlier_run_are_caught(verified, written):
    report = verified(written(TABLE, LATER) + written(PROSE, EARLIER))
    errors = [item for item in report.findings if item.severity == "error"]
    assert [(item.verdict, item.hint) for item in errors] == [("stale-run", f"equals {EARLIER}")] * 2


def test_the_heading_of_the_earlier_run_is_caught(verified, written):
    report = verified(OTHER_HEADING + written(TABLE + PROSE, LATER))
    assert [(item.slug, item.line) for item in report.findings] == [("assertion-false", 4)]
    assert f"it is so in {EARLIER}" in report.findings[0].hint


ARMS_TABLE = """\
<!--claims:table by=arm "tokens"=total_tokens.median "wall (s)"=wall_s.median -->

| arm | tokens | wall (s) |
|---|---:|---:|
""" + "".join(f"| {arm} | {{{{0 | tok({arm})}}}} | {{{{2 | wall({arm})}}}} |\n" for arm in ARMS)


@pytest.mark.parametrize(
    "heading", ["The index reads fewer tokens than grep", "**Index** reads {fewer} tokens than `grep`"]
)
@pytest.mark.parametrize("body", [PROSE, ARMS_TABLE, ARMS_TABLE + PROSE])
def test_its_direction_word_is_caught_without_an_assertion(verified, written, heading, body):
    """What the index reads less of in the earlier run, grep reads less of in the later one."""
    body = written(body, LATER)
    report = verified(f"## {heading.format(fewer='fewer')}\n\n{body}")
    errors = [item for item in report.findings if item.severity == "error"]
    assert [(item.slug, item.verdict, item.line) for item in errors] == [("direction-false", "false", 4)]
    right = verified(f"## {heading.format(fewer='more').replace('fewer', 'more')}\n\n{body}")
    assert right.findings == (), told(right)
