"""Shares: a percent and its counts that are true one by one and do not fit together, and a share of everything."""

import pytest
from claims_page import lookup_value
from synthetic_run import Recipe, make_project

from benchctl.claims.answers.lookup import Lookup
from benchctl.claims.verify import verify_text
from benchctl.expressions import parse_definitions

HEAD = "<!-- benchctl: run=demo-r1 -->\n\n"
ANSWERED, CELLS = "count[arm=grep, answered=true]", "count[arm=grep]"
VALID = "count[arm=grep, void=false]"
RATE = "100 * answered.mean[arm=grep]"
OF_VOID = "22 of 24 is 91.7 %; the 96 % is of 23 (void cells left out)"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Return a project whose arm grep answered 22 of 24 cells, one void: 95.7 % of those that count."""
    return make_project(tmp_path_factory.mktemp("shares"), Recipe(void=True, failed=True))


@pytest.fixture
def found(project):
    """Return a function from a text to (slug, message) of what is found on it, notes left out."""

    def said(text: str) -> list[tuple[str, str]]:
        findings = verify_text(project, "page.md", HEAD + text).findings
        return [(item.slug, item.message) for item in findings if item.severity != "note"]

    return said


@pytest.mark.parametrize(
    "text",
    [
        f"22 of 24<!--= {ANSWERED}; {CELLS} --> cells (96 %<!--= {RATE} -->).",
        f"22/24<!--= {ANSWERED}; {CELLS} -->, 96 %<!--= {RATE} -->.",
        f"96 %<!--= {RATE} --> (22 of 24<!--= {ANSWERED}; {CELLS} -->).",
        f"22 of 24<!--= {ANSWERED}; {CELLS} --> is 96 %<!--= {RATE} -->.",
    ],
)
def test_counts_and_a_percent_of_other_cells_are_found_although_each_is_true(found, text):
    assert found(text) == [("percent-impossible", OF_VOID)]


def test_the_same_with_a_denominator_of_its_own_is_right(found):
    assert found(f"22 of 23<!--= {ANSWERED}; {VALID} --> cells (96 %<!--= {RATE} -->).") == []
    assert found(f"22 of 23<!--= {ANSWERED}; answered.n[arm=grep] --> (96 %<!--= {RATE} -->).") == []
    assert found(f"22 of 24<!--= {ANSWERED}; {CELLS} --> (92 %<!--= 100 * {ANSWERED} / {CELLS} -->).") == []


def test_a_percent_of_something_else_says_so(found):
    [(slug, message)] = found(
        f"22 of 24<!--= {ANSWERED}; {CELLS} --> (4 %<!--= 100 * failed.mean[arm=grep] -->)."
    )
    assert slug == "percent-impossible"
    assert message == "22 of 24 is 91.7 %; the 4 % is of something else"


def test_the_next_step_names_what_counts(project):
    text = f"22 of 24<!--= {ANSWERED}; {CELLS} --> (96 %<!--= {RATE} -->)."
    (finding,) = (
        item
        for item in verify_text(project, "page.md", HEAD + text).findings
        if item.slug == "percent-impossible"
    )
    assert (finding.verdict, finding.severity) == ("impossible", "warning")
    assert "count[void=false]" in finding.next_step


TABLE = """<!--claims:table by=arm rows=subset "answered"="count[answered=true] of {total}" "rate"="100 * answered.mean" -->
| arm | answered | rate |
|---|---|---|
| grep | 22 of {n} | 96 % |
"""
COLUMNS = """<!--claims:table by=arm rows=subset answered="count[answered=true]" n={total} rate="100 * answered.mean" -->
| arm | answered | n | rate |
|---|---|---|---|
| grep | 22 | {n} | 96 % |
| index | 24 | 24 | 100 % |
"""


@pytest.mark.parametrize("table", [TABLE, COLUMNS])
def test_columns_of_counts_and_percents_that_are_of_other_cells(found, table):
    assert found(table.format(total="count", n=24)) == [("share-differs", OF_VOID)]
    assert found(table.format(total="count[void=false]", n=23)) == []


def test_a_column_that_prints_what_the_percent_is_of_explains_it(found):
    table = """<!--claims:table by=arm rows=subset "answered"="count[answered=true] of count" valid=answered.n "valid answered"="100 * answered.mean" -->
| arm | answered | valid | valid answered |
|---|---|---|---|
| grep | 22 of 24 | 23 | 96 % |
"""
    assert found(table) == []


# A share of what?


@pytest.mark.parametrize("name", ["failed.share", "score.share[arm=grep]", "arm.share"])
def test_a_share_stands_without_a_column(found, project, name):
    [(slug, message)] = found(f"100 %<!--= {name} -->")
    assert slug == "column-unknown"
    assert "without a column" in message
    (finding,) = verify_text(project, "page.md", f"{HEAD}100 %<!--= {name} -->").findings
    assert finding.next_step.startswith(f"write `share[{name.partition('.')[0]}=…]`")


@pytest.mark.parametrize(
    "text",
    [
        "100 %<!--= share -->",
        "100 %<!--= share[arm~*] -->",
        "100<!--= 100 * share -->",
        "25<!--= 24 + share -->",
        "<!--assert: share = 1 -->",
        "<!--assert: share > 0.5 -->",
    ],
)
def test_a_share_of_everything_says_nothing(found, text):
    assert [slug for slug, _ in found(text)] == ["expression-vacuous"]


def test_a_share_of_everything_says_what_to_do(project):
    (finding,) = verify_text(project, "page.md", f"{HEAD}100 %<!--= share -->").findings
    assert "share of all rows" in finding.message
    assert "filter" in finding.next_step


@pytest.mark.parametrize(
    "text",
    [
        "33.3 %<!--= share[arm=grep] -->",
        "100 %<!--= share[wall_s>0.1] -->",
        "<!--assert: all arm: share < 0.5 -->",
    ],
)
def test_a_share_with_a_filter_or_in_groups_says_something(found, text):
    assert [slug for slug, _ in found(text)] == []


def test_a_row_of_a_table_is_no_filter_of_the_share(found):
    text = "<!--claims:table by=arm rows=subset share=share -->\n| arm | share |\n|--|--|\n| grep | 100 % |\n"
    assert [slug for slug, _ in found(text)] == ["expression-vacuous"]


def test_lookups_know_the_shares(project):
    lookup = Lookup(project.store, parse_definitions(project.config.values))
    assert lookup_value(lookup, "share[arm=grep]", "demo-r1") == pytest.approx(1 / 3)
