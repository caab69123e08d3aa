"""Words that compare and words that say all: what tables, bindings and the run deny is found, and nothing else."""

import re

import pytest
from claims_page import lookup_value
from true_sentences import (
    EVEN,
    FALSE_COMPARISONS,
    FALSE_UNIVERSALS,
    METRICS,
    TABLE,
    TRUE_COMPARISONS,
    TRUE_UNIVERSALS,
)

from benchctl.claims.answers.lookup import Lookup
from benchctl.expressions import parse_definitions
from benchctl.quantities.format import format_number

DIRECTIONS = {"direction-false", "direction-denied", "direction-reversed"}
DENIED = DIRECTIONS | {"universal-denied"}
_SLOT = re.compile(r"\{\{([^{}]*)\}\}")


def said(report, slugs=DENIED):
    return [finding.slug for finding in report.findings if finding.slug in slugs]


@pytest.fixture(scope="module")
def filled(project):
    """Return a function that prints `{{expr|places|unit}}` as run r9 has it, with its binding behind it."""
    lookup = Lookup(project.store, parse_definitions(project.config.values))

    def fill(text: str, run: str = "r9") -> str:
        def slot(match):
            expression, places, *unit = match[1].split("|")
            value = lookup_value(lookup, expression, run)
            printed = format_number(value, unit=unit[0] if unit else None, places=int(places))
            return f"{printed}<!--= {expression} -->"

        return _SLOT.sub(slot, text)

    return fill


@pytest.mark.parametrize("sentence", [*TRUE_COMPARISONS, *TRUE_UNIVERSALS])
def test_a_true_or_limited_sentence_says_nothing(verify, sentence):
    assert said(verify(f"{sentence}\n\n{TABLE}")) == []
    if not sentence.startswith("#"):
        assert said(verify(f"## Results\n\n{TABLE}\n{sentence}\n")) == []


@pytest.mark.parametrize("sentence", FALSE_COMPARISONS)
def test_a_comparison_is_denied_by_the_table_beside_it(verify, sentence):
    assert said(verify(f"{sentence}\n\n{TABLE}"), DIRECTIONS) == ["direction-denied"]
    if not sentence.startswith("#"):
        assert said(verify(f"## Results\n\n{TABLE}\n{sentence}\n"), DIRECTIONS) == ["direction-denied"]


@pytest.mark.parametrize("sentence", FALSE_UNIVERSALS)
def test_a_universal_is_denied_by_the_table_beside_it(verify, sentence):
    assert "universal-denied" in said(verify(f"{sentence}\n\n{TABLE}"))


@pytest.mark.parametrize("sentence", [*FALSE_COMPARISONS, *FALSE_UNIVERSALS])
def test_another_section_does_not_deny_it(verify, sentence):
    other = "" if sentence.startswith("#") else "## Another study\n\n"
    assert said(verify(f"{TABLE}\n{other}{sentence}\n")) == []


@pytest.mark.parametrize("sentence", [*FALSE_COMPARISONS, *FALSE_UNIVERSALS])
def test_an_assertion_behind_it_takes_its_place(verify, sentence):
    assert said(verify(f"{sentence}<!--assert: count > 0 -->\n\n{TABLE}")) == []


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Both arms are above 0.9.", False),
        ("Both arms are above 0.93.", True),
        ("Neither arm failed.", False),
        ("Both arms answered every question.", False),
        ("All three arms are above 0.93.", False),  # of other arms
        ("Neither arm is above 0.9.", True),
        ("Every arm is above 0.93 on jinja2.", False),
    ],
)
def test_two_arms(verify, sentence, found):
    assert bool(said(verify(f"{EVEN}\n{sentence}\n"))) is found


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Graphify is faster than grep.", False),
        ("Graphify is slower than grep.", False),  # nothing says that these column headers are arms
        (
            "Graphify is slower than grep. They have {{count[arm=graphify]|0}} and {{count[arm=grep]|0}} cells.",
            True,
        ),
        (
            "Graphify is faster than grep. They have {{count[arm=graphify]|0}} and {{count[arm=grep]|0}} cells.",
            False,
        ),
        (
            "Grep is the fastest of the two, and there are {{count[arm=graphify]|0}} and {{count[arm=grep]|0}} cells.",
            True,
        ),
    ],
)
def test_a_table_of_metrics(verify, filled, sentence, found):
    assert bool(said(verify(f"{METRICS}\n{filled(sentence)}\n"))) is found


