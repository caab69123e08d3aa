"""One planted mistake a page, over real stored runs, and the hint that it must be given."""

import pytest
from claims_page import lookup_value
from project_of_runs import ARMS, make_project_of_runs

from benchctl.claims.answers.lookup import Lookup
from benchctl.claims.verify import accept, verify_pages, verify_text
from benchctl.expressions import parse_definitions
from benchctl.quantities.format import format_number
from benchctl.runner.void import VoidingChoice, void_cells

TOKENS = "total_tokens.median[arm=grep]"
CLAUDE = "total_tokens.median[arm=grep, agent=claude]"
HEAD = "<!-- benchctl: run=r9 also=r8 -->\n\n"


@pytest.fixture(scope="module")
def value(project):
    """Return a function from an expression and a run to its value."""
    lookup = Lookup(project.store, parse_definitions(project.config.values))
    return lambda text, run="r9": lookup_value(lookup, text, run)


@pytest.fixture(scope="module")
def found(project):
    """Return a function from a page's text to what is false on it."""

    def false(text, head=HEAD):
        findings = verify_text(project, "page.md", f"{head}{text}\n").findings
        return [item for item in findings if item.verdict in ("false", "stale-run")]

    return false


MISTAKES = [
    # what was printed, of r9 unless a run is named; how; what it is bound to; the hint
    ("total_tokens.median[arm=index]", "{:.0f}", TOKENS, "equals total_tokens.median[arm=index]"),
    (
        "total_tokens.median[arm=grep, agent=codex]",
        "{:.0f}",
        CLAUDE,
        "equals total_tokens.median[arm=grep, agent=codex]",
    ),
    (TOKENS, "{:.0f}", CLAUDE, "equals it without agent=claude"),
    ("total_tokens.median", "{:.0f}", TOKENS, "equals it without arm=grep"),
    ("total_tokens.median", "{:.0f}", CLAUDE, "equals it without any filter"),
    ("count[arm!=grep, tool_calls>0]", "{}", "count[arm=grep, tool_calls>0]", "equals count[arm!=grep, tool_calls>0]"),
    ("count[tool_calls>=1]", "{}", "count[tool_calls>1]", "equals count[tool_calls>=1]"),
    ("total_tokens.p90[arm=grep]", "{:.0f}", TOKENS, "equals total_tokens.p90[arm=grep]"),
    ("total_tokens.mean[arm=grep]", "{:.0f}", TOKENS, "equals total_tokens.mean[arm=grep]"),
    ("input_tokens.median[arm=grep]", "{:.0f}", TOKENS, "equals input_tokens.median[arm=grep]"),
    (
        "ratio(total_tokens.mean[arm=index], total_tokens.mean[arm=grep])",
        "{:.3f}",
        "ratio(tok(index), tok(grep))",
        "equals it with mean in the place of median",
    ),
    (
        "ratio(total_tokens.median[arm=index, agent=codex], total_tokens.median[arm=grep, agent=codex])",
        "{:.3f}",
        "ratio(total_tokens.median[arm=index, agent=claude], total_tokens.median[arm=grep, agent=claude])",
        "equals it with agent=codex",
    ),
    (
        "score.mean[arm=grep, outcome=ok]",
        "{:.4f}",
        "score.mean[arm=grep]",
        "equals it over the 23 cells with outcome=ok",
    ),
    ("score.mean[arm=grep]", "{:.4f}", "score.mean[arm=grep, outcome=ok]", "equals it without outcome=ok"),
    (
        "count[tool_calls>0] / count[outcome=ok]",
        "{:.4f}",
        "count[tool_calls>0] / count",
        "equals it with count[outcome=ok]",
    ),
    (
        "median over question: total_tokens.mean",
        "{:.0f}",
        "mean over question: total_tokens.mean",
        "equals median over question: total_tokens.mean",
    ),
    (
        "delta(score.macro, arm=hybrid, arm=grep)",
        "{:.4f}",
        "delta(score.macro, arm=index, arm=grep)",
        "equals delta(score.macro, arm=hybrid, arm=grep)",
    ),
    ("score.mean[arm=grep]", "{:.4f}", "score.mean[arm=grep]@r8", "equals score.mean[arm=grep]"),
    (
        "score.mean[arm=grep] - score.mean[arm=index]@r8",
        "{:.4f}",
        "score.mean[arm=grep] - score.mean[arm=index]@r9",
        "equals it with @r8 in the place of @r9",
    ),
    (
        "reduction_pct(tok(grep), tok(index))",
        "{:.2f}%",
        "change_pct(tok(grep), tok(index))",
        "equals reduction_pct(tok(grep), tok(index))",
    ),
    (
        "change_pct(tok(grep), tok(index))",
        "{:.2f}%",
        "tok(grep) / tok(index)",
        "equals change_pct(tok(grep), tok(index))",
    ),
    ("1000 * wall_s.median[arm=grep]", "{:,.0f}", "wall_s.median[arm=grep]", "equals it in ms"),
    ("1000 * wall_s.median[arm=grep]", "{:,.0f} s", "wall_s.median[arm=grep]", "equals it in ms, and s is printed"),
    ("wall_s.median[arm=grep] / 60", "{:.3f} s", "wall_s.median[arm=grep]", "equals it in min, and s is printed"),
    ("tok(grep) / 1000", "{:.1f}", TOKENS, "equals it in thousands (k)"),
    ("answered_share(grep)", "{:.3f}%", "answered_share(grep)", "equals it as a fraction, and `%` is printed"),
    ("100 * answered_share(grep)", "{:.1f}", "answered_share(grep)", "equals it in percent, and no `%` is printed"),
]  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named(found, value, mistake):
    meant, form, bound, hint = mistake
    printed = form.format(value(meant))
    (finding,) = found(f"It is {printed}<!--= {bound} --> here.")
    assert (finding.slug, finding.hint) == ("number-false", hint)


