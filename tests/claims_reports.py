"""Reports of every kind for the tests of outputs: one that was read and agreed, and random ones with hostile text."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from hypothesis import strategies as st

from benchctl.claims.finding import Finding
from benchctl.claims.outputs.places import Places
from benchctl.claims.result import ClaimsReport, PageReport
from benchctl.claims.verdict import SLUGS

AT = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)
PLACES = Places(Path("/repo/bench"), Path("/repo"))

HOSTILE = (
    "::error::owned",
    "  ::set-env name=A::b",
    "##[stop-commands]x",
    "##vso[task.complete]",
    "%0A::error::owned",
    "%250A",
    "\x1b[31mred\x1b[0m",
    "\x00\x07\x0b",
    "a\r::warning::b",
    "]]><x/>&amp;</failure>",
    "| a | `b` | **c** |",
    "[click](http://evil.example)",
    "![x](http://evil.example/x.png)",
    "@octocat www.evil.example http://evil.example #1 GH-1",
    "<script>alert(1)</script>",
    "{0} {{1}} }",
    "\u202egnp\u200b\ufeff\ufffe\U0001fffe",
    "\u2028::error::b\u0085",
    "a, b: c=d",
    "2.0×",
)

TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(max_size=40),
    st.lists(st.sampled_from(HOSTILE), max_size=3).map(" ".join),
    st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=2).map("\n".join),
)
PAGE_NAMES = st.one_of(
    st.sampled_from(("site/x.md", "README.md", "site/a b:c,d.md", "::error::x.md", "../else/where.md", "é/%41#?.md", "\udcff.md")),
    st.text(st.characters(exclude_characters="\0/", exclude_categories=("Cs",)), min_size=1, max_size=12).filter(lambda name: name not in {".", ".."}),
)  # fmt: skip


@st.composite
def findings(draw):
    """Return a finding whose every text is foreign."""
    kind = draw(st.sampled_from(list(SLUGS.values())))
    line, column = draw(st.integers(1, 300)), draw(st.integers(1, 200))
    return Finding(
        line=line,
        column=column,
        end_column=column + draw(st.integers(1, 30)),
        verdict=kind.verdict,
        severity=draw(st.sampled_from(("error", "warning", "note"))),
        slug=draw(st.sampled_from((kind.slug, kind.slug, "column-unknown", "null-result"))),
        message=draw(TEXTS),
        next_step=draw(st.one_of(st.just(kind.next_step), TEXTS)),
        literal=draw(TEXTS),
        claim=draw(TEXTS),
        actual=draw(st.none() | st.floats(allow_nan=False, allow_infinity=False)),
        n=draw(st.none() | st.integers(0, 10**9)),
        hint=draw(TEXTS),
        sentence=draw(TEXTS),
        block=draw(st.integers(0, line)),
        related=draw(st.none() | st.integers(1, 300)),
    )


@st.composite
def page_reports(draw):
    """Return a page's report; its counts need not add up."""
    run = draw(st.none() | st.just("r9"))
    counts = st.integers(0, 10**6)
    return PageReport(
        path=draw(PAGE_NAMES), run=run, data=draw(st.none() | st.just("sha256:ab")), runs={"r9": None},
        numbers=draw(counts), bound=draw(counts), generated=draw(counts), exempt=draw(counts), unbound=draw(counts),
        kinds=draw(st.dictionaries(st.sampled_from(("version", "url")), counts)),
        findings=tuple(draw(st.lists(findings(), max_size=6))),
        excluded=None if run else draw(st.none() | TEXTS),
    )  # fmt: skip


REPORTS = st.builds(
    ClaimsReport,
    st.lists(page_reports(), max_size=4).map(tuple),
    st.lists(PAGE_NAMES, max_size=2).map(tuple),
    st.lists(TEXTS, max_size=2).map(tuple),
)


def finding(line=135, slug="number-stale-run", *, severity=None, block=0, **more):
    """Return a plain finding of a kind."""
    kind = SLUGS[slug]
    fields = {"column": 27, "end_column": 33, "message": f"what {slug} says", "next_step": kind.next_step}
    return Finding(
        line=line, verdict=kind.verdict, severity=severity or kind.severity, slug=slug, block=block, **{**fields, **more}
    )  # fmt: skip


def page_report(path="site/x.md", found=(), **more):
    """Return the report of a page that declares run r9."""
    fields = {
        "run": "r9", "data": "sha256:ab", "runs": {"r9": "sha256:ab"}, "numbers": 812, "bound": 611, "generated": 170,
        "exempt": 30, "unbound": 1, "kinds": {"version": 12, "url": 1},
    }  # fmt: skip
    return PageReport(path=path, findings=tuple(found), **{**fields, **more})


NOTHING = {"run": None, "data": None, "runs": {}, "numbers": 0, "bound": 0, "generated": 0, "exempt": 0, "unbound": 0, "kinds": {}}  # fmt: skip

AGREED = ClaimsReport(
    (
        page_report(
            found=(
                finding(2, "number-tie", column=1, end_column=5, literal="16.2", claim="x", actual=16.25, n=4,
                        message="printed 16.2, and x is 16.25 (n=4)"),
                finding(31, "printed-two-ways", literal="16.3", claim="x", n=4, message="printed 16.3 here and 16.2 on line 2", related=2),
                finding(135, literal="77,394", claim="content_tokens.median[arm=grep]", actual=69164.0, n=48, block=133,
                        message="printed 77,394, and content_tokens.median[arm=grep] is 69,164 (n=48)",
                        hint="equals coding-v1-r8", sentence="| grep | 77,394 | 100 % | [x](http://evil.example) |"),
                finding(136, literal="77,395", claim="content_tokens.median[arm=hybrid]", actual=1.5, n=48, block=133,
                        message="printed 77,395, and content_tokens.median[arm=hybrid] is 1.5 (n=48)"),
                finding(140, "number-unbound", literal="12", message="12 is bound to nothing", sentence="::error::12 things @octocat"),
            )
        ),
        page_report("site/manual.md", excluded="the manual", **NOTHING),
        page_report("site/y.md", found=(finding(1, "marker-malformed", column=1, end_column=2, message="by=arm{a=b}: no"),), **NOTHING),
    ),
    ("README.md",),
    ("no claims.lock",),
)  # fmt: skip