TRUE_OF_R9 = [
    "Graphify uses {{ratio(tok(grep), tok(graphify))|1|x}} fewer tokens than grep.",
    "It uses {{ratio(tok(grep), tok(graphify))|1|x}} fewer tokens than grep.",
    "## Graphify needs fewer tokens\n\nIt needs {{tok(graphify)|0}}, grep {{tok(grep)|0}}.",
    "## Graphify costs {{ratio(tok(graphify), tok(grep))|2|x}} the tokens of grep",
    "Graphify is {{speedup(wall_s.median[arm=grep], wall_s.median[arm=graphify])|2|x}} faster than grep.",
    "Graphify scores {{delta(score.mean[arm=graphify], score.mean[arm=grep])|3}} higher than grep.",
    "Graphify's score is {{delta(score.macro, arm=graphify, arm=grep)|3}} higher than grep's.",
    "## Hybrid beats grep\n\nIt scores {{score.mean[arm=hybrid]|3}} against {{score.mean[arm=grep]|3}}.",
    "## Graphs cost half the tokens\n\n{{tok(graphify)|0}} against {{tok(grep)|0}}.",
    "Grep beats hybrid on tokens: {{tok(grep)|0}} to {{tok(hybrid)|0}}.",
    "Grep is faster than index.\n\nSee {{wall_s.median[arm=grep]|1}} and {{wall_s.median[arm=index]|1}}.",
    "Tokens fall by {{reduction_pct(tok(grep), tok(graphify))|1|%}}.",
    "Tokens fall from {{tok(grep)|0}} to {{tok(graphify)|0}}.",
    "Tokens do not rise by {{reduction_pct(tok(grep), tok(graphify))|1|%}}.",
    # Numbers of a part of the run, or of another one, deny nothing that is said of the whole.
    (
        "Graphify is more accurate than grep.\n\nIn q2 it is not: {{score.mean[arm=graphify, question=q2]|3}} "
        "against {{score.mean[arm=grep, question=q2]|3}}."
    ),
    "## Grep needs more tokens than index\n\n{{tok(grep)|0}}, {{tok(index)|0}}",
]
FALSE_OF_R9 = [
    "Graphify uses {{ratio(tok(graphify), tok(grep))|1|x}} more tokens than grep.",
    "It uses {{ratio(tok(grep), tok(graphify))|1|x}} more tokens than grep.",
    "## Graphify needs more tokens\n\nIt needs {{tok(graphify)|0}}, grep {{tok(grep)|0}}.",
    "## Graphs cost twice the tokens\n\n{{tok(graphify)|0}} against {{tok(grep)|0}}.",
    "Graphify is {{speedup(wall_s.median[arm=grep], wall_s.median[arm=graphify])|2|x}} slower than grep.",
    "Graphify scores {{delta(score.mean[arm=graphify], score.mean[arm=grep])|3}} lower than grep.",
    "Graphify's score is {{delta(score.macro, arm=graphify, arm=grep)|3}} lower than grep's.",
    "## Grep beats hybrid\n\nIt scores {{score.mean[arm=hybrid]|3}} against {{score.mean[arm=grep]|3}}.",
    "Grep is slower than index.\n\nSee {{wall_s.median[arm=grep]|1}} and {{wall_s.median[arm=index]|1}}.",
    (
        "## Graphify is slower\n\nThe speed-up is "
        "{{speedup(wall_s.median[arm=grep], wall_s.median[arm=graphify])|2|x}}."
    ),
    "Tokens rise by {{reduction_pct(tok(grep), tok(graphify))|1|%}}.",
    "Tokens rise by {{change_pct(tok(grep), tok(graphify))|1|%}}.",
]


@pytest.mark.parametrize("text", TRUE_OF_R9)
def test_what_is_bound_agrees(verify, filled, text):
    assert said(verify(filled(text))) == []


@pytest.mark.parametrize("text", FALSE_OF_R9)
def test_what_is_bound_denies_the_word_beside_it(verify, filled, text):
    report = verify(filled(text))
    assert said(report) == ["direction-false"]
    assert not report.ok


@pytest.mark.parametrize(
    "heading", ["## Graphify needs more tokens than grep", "## Graphify has the most tokens"]
)
def test_the_heading_over_a_table_of_an_earlier_run(project, verify, heading):
    """The numbers are r8's and so is the heading: each number is stale, and the heading is false of r9."""
    lookup = Lookup(project.store, parse_definitions(project.config.values))

    def page(run):
        rows = "".join(
            f"| {arm} | {format_number(lookup_value(lookup, f'total_tokens.median[arm={arm}]', run), places=0)} |\n"
            for arm in ("grep", "index", "hybrid", "graphify")
        )
        return f"{heading}\n\n<!--claims:table by=arm tokens=total_tokens.median -->\n| arm | tokens |\n|--|--|\n{rows}"

    assert said(verify(page("r8")))
    assert said(verify(page("r9")))
    fewer = heading.replace("more", "fewer").replace("most", "fewest")
    assert said(verify(page("r9").replace(heading, fewer))) == []