@pytest.mark.parametrize(
    ("factor", "word"),
    [(0.999, "truncated; rounds to {:.3f}"), (1.001, "rounded up; rounds to {:.3f}")],
)
def test_a_number_that_was_cut_off_or_rounded_up_says_so(found, value, factor, word):
    true = value("score.mean[arm=grep]")  # 0.57779…
    true = true if factor < 1 else value("score.mean[arm=hybrid]")  # 0.86026…
    printed = int(true * 1000) / 1000 if factor < 1 else (int(true * 1000) + 1) / 1000
    arm = "grep" if factor < 1 else "hybrid"
    (finding,) = found(f"It is {printed:.3f}<!--= score.mean[arm={arm}] -->.")
    assert finding.hint == word.format(true)


def test_a_count_is_never_rounded_up(found):
    (finding,) = found("It is 0.1k<!--= count -->.")
    assert finding.hint == ""


def test_two_things_at_once_are_no_hint_for_a_short_print(found):
    """24 is `without any filter`'s and 60 other combinations' value; of a single change it is none's."""
    (finding,) = found("It is 96<!--= count[arm=grep, agent=claude] -->.")
    assert finding.hint == ""


# The page's own filters, and its other numbers.


def test_the_pages_filter_may_be_what_is_too_much(found, value):
    head = "<!-- benchctl: run=r9 where='agent=claude' -->\n\n"
    (finding,) = found(f"It read {value(TOKENS):.0f}<!--= tok(grep) -->.", head)
    assert finding.hint == "equals it without agent=claude"


def test_what_an_author_would_write_leaves_out_what_the_page_says(found, value):
    head = "<!-- benchctl: run=r9 where='agent=claude' -->\n\n"
    (finding,) = found(
        f"It read {value('total_tokens.median[arm=index, agent=claude]'):.0f}<!--= tok(grep) -->.", head
    )
    assert finding.hint == "equals total_tokens.median[arm=index]"


def table(value, run="r9", arms=ARMS):
    lines = [
        '<!--claims:table by=arm tokens=total_tokens.median answered="count[answered=true] of count" score=score.mean -->',
        "| arm | tokens | answered | score |",
        "|---|--:|--:|--:|",
    ]
    for arm in arms:
        tokens, score = value(f"total_tokens.median[arm={arm}]", run), value(f"score.mean[arm={arm}]", run)
        answered = value(f"count[arm={arm}, answered=true]", run)
        lines.append(f"| {arm} | {tokens:,.0f} | {answered} of 24 | {score:.3f} |")
    return "\n".join(lines)


