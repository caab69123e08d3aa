"""Exact ties: both neighbours pass and are noted; the same value printed both ways on one page is a finding.

The interval of a printed number is closed (the manual on claims, "When is a number true?"), so a value that lies half
way between two prints is a tie under either. That goes for 12.5 % under 13 % as well as under 12 %: neither is more
right, and rounding half to even, which generated text follows, would print 12 %.
"""

import pytest
from results_file import imported_run

from benchctl.claims.verify import verify_text
from benchctl.quantities.format import format_number
from benchctl.store.project import Project

DECLARED = "<!-- benchctl: run=ties -->\n\n"
VALUES = {"mean": 16.25, "median": 139809.5, "share": 12.5}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    root = tmp_path_factory.mktemp("ties")
    (root / "benchctl.toml").write_text(
        'title = "Ties"\n[values]\nlatency = "lat.mean"\ntokens = "tok.median"\n'
        'share = { expr = "count[hit=true] / count", unit = "fraction" }\n'
    )
    found = Project.find(root)
    columns = {
        "lat": ("DOUBLE", [16.0, 16.5, 16.25, 16.25] * 2),
        "tok": ("BIGINT", [139809, 139810] * 4),
        "hit": ("BOOLEAN", [True, *([False] * 7)]),
    }
    imported_run(found.store, "ties", columns)
    return found


@pytest.fixture
def found(project):
    """Return a function from sentences to the (slug, severity) of their findings."""

    def of(text):
        report = verify_text(project, "page.md", DECLARED + text)
        return [(item.slug, item.verdict, item.severity) for item in report.findings], report.ok

    return of


TIE = [("number-tie", "tie", "note")]
FALSE = [("number-false", "false", "error")]
PRINTED = [
    ("16.2<!--= latency --> ms", TIE),
    ("16.3<!--= latency --> ms", TIE),
    ("16.25<!--= latency --> ms", []),
    ("16.1<!--= latency --> ms", FALSE),
    ("16.4<!--= latency --> ms", FALSE),
    ("16<!--= latency --> ms", []),
    ("16.24<!--= latency --> ms", FALSE),
    ("139,809<!--= tokens --> tokens", TIE),
    ("139,810<!--= tokens --> tokens", TIE),
    ("139809.5<!--= tokens --> tokens", []),
    ("139,808<!--= tokens --> tokens", FALSE),
    ("139,811<!--= tokens --> tokens", FALSE),
    ("139.8k<!--= tokens --> tokens", []),
    ("12.5 %<!--= share -->", []),
    ("13 %<!--= share -->", TIE),
    ("12 %<!--= share -->", TIE),
    ("12.4 %<!--= share -->", FALSE),
    ("12.6 %<!--= share -->", FALSE),
    ("14 %<!--= share -->", FALSE),
    ("0.12<!--= share --> of them", TIE),
    ("0.13<!--= share --> of them", TIE),
    ("0.125<!--= share --> of them", []),
    ("about 12 %<!--= share -->", []),
]


@pytest.mark.parametrize(("sentence", "expected"), PRINTED)
def test_a_print_of_a_tie(found, sentence, expected):
    findings, ok = found(f"It is {sentence}.")
    assert findings == expected
    assert ok == (expected != FALSE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("16.2<!--= latency --> ms", "16.3<!--= latency --> ms"),
        ("139,809<!--= tokens --> tokens", "139,810<!--= tokens --> tokens"),
        ("12 %<!--= share -->", "13 %<!--= share -->"),
    ],
)
def test_printed_both_ways_on_one_page(found, one, other):
    findings, ok = found(f"It is {one}.\n\nAs said, it is {other}.")
    assert sorted(findings) == sorted([*TIE, *TIE, ("printed-two-ways", "contradiction", "warning")])
    assert ok  # a warning, unless the policy calls it an error
    assert found(f"It is {one}.\n\nAs said, it is {one}.")[0] == [*TIE, *TIE]


@pytest.mark.parametrize(
    ("value", "places", "even"),
    [(16.25, 1, "16.2"), (139809.5, 0, "139,810"), (12.5, 0, "12"), (13.5, 0, "14")],
)
def test_what_is_generated_rounds_half_to_even(value, places, even):
    assert format_number(value, places=places) == even