@pytest.mark.parametrize(
    ("heading", "found"),
    [
        ("## Graphify costs more tokens than grep", True),
        ("## Graphify costs fewer tokens than grep", False),
        ("## Grep beats graphify", True),
        ("## Graphify is slower than grep", False),  # by the median it is, by the mean it is not
        ("### Graphify costs more tokens than grep", False),  # what a deeper heading is about nobody knows
        ("## Graphify is cheaper than grep", False),  # nobody measured the cost
    ],
)
def test_the_whole_run_is_asked_where_nothing_near_speaks_of_it(verify, filled, heading, found):
    page = filled(
        f"# A page\n\nThere are {{{{count[arm=graphify]|0}}}} and {{{{count[arm=grep]|0}}}} cells.\n\n{heading}\n\nAs shown.\n"
    )
    assert (said(verify(page)) == ["direction-denied"]) is found


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("It rises from 0.82 to 0.71.", True),
        ("Tokens fell from 27,739 to 55,795.", True),
        ("Wall time went down from **12.1 s** to **14.0 s**.", True),
        ("Time dropped from 90 s to 3 min.", True),
        ("The score is up from 0.8 to 0.7.", True),
        ("It rises from 0.71 to 0.82.", False),
        ("It rises from 0.82 to 0.82.", False),
        ("It fell from 1.5 to 1.46.", False),
        ("It rises from 1.5 to 1.46.", False),  # 1.455 prints as 1.5
        ("Its rank climbed from 12 to 3.", False),
        ("It did not rise from 0.9 to 0.8.", False),
        ("It rises from 3 of 48 to 2 of 12.", False),
        ("It drops from 5 s to 300 tokens.", False),
        ("It went from 9 to 7.", False),
        ("Losses fell from −5 to −3.", False),
        ("They rise from two to one.", False),
    ],
)
def test_a_rise_to_less_and_a_fall_to_more(verify, sentence, found):
    assert (said(verify(sentence)) == ["direction-reversed"]) is found


@pytest.mark.parametrize(
    ("sentence", "noted"),
    [
        ("Every arm has {{count[arm=grep]|0}} cells.", False),  # the number says it
        ("Graphify never reads a file, in {{count[arm=graphify]|0}} cells.", False),  # compares nothing
        ("No question went unanswered in {{count[arm=grep]|0}} cells.", False),
        ("Three cells have no answer, and {{count[arm=grep]|0}} are of grep.", False),
        ("No arm is faster than grep, which has {{count[arm=grep]|0}} cells.", True),
        ("All arms read fewer tokens than grep. It has {{count[arm=grep]|0}} cells.", True),
        ("Every question has over {{count[arm=grep]|0}} cells.", False),
        ("The fastest is grep, and it has {{count[arm=grep]|0}} cells.", True),
        ("The fastest is grep with {{count[arm=grep]|0}} cells.", False),
        ("In all, grep has {{count[arm=grep]|0}} cells.", False),
        ("Grep has {{count[arm=grep]|0}} cells. Nothing else matters.", False),
        ("All {{count|0}} cells were graded.", False),
        (
            "Every question was asked.<!--assert: all question: count > 0 --> Grep has {{count[arm=grep]|0}} cells.",
            False,
        ),
        ("All four<!--= arm.distinct --> arms have the same questions.", False),
        ("Grep is the most frugal, and index the fastest: {{count[arm=index]|0}} cells of grep.", False),
        ("The fastest is grep. It has {{count[arm=grep]|0}} cells.", True),
        ("No cell was void: {{count[void=true]|0}}.", False),
        ("Every cell of grep was kept: {{count[arm=grep, void=false]|0}} of {{count[arm=grep]|0}}.", False),
        ("It needs no model. Grep has {{count[arm=grep]|0}} cells.", False),
        ("Does every arm have {{count[arm=grep]|0}} cells?", False),
        ("Every arm is in the method.", False),  # nothing of the run is named
    ],
)
def test_a_universal_that_nothing_checks_is_noted(verify, filled, sentence, noted):
    report = verify(filled(sentence))
    notes = [finding for finding in report.findings if finding.slug == "universal-unasserted"]
    assert bool(notes) is noted
    assert all(finding.severity == "note" for finding in notes)