@pytest.mark.parametrize("run", ["r8", "r7"])
def test_every_wrong_cell_of_a_table_of_another_run_names_that_run(found, value, run):
    said = found(table(value, run))
    right = sum(
        value(f"count[arm={arm}, answered=true]", run) == value(f"count[arm={arm}, answered=true]")
        for arm in ARMS
    )
    assert len(said) == 3 * len(ARMS) - right
    # 22 of a cell is true of r7 and of r8: the rest of the table says which it is.
    assert {(item.slug, item.hint) for item in said} == {("number-stale-run", f"equals {run}")}


def test_swapped_rows_name_each_other(found, value):
    text = (
        table(value)
        .replace("| grep |", "| x |")
        .replace("| hybrid |", "| grep |")
        .replace("| x |", "| hybrid |")
    )
    hints = {item.claim: item.hint for item in found(text)}
    assert hints["total_tokens.median[arm=grep]"] == hints["score.mean[arm=grep]"] == "equals the row hybrid"
    assert hints["total_tokens.median[arm=hybrid]"] == "equals the row grep"


def test_swapped_columns_name_each_other(found, value):
    tokens, score = f"{value(TOKENS):,.0f}", f"{value('score.mean[arm=grep]'):.3f}"
    text = table(value).replace(tokens, "@").replace(score, tokens).replace("@", score)
    assert [item.hint for item in found(text)] == ["equals the column score", "equals the column tokens"]


def test_swapped_numbers_of_a_sentence_name_each_other(found, value):
    low, high = (f"{value(f'score.mean[arm={arm}]'):.3f}" for arm in ("grep", "hybrid"))
    said = found(f"From {high} \u2192 {low}<!--= score.mean[arm=grep]; score.mean[arm=hybrid] -->.")
    assert [item.hint for item in said] == [
        f"equals score.mean[arm={arm}], to which another number here is bound" for arm in ("hybrid", "grep")
    ]


def test_even_two_swapped_counts_name_each_other(found, value):
    first, second = (value(f"count[arm={arm}, answered=true]") for arm in ("index", "hybrid"))
    said = found(
        f"{first}<!--= count[arm=hybrid, answered=true] --> and {second}<!--= count[arm=index, answered=true] -->."
    )
    assert all("to which another number here is bound" in item.hint for item in said)
    assert len(said) == 2


# How much a fit says.


@pytest.mark.parametrize(
    "page",
    [
        "1.00<!--= score.mean[arm=grep] -->",  # hundreds of aggregates are 1.00
        "100 %<!--= answered_share(grep) -->",
        "5<!--= count[arm=index, answered=true] -->",
        "about 5<!--= count[arm=grep] -->",
        "at least 25<!--= count[arm=grep] -->",
        "123,456,789<!--= total_tokens.median -->",
    ],
)
def test_where_chance_is_as_likely_nothing_is_said(found, page):
    (finding,) = found(f"It is {page} here.")
    assert (finding.verdict, finding.hint) == ("false", "")


def test_several_that_fit_are_counted(found, value):
    printed = value("count[arm=grep, answered=true]")
    assert printed == value("count[arm=hybrid, answered=true]") != value("count[arm=index, answered=true]")
    (finding,) = found(f"It is {printed}<!--= count[arm=index, answered=true] -->.")
    assert finding.hint == "equals count[arm=grep, answered=true], and 1 more"


def test_of_two_runs_that_fit_the_declared_one_is_named(found, value):
    printed = value("count[arm=index, answered=true]", "r8")
    assert (
        printed == value("count[arm=index, answered=true]", "r7") != value("count[arm=index, answered=true]")
    )
    (finding,) = found(f"It is {printed}<!--= count[arm=index, answered=true] -->.")
    assert (finding.verdict, finding.hint) == ("stale-run", "equals r8, and 1 more")


# Intervals.


@pytest.mark.parametrize(
    ("bound", "unit", "factor"),
    [
        ("score.macro[arm=grep]", "", 1),
        ("score.macro[arm=grep]", "%", 100),
        ("delta(score.macro, arm=hybrid, arm=grep)", "", 1),
    ],
)
def test_a_false_number_comes_with_its_interval(found, value, bound, unit, factor):
    (finding,) = found(f"It is 0.123{unit}<!--= {bound} -->.")
    low, high = (factor * value(f"{side}({bound})") for side in ("lo", "hi"))
    assert (finding.lo, finding.hi, finding.level) == (pytest.approx(low), pytest.approx(high), 0.95)
    assert "95 % CI" in finding.message
    assert f"(n={finding.n}, " in finding.message


