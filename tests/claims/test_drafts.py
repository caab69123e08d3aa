"""A draft is read and judged like a binding, and binds nothing until somebody deletes its `?`."""

import pytest

from benchctl.claims.attaching.attach import attach_all
from benchctl.claims.examine import Examiner

TABLE = "\n| arm | cells |\n|--|--|\n| grep | 24 |\n| index | 24 |\n| hybrid | 24 |\n| graphify | 24 |\n"
DRAFTS = [
    ("96<!--=? count --> cells", 1),
    ("24 of 96<!--=?count[arm=grep]; count --> cells", 2),
    ('<!--claims?: 96 = count; _ = "a rule" -->\nOf 96 cells, 7 are spare.', 2),
    (f"<!--claims:table? by=arm cells=count -->{TABLE}", 4),
    ("All of them.<!--assert?: count > 0 --> 96<!--= count -->", 0),
]  # fmt: skip


def slugs(report):
    return [finding.slug for finding in report.findings if finding.severity == "error"]


@pytest.mark.parametrize(("text", "drafted"), DRAFTS)
def test_a_draft_fails_until_it_is_accepted(verify, text, drafted):
    report = verify(text)
    assert slugs(report) == ["binding-draft"]
    assert report.unbound == drafted
    assert report.numbers == report.bound + report.generated + report.exempt + report.unbound
    accepted = verify(text.replace("?", "", 1))
    assert accepted.ok
    assert accepted.unbound == 0


@pytest.mark.parametrize(
    "text", [text.replace("96<", "95<").replace("96 = ", "95 = ").replace("Of 96", "Of 95").replace("| 24 |", "| 23 |", 1).replace("count > 0", "count > 99") for text, _ in DRAFTS[:1] + DRAFTS[2:]]
)  # fmt: skip
def test_a_false_draft_shows(verify, text):
    assert {"number-false", "assertion-false"} & set(slugs(verify(text)))


@pytest.mark.parametrize(
    "text",
    ["7<!--exempt?: a rule -->", "7<!--retracted? -->", "<!-- benchctl?: run=r8 -->", "<!--claims?:table by=arm a=count -->", "7<!--=?? count -->", "7<!--=? -->", "<!--claims:table?by=arm a=count -->"],
)  # fmt: skip
def test_a_draft_is_read_strictly(verify, text):
    report = verify(f"{text}\n{TABLE}")
    assert {"marker-malformed", "expression-invalid"} & set(slugs(report))


def test_what_no_marker_is_binds_nothing(project):
    sheet = Examiner.of(project).read("page.md", "<!-- benchctl: run=r9 -->\n\n7<!--? = count --> cells\n")
    attach_all(sheet)
    assert not sheet.standing
