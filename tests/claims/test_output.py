"""The report as people and programs read it."""

import ast
import json
import re
from dataclasses import replace
from pathlib import Path

import benchctl.claims
from benchctl.claims.finding import Finding
from benchctl.claims.outputs.document import to_document
from benchctl.claims.outputs.text import to_text
from benchctl.claims.result import ClaimsReport, PageReport
from benchctl.claims.verdict import FINDINGS, SLUGS
from benchctl.errors import BenchctlError

ROOM = Path(benchctl.claims.__file__).parent
SLUG = re.compile(r"[a-z]+(?:-[a-z]+)+")
GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "claims.txt"

STALE = Finding(
    line=135,
    column=27,
    end_column=33,
    verdict="stale-run",
    severity="error",
    slug="number-stale-run",
    message="printed 77,394, and content_tokens.median[arm=grep] is 69,164 (n=48)",
    next_step=SLUGS["number-stale-run"].next_step,
    literal="77,394",
    claim="content_tokens.median[arm=grep]",
    actual=69164.0,
    n=48,
    hint="equals coding-v1-r8",
    sentence="| grep | 77,394 |",
)
TIE = Finding(
    2,
    1,
    5,
    "tie",
    "note",
    "number-tie",
    "printed 16.2, and x is 16.25 (n=4)",
    "nothing",
    "16.2",
    "x",
    16.25,
    4,
)


def page(path="site/x.md", findings=(), **more):
    fields = {
        "run": "r9",
        "data": "sha256:ab",
        "runs": {"r8": None, "r9": "sha256:ab"},
        "numbers": 812,
        "bound": 611,
        "generated": 170,
        "exempt": 30,
        "unbound": 1,
        "kinds": {"version": 12, "url": 1},
    }
    return PageReport(path=path, findings=findings, **{**fields, **more})


def report(*pages, **more):
    return ClaimsReport(tuple(pages), **more)


def test_the_text_is_as_it_was_read_and_agreed():
    nothing = {"run": None, "data": None, "runs": {}, "numbers": 0, "bound": 0, "generated": 0, "exempt": 0}
    text = to_text(
        report(
            page(findings=(TIE, STALE)),
            page("site/manual.md", excluded="the manual", unbound=0, kinds={}, **nothing),
            page("site/y.md", unbound=0, kinds={}, **nothing),
            undeclared=("README.md",),
            notes=("no claims.lock",),
        )
    )
    actual = GOLDEN.with_suffix(".actual")
    if text != GOLDEN.read_text():
        actual.write_text(text)
    assert text == GOLDEN.read_text()
    actual.unlink(missing_ok=True)


def test_an_error_that_is_just_an_error_says_so_once():
    both = replace(STALE, verdict="error", slug="chart-unknown", message="no chart `skore`")
    first = to_text(report(page(findings=(both,)))).splitlines()[0]
    assert first == "site/x.md:135:27: error: no chart `skore` [chart-unknown]"


def test_all_is_well_is_one_line():
    assert to_text(report(page())).splitlines()[-1] == "ok: 812 numbers on 1 page"


def test_the_json_has_the_promised_shape():
    data = json.loads(json.dumps(to_document(report(page(findings=(STALE,))))))
    assert (data["schema"], data["ok"]) == ("benchctl.claims/1", False)
    shown = data["pages"][0]
    assert shown | {"findings": []} == {
        "path": "site/x.md",
        "run": "r9",
        "data": "sha256:ab",
        "runs": {"r8": None, "r9": "sha256:ab"},
        "excluded": None,
        "numbers": 812,
        "bound": 611,
        "generated": 170,
        "exempt": 30,
        "not_claims": 13,
        "unbound": 1,
        "kinds": {"version": 12, "url": 1},
        "findings": [],
    }
    promised = {
        "line": 135,
        "column": 27,
        "end_column": 33,
        "literal": "77,394",
        "verdict": "stale-run",
        "severity": "error",
        "claim": "content_tokens.median[arm=grep]",
        "actual": 69164.0,
        "n": 48,
        "hint": "equals coding-v1-r8",
        "slug": "number-stale-run",
    }
    assert promised.items() <= shown["findings"][0].items()
    assert to_document(report(page(findings=(TIE,))))["ok"] is True


def test_pins_are_those_of_declared_runs():
    pins = {"site/x.md": {"r9": "sha256:ab"}}
    moved = replace(STALE, verdict="stale-data", slug="data-moved")
    assert report(page()).pins == pins
    assert report(page(findings=(TIE, moved))).pins == pins


def test_a_page_that_fails_is_not_pinned():
    moved = replace(STALE, verdict="stale-data", slug="data-moved")
    strict = replace(TIE, severity="error")
    for wrong in (STALE, strict):
        both = report(page(findings=(moved, wrong)), page("site/y.md"))
        assert both.pins == {"site/y.md": {"r9": "sha256:ab"}}


def leaves(base):
    below = base.__subclasses__()
    return {slug for child in below for slug in leaves(child)} if below else {base.slug}


def test_the_claims_room_names_no_slug_that_is_not_there():
    """Every constant of its code in a slug's form is a slug, a verdict, an error's, or one of these few words."""
    others = {"word-one", "bound-twice", "block-run", "set-up", "set-ups"}
    known = {*SLUGS, *(kind.verdict for kind in FINDINGS), *leaves(BenchctlError), *others}
    said = {
        node.value
        for file in sorted(ROOM.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SLUG.fullmatch(node.value)
    }
    assert said - known == set()
    assert set(SLUGS) <= said


def test_every_finding_has_a_slug_of_its_own():
    assert len(SLUGS) == len(FINDINGS)
    assert set(SLUGS).isdisjoint(leaves(BenchctlError))
    assert all(kind.meaning.endswith(".") and kind.next_step for kind in FINDINGS)


def test_a_page_that_lacks_bindings_is_told_how_to_draft_them(verify):
    report = verify("| arm | a | b |\n|---|---|---|\n| grep | 12 | 13 |\n| index | 14 | 15 |\n\nAnd 16 more.")
    first, *others = [item for item in report.findings if item.slug == "number-unbound"]
    assert first.hint.startswith(
        "4 numbers of this table are unbound: a comment above it binds it as a whole"
    )
    assert [item.hint for item in others] == [""] * 4
    last = to_text(ClaimsReport((report,))).splitlines()
    assert last[-2] == "next: `benchctl claims suggest page.md` drafts bindings for what is unbound"
    report = verify("All of 96<!--= count --> cells.")
    assert "claims suggest" not in to_text(ClaimsReport((report,)))