def test_what_has_no_interval_has_none(found):
    (finding,) = found(f"It is 12,345<!--= {TOKENS} -->.")
    assert (finding.lo, finding.hi, finding.level) == (None, None, None)
    assert finding.message.endswith("(n=24)")


# Assertions.

DENIED = [
    # an assertion, what its message ends with, its hint
    ("score.mean[arm=grep] >= score.mean[arm=hybrid]", "is not so: 0.577792 >= 0.860263", ""),
    (
        "count = 96 and score.mean[arm=grep] > score.mean[arm=hybrid]",
        "`score.mean[arm=grep] > score.mean[arm=hybrid]` is not so: 0.577792 > 0.860263",
        "",
    ),
    ("not count = 96", "`count = 96` is so: 96 = 96", ""),
    ("count = 95 or count = 97", "`count = 95` is not so: 96 = 95; `count = 97` is not so: 96 = 97", ""),
    (
        "all question: score.mean[arm=grep] >= 0.6",
        "is not so",
        "not so for question q1 (0.487667 >= 0.6), q4 (0.574633 >= 0.6)",
    ),
    (
        "none question: score.mean[arm=grep] >= 0.6",
        "is not so",
        "so for question q2 (0.619833 >= 0.6), q3 (0.629033 >= 0.6)",
    ),
    (
        "any arm: score.mean > 0.9",
        "is not so",
        "not so for arm graphify (0.709042 > 0.9), grep (0.577792 > 0.9), hybrid (0.860263 > 0.9), index (0.7129 > 0.9)",
    ),
    ("not all arm: count = 24", "is not so", "so for arm graphify (24 = 24), grep (24 = 24), hybrid (24 = 24), index (24 = 24)"),
    ("(all arm: count = 25) and count = 96", "is not so", "not so for arm graphify (24 = 25), grep (24 = 25), hybrid (24 = 25), index (24 = 25)"),
    ("count[arm=grep, answered=true] = 22", "is not so: 23 = 22", "it is so in r8"),
    ("model[question=q1, arm=grep, agent=claude, rep=1] = 'x'", "is not so: 'none' = 'x'", ""),
    ("void[question=q1, arm=grep, agent=claude, rep=1]", "is not so", ""),
]  # fmt: skip


@pytest.mark.parametrize(("assertion", "ends", "hint"), DENIED)
def test_a_false_assertion_says_why(found, assertion, ends, hint):
    (finding,) = found(f"96<!--= count --> So.<!--assert: {assertion} -->")
    assert finding.slug == "assertion-false"
    assert finding.message.endswith(ends)
    assert finding.hint == hint


def test_of_many_groups_the_first_are_told(found):
    (finding,) = found("96<!--= count --> So.<!--assert: all cell: count = 2 -->")
    assert finding.hint.endswith("(1 = 2) and 88 more")


MULTIPLIED = [
    # what is printed, of the sum of all tokens times this; what is said
    ("{:.1f}k tokens", 1e-6, "equals it with M behind it, and k is printed"),
    ("{:.4f}M tokens", 1e-3, "equals it with k behind it, and M is printed"),
    ("{:.1f}k tokens", 1.0, "equals it without a multiplier, and k is printed"),
    ("{:.1f}", 1e-3, "equals it in thousands (k)"),
    ("{:.3f}", 1e-6, "equals it in millions (M)"),
]


@pytest.mark.parametrize(("form", "factor", "hint"), MULTIPLIED)
def test_a_wrong_multiplier_is_named_by_what_is_printed(found, value, form, factor, hint):
    printed = form.format(value("total_tokens.sum") * factor)
    (item,) = found(f"It used {printed}<!--= total_tokens.sum --> in all.")
    assert item.hint == hint


def test_the_multiplier_of_a_header_is_told_as_well(found, value):
    tokens = value("total_tokens.sum[arm=grep]") / 1e6
    table = '<!--claims:table by=arm rows=subset "tokens (k)"=total_tokens.sum -->\n\n| arm | tokens (k) |\n|---|---|\n'
    (item,) = found(f"{table}| grep | {tokens:.3f} |")
    assert item.hint == "equals it with M behind it, and k is printed"


