"""The word beside a number of a change, held against what the run has: a fall that is a rise, a sign that a word carries."""

import re

import pytest
from claims_page import lookup_value

from benchctl.claims.answers.lookup import Lookup
from benchctl.claims.verify import verify_text
from benchctl.claims.wording.courses import core_of
from benchctl.claims.wording.verbs import said_at
from benchctl.expressions import parse, parse_definitions
from benchctl.quantities.format import format_number

_SLOT = re.compile(r"\{\{([^{}]*)\}\}")
SCORE, TOKENS, WALL = "score.mean", "total_tokens.median", "wall_s.median"

# From r8 to r9 grep's score and its tokens rise, graphify's fall; in r9 graphify is faster than grep, and needs half the tokens.
ROSE = f"100*delta({SCORE}[arm=grep], {SCORE}[arm=grep]@r8)|1"
ROSE_PCT = f"change_pct({SCORE}[arm=grep]@r8, {SCORE}[arm=grep])|1|%"
FELL_PCT = f"change_pct({TOKENS}[arm=graphify]@r8, {TOKENS}[arm=graphify])|1|%"
FELL = f"delta({TOKENS}[arm=graphify]@r8, {TOKENS}[arm=graphify])|0"
REDUCED = f"reduction_pct({TOKENS}[arm=grep], {TOKENS}[arm=graphify])|1|%"
LESS = f"change_pct({TOKENS}[arm=grep], {TOKENS}[arm=graphify])|1|%"
MORE = f"change_pct({TOKENS}[arm=graphify], {TOKENS}[arm=grep])|1|%"
FASTER = f"delta({WALL}[arm=grep], {WALL}[arm=graphify])|1|s"
RATIO = f"ratio({TOKENS}[arm=grep], {TOKENS}[arm=graphify])|1|x"

