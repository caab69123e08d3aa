"""The arithmetic of hand-written tables: true ones pass in silence, each wrong number is found."""

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from false_tables import FALSE_TABLES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from true_tables import TRUE_TABLES

from benchctl.claims.tables.shown import listed, stretch
from benchctl.claims.tables.summaries import summary_of
from benchctl.claims.tables.topics import better_of, topic_of, words_of
from benchctl.quantities.span import Span

TABLE_SLUGS = {
    "total-differs",
    "average-differs",
    "parts-differ",
    "share-differs",
    "ratio-differs",
    "rank-differs",
    "bold-differs",
}


def of_tables(report):
    return [(finding.slug, finding.literal) for finding in report.findings if finding.slug in TABLE_SLUGS]


@pytest.mark.parametrize("name", TRUE_TABLES)
def test_a_true_table_says_nothing(verify, name):
    assert of_tables(verify(TRUE_TABLES[name])) == []


@pytest.mark.parametrize(("literal", "slug", "table"), FALSE_TABLES)
def test_a_wrong_number_is_found_where_it_stands(verify, literal, slug, table):
    found = of_tables(verify(table))
    assert (slug, literal) in found
    # A wrong share leaves the shares no longer adding up: the one table here whose shares are added up.
    follows = {"100 %"} if literal == "38.9 %" else set()
    assert {where for _, where in found} - {literal} == follows


@pytest.mark.parametrize(("literal", "slug", "table"), FALSE_TABLES)
def test_a_retraction_is_left_alone_and_an_exemption_is_not(verify, literal, slug, table):
    """Exempt is what is no result of the run: it has to add up all the same."""
    figure = literal.strip("*")

    def marked(marker):
        return of_tables(verify(table.replace(literal, literal.replace(figure, figure + marker))))

    assert (slug, literal) not in marked("<!--retracted -->")
    assert slug in [found for found, _ in marked("<!--exempt: of another study -->")]


@pytest.mark.parametrize(("literal", "slug", "table"), FALSE_TABLES)
def test_the_finding_is_advice_and_says_the_arithmetic(verify, literal, slug, table):
    finding = next(item for item in verify(table).findings if item.slug == slug and item.literal == literal)
    assert finding.severity == "warning"
    assert finding.verdict in ("impossible", "contradiction")
    assert any(char.isdigit() for char in finding.message)


def test_a_policy_makes_them_errors(project):
    from dataclasses import replace

    from benchctl.claims.verify import verify_text

    strict = project.config.model_copy(
        update={"claims": project.config.claims.model_copy(update={"errors": ("impossible",)})}
    )
    _, _, table = FALSE_TABLES[0]
    report = verify_text(replace(project, config=strict), "page.md", f"<!-- benchctl: run=r9 -->\n\n{table}")
    assert {item.severity for item in report.findings if item.slug in TABLE_SLUGS} == {"error"}


ROUNDED = st.sampled_from([ROUND_HALF_EVEN, ROUND_HALF_UP])
AMOUNT = st.decimals(min_value="0.5", max_value="99999", places=4)


def _printed(value, places, rounding):
    return f"{Decimal(str(value)).quantize(Decimal(1).scaleb(-places), rounding=rounding):,}"


def _exact(value):
    return Decimal(value.numerator) / Decimal(value.denominator)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=60,
    deadline=None,
)
@given(
    st.lists(st.tuples(st.integers(0, 48), AMOUNT, AMOUNT), min_size=2, max_size=7),
    st.integers(0, 3),
    ROUNDED,
    st.sampled_from(["total", "mean", "overall"]),
)
def test_a_table_of_true_values_says_nothing_however_it_is_rounded(verify, rows, places, rounding, last):
    """Parts and their sum, counts and their percentage, amounts against the first row, and a row that sums up."""
    base = rows[0][1]
    lines = [
        "| arm | input | output | sum | answered | n | answered % | vs first | change |",
        "|--|--|--|--|--|--|--|--|--|",
    ]
    for index, (answered, left, right) in enumerate(rows):
        cells = [
            f"a{index}",
            *(_printed(value, places, rounding) for value in (left, right, left + right)),
            str(answered),
            "48",
            f"{_printed(_exact(Fraction(100 * answered, 48)), places, rounding)} %",
            f"{_printed(_exact(Fraction(left) / Fraction(base)), places, rounding)}×",
            f"{_printed(_exact(100 * (Fraction(left) - Fraction(base)) / Fraction(base)), places, rounding)} %",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    size = 1 if last == "total" else len(rows)
    sums = [sum((Fraction(row[at]) for row in rows), Fraction(0)) / size for at in (1, 2)]
    answered = sum(row[0] for row in rows)
    cells = [
        last,
        *(_printed(_exact(value), places, rounding) for value in (*sums, sum(sums))),
        str(answered) if last == "total" else "",
        str(48 * len(rows)) if last == "total" else "",
        f"{_printed(_exact(Fraction(100 * answered, 48 * len(rows))), places, rounding)} %",
        "",
        "",
    ]
    assert of_tables(verify("\n".join([*lines, f"| {' | '.join(cells)} |"]))) == []


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Total", "total"),
        ("**total** ", "total"),
        ("Σ", "total"),
        ("∑", "total"),
        ("Grand total (n=48)", "total"),
        ("total over all repositories", "total"),
        ("subtotal", "total"),
        ("total tokens", None),  # a quantity of its own
        ("Mean", "mean"),
        ("average:", "mean"),
        ("geometric mean", "geomean"),
        ("Geomean", "geomean"),
        ("median of repositories", "median"),
        ("overall", "overall"),
        ("all arms", "overall"),
        ("macro average", "overall"),
        ("all", "perhaps"),
        ("combined", "perhaps"),
        ("all tools", None),
        ("p90", "statistic"),
        ("n", "statistic"),
        ("max", "max"),
        ("grep", None),
        ("", None),
    ],
)
def test_rows_that_sum_up_others(label, kind):
    assert summary_of(label.replace("**", "")) == kind


@pytest.mark.parametrize(
    ("header", "unit", "topic"),
    [
        ("median wall (s)", "s", "time"),
        ("tokens", "", "tokens"),
        ("cost", "USD", "money"),
        ("F1 ↑", "", "score"),
        ("tokens/s", "", "rate"),
        ("requests per second", "", "rate"),
        ("failed calls", "", None),  # of two things it is neither
        ("Δ tokens", "", None),
        ("tokens ×", "", None),
        ("token budget", "", None),
        ("p50", "ms", "time"),
        ("stars", "", None),
    ],
)
def test_what_a_header_speaks_of(header, unit, topic):
    assert topic_of(header, unit) == topic


def test_which_way_is_better():
    assert better_of("score ↓", "score") == "lower"
    assert better_of("wall", "time") == "lower"
    assert better_of("stars", None) is None
    assert words_of("Answered questions, repositories") == ("answered", "question", "repository")


def test_messages_print_as_finely_as_the_page():
    third = Span(Fraction(1, 3), Fraction(1, 3))
    assert stretch(third, Decimal("0.01")) == "0.333"
    assert stretch(Span.exact(1440), Decimal(1)) == "1,440"
    assert stretch(Span(Fraction(1, 2), Fraction(3, 4)), Decimal("0.1")) == "0.5 to 0.75"
    assert listed(["1", "2"]) == "1, 2"
    assert listed([str(number) for number in range(9)]) == "0, 1, 2, … (9 numbers)"
