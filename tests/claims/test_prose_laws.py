"""Laws of a page's own arithmetic: what is true, rounded either way, is never denied; nothing raises."""

from decimal import ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from hypothesis import given, settings
from hypothesis import strategies as st
from prose_corpus import FALSE, TRUE

from benchctl.claims.checks import change, domain, equation, interval, mean, order, share
from benchctl.claims.numbers import Numbers
from benchctl.claims.reading.page import Page
from benchctl.claims.recorder import Recorder
from benchctl.claims.sheet import Sheet
from benchctl.schema.project import ProjectFile

ROOM = (share, mean, equation, change, order, interval, domain)
WAYS = st.sampled_from([ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN])
PLACES = st.integers(0, 3)


def denied(text):
    """Return what the room finds on a page, by slug; nothing is asked of any run."""
    page = Page("page.md", text)
    sheet = Sheet(
        page=page, record=Recorder(page), bindings=[], scopes=None, numbers=Numbers(page), blocks=[],
        block_problems=[], charts=[], chart_problems=[], lookup=None, config=ProjectFile(),
    )  # fmt: skip
    for each in ROOM:
        each.check(sheet)
    return [finding.slug for finding in sheet.record.findings]


def shown(value, places, way):
    return f"{Decimal(value).quantize(Decimal(1).scaleb(-places), rounding=way):,f}"


@given(st.integers(1, 5000), st.data(), PLACES, WAYS)
def test_a_true_percent_of_counts_is_never_denied_and_one_two_places_off_is(whole, data, places, way):
    part = data.draw(st.integers(0, whole))
    percent = shown(Decimal(100 * part) / whole, places, way)
    for form in (
        "{a} of {b} ({p} %).",
        "{a}/{b} ({p} %).",
        "{p} % ({a} of {b}).",
        "{a} of {b} cells, {p} %.",
        "Of {b} cells, {a} ({p} %).",
    ):
        assert denied(form.format(a=part, b=whole, p=percent)) == []
    wrong = f"{Decimal(percent.replace(',', '')) + 2 * Decimal(1).scaleb(-places):f}"
    assert denied(f"{part} of {whole} ({wrong} %).") == ["percent-impossible"]


@given(st.lists(st.integers(0, 30), min_size=2, max_size=60), st.integers(1, 4), WAYS)
def test_a_true_mean_of_counts_is_never_denied(values, places, way):
    printed = shown(Decimal(sum(values)) / len(values), places, way)
    assert denied(f"A mean of {printed} tool calls over {len(values)} cells.") == []
    assert denied(f"The mean is {printed} over {len(values)} integers.") == []


@given(st.lists(st.integers(1, 500), min_size=2, max_size=6), st.sampled_from("+×"))
def test_a_true_sum_or_product_of_counts_is_never_denied_and_one_off_is(values, sign):
    total = sum(values)
    if sign == "×":
        total = 1
        for value in values:
            total *= value
    left = f" {sign} ".join(str(value) for value in values)
    assert denied(f"{left} = {total:,} cells.") == denied(f"{total} = {left}.") == []
    assert denied(f"{left} = {total + 1} cells.") == ["arithmetic-wrong"]


@given(st.decimals(1, 5000, places=4), st.decimals(1, 5000, places=4), PLACES, st.integers(0, 2), WAYS)
def test_a_true_change_is_never_denied(before, after, places, of_percent, way):
    a, b = shown(before, places, way), shown(after, places, way)
    rise, ratio = 100 * (after - before) / before, after / before
    percent = shown(rise, of_percent, way)
    sign = "+" if not percent.startswith("-") else ""
    assert denied(f"Latency went {a} s \u2192 {b} s ({sign}{percent} %).") == []
    assert denied(f"Latency went {a} s \u2192 {b} s ({shown(ratio, of_percent, way)}×).") == []
    word = "increase" if rise >= 0 else "reduction"
    assert denied(f"Latency went from {a} s to {b} s, a {shown(abs(rise), of_percent, way)} % {word}.") == []


@given(st.lists(st.decimals(0, 100, places=5), min_size=1, max_size=30), PLACES, WAYS)
def test_true_statistics_are_never_denied(values, places, way):
    ordered = sorted(values)
    least, middle, most = (
        shown(value, places, way) for value in (ordered[0], ordered[len(ordered) // 2], ordered[-1])
    )
    average = shown(sum(values) / len(values), places, way)
    assert denied(f"min {least} s, median {middle} s, mean {average} s, max {most} s") == []
    assert denied(f"| min | mean | max |\n|--|--|--|\n| {least} | {average} | {most} |\n") == []
    assert denied(f"The median is {middle} [{least}, {most}], 95 % CI {least} to {most}.") == []


PIECES = st.sampled_from(
    [*"0123456789", "44", "48", "92 %", "0.82", "9.42", "5.27 s", "12k", "$3", "×", " × ", " = ", "=", " + ", " of ", "/", " (", ")",
     " [", "]", ", ", "; ", ".", "\n", "\n\n", "| ", " → ", " to ", " from ", " vs ", "–", "-", "−", " ± ", " p50 ", " min ", " max ",
     " median ", " mean ", " over ", "95 % CI ", " n = ", " p = ", " cells", " integers", " answered", " faster", " accuracy of ",
     " twice ", " half ", "\u2029", "\0", "p1.2.3", "1e400", "10^99", "\u00bd", "(((", ")))", "*", "**", "%", "~", "<", "about "]
)  # fmt: skip


@settings(max_examples=200)
@given(st.lists(PIECES, max_size=40))
def test_no_soup_of_pieces_makes_the_room_raise(pieces):
    denied("".join(pieces))


@settings(max_examples=200)
@given(st.sampled_from([*TRUE, *(text for text, _ in FALSE)]), st.data())
def test_no_mutation_of_a_text_makes_the_room_raise(text, data):
    at = data.draw(st.integers(0, len(text)))
    until = data.draw(st.integers(at, min(len(text), at + 12)))
    denied(text[:at] + data.draw(PIECES) + text[until:])
