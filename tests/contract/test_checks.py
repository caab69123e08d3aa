"""One contract for every check: it finds its own defect, is silent on a true page, and never raises."""

import importlib
import pkgutil

import pytest
from synthetic_run import Recipe, make_project

from benchctl.claims import checks
from benchctl.claims.checks import CHECKS
from benchctl.claims.lock import write_lock
from benchctl.claims.verify import verify_text
from benchctl.report.stamp import render_block
from benchctl.report.tables import named_table

HEAD = "<!-- benchctl: run=demo-r1 -->\n\n"
TRUE = "72<!--= count --> cells, not 0.123<!--retracted: score.mean -->.<!--assert: all arm: count > 0 -->\n"
TABLE = "\n<!--claims:table by=arm cells=count -->\n| arm | cells |\n|--|--|\n| grep | 24 |\n| index | 24 |\n| hybrid | 24 |\n"
CHART = "<!-- benchctl:chart chart=score run=demo-r1 -->"

DEFECTS = {
    # check: (what replaces what on the true page, the slug it must find)
    "pins": ((), "data-moved"),
    "chart": (("chart=score", "chart=skore"), "chart-unknown"),
    "stamp": (("| grep | 0.", "| grep | 1."), "block-edited"),
    "table": (("| grep | 24", "| greb | 24"), "table-row-unknown"),
    "value": (("| 24 |", "| 25 |"), "number-false"),
    "assertion": (("count > 0", "count > 24"), "assertion-false"),
    "retraction": (("0.123<!--retracted: score.mean", "72<!--retracted: count"), "retraction-live"),
    "consistency": (
        ("72<!--= count -->", "12<!--= count / 6 + 0.5 --> 13<!--= count / 6 + 0.5 -->"),
        "printed-two-ways",
    ),
    "vacuity": (("72<!--= count -->", "72<!--= 70 + 2 -->"), "expression-vacuous"),
    "coverage": (("cells, not", "cells, 5, not"), "number-unbound"),
}

MORE_DEFECTS = [
    # check, what replaces what on the true page, the slug it must find
    ("table", ("by=arm cells", "by=arm{index=grep, grep=index} cells"), "table-row-renamed"),
    ("value", ("72<!--= count -->", "72 s<!--= count -->"), "unit-mismatch"),
    ("value", ("72<!--= count --> cells", "Over 72<!--= count --> cells"), "bound-at-its-end"),
    (
        "consistency",
        ("72<!--= count -->", "4.2<!--= count / 17 --> 4.24<!--= count / 17 -->"),
        "printed-two-ways",
    ),
    ("vacuity", ("72<!--= count -->", "1<!--= count / count -->"), "expression-vacuous"),
    ("vacuity", ("72<!--= count -->", "99<!--= max(count, 99) -->"), "expression-vacuous"),
    ("vacuity", ("72<!--= count -->", "0.50<!--= 0.5 + score.mean / 1000 -->"), "expression-vacuous"),
    ("vacuity", ("72<!--= count -->", "0<!--= count[arm=grep, arm=index] -->"), "expression-vacuous"),
    ("vacuity", ("all arm: count > 0", "1 > 0 and count > 0"), "expression-vacuous"),
    (
        "vacuity",
        ("72<!--= count -->", "100<!--= count + 28 --> 573<!--= count + 501 -->"),
        "expression-mostly-constant",
    ),
    ("chart", ("<!-- benchctl:chart", " <!-- benchctl:chart"), "chart-malformed"),
    ("chart", ("chart=score run=demo-r1", "chart=score run=demo-r3"), "chart-run-unknown"),
    ("chart", ("chart=score run=demo-r1", "chart=score run=demo-r2"), "chart-run-undeclared"),
]

every_check = pytest.mark.parametrize("name", CHECKS)


def _nothing(sheet):
    """Stands in for a check, so that the others keep their order."""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return make_project(tmp_path_factory.mktemp("checks"), Recipe(), Recipe(run="demo-r2", shift=0.1))


@pytest.fixture(scope="module")
def page(project):
    block = render_block(named_table(project.store, "demo-r1", "arms"))
    return f"{HEAD}{TRUE}{TABLE}\n{block}\n\n{CHART}\n"


def test_every_module_of_the_room_is_a_check_and_listed():
    names = {module.name for module in pkgutil.iter_modules(checks.__path__)}
    assert names == set(CHECKS) == set(DEFECTS)
    for name, check in CHECKS.items():
        module = importlib.import_module(f"benchctl.claims.checks.{name}")
        assert check is module.check
        assert module.__doc__


def test_no_check_says_anything_of_a_true_page(project, page):
    assert verify_text(project, "page.md", page).findings == ()


@every_check
def test_a_check_finds_its_defect(project, page, name):
    change, slug = DEFECTS[name]
    text = page.replace(*change) if change else page
    if name == "pins":
        write_lock(project.root, {"page.md": {"demo-r1": "sha256:other"}})
    try:
        slugs = [finding.slug for finding in verify_text(project, "page.md", text).findings]
    finally:
        (project.root / "claims.lock").unlink(missing_ok=True)
    assert slug in slugs


@pytest.mark.parametrize("defect", MORE_DEFECTS)
def test_a_check_finds_each_of_its_defects_and_no_other_check_does(project, page, defect, monkeypatch):
    name, change, slug = defect
    text = page.replace(*change)
    assert text != page
    assert slug in [finding.slug for finding in verify_text(project, "page.md", text).findings]
    monkeypatch.setitem(CHECKS, name, _nothing)
    assert slug not in [finding.slug for finding in verify_text(project, "page.md", text).findings]


@every_check
def test_the_defect_is_not_seen_without_the_check(project, page, name, monkeypatch):
    change, slug = DEFECTS[name]
    monkeypatch.setitem(CHECKS, name, _nothing)
    text = page.replace(*change) if change else page
    assert slug not in [finding.slug for finding in verify_text(project, "page.md", text).findings]


@every_check
def test_a_check_given_nothing_leaves_it_to_vacuity(project, name, monkeypatch):
    slugs = [finding.slug for finding in verify_text(project, "page.md", HEAD).findings]
    assert slugs == ["page-vacuous"]
    monkeypatch.setitem(CHECKS, name, _nothing)
    assert verify_text(project, "page.md", HEAD).ok is (name == "vacuity")
