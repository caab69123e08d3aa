"""A page that uses every binding: silent when true, and no wrong number goes unseen."""

import re

import pytest
from claims_page import lookup_value, true_page

from benchctl.claims.examine import Examiner
from benchctl.claims.markers.parsing import read_bindings
from benchctl.claims.numbers import Numbers
from benchctl.claims.outputs.text import to_text
from benchctl.claims.reading.page import Page
from benchctl.claims.result import ClaimsReport
from benchctl.claims.verify import verify_text
from benchctl.quantities.format import format_number


@pytest.fixture(scope="module")
def page(project):
    return true_page(project)


@pytest.fixture(scope="module")
def examiner(project):
    return Examiner.of(project)


def test_a_true_page_has_no_finding(project, page):
    report = verify_text(project, "page.md", page)
    assert report.findings == (), to_text(ClaimsReport((report,)))
    assert report.ok
    assert (report.run, set(report.runs)) == ("r9", {"r8", "r9"})
    assert report.numbers == report.bound + report.generated + report.exempt
    assert (report.unbound, report.exempt) == (0, 2)
    assert report.kinds["version"] >= 1


def bound(text):
    """Yield (atom, page) of each number that is bound or generated; exempt and retracted ones claim nothing."""
    page = Page("page.md", text)
    numbers = Numbers(page)
    bindings, _ = read_bindings(page)
    for atom in numbers.atoms:
        behind = text[atom.start : atom.start + 30]
        if not re.match(r"7<!--exempt|0\.123<!--retr|5 years", behind):
            yield atom, page
    assert bindings


def survives(project, examiner, text, at):
    """Whether the page passes, or its finding stands on another line than the changed number."""
    report = verify_text(project, "page.md", text, examiner=examiner)
    line = text.count("\n", 0, at) + 1
    return report.ok or not any(item.severity == "error" and item.line == line for item in report.findings)


def digits(text):
    """Yield (what, offset, page) with each digit of each bound number one step up and one down."""
    for atom, page in bound(text):
        for match in re.finditer(r"\d", text[atom.start : atom.end]):
            for step in (1, 9):
                at = atom.start + match.start()
                digit = str((int(match[0]) + step) % 10)
                what = f"{atom.literal} at {page.place(at)} -> {digit}"
                yield what, at, text[:at] + digit + text[at + 1 :]


def test_every_changed_digit_is_found(project, examiner, page):
    changed = list(digits(page))
    assert [what for what, at, text in changed if survives(project, examiner, text, at)] == []
    assert len(changed) > 250


def test_every_swapped_arm_and_every_value_of_another_run_is_found(project, examiner, page):
    survivors, tried = [], 0
    for match in re.finditer(r"([\d,.]+)<!--= (\w+)\[arm=(\w+)\]|([\d,]+)<!--= tok\((\w+)\)", page):
        arm = match[5] or match[3]
        swaps = [
            (f"tok({other})" if match[5] else "", other, "r9")
            for other in ("grep", "index", "hybrid", "graphify")
        ]
        for expression, other, run in [*swaps, (f"tok({arm})", arm, "r7"), (f"tok({arm})", arm, "r8")]:
            if not expression or (other == arm and run == "r9"):
                continue
            value = format_number(lookup_value(examiner.lookup, expression, run, "claude"), places=0)
            text = page[: match.start(4)] + value + page[match.end(4) :]
            if "8<!-- benchctl" in page or match.start() > page.index("## The earlier run"):
                continue
            tried += 1
            if survives(project, examiner, text, match.start(4)):
                survivors.append((match[0], expression, run))
    assert survivors == []
    assert tried


def test_bindings_take_fewer_characters_than_what_they_bind(page):
    prose = page[page.index("# What") : page.index("## Generated")]
    comments = sum(len(match[0]) for match in re.finditer(r"<!--.*?-->", prose, re.DOTALL))
    assert comments < len(prose)
