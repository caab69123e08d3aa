"""Laws of `--fix` over random pages: a true page stays, a fixed one stays fixed, and what was written is true."""

import re

import pytest
from claims_page import lookup_value
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchctl.claims.answers.lookup import Lookup
from benchctl.claims.examine import Examiner
from benchctl.claims.fixing.text import fix_text
from benchctl.expressions import parse_definitions
from benchctl.quantities.format import format_number

HEAD = "<!-- benchctl: run=r9 -->\n\n"
EXPRESSIONS = [
    # expression, what its value is multiplied by, the unit behind it
    *((f"total_tokens.{how}[arm={arm}]", 1, " tokens") for how in ("median", "sum", "max") for arm in ("grep", "hybrid")),
    *((f"total_tokens.mean[agent={agent}]", 0.001, "k") for agent in ("claude", "codex")),
    *((f"wall_s.{how}[question={question}]", 1, " s") for how in ("p90", "mean") for question in ("q1", "q4")),
    ("wall_s.sum", 1 / 60, " min"),
    *((f"score.mean[arm={arm}]", 100, " %") for arm in ("index", "graphify")),
    ("ratio(total_tokens.sum[arm=grep], total_tokens.sum[arm=index])", 1, "\u00d7"),
    ("score.mean[arm=grep] - score.mean[arm=hybrid]", 1, ""),
    ("count[answered=true]", 1, ""),
]  # fmt: skip
SENTENCES = [
    "It came to {} there.", "- so {} it was", "**{}** and nothing else.", "`{}` in code.", "> Quoted, {}.",
    "| a | {} |", "!!! note\n    Inside it {}.", "\uff08{}\uff09", "See [{}](https://example.org/1.2.3).", "<td>{}</td>",
]  # fmt: skip
SEPARATORS = [",", "\u202f", "\u00a0", " ", ""]


@pytest.fixture(scope="module")
def examiner(project):
    return Examiner.of(project)


@pytest.fixture(scope="module")
def values(project):
    lookup = Lookup(project.store, parse_definitions(project.config.values))
    return [lookup_value(lookup, expression) for expression, _, _ in EXPRESSIONS]


@st.composite
def numbers(draw):
    return (
        draw(st.integers(0, len(EXPRESSIONS) - 1)),
        draw(st.integers(0, 4)),
        draw(st.sampled_from(SENTENCES)),
        draw(st.sampled_from(SEPARATORS)),
        draw(st.sampled_from([0, 1, -1, 3, 17, 400])),
        draw(st.booleans()),
    )


def printed(values, number, *, wrong):
    index, places, sentence, separator, steps, hyphen = number
    expression, factor, unit = EXPRESSIONS[index]
    places = 0 if "count" in expression else places
    value = values[index] * factor
    if wrong and steps:
        value += steps * 10.0**-places
    figures = format_number(value, places=places).replace(",", separator)
    figures = figures.replace("\u2212", "-") if hyphen else figures
    comment = f"<!--= {expression} -->"
    literal = figures + unit
    if "`{}`" in sentence:
        return sentence.replace("`{}`", f"`{literal}`{comment}")
    return sentence.replace("{}", literal + comment)


def page(values, drawn, *, wrong):
    return HEAD + "\n\n".join(printed(values, number, wrong=wrong) for number in drawn) + "\n"


law = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@law
@given(st.lists(numbers(), min_size=1, max_size=6))
def test_a_true_page_is_left_byte_for_byte(examiner, values, drawn):
    text = page(values, drawn, wrong=False)
    assert fix_text(examiner, "page.md", text).text == text


@law
@given(st.lists(numbers(), min_size=1, max_size=6))
def test_a_fixed_page_is_true_where_it_was_rewritten_and_stays_as_it_is(examiner, values, drawn):
    text = page(values, drawn, wrong=True)
    fixed = fix_text(examiner, "page.md", text)
    sheet = examiner.examine("page.md", fixed.text)
    wrong = {item.claim.start for item in sheet.judged if not item.judgement.holds}
    assert len(wrong) == len(fixed.refused)
    assert all(each.reason in ("sign", "zero", "saturated", "magnitude", "number") for each in fixed.refused)
    again = fix_text(examiner, "page.md", fixed.text)
    assert again.text == fixed.text
    assert not again.rewrites


@law
@given(st.lists(numbers(), min_size=1, max_size=6))
def test_only_figures_change(examiner, values, drawn):
    text = page(values, drawn, wrong=True)
    fixed = fix_text(examiner, "page.md", text)

    def rest(whole):
        return re.sub(
            r"[0-9][0-9,\u202f\u00a0 .]*", "#", whole.replace(" s", "\u0001s").replace(" t", "\u0001t")
        )

    assert re.sub(r"[\s,.]+", "", rest(fixed.text)) == re.sub(r"[\s,.]+", "", rest(text))
    lines = zip(text.split("\n"), fixed.text.split("\n"), strict=True)
    changed = [number for number, (old, new) in enumerate(lines, 1) if old != new]
    assert set(changed) == {each.line for each in fixed.rewrites if each.old != each.new}
