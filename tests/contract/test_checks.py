"""One contract for every check: it finds its own defect, is silent on a true page, and never raises."""

import importlib
import pkgutil
from contextlib import contextmanager

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
    "beside": ((), "value-unused"),
    "scope_rows": (("run=demo-r1 -->", "run=demo-r1 where=arm=nobody -->"), "scope-empty"),
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
    "share": (("cells, not", "cells, of which 44 of 48 (93 %) answered, not"), "percent-impossible"),
    "mean": (("cells, not", "cells, a mean of 5.19 over 28 integers, not"), "mean-impossible"),
    "equation": (("cells, not", "cells (16 \u00d7 4 \u00d7 3 = 193), not"), "arithmetic-wrong"),
    "change": (("cells, not", "cells, 9.42 \u2192 5.27 (\u221246 %), not"), "change-impossible"),
    "order": (("cells, not", "cells, min 3.4 s, max 1.2 s, not"), "order-impossible"),
    "interval": (("cells, not", "cells, 0.82 [0.84, 0.90], not"), "interval-impossible"),
    "level": (
        ("cells, not", "cells, 99 % CI [0.10<!--= score.lo -->, 0.20<!--= score.hi -->], not"),
        "interval-level",
    ),
    "domain": (("cells, not", "cells, an accuracy of 104 %, not"), "value-impossible"),
    "totals": (
        (
            "| hybrid | 24 |\n",
            "| hybrid | 24 |\n\n| of | cells |\n|--|--|\n| a | 20 |\n| b | 25 |\n| total | 46 |\n",
        ),
        "total-differs",
    ),
    "parts": (
        (
            "| hybrid | 24 |\n",
            "| hybrid | 24 |\n\n| of | in | out | total |\n|--|--|--|--|\n| a | 205 | 311 | 516 |\n| b | 251 | 402 | 653 |\n| c | 7 | 900 | 970 |\n",
        ),
        "parts-differ",
    ),
    "rates": (
        (
            "| hybrid | 24 |\n",
            "| hybrid | 24 |\n\n| of | answered | % |\n|--|--|--|\n| a | 44 of 48 | 93 % |\n",
        ),
        "share-differs",
    ),
    "ratios": (
        (
            "| hybrid | 24 |\n",
            "| hybrid | 24 |\n\n| of | s | vs a |\n|--|--|--|\n| a | 20.0 | 1.00× |\n| b | 25.0 | 1.25× |\n| c | 31.0 | 1.65× |\n",
        ),
        "ratio-differs",
    ),
    "ranking": (
        (
            "| hybrid | 24 |\n",
            "| hybrid | 24 |\n\n| rank | of | score |\n|--|--|--|\n| 1 | a | 9.1 |\n| 2 | b | 7.2 |\n| 3 | c | 8.0 |\n| 4 | d | 6.0 |\n",
        ),
        "rank-differs",
    ),
    "reversals": (
        ("72<!--= count --> cells", "72<!--= count --> cells rose from 0.82 to 0.71"),
        "direction-reversed",
    ),
    "directions": (
        ("| hybrid | 24 |\n", "| hybrid | 24 |\n\nIndex has a lower score than grep.\n"),
        "direction-denied",
    ),
    "universals": (
        (
            "| hybrid | 24 |\n",
            "| hybrid | 24 |\n\n## Time\n\n| arm | wall (s) |\n|--|--|\n| grep | 2.0 |\n| index | 1.0 |\n\nGrep is the fastest.\n\n## All\n",
        ),
        "universal-denied",
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
    (
        "consistency",
        ("72<!--= count -->", "12<!--= count / 6 + 0.5 --> 13<!--= 0.5 + ratio(count, 6) -->"),
        "printed-two-ways",
    ),
    ("share", ("cells, not", "cells, 92.3 % of 48 cells, not"), "percent-impossible"),
    ("mean", ("cells, not", "cells, 0.935 over 48 with 44 answered, not"), "mean-impossible"),
    ("interval", ("cells, not", "cells, 12\u20133 s, not"), "interval-backwards"),
    ("domain", ("cells, not", "cells, 1.20<!--= score.mean -->, not"), "value-impossible"),
    ("domain", ("cells, not", "cells (p = 1.3), not"), "value-impossible"),
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
    with _around(project, name):
        slugs = [finding.slug for finding in verify_text(project, "page.md", text).findings]
    assert slug in slugs


@contextmanager
def _around(project, name):
    """Make a defect that stands in no text of the page."""
    lock, beside = project.root / "claims.lock", project.root / "page.claims.toml"
    if name == "pins":
        write_lock(project.root, {"page.md": {"demo-r1": "sha256:other"}})
    if name == "beside":
        beside.write_text('[values]\nidle = "count"\n')
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        beside.unlink(missing_ok=True)


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
    with _around(project, name):
        assert slug not in [finding.slug for finding in verify_text(project, "page.md", text).findings]


@every_check
def test_a_check_given_nothing_leaves_it_to_vacuity(project, name, monkeypatch):
    slugs = [finding.slug for finding in verify_text(project, "page.md", HEAD).findings]
    assert slugs == ["page-vacuous"]
    monkeypatch.setitem(CHECKS, name, _nothing)
    assert verify_text(project, "page.md", HEAD).ok is (name == "vacuity")
