"""The level written beside an interval is that of the run's interval."""

import pytest


def levels(report):
    return [item.literal for item in report.findings if item.slug == "interval-level"]


ENDS = "<!--= score.lo; score.hi -->"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("score 0.71<!--= score.mean --> (99 % CI 0.50–0.87{0}); 90 % CI [0.50, 0.87]{0}", 2),
        ("a 90% confidence interval of 0.50–0.87{0}", 1),
        ("CI (99 %) 0.50–0.87{0}", 1),
        ("between [0.50, 0.87]{0} (99 % CI)", 1),
        ("the 99 percent bootstrap interval is 0.50–0.87{0}", 1),
        ("score 0.71<!--= score.mean --> (95 % CI 0.50–0.87{0})", 0),
        ("the 95.0 % interval 0.50–0.87{0}", 0),
        ("0.50–0.87{0}. The 99 % CI is wider.", 0),
        ("A 99 % CI is wider. It is 0.50–0.87{0}", 0),
        ("95 % CI 0.50–0.87{0}, not a 90 % CI", 0),
    ],
)
def test_a_level_beside_an_interval(verify, text, found):
    assert len(levels(verify(text.format(ENDS) + "\n"))) == found


def test_a_level_over_a_column(verify):
    table = (
        "| arm | {} CI |\n|---|---|\n| grep | 0.50–0.87<!--= score.lo[arm=grep]; score.hi[arm=grep] --> |\n"
    )
    assert len(levels(verify(table.format("99 %")))) == 1
    assert levels(verify(table.format("95 %"))) == []