@pytest.mark.parametrize(
    ("table", "sentence", "found"),
    [
        # what a table holds, a sentence, and whether the table denies it
        (
            "| arm | answered | n |\n|--|--|--|\n| a1 | 44 | 48 |\n| a2 | 48 | 48 |\n",
            "Both arms answered every question.",
            True,
        ),
        (
            "| arm | answered | n |\n|--|--|--|\n| a1 | 48 | 48 |\n| a2 | 48 | 48 |\n",
            "Both arms answered every question.",
            False,
        ),
        (
            "| arm | answered | n |\n|--|--|--|\n| a1 | 44 | 48 |\n| a2 | 48 | 48 |\n",
            "Only a1 answered every question.",
            True,
        ),
        (
            "| arm | answered | n |\n|--|--|--|\n| a1 | 44 | 48 |\n| a2 | 48 | 48 |\n",
            "Only a2 answered every question.",
            False,
        ),
        (
            "| arm | answered (%) |\n|--|--|\n| a1 | 92 % |\n| a2 | 100 % |\n",
            "All questions were answered.",
            True,
        ),
        ("| arm | answered |\n|--|--|\n| a1 | 44 |\n| a2 | 48 |\n", "All questions were answered.", False),
        ("| arm | answered |\n|--|--|\n| a1 | yes |\n| a2 | no |\n", "All questions were answered.", False),
        ("| arm | failed |\n|--|--|\n| a1 | 1 of 48 |\n| a2 | 0 of 48 |\n", "Nothing failed.", True),
        ("| arm | failed |\n|--|--|\n| a1 | 1 of 48 |\n| a2 | 0 of 48 |\n", "Only a1 failed.", False),
        ("| arm | timeouts |\n|--|--|\n| a1 | 2 |\n| a2 | 0 |\n", "No arm timed out.", True),
        ("| arm | timeouts |\n|--|--|\n| a1 | 2 |\n| a2 | 0 |\n", "No arm crashed.", False),
        # a percent and a fraction are not compared, and neither are seconds and minutes
        ("| arm | F1 (%) |\n|--|--|\n| a1 | 81 |\n| a2 | 92 |\n", "Both arms scored above 0.95.", False),
        ("| arm | wall (s) |\n|--|--|\n| a1 | 81 |\n| a2 | 92 |\n", "Both arms took under 1 minute.", False),
        ("| arm | wall (s) |\n|--|--|\n| a1 | 81 |\n| a2 | 92 |\n", "Both arms took under 90 s.", True),
        # a narrower quantity than the sentence speaks of
        ("| arm | build (s) |\n|--|--|\n| a1 | 81 |\n| a2 | 92 |\n", "The arm a2 is the fastest.", False),
        ("| arm | build (s) |\n|--|--|\n| a1 | 81 |\n| a2 | 92 |\n", "a2 is faster than a1.", False),
        ("| arm | build (s) |\n|--|--|\n| a1 | 81 |\n| a2 | 92 |\n", "a2 has the lowest build time.", True),
        ("| arm | p99 (ms) |\n|--|--|\n| a1 | 81 |\n| a2 | 92 |\n", "a2 is faster than a1.", False),
        # rows that a footnote qualifies, ties, rows of another kind, further keys
        ("| arm | wall (s) |\n|--|--|\n| a1 † | 81 |\n| a2 | 92 |\n", "a2 is the fastest.", False),
        ("| arm | wall (s) |\n|--|--|\n| a1 | 92 |\n| a2 | 92 |\n", "a2 is the fastest.", False),
        ("| question | score |\n|--|--|\n| q1 | 0.2 |\n| q2 | 0.9 |\n", "Every arm scored above 0.5.", False),
        (
            "| question | arm | score |\n|--|--|--|\n| q1 | a1 | 0.2 |\n| q1 | a2 | 0.9 |\n",
            "a1 scores higher than a2.",
            False,
        ),
        (
            "The two hardest questions:\n\n| arm | score |\n|--|--|\n| a1 | 0.2 |\n| a2 | 0.9 |\n",
            "a1 scores higher than a2.",
            False,
        ),
        ("| arm | score |\n|--|--|\n| a1 | 0.2 |\n| a2 | 0.9 |\n", "a1 scores higher than a2.", True),
        ("| arm | tokens/s |\n|--|--|\n| a1 | 20 |\n| a2 | 90 |\n", "a1 is faster than a2.", True),
        ("| arm | tokens/s |\n|--|--|\n| a1 | 20 |\n| a2 | 90 |\n", "a2 is the fastest.", False),
    ],
)
def test_what_a_table_says_of_its_rows(verify, table, sentence, found):
    assert bool(said(verify(f"{table}\n{sentence}\n"))) is found
    assert bool(said(verify(f"{sentence}\n\n{table}"))) is found


def test_names_in_code_and_quotations(verify):
    assert said(verify(f"`graphify` is slower than `grep`.\n\n{TABLE}")) == ["direction-denied"]
    assert said(verify(f'They said "graphify is slower than grep".\n\n{TABLE}')) == []
