"""One quantity stands on a page in one form, however its expression is written."""

import pytest

TIE = "count[arm=grep] * 65 / 96"
"""16.25: both 16.2 and 16.3 are it."""
LARGE_TIE = "count[arm=grep] * 279619 / 48"
"""139809.5"""


@pytest.fixture
def contradictions(verify):
    """Return a function from a text to what its findings say of one value printed two ways; the rest are notes."""

    def found(text: str) -> list[str]:
        findings = verify(text).findings
        assert {item.verdict for item in findings} <= {"tie", "contradiction", "vacuous"}
        return [item.message for item in findings if item.slug == "printed-two-ways"]

    return found


@pytest.mark.parametrize(
    ("prints", "expression"), [(("16.2", "16.3"), TIE), (("139,809", "139,810"), LARGE_TIE)]
)
def test_each_side_of_a_tie_passes_and_both_on_one_page_are_a_finding(contradictions, prints, expression):
    one, other = (f"{literal}<!--= {expression} -->" for literal in prints)
    assert contradictions(one) == contradictions(other) == []
    assert contradictions(f"{one} and {one}") == []
    assert contradictions(f"{one}\n\n{other}") == [f"printed {prints[1]} here and {prints[0]} on line 3"]


def test_every_new_print_is_held_against_all_that_came_before(contradictions):
    prints = [f"{literal}<!--= {TIE} -->" for literal in ("16.25", "16.2", "16.3", "16.2")]
    found = contradictions("\n\n".join(prints))
    assert found == ["printed 16.2 here and 16.25 on line 3", "printed 16.3 here and 16.2 on line 5"]


def test_about_a_value_is_no_second_print(contradictions):
    assert contradictions(f"16.3<!--= {TIE} -->, about 16<!--= {TIE} -->") == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("count[arm=grep] * 65 / 96", "65 * count[arm=grep] / 96"),
        ("count[arm=grep] * 65 / 96", "count[arm=grep] / 96 * 65"),
        ("10 + count[arm=grep] / 3.84", "count[arm=grep] / 3.84 + 10"),
        ("count[arm=grep] * 65 / count", "65 * ratio(count[arm=grep], count)"),
        ("count[arm=grep] * 65 / count", "65 * speedup(count[arm=grep], count)"),
        ("65 * (count[arm=grep] / count)", "65 * share[arm=grep]"),
        ("delta(count[arm=grep], 7.75)", "count[arm=grep] - 7.75"),
        ("count[arm=grep, agent=claude] * 65 / 48", "count[agent=claude, arm=grep] * 65 / 48"),
        ("tool_calls.p0 + 0.25 + count * 16 / 96", "tool_calls.min + 0.25 + 16 * count / 96"),
    ],
)
def test_expressions_that_mean_one_thing_are_one(contradictions, one, other):
    """Each is 16.25."""
    assert len(contradictions(f"16.2<!--= {one} --> 16.3<!--= {other} -->")) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("count[arm=grep] * 65 / 96", "count[arm=index] * 65 / 96"),
        ("count / count[arm=grep] + 12.25", "count[arm=grep] / count + 16"),
        ("40.25 - count[arm=grep]", "count[arm=grep] - 7.75"),
    ],
)
def test_expressions_that_are_equal_by_chance_are_two(contradictions, one, other):
    assert contradictions(f"16.2<!--= {one} --> 16.3<!--= {other} -->") == []


def test_a_named_value_is_what_it_stands_for(contradictions, project):
    from claims_page import lookup_value

    from benchctl.claims.answers.lookup import Lookup
    from benchctl.expressions import parse_definitions
    from benchctl.quantities.format import format_number

    lookup = Lookup(project.store, parse_definitions(project.config.values))
    value = lookup_value(lookup, "total_tokens.median[arm=grep]", agent=None)
    thousands = format_number(value / 1000, places=1) + "k"
    text = f"{format_number(value, places=0)}<!--= tok(grep) --> and {thousands}<!--= total_tokens.median[arm=grep] -->"
    assert len(contradictions(text)) == 1