TRUE = [
    f"Grep rose by {{{{{ROSE}}}}} points.",
    f"Grep gained {{{{{ROSE}}}}} points since r8.",
    f"A gain of {{{{{ROSE}}}}} points.",
    f"An improvement of about {{{{{ROSE}}}}} points.",
    f"Grep's score is up {{{{{ROSE_PCT}}}}}.",
    f"Grep is {{{{{ROSE}}}}} points higher than in the earlier run.",
    f"Grep's miss rate fell by {{{{{ROSE}}}}} points.",
    f"Grep did not fall by {{{{{ROSE}}}}} points.",
    f"Would grep have dropped {{{{{ROSE}}}}} points?",
    f"In r8 grep was {{{{{ROSE}}}}} points lower.",
    f"The earlier run was {{{{{ROSE}}}}} points lower.",
    f"The gap shrank by {{{{{ROSE}}}}} points.",
    f"Grep had lost its way, and then gained {{{{{ROSE}}}}} points.",
    f"Graphify's tokens fell by {{{{{FELL}}}}}.",
    f"From r8 to r9 the tokens of graphify dropped by {{{{{FELL}}}}}.",
    f"Grep needs {{{{{MORE}}}}} more tokens than graphify.",
    f"With graphify the tokens fall by {{{{{REDUCED}}}}}.",
    f"Switching to graphify cuts tokens by {{{{{REDUCED}}}}}.",
    f"Giving up grep for graphify saves {{{{{FASTER}}}}}.",
    f"Dropping grep saves {{{{{FASTER}}}}}.",
    f"From grep to graphify the time falls by {{{{{FASTER}}}}}.",
    f"Graphify is {{{{{FASTER}}}}} faster than grep.",
    f"Grep is {{{{{FASTER}}}}} slower than graphify.",
    f"Throughput fell by {{{{{MORE}}}}}.",
    f"Grep made up {{{{{ROSE}}}}} points.",
    f"`graphify` uses {{{{{RATIO}}}}} fewer tokens than `grep`.",
]
FALSE = [
    f"Grep fell by {{{{{ROSE}}}}} points.",
    f"Grep lost {{{{{ROSE}}}}} points since r8.",
    f"A loss of {{{{{ROSE}}}}} points.",
    f"A reduction in score of {{{{{ROSE}}}}} points.",
    f"A {{{{{ROSE}}}}} point drop.",
    f"Grep's score is down {{{{{ROSE_PCT}}}}}.",
    f"Its score dropped {{{{{ROSE_PCT}}}}}.",
    f"Grep is {{{{{ROSE}}}}} points lower than in the earlier run.",
    f"Grep (down {{{{{ROSE}}}}} points).",
    f"A regression of {{{{{ROSE}}}}} points.",
    f"## Grep fell {{{{{ROSE}}}}} points",
    f"## Changes since r8\n\nGrep fell {{{{{ROSE}}}}} points.",
    f"- Grep: **down {{{{{ROSE}}}}} points**",
    f"Graphify's tokens rose by {{{{{FELL}}}}}.",
    f"Graphify needs {{{{{REDUCED}}}}} more tokens.",
    f"Tokens rose {{{{{REDUCED}}}}}.",
    f"Tokens are up {{{{{REDUCED}}}}}.",
    f"Grep cuts tokens by {{{{{MORE}}}}}.",
    f"Grep saves {{{{{FASTER}}}}} against graphify.",
    f"From grep to graphify the time rises by {{{{{FASTER}}}}}.",
    f"Graphify is {{{{{FASTER}}}}} slower than grep.",
    f"`graphify` uses {{{{{RATIO}}}}} more tokens than `grep`.",
    f"The score of grep fell {{{{100*({SCORE}[arm=grep] - {SCORE}[arm=grep]@r8)/{SCORE}[arm=grep]@r8|1|%}}}}.",
    f"Tokens fell by {{{{abs(change_pct({TOKENS}[arm=grep]@r8, {TOKENS}[arm=grep]))|1|%}}}}.",
    "Graphify scores {{delta(score.macro, arm=graphify, arm=grep)|3}} lower than grep.",
]
UNSIGNED = [
    f"Graphify needs {{{{{LESS}}}}} fewer tokens than grep.",
    f"Graphify's tokens fell {{{{{FELL_PCT}}}}}.",
    f"Graphify's tokens are down {{{{{FELL_PCT}}}}} since r8.",
    f"A reduction of {{{{{FELL_PCT}}}}}.",
    f"Graphify is {{{{delta({WALL}[arm=graphify], {WALL}[arm=grep])|1|s}}}} faster than grep.",
    f"Graphify needs {{{{{TOKENS}[arm=graphify] - {TOKENS}[arm=grep]|0}}}} fewer tokens than grep.",
]
SIGNED = [
    f"Graphify's tokens went by {{{{{FELL_PCT}}}}}.",
    f"Graphify's tokens rose {{{{{FELL_PCT}}}}}.",
    f"Grep needs {{{{{LESS}}}}} fewer tokens than graphify.",
    f"Grep is {{{{delta({WALL}[arm=graphify], {WALL}[arm=grep])|1|s}}}} faster than graphify.",
    f"Graphify's tokens fell {{{{0 - reduction_pct({TOKENS}[arm=grep], {TOKENS}[arm=graphify])|1|%}}}}.",
]


@pytest.fixture(scope="module")
def examined(project):
    """Return a function from a text with `{{expr|places|unit}}` to the report of r9's page, each print without a sign."""
    lookup = Lookup(project.store, parse_definitions(project.config.values))

    def examine(text, *, signed=False, off=0.0, head="run=r9 also=r8"):
        def slot(match):
            expression, places, *unit = match[1].split("|")
            value = lookup_value(lookup, expression) + off
            printed = format_number(value, unit=unit[0] if unit else None, places=int(places))
            return f"{printed if signed else printed.lstrip('−-')}<!--= {expression} -->"

        return verify_text(project, "page.md", f"<!-- benchctl: {head} -->\n\n{_SLOT.sub(slot, text)}\n")

    return examine


def slugs(report):
    return [finding.slug for finding in report.findings if finding.severity == "error"]


