"""A table's header gives its cells their unit."""

import pytest
from claims_page import lookup_value

from benchctl.claims.answers.lookup import Lookup
from benchctl.claims.attaching.headers import header_scale
from benchctl.expressions import parse_definitions


@pytest.mark.parametrize(
    ("label", "unit", "factor"),
    [
        ("wall (ms)", "ms", 1),
        ("wall [ms]", "ms", 1),
        ("wall(ms)", "ms", 1),
        ("wall, ms", "ms", 1),
        ("wall in ms", "ms", 1),
        ("wall – ms", "ms", 1),
        ("median ms", "ms", 1),
        ("wall_ms", "ms", 1),
        ("Seconds", "s", 1),
        ("wall (ms) ↓", "ms", 1),
        ("wall (median, ms)", "ms", 1),
        ("wall (s) (median)", "s", 1),
        ("wall (s per cell)", "s", 1),
        ("wall (min)", "min", 1),
        ("F1 (%)", "%", 1),
        ("F1, %", "%", 1),
        ("% answered", "%", 1),
        ("cost ($)", "USD", 1),
        ("cost (USD/cell)", "USD", 1),
        ("Δ (pp)", "pp", 1),
        ("size (KiB)", "KiB", 1),
        ("cells (k)", "", 1000),
        ("tokens (M)", "", 10**6),
        ("tokens (thousands)", "", 1000),
        ("tokens (×1000)", "", 1000),
        ("read (k tokens)", "tokens", 1000),
    ],
)
def test_a_unit_at_a_headers_end_is_read(label, unit, factor):
    scale = header_scale(label)
    assert scale
    assert (scale.unit, scale.factor) == (unit, factor)


@pytest.mark.parametrize(
    "label",
    [
        "", "F1", "n", "P", "p90", "arm", "question(s)", "F1 (macro)", "made in click", "input tokens", "wall min",
        "B", "()", "(n)", "wall (per cell)", "first d", "K",
    ],
)  # fmt: skip
def test_what_is_no_unit_is_none(label):
    assert header_scale(label) is None


def test_a_row_says_its_unit_with_marks_only():
    assert header_scale("median ms", bare=False) is None
    assert header_scale("median (ms)", bare=False)


@pytest.fixture(scope="module")
def value(project):
    lookup = Lookup(project.store, parse_definitions(project.config.values))
    return lambda text: lookup_value(lookup, text)


def slugs(report):
    return [item.slug for item in report.findings]


WALL = "wall_s.median[arm=grep]"


def bound(header, expression, cell):
    head = f'<!--claims:table by=arm rows=subset "{header}"="{expression}" -->\n| arm | {header} |\n|--|--|\n'
    return f"{head}| grep | {cell} |\n"


@pytest.mark.parametrize("header", ["wall (ms)", "wall [ms]", "wall, ms", "wall in ms", "wall ms", "wall_ms"])
def test_a_bound_cell_is_in_its_headers_unit(verify, value, header):
    seconds = value(WALL)
    assert slugs(verify(bound(header, "wall_s.median", f"{seconds * 1000:.0f}"))) == []
    report = verify(bound(header, "wall_s.median", f"{seconds:.2f}"))
    assert slugs(report) == ["number-false"]
    assert report.findings[0].message.startswith(f"printed {seconds:.2f} ms, and")
    # A cell's own unit wins.
    assert slugs(verify(bound(header, "wall_s.median", f"{seconds:.2f} s"))) == []


def test_percent_thousands_and_counts(verify, value):
    score, tokens = value("score.mean[arm=grep]"), value("total_tokens.median[arm=grep]")
    assert slugs(verify(bound("F1 (%)", "score.mean", f"{100 * score:.1f}"))) == []
    assert slugs(verify(bound("F1 (%)", "score.mean", f"{score:.3f}"))) == ["number-false"]
    assert slugs(verify(bound("tokens (k)", "total_tokens.median", f"{tokens / 1000:.1f}"))) == []
    assert slugs(verify(bound("tokens (k)", "total_tokens.median", f"{tokens / 1000:.1f}k"))) == []
    assert slugs(verify(bound("cells (k)", "count", "24"))) == ["number-false"]
    assert slugs(verify(bound("cells (%)", "count", "24"))) == ["unit-mismatch"]
    assert slugs(verify(bound("wall (min)", "wall_s.min", f"{value('wall_s.min[arm=grep]'):.2f}"))) == []
    # A dash stays a dash, and words are no numbers.
    assert slugs(verify(bound("cost ($)", "cost_usd.mean", "–") + "\n96<!--= count -->\n")) == []


def test_a_percent_goes_past_the_counts_of_its_cell(verify, value):
    answered = value("count[arm=grep, answered=true]")
    share = f"{100 * value('answered_share(grep)'):.1f}"
    expression = "count[answered=true]; answered_share(grep)"
    assert slugs(verify(bound("answered, n (%)", expression, f"{answered} ({share})"))) == []


@pytest.mark.parametrize(
    "rows",
    [
        "| arm | wall (ms) |\n|--|--|\n| grep | {}<!--= " + WALL + " --> |\n",
        "| | grep |\n|--|--|\n| wall (ms) | {}<!--= " + WALL + " --> |\n",
    ],
)
def test_an_inline_binding_in_a_table_obeys_header_and_row(verify, value, rows):
    seconds = value(WALL)
    assert slugs(verify(rows.format(f"{seconds * 1000:.0f}"))) == []
    assert slugs(verify(rows.format(f"{seconds:.2f}"))) == ["number-false"]
    assert slugs(verify(rows.format(f"{seconds:.2f} s"))) == []


def test_a_range_shares_its_own_unit_before_its_headers(verify, value):
    least, most = value("wall_s.min[arm=grep]"), value("wall_s.max[arm=grep]")
    expression = "wall_s.min; wall_s.max"
    assert slugs(verify(bound("wall (ms)", expression, f"{least:.2f}–{most:.2f} s"))) == []
    assert slugs(verify(bound("wall (ms)", expression, f"{least * 1000:.0f}–{most * 1000:.0f}"))) == []
    assert slugs(verify(bound("wall (ms)", expression, f"{least:.2f}–{most:.2f}"))) == ["number-false"] * 2


def test_a_retracted_cell_is_in_its_headers_unit_too(verify, value):
    rows = "96<!--= count -->\n\n| arm | wall (ms) |\n|--|--|\n| grep | {}<!--retracted: " + WALL + " --> |\n"
    seconds = value(WALL)
    assert slugs(verify(rows.format(f"{seconds * 1000:.0f}"))) == ["retraction-live"]
    assert slugs(verify(rows.format(f"{seconds:.2f}"))) == []


def test_a_header_has_no_unit_from_itself(verify):
    text = "| arm | of 96<!--= count --> (ms) |\n|--|--|\n| a | b | 96<!--= count --> |\n"
    assert slugs(verify(text)) in ([], ["page-malformed"])


@pytest.mark.parametrize(
    ("label", "unit"),
    [
        ("tokens/s", "tokens/s"),
        ("rate (tokens/s)", "tokens/s"),
        ("rate (tokens per second)", "tokens/s"),
        ("wall (s/query)", "s"),
    ],
)
def test_a_rate_is_a_unit_of_its_own(label, unit):
    assert header_scale(label).unit == unit
