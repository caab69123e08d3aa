"""Charts and verified tables get a slot; what only looks like one is a problem."""

from __future__ import annotations

import pytest

from benchctl.publish.slots import chart_places, put_slots, slot

CHART = "<!-- benchctl:chart chart=score run=r1 -->"
HEX = "a" * 64
BLOCK = f"<!-- benchctl:begin table=arms run=r1 data=sha256:{HEX} body=sha256:{HEX} -->\n| a |\n<!-- benchctl:end -->"


def test_a_chart_is_found_where_it_stands():
    text = f"é\n\n{CHART}\n\nafter"
    [place], problems = chart_places(text)
    assert (place.chart, place.run, place.line) == ("score", "r1", 3)
    assert text[place.start : place.end] == CHART
    assert not problems


@pytest.mark.parametrize(
    ("line", "column"),
    [
        (f" {CHART}", 2),
        (f"see {CHART}", 5),
        (f"{CHART} ", 1),
        ("<!-- benchctl:chart run=r1 chart=score -->", 1),
        ("<!-- benchctl:chart chart=score -->", 1),
        ("<!--benchctl:chart chart=score run=r1-->", 1),
        ("<!-- benchctl:chart chart=score run=../x -->", 1),
        ("<!-- benchctl: chart chart=score run=r1", 1),
    ],
)
def test_what_only_looks_like_a_chart_is_a_problem_at_its_place(line, column):
    places, problems = chart_places(f"\n{line}\n")
    assert not places
    assert [(problem.line, problem.column) for problem in problems] == [(2, column)]


def test_code_shows_a_chart_and_is_none():
    assert chart_places(f"```\n{CHART}\n```\n`{CHART}`") == ([], [])


def test_slots_stand_in_page_order_and_everything_else_stays():
    text = f"# a\n\n{BLOCK}\n\nmiddle\n\n{CHART}\n\nend"
    page, filled = put_slots(
        text, table=lambda block: f"T:{block.table}", chart=lambda place: f"C:{place.chart}"
    )
    assert filled == ["T:arms", "C:score"]
    assert page == f"# a\n\n\n{slot(0)}\n\n\nmiddle\n\n\n{slot(1)}\n\n\nend"


def test_an_unverified_block_is_left_as_it_is():
    page, filled = put_slots(BLOCK, table=None, chart=lambda _: "")
    assert (page, filled) == (BLOCK, [])