def test_a_fraction_without_a_unit_is_shown_as_one_and_the_next_step_gives_it_one(found, value):
    quotient = "count[arm=grep, failed=true] / count[arm=grep]"
    share = 100 * value(quotient)
    assert share == int(share) or share > 1
    (item,) = found(f"{share:.1f} %<!--= {quotient} --> failed.")
    assert (
        f"is {value(quotient):.3f} (n=24)" in item.message
    )  # no percent sign, and the n of what it divides by
    assert "100 * (" in item.next_step
    assert 'unit = "fraction"' in item.next_step


SIZES = [
    ("count[arm=grep, failed=true] / count[arm=grep]", 24),
    ("100 * count[failed=true] / count", 96),
    ("ratio(count[failed=true], count[arm=grep])", 24),
    ("total_tokens.sum[arm=grep] / count", 24),  # a sum has its own sample
    ("ratio(wall_s.median, wall_s.median[arm=grep])", 24),
    ("wall_s.mean + wall_s.mean[arm=grep]", 24),
    ("count[failed=true]", None),
]


@pytest.mark.parametrize(("expression", "size"), SIZES)
def test_the_n_of_a_quotient_is_that_of_what_it_divides_by(project, value, expression, size):
    lookup = Lookup(project.store, parse_definitions(project.config.values))
    read = lookup.read(expression, ())
    lookup.measure("r9", read.probes, frozenset({"r9"}))
    assert lookup.answer(read, "r9").n == (size or value(expression))


def test_the_digits_that_decide_are_shown(found):
    """A tie that float noise decides is never told by a value that would be a tie."""
    (item,) = found("The figure is 25.6<!--= count[arm=grep] + 1.549999999999997 -->.")
    assert "is 25.549999999999997 (" in item.message
    (item,) = found("The figure is over 24.000<!--= count[arm=grep] - 0.0000000001 -->.")
    assert "is 23.9999999999 (" in item.message


class TestMovedData:
    """A number that was true when its page was accepted says so before it is anybody else's."""

    @pytest.fixture
    def bench(self, tmp_path):
        project = make_project_of_runs(tmp_path)
        page = tmp_path / "page.md"
        before = format_number(
            lookup_value(Lookup(project.store, {}), "score.mean[arm=grep]", "r9"), places=4
        )
        page.write_text(
            f"{HEAD}Grep scored {before}<!--= score.mean[arm=grep] -->, and 96<!--= count --> cells.\n"
        )
        accept(project, verify_pages(project, [page]))
        run = project.store.run("r9")
        cells = tuple(row["cell"] for row in run.cells() if row["arm"] == "grep")
        void_cells(run, VoidingChoice(cells[:3], (), every=False), "disk full")
        return type(project).find(tmp_path), page, before

    def test_what_it_was_is_told(self, bench):
        project, page, before = bench
        findings = {item.slug: item for item in verify_pages(project, [page]).pages[0].findings}
        assert "data-moved" in findings
        item = findings["number-false"]
        assert item.hint.startswith(f"the data moved since the page was accepted: it was {before[:4]}")
        assert item.message.startswith(f"printed {before}, and score.mean[arm=grep] is 0.")

    def test_a_number_that_was_never_true_is_helped_as_ever(self, bench):
        project, page, before = bench
        page.write_text(page.read_text().replace(before, "0.1234"))
        (item,) = [
            each for each in verify_pages(project, [page]).pages[0].findings if each.slug == "number-false"
        ]
        assert "moved" not in item.hint

    def test_without_a_pin_nothing_is_said_of_before(self, bench):
        project, page, _ = bench
        (project.root / "claims.lock").unlink()
        (item,) = [
            each for each in verify_pages(project, [page]).pages[0].findings if each.slug == "number-false"
        ]
        assert "moved" not in item.hint


def test_help_is_sought_for_the_first_of_very_many_scopes_and_the_rest_say_so(found):
    scopes = "".join(
        f'# S{n}\n\n<!-- benchctl: run=r9 where="tool_calls>=-{n + 1}" -->\n\n1<!--= count --> x\n\n'
        for n in range(22)
    )
    hints = [item.hint.startswith("no hint was sought") for item in found(f"# T\n\n{scopes}")]
    assert hints == [False] * 20 + [True] * 2
