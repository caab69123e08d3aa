"""Bounds under negations, on a page: false ones are found, true ones pass, and no changed number survives."""

import pytest

from benchctl.claims.examine import Examiner
from benchctl.claims.mutation.mutate import mutate_text


def slugs(report):
    return [finding.slug for finding in report.findings if finding.slug != "bound-slack"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No cell took longer than 0.1 s<!--= wall_s.max -->.", ["number-false"]),
        ("No cell took longer than 9,000 s<!--= wall_s.max -->.", []),
        ("None exceeded 0.1 s<!--= wall_s.max -->.", ["number-false"]),
        ("No run had fewer than 900<!--= count --> cells.", ["number-false"]),
        ("No run had fewer than 2<!--= count --> cells.", []),
        ("Nothing went over 9,000 s<!--= wall_s.max -->.", []),
        ("Nothing failed over 900<!--= count --> cells.", ["bound-unclear"]),
        ("Not all took more than 0.1 s<!--= wall_s.max -->.", ["bound-unclear"]),
        ("Better than 9,000 s<!--= wall_s.max -->.", []),
        ("Better than 0.001 s<!--= wall_s.max -->.", ["number-false"]),
        ("Better than 0.001<!--= wall_s.max -->.", ["bound-unclear"]),
        ("Better than 0.01<!--= score.mean -->.", []),
        ("Better than 1<!--= count -->.", ["bound-unclear"]),
    ],
)
def test_a_bound_under_a_negation(verify, text, expected):
    assert slugs(verify(text + "\n")) == expected


def test_over_how_many_may_stand_behind_a_negation(verify):
    n = next(finding for finding in verify("12345<!--= count -->\n").findings).actual
    assert slugs(verify(f"No failure over {n:.0f}<!--= count --> cells.\n")) == ["bound-at-its-end"]


def test_every_change_of_a_negated_bound_is_noticed_or_true(project):
    text = "<!-- benchctl: run=r9 -->\n\nNo cell took longer than 42 s<!--= wall_s.max -->, and none had fewer than 90<!--= count --> cells.\n"
    report = mutate_text(Examiner.of(project), "page.md", text)
    assert report.ok
    assert not report.survivors
    of_bounds = [item.changed_to for item in report.equivalent]
    assert not {"9", "42 ms", "41 s"} & set(of_bounds)