@pytest.mark.parametrize("text", TRUE)
def test_a_word_that_the_sign_bears_out_or_that_may_mean_something_else(examined, text):
    assert slugs(examined(text)) == []


@pytest.mark.parametrize("text", FALSE)
def test_a_word_that_the_sign_denies_is_one_error(examined, text):
    report = examined(text)
    assert slugs(report) == ["direction-false"]
    assert not report.ok


@pytest.mark.parametrize("text", UNSIGNED)
def test_a_word_that_says_less_carries_the_sign(examined, text):
    assert slugs(examined(text)) == []
    assert slugs(examined(text, signed=True)) == []
    assert "number-false" in slugs(examined(text, off=-7.0))
    assert [
        finding.slug for finding in examined(f"{text} {text}").findings if "two-ways" in finding.slug
    ] == []


@pytest.mark.parametrize("text", SIGNED)
def test_no_other_word_does(examined, text):
    assert set(slugs(examined(text))) & {"number-false", "direction-false"}


def test_the_same_change_with_and_without_its_sign_is_one_print(examined):
    both = f"Graphify's tokens fell {{{{{FELL_PCT}}}}}."
    report = examined(f"{both}\n\nThe change is −57.3 %<!--= {FELL_PCT.partition('|')[0]} -->.")
    assert [finding.slug for finding in report.findings] == []


def test_of_a_page_of_the_earlier_run_nobody_knows_which_is_meant(examined):
    own = f"{SCORE}[arm=grep]"
    text = f"Grep rose by 3.7<!--= 100*delta({own}@r9, {own}) --> points."
    assert slugs(examined(text, head="run=r8 also=r9")) == []
    text = f"Grep fell by 3.7<!--= 100*delta({own}@r9, {own}) --> points."
    assert slugs(examined(text, head="run=r8 also=r9")) == []


def test_a_heading_over_questions_is_denied_by_the_ratio_of_all(examined):
    questions = "".join(
        f"| {name} | {{{{{TOKENS}[arm=grep, question={name}]|0}}}} | {{{{{TOKENS}[arm=graphify, question={name}]|0}}}} |\n"
        for name in ("q1", "q2", "q3")
    )
    table = f"| question | grep | graphify |\n|--|--|--|\n{questions}"
    page = f"## Graphify needs more tokens than grep\n\nIt is {{{{{RATIO}}}}} in all.\n\n{table}"
    assert slugs(examined(page)) == ["direction-false"]
    assert slugs(examined(page.replace("more", "fewer"))) == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("it fell by # points", "fell"),
        ("it fell sharply, by # points", ""),
        ("an increase in tokens of #", "increase"),
        ("# tokens fewer than", "fewer"),
        ("# more or less", ""),
        ("up to #", ""),
        ("it is up #", "up"),
        ("it made up #", ""),
        ("it rose # less than", ""),  # two words at odds
        ("sped up by #", "sped up"),
        ("lower than grep by #", "lower"),
        ("it beats grep by #", ""),
        ("a # fall short of", ""),
        ("# up on r8", "up"),
        ("saved us #", "saved"),
        ("worsened by #", "worsened"),
    ],
)
def test_the_word_of_a_number(text, word):
    at = text.index("#")
    found = said_at(text, at, at + 1)
    assert (found.word if found else "") == word


def test_a_word_is_said_of_some_quantities_alone():
    faster, better = said_at("it is # faster", 6, 7), said_at("# better", 0, 1)
    assert [faster.way(topic, "lower") for topic in ("time", "rate", "score", None)] == [-1, 1, 0, 0]
    assert [better.way(*kind) for kind in (("score", "higher"), ("time", "lower"), (None, None))] == [
        1,
        -1,
        0,
    ]


def test_what_only_scales_or_rounds_is_looked_through():
    core = core_of(parse("round(100 * abs(-delta(score.mean, 1)), 1)"))
    assert core == parse("delta(score.mean, 1)")
    assert core_of(parse("score.mean * count")) == parse("score.mean * count")
