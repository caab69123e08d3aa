"""What verify-claims finds on a page, one defect at a time, over real stored runs."""

import pytest
from claims_page import lookup_value
from synthetic_run import Recipe, make_project

from benchctl.claims.answers.lookup import Lookup
from benchctl.claims.verify import accept, verify_pages, verify_text
from benchctl.errors import LockInvalidError, NoPagesError, PageUnreadableError
from benchctl.expressions import parse_definitions
from benchctl.quantities.format import format_number
from benchctl.report.stamp import render_block
from benchctl.report.tables import named_table

TOKENS = "total_tokens.median[arm=grep]"


@pytest.fixture(scope="module")
def value(project):
    """Return a function from an expression and a run to its value."""
    lookup = Lookup(project.store, parse_definitions(project.config.values))
    return lambda text, run="r9": lookup_value(lookup, text, run)


def found(report):
    return [(item.slug, item.line) for item in report.findings]


def one(report, slug):
    assert [item.slug for item in report.findings] == [slug]
    return report.findings[0]


# Values.


def test_a_number_of_another_run_is_stale_and_the_run_named(verify, value):
    old = format_number(value(TOKENS, "r8"), places=0)
    finding = one(verify(f"It read {old}<!--= {TOKENS} --> tokens.\n"), "number-stale-run")
    assert (finding.verdict, finding.severity, finding.hint) == ("stale-run", "error", "equals r8")
    assert (finding.line, finding.column, finding.end_column) == (3, 9, 9 + len(old))
    assert (finding.literal, finding.claim, finding.n) == (old, TOKENS, 24)
    assert finding.actual == value(TOKENS)
    assert finding.sentence == f"It read {old} tokens."


def test_a_swapped_arm_is_named(verify, value):
    other = format_number(value("total_tokens.median[arm=index]"), places=0)
    finding = one(verify(f"It read {other}<!--= {TOKENS} --> tokens.\n"), "number-false")
    assert finding.hint == "equals total_tokens.median[arm=index]"


def test_another_statistic_is_named(verify, value):
    mean = format_number(value("total_tokens.mean[arm=grep]"), places=0)
    finding = one(verify(f"It read {mean}<!--= {TOKENS} --> tokens.\n"), "number-false")
    assert finding.hint == "equals total_tokens.mean[arm=grep]"


def test_a_dropped_filter_is_named(verify, value):
    ratio = format_number(
        value("ratio(total_tokens.median[arm=index, agent=codex], total_tokens.median[arm=grep])"), places=3
    )
    text = f"{ratio}<!--= ratio(total_tokens.median[arm=index, agent=claude], total_tokens.median[arm=grep]) -->\n"
    finding = one(verify(text), "number-false")
    assert finding.hint == "equals it with total_tokens.median[arm=index, agent=codex]"


def test_a_percent_of_a_value_without_a_unit_says_so(verify, value):
    share = format_number(value("answered_share(grep)") * 100, unit="%", places=1)
    finding = one(
        verify(f"{share}<!--= count[arm=grep, answered=true] / count[arm=grep] -->\n"), "number-false"
    )
    assert 'unit = "fraction"' in finding.hint


def test_a_bound_that_holds_by_far_elsewhere_is_no_hint(verify):
    finding = one(verify("At least 25<!--= count[arm=grep] --> cells.\n"), "number-false")
    assert (finding.verdict, finding.hint) == ("false", "")


@pytest.mark.parametrize(
    "text",
    [
        "count[arm=grep]+count[arm=index]+count[arm=hybrid]+count[arm=graphify]+count",  # too many to vary
        "score.mean[arm=nobody] + 1",
        "count over question: score.max < 9",
        "ratio(delta(score.macro, arm=grep, arm=index), 1)",
    ],
)
def test_no_hint_is_made_up(verify, text):
    report = verify(f"123,456,789<!--= {text} --> cells.\n")
    assert [item.hint for item in report.findings] == [""]


def test_a_comparison_of_texts_and_truths_is_moved_by_data(verify):
    one_row = "[question=q1, arm=grep, agent=claude, rep=1]"
    report = verify(
        f"96<!--= count --> <!--assert: model{one_row} = 'none' --> <!--assert: not void{one_row} -->\n"
    )
    assert report.findings == ()


def test_a_number_that_nothing_gives_has_no_hint(verify):
    assert one(verify(f"It read 123,456,789<!--= {TOKENS} --> tokens.\n"), "number-false").hint == ""


def test_a_tie_passes_and_is_noted(verify, value):
    count = value("count[arm=grep]") / 2 + 0.5
    report = verify(f"{int(count)}<!--= count[arm=grep] / 2 + 0.5 -->.\n")
    finding = one(report, "number-tie")
    assert (finding.severity, report.ok) == ("note", True)


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("{0:.3f}<!--= score.mean[arm=grep] -->", "{0:.2f}<!--= score.mean[arm=grep] -->", True),
        ("{0:.3f}<!--= score.mean[arm=grep] -->", "{0:.2f}<!--= score.mean [ arm = grep ] -->", True),
        ("{0:.3f}<!--= score.mean[arm=grep] -->", "about {0:.2f}<!--= score.mean[arm=grep] -->", False),
        ("{0:.3f}<!--= score.mean[arm=grep] -->", "{0:.1%}<!--= score.mean[arm=grep] -->", False),
        ("{0:.3f}<!--= score.mean[arm=grep] -->", "{0:.3f}<!--= score.mean[arm=grep] -->", False),
    ],
)
def test_one_value_printed_at_two_places_is_a_contradiction(verify, value, first, second, found):
    report = verify(f"{first} and {second}.\n".format(value("score.mean[arm=grep]")))
    assert [item.slug for item in report.findings] == ["printed-two-ways"] * found
    assert report.ok


def test_a_cell_and_a_sentence_may_contradict_each_other(verify, value):
    mean = value("score.mean[arm=grep]")
    head = "<!--claims:table by=arm rows=subset score=score.mean -->\n| arm | score |\n|--|--|\n"
    finding = one(
        verify(f"{head}| grep | {mean:.3f} |\n\nIt is {mean:.2f}<!--= score.mean[arm=grep] -->.\n"),
        "printed-two-ways",
    )
    assert (finding.line, finding.severity) == (6, "warning")


def test_one_value_printed_two_ways_is_a_contradiction(verify):
    report = verify("12<!--= count[arm=grep] / 2 + 0.5 --> or 13<!--= count[arm=grep]/2 + 0.5 -->.\n")
    assert [item.slug for item in report.findings] == ["number-tie", "number-tie", "printed-two-ways"]
    assert (report.findings[2].severity, report.ok) == ("warning", True)


def test_a_slack_bound_and_a_saturated_print_are_advice(verify, value):
    report = verify("At least 3<!--= count --> cells, 100 %<!--= answered_share(grep) --> of grep.\n")
    assert value("answered_share(grep)") < 1
    assert [item.slug for item in report.findings if item.severity != "error"] == ["bound-slack"]
    finding = one(verify("So 0<!--= score.mean[arm=grep] * 0.8 -->.\n"), "printed-saturated")
    assert (finding.verdict, finding.severity) == ("slack", "warning")


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        (f"5 s<!--= {TOKENS} -->", "unit-mismatch"),
        ("24 s<!--= count[arm=grep] -->", "unit-mismatch"),
        ("24 MiB<!--= count[arm=grep] -->", "unit-mismatch"),
        ("$24<!--= count[arm=grep] -->", "unit-mismatch"),
        ("24 %<!--= count[arm=grep] -->", "unit-mismatch"),
        ("2 s<!--= tool_calls.max -->", "unit-mismatch"),
        ("0<!--= count[arm=grep, arm=index] -->", "expression-vacuous"),
        ("5<!--= outcome.max -->", "kind-mismatch"),
        ("5<!--= score.mean[arm=grep] > 0 -->", "value-no-number"),
        ("5<!--= nothing.mean -->", "column-unknown"),
        ("5<!--= score.mean[arm=greb] -->", "filter-value-unknown"),
        ("5<!--= score.mean[arm=grep, rep=1, tool_calls>9] -->", "no-rows"),
        ("5<!--= cost_usd.mean -->", "null-result"),
        ("5<!--= score.mean / (count - count) -->", "division-by-zero"),
        ("5<!--= score[arm=grep] -->", "ambiguous-row"),
        ("5<!--= score.mean@r8 -->", "run-not-declared"),
        ("5<!--= nobody(grep) -->", "value-unknown"),
        ("5<!--= tok(a, b) -->", "value-invalid"),
        ("5<!--= score. -->", "expression-invalid"),
        ("5<!--= 2 + 3 -->", "expression-vacuous"),
        ("5<!--= 5 + score.mean * 0 -->", "expression-vacuous"),
        ("5<!--= count - count + 5 -->", "expression-vacuous"),
        ("5 of 6<!--= count -->", "group-count"),
        ("x<!--= count -->", "binding-detached"),
        ("96 <!--= count --> 96<!--= count -->", "binding-detached"),
        ("1.2.3<!--exempt: x --> 96<!--= count -->", "exemption-dead"),
        ("96<!--= count --><!--exempt: x -->", "number-bound-twice"),
        ("96<!--= count --> <!--assert: score.mean > 1 -->", "assertion-false"),
        ("96<!--= count --> <!--assert: score.mean -->", "value-no-number"),
        ("96<!--= count --> <!--assert: 1 > 0 -->", "expression-vacuous"),
        ("96<!--= count --> 97<!--= count -->", "number-false"),
        ("96<!--= count --> 96<!--retracted: count -->", "retraction-live"),
        ("96<!--= count --> 96<!--retracted -->", "retraction-live"),
        ("96<!--= count --> 5<!--retracted: nothing.mean -->", "column-unknown"),
        ("96<!--= count --> 97<!--expr: count -->", "marker-malformed"),
    ],
)
def test_a_defect_has_its_own_slug(verify, text, slug):
    report = verify(f"{text}\n")
    assert slug in [item.slug for item in report.findings], found(report)
    assert not report.ok


def test_an_honest_zero_is_not_vacuous(verify):
    assert verify("No cell was void: 0<!--= count[void=true] -->.\n").findings == ()


def test_a_false_assertion_says_for_whom(verify, value):
    worst = value("min over question: score.mean[arm=grep]")
    finding = one(
        verify(f"<!--assert: all question: score.mean[arm=grep] > {worst} -->\n"), "assertion-false"
    )
    assert finding.hint.startswith("not so for question q")


def test_every_number_is_bound_or_named(verify):
    report = verify("One cell, 96<!--= count --> cells, 5 more, nine others, version 1.2.3.\n")
    assert found(report) == [("number-unbound", 3), ("number-unbound", 3)]
    assert [item.literal for item in report.findings] == ["5", "nine"]
    assert (report.numbers, report.bound, report.unbound) == (3, 1, 2)
    assert report.kinds == {"version": 1, "word-one": 1}


def test_what_is_true_is_listed_on_demand(verify):
    report = verify("96<!--= count --> <!--assert: count > 0 -->\n", show_all=True)
    assert [(item.slug, item.severity) for item in report.findings] == [("number-true", "note")] * 2
    assert report.ok


def test_policy_makes_advice_an_error(project):
    strict = make_strict(project, ("tie",))
    text = "<!-- benchctl: run=r9 -->\n\n12<!--= count[arm=grep] / 2 + 0.5 -->.\n"
    report = verify_text(strict, "page.md", text)
    assert (one(report, "number-tie").severity, report.ok) == ("error", False)


def make_strict(project, errors):
    from dataclasses import replace

    claims = project.config.claims.model_copy(update={"errors": errors})
    return replace(project, config=project.config.model_copy(update={"claims": claims}))


# Bounds.


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("We asked it over 96<!--= count --> cells.", ["bound-at-its-end"]),
        ("Over 96<!--= count --> cells nothing failed.", ["bound-at-its-end"]),
        ("It stayed under **24**<!--= count[arm=grep] -->.", ["bound-at-its-end"]),
        ("More than 96<!--= count --> cells.", ["number-false"]),
        ("Over 97<!--= count --> cells.", ["number-false"]),
        ("Over 95<!--= count --> cells.", []),
        ("Between 90 and 100<!--= count --> cells.", ["bound-slack"]),
        ("between 95 and 100<!--= count --> cells.", []),
        ("Between 97 and 100<!--= count --> cells.", ["number-false"]),
        ("Between 90 and 95<!--= count --> cells.", ["bound-slack", "number-false"]),
        ("Between 24 and 96<!--= count[arm=grep]; count --> cells.", []),
        ("Between 24 and 95<!--= count[arm=grep]; count --> cells.", ["number-false"]),
        ("Either 90 and 100<!--= count --> cells.", ["number-false", "number-unbound"]),
    ],
)
def test_what_a_bound_says(verify, text, slugs):
    report = verify(f"{text}\n")
    assert sorted(item.slug for item in report.findings) == slugs, found(report)


def test_a_preposition_is_advice_with_both_ways_out(verify):
    report = verify("We asked it over 96<!--= count --> cells.\n")
    finding = one(report, "bound-at-its-end")
    assert (finding.verdict, finding.severity, report.ok) == ("slack", "note", True)
    assert "*across*" in finding.next_step
    assert "*more than*" in finding.next_step


# Comparisons the wrong way round.


@pytest.mark.parametrize(
    ("written", "swapped"),
    [
        ("change_pct(tok(grep), tok(index))", "change_pct(tok(index), tok(grep))"),
        ("reduction_pct(tok(grep), tok(index))", "reduction_pct(tok(index), tok(grep))"),
        ("ratio(tok(grep), tok(index))", "ratio(tok(index), tok(grep))"),
        ("tok(grep) / tok(index)", "tok(index) / tok(grep)"),
        ("wall_s.max[arm=grep] - wall_s.max[arm=index]", "wall_s.max[arm=index] - wall_s.max[arm=grep]"),
        ("100 * speedup(tok(grep), tok(index))", "100 * speedup(tok(index), tok(grep))"),
        ("delta(score.macro, arm=grep, arm=index)", "delta(score.macro, arm=index, arm=grep)"),
    ],
)
def test_swapped_arguments_are_named(verify, value, written, swapped):
    printed = f"{value(swapped):.4f}"
    finding = one(verify(f"It is {printed}<!--= {written} -->.\n"), "number-false")
    assert finding.hint == f"equals {swapped}"


# Tables.


def table(value, run="r9", rows=("grep", "index", "hybrid", "graphify"), **options):
    lines = [
        f'<!--claims:table by=arm tokens=total_tokens.median "answered"="count[answered=true] of count"{options.get("more", "")} -->',
        "| arm | tokens | answered |",
        "|---|---:|---:|",
    ]
    for arm in rows:
        tokens = format_number(value(f"total_tokens.median[arm={arm}]", run), places=0)
        answered = f"{value(f'count[arm={arm}, answered=true]', run)} of {value(f'count[arm={arm}]', run)}"
        lines.append(f"| {arm} | {tokens} | {answered} |")
    return "\n".join(lines) + "\n"


def test_a_true_table_passes(verify, value):
    report = verify(table(value))
    assert report.findings == ()
    assert report.bound == 12


def test_every_cell_of_a_table_of_another_run_is_named(verify, value):
    report = verify(table(value, "r8"))
    wrong = [item for item in report.findings if item.slug == "number-stale-run"]
    assert [item.literal for item in wrong if "tokens" in item.claim] == [
        format_number(value(f"total_tokens.median[arm={arm}]", "r8"), places=0)
        for arm in ("grep", "index", "hybrid", "graphify")
    ]
    assert {item.hint for item in wrong if "tokens" in item.claim} == {"equals r8"}
    assert wrong[0].claim == "total_tokens.median[arm=grep]"


def test_rows_are_those_of_the_run(verify, value):
    missing = one(verify(table(value, rows=("grep", "index", "hybrid"))), "table-row-missing")
    assert "graphify" in missing.message
    assert verify(table(value, rows=("grep",), more=" rows=subset")).findings == ()
    doubled = verify(table(value, rows=("grep", "index", "hybrid", "graphify", "grep")))
    assert [item.slug for item in doubled.findings] == ["table-row-doubled"]
    unknown = verify(table(value).replace("| grep |", "| greb |"))
    assert [item.slug for item in unknown.findings] == ["table-row-missing", "table-row-unknown"]


def test_swapped_rows_are_found(verify, value):
    text = (
        table(value)
        .replace("| grep |", "| x |")
        .replace("| index |", "| grep |")
        .replace("| x |", "| index |")
    )
    report = verify(text)
    hints = {item.claim: item.hint for item in report.findings}
    assert hints["total_tokens.median[arm=grep]"] == "equals the row index"


def test_a_table_narrower_than_its_keys(verify):
    text = "<!--claims:table by=arm,agent cells=count -->\n| cells |\n|--|\n| 96 |\n\n96<!--= count -->\n"
    slugs = [slug for slug, _ in found(verify(text))]
    assert {"table-header-unknown", "table-row-unknown"} <= set(slugs)


def test_two_keys_and_the_pages_filter(project, value):
    head = "---\nbenchctl: {run: r9, where: 'agent=claude'}\n---\n\n"
    rows = "".join(
        f"| {arm} | claude | {value(f'count[arm={arm}, agent=claude]')} |\n"
        for arm in ("grep", "index", "hybrid")
    )
    text = f"{head}<!--claims:table by=arm,agent cells=count -->\n| arm | agent | cells |\n|--|--|--|\n{rows}"
    finding = one(verify_text(project, "page.md", text), "table-row-missing")
    assert finding.message == "run r9 has a row graphify, claude that this table leaves out"
    assert verify_text(project, "page.md", text + "| graphify | claude | 12 |\n").findings == ()
    # A row's key replaces the page's filter on the same column.
    assert (
        verify_text(project, "page.md", text + "| graphify | claude | 12 |\n| grep | codex | 12 |\n").findings
        == ()
    )


@pytest.mark.parametrize(
    ("change", "slug"),
    [
        (("tokens=total", "token=total"), "table-header-unknown"),
        (("| arm | tokens |", "| arm | answered |"), "table-header-unknown"),
        (("by=arm", "by=arms"), "column-unknown"),
        (("| 24 of 24", "| \u2013"), "table-cell-empty"),
        ((" of 24 |", " |"), "group-count"),
        (("\n| arm |", "\n\ntext\n\n| arm |"), "table-detached"),
        (("of count", "of cou"), "column-unknown"),
        (("of count", "of count["), "expression-invalid"),
    ],
)
def test_what_is_wrong_with_a_table(verify, value, change, slug):
    text = table(value)
    for arm in ("grep", "index", "hybrid", "graphify"):
        answered = f"{value(f'count[arm={arm}, answered=true]')} of 24"
        text = text.replace(f"| {answered} |", "| 24 of 24 |") if change[0] == "| 24 of 24" else text
    report = verify(text.replace(*change))
    assert slug in [item.slug for item in report.findings], found(report)


def test_a_cell_of_nothing_measured_prints_a_dash(verify):
    head = "<!--claims:table by=arm cost=cost_usd.mean rows=subset -->\n| arm | cost |\n|--|--|\n"
    assert verify(head + "| grep | \u2013 |\n\n96<!--= count -->\n").findings == ()
    assert [item.slug for item in verify(head + "| grep | 5 |\n").findings] == ["null-result"]
    assert "table-cell-empty" in [item.slug for item in verify(head + "| grep | none |\n").findings]


def test_a_long_and_a_short_row(verify, value):
    text = table(value, rows=("grep",), more=" rows=subset")
    assert [slug for slug, _ in found(verify(text + "| index |\n"))] == ["table-cell-empty"] * 2
    assert "page-malformed" in [slug for slug, _ in found(verify(text.rstrip(" |\n") + " | 5 |\n"))]


def test_a_cell_may_have_a_binding_of_its_own(verify, value):
    text = table(value, rows=("grep",), more=" rows=subset")
    tokens = format_number(value(TOKENS), places=0)
    index = format_number(value("total_tokens.median[arm=index]"), places=0)
    own = f"| {index}<!--= total_tokens.median[arm=index] --> |"
    assert verify(text.replace(f"| {tokens} |", own)).findings == ()


@pytest.mark.parametrize("binding", ["exempt: by design", "retracted "])
def test_a_cell_does_not_escape_its_column(verify, value, binding):
    text = table(value, rows=("grep",), more=" rows=subset")
    tokens = format_number(value(TOKENS), places=0)
    finding = one(verify(text.replace(f"| {tokens} |", f"| 7<!--{binding}--> |")), "table-cell-escapes")
    assert finding.severity == "error"
    beside = text.replace(f"| {tokens} |", f"| {tokens} (7<!--{binding}-->) |")
    assert verify(beside).findings == ()
    wrong = text.replace(f"| {tokens} |", f"| 5 (7<!--{binding}-->) |")
    assert one(verify(wrong), "number-false").literal == "5"


@pytest.mark.parametrize("more", ["", " rows=subset"])
def test_a_bound_table_has_rows(verify, value, more):
    report = verify("96<!--= count -->\n\n" + table(value, rows=(), more=more))
    finding = next(item for item in report.findings if item.slug == "table-empty")
    assert (finding.verdict, report.ok) == ("vacuous", False)


def test_only_a_label_that_is_the_key_is_bound_by_it(verify):
    text = "<!--claims:table by=rep cells=count -->\n| rep | cells |\n|--|--|\n| 1 | 32 |\n| 2 | 32 |\n| 3 | 32 |\n"
    assert verify(text).findings == ()
    text = (
        '<!--claims:table by=arm{"won 3 of 4"=grep} cells=count rows=subset -->\n| arm | cells |\n|--|--|\n'
    )
    claimed = verify(text + "| won 3 of 4 | 24 |\n")
    assert [(item.slug, item.literal) for item in claimed.findings] == [
        ("number-unbound", "3"),
        ("number-unbound", "4"),
    ]
    named = '<!--claims:table by=arm{"Grep (4 lines)"=grep} cells=count rows=subset -->\n| arm | cells |\n|--|--|\n'
    assert verify(named + "| Grep (4<!--exempt: its size --> lines) | 24 |\n").findings == ()


@pytest.mark.parametrize(("labels", "row"), [("index=grep", "index"), ('"**Index**"=grep', "INDEX")])
def test_a_row_is_not_called_by_another_value(verify, labels, row):
    text = f"<!--claims:table by=arm{{{labels}}} cells=count rows=subset -->\n| arm | cells |\n|--|--|\n| {row} | 24 |\n"
    finding = next(item for item in verify(text.replace("**", "")).findings)
    assert (finding.slug, finding.severity) == ("table-row-renamed", "error")
    assert finding.message == f"the row is called {row}, which is arm index, and stands for arm grep"


def test_a_row_may_be_called_what_it_is_in_other_letters(verify):
    text = "<!--claims:table by=arm{Grep=grep} cells=count rows=subset -->\n| arm | cells |\n|--|--|\n| Grep | 24 |\n"
    assert verify(text).findings == ()


# Paragraph lists.


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ('<!--claims: 96 = count; _ = "a rule" -->\nAll 96 cells, 5 rules.', []),
        ("<!--claims: 96 = count -->\n\nAll 96 cells, one rule.", []),
        ("<!--claims: 96 = count -->\nAll 96 cells, 5 rules.", ["paragraph-differs"]),
        ("<!--claims: 96 = count; 5 = count -->\nAll 96 cells.", ["paragraph-differs"]),
        ("<!--claims: 95 = count -->\nAll 96 cells.", ["paragraph-differs"]),
        ("<!--claims: 96 = count -->\n| a |\n|--|\n| 96 |", ["number-unbound", "paragraph-differs"]),
        ("<!--claims: 97 = count -->\nAll 97 cells.", ["number-false"]),
        ("<!--claims: 96 = cou -->\nAll 96 cells.", ["column-unknown"]),
    ],
)
def test_a_list_names_every_number_of_the_paragraph_in_order(verify, text, slugs):
    assert sorted(item.slug for item in verify(text + "\n").findings) == slugs


# Generated blocks.


@pytest.fixture(scope="module")
def block(project):
    return render_block(named_table(project.store, "r9", "tokens", project.config))


def test_a_fresh_block_passes(verify, block):
    report = verify(f"{block}\n")
    assert report.findings == ()
    assert report.generated >= 8


def test_a_block_of_another_run(verify, project):
    old = render_block(named_table(project.store, "r8", "tokens", project.config))
    finding = one(verify(f"{old}\n"), "block-other-run")
    assert (finding.verdict, finding.hint, finding.line) == ("stale-block", "equals r8", 3)


def test_a_body_of_another_run_under_this_ones_marker(verify, project, block):
    old = render_block(named_table(project.store, "r8", "tokens", project.config))
    mixed = block.partition("\n")[0] + "\n" + old.partition("\n")[2]
    finding = one(verify(f"{mixed}\n"), "block-edited")
    assert (finding.hint, finding.verdict) == ("equals r8", "stale-block")


def test_a_cell_edited_by_hand_is_named_with_its_true_value(verify, value, block):
    true = format_number(value(TOKENS), places=0)
    old = format_number(value(TOKENS, "r8"), places=0)
    finding = one(verify(block.replace(true, old) + "\n"), "block-edited")
    line = 3 + block[: block.index(true)].count("\n")
    assert (finding.line, finding.literal, finding.actual, finding.hint) == (
        line,
        old,
        value(TOKENS),
        "equals r8",
    )


def test_a_line_cut_from_a_block(verify, block):
    lines = block.split("\n")
    report = verify("\n".join([*lines[:5], *lines[6:]]) + "\n")
    assert {item.slug for item in report.findings} == {"block-edited"}


@pytest.mark.parametrize(
    ("change", "slug"),
    [
        (("run=r9 data=sha256:", "run=r9 data=sha256:" + "0" * 64 + " "), "stamp-malformed"),
        (("run=r9", "run=r99"), "page-run-unknown"),
        (("table=tokens", "table=nothing"), "table-unknown"),
        (("<!-- benchctl:end -->", ""), "stamp-malformed"),
        (("<!-- benchctl:end -->", "<!-- benchctl:end"), "stamp-malformed"),
    ],
)
def test_a_marker_that_is_not_what_it_was(verify, block, change, slug):
    assert slug in [item.slug for item in verify(f"{block.replace(*change)}\n").findings]


def test_a_block_of_older_data_and_of_another_table(verify, project, block):
    import re

    other = re.sub(r"data=sha256:[0-9a-f]{64}", "data=sha256:" + "0" * 64, block)
    assert one(verify(f"{other}\n"), "block-old-data").line == 3
    arms = render_block(named_table(project.store, "r9", "arms", project.config))
    outdated = arms.replace("table=arms", "table=tokens", 1)
    assert one(verify(f"{outdated}\n"), "block-outdated").verdict == "stale-block"


def test_a_marker_behind_a_lone_backtick_is_never_overlooked(verify):
    finding = one(verify("96<!--= count --> a ` here <!-- benchctl:end -->\n"), "stamp-malformed")
    assert finding.message == "this marker stands where it is not read"


def test_a_marker_inside_a_line_is_never_overlooked(verify):
    assert "stamp-malformed" in [
        item.slug for item in verify("96<!--= count --> <!-- benchctl:end -->\n").findings
    ]


# Pages and scopes.


def test_a_page_of_an_unknown_run(project):
    text = "---\nbenchctl:\n  run: r10\n---\n5<!--= count --> <!--assert: count > 0 --> 6<!--retracted: count -->\n"
    report = verify_text(project, "page.md", text)
    finding = one(report, "page-run-unknown")
    assert (finding.line, finding.hint) == (3, "it has r7, r8, r9")
    assert (report.bound, report.runs, report.data) == (2, {"r10": None}, None)


def test_an_unknown_run_among_the_others_spoils_only_what_names_it(project):
    text = "---\nbenchctl:\n  run: r9\n  also: [r10]\n---\n96<!--= count --> 5<!--= count@r10 -->\n"
    assert [item.slug for item in verify_text(project, "page.md", text).findings] == [
        "page-run-unknown",
        "run-not-declared",
    ]


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("<!-- benchctl: run=r9 -->\n\nWords, and version 1.2.3.\n", "page-vacuous"),
        ("<!-- benchctl: run=r9 -->\n\n7<!--exempt: a rule --> words.\n", "page-without-claims"),
        ("Words, and 5.\n", "page-undeclared"),
    ],
)
def test_a_page_that_checks_nothing_fails(project, text, slug):
    report = verify_text(project, "page.md", text)
    assert one(report, slug).severity == "error"
    assert not report.ok


def test_a_page_without_results_says_why(project):
    report = verify_text(project, "page.md", "---\nbenchctl: none\nreason: the manual\n---\n5 cells<!--= x\n")
    assert (report.excluded, report.numbers) == ("the manual", 0)


def test_an_open_run_is_no_ground(tmp_path):
    project = make_project(tmp_path, Recipe(left_open=True))
    report = verify_text(project, "page.md", "<!-- benchctl: run=demo-r1 -->\n\n5<!--= count -->\n")
    assert "run-open" in [item.slug for item in report.findings]


def test_a_damaged_run_is_no_ground(tmp_path):
    project = make_project(tmp_path, Recipe(), Recipe(run="other"))
    file = project.runs_dir / "demo-r1" / "rows" / "cells.parquet"
    file.chmod(0o600)
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))
    text = "<!-- benchctl: run=demo-r1 -->\n\n5<!--= count -->\n"
    assert one(verify_text(project, "page.md", text), "store-damaged").line == 1
    (project.runs_dir / "demo-r1" / "manifest.json").chmod(0o600)
    (project.runs_dir / "demo-r1" / "manifest.json").write_text("{")
    assert one(verify_text(project, "page.md", text), "store-damaged").line == 1
    # A damaged neighbour gives no hint and stops nobody.
    other = verify_text(project, "page.md", text.replace("demo-r1", "other"))
    assert one(other, "number-false").hint == ""


def test_claims_lock_pins_the_data_of_a_page(tmp_path):
    project = make_project(tmp_path, Recipe())
    page = tmp_path / "README.md"
    page.write_text("<!-- benchctl: run=demo-r1 -->\n\n72<!--= count --> cells.\n")
    report = verify_pages(project)
    assert (report.ok, len(report.notes)) == (True, 1)
    accept(project, report)
    assert verify_pages(project).notes == ()
    lock = tmp_path / "claims.lock"
    lock.write_text(lock.read_text().replace("sha256:", "sha256:0"))
    moved = verify_pages(project)
    assert (one(moved.pages[0], "data-moved").verdict, moved.ok) == ("stale-data", False)
    lock.write_text('{"schema": "benchctl.lock/1", "pages": {}}')
    assert "not in claims.lock: README.md" in verify_pages(project).notes[0]
    for text in (
        "{",
        "[]",
        '{"schema": "benchctl.lock/2", "pages": {}}',
        '{"schema": "benchctl.lock/1", "pages": {"a": 1}}',
    ):
        lock.write_text(text)
        with pytest.raises(LockInvalidError):
            verify_pages(project)


def test_a_page_that_fails_keeps_its_old_pins(tmp_path):
    project = make_project(tmp_path, Recipe())
    page, lock = tmp_path / "README.md", tmp_path / "claims.lock"
    head = "<!-- benchctl: run=demo-r1 -->\n\n"
    page.write_text(f"{head}73<!--= count --> cells.\n")
    accept(project, verify_pages(project))
    assert not lock.exists()
    page.write_text(f"{head}72<!--= count --> cells.\n")
    accept(project, verify_pages(project))
    true = lock.read_text()
    lock.write_text(true.replace("sha256:", "sha256:0"))
    old = lock.read_text()
    page.write_text(f"{head}73<!--= count --> cells.\n")
    accept(project, verify_pages(project))
    assert lock.read_text() == old
    page.write_text(f"{head}72<!--= count --> cells.\n")
    accept(project, verify_pages(project))
    assert lock.read_text() == true


def test_which_pages_are_read(tmp_path):
    project = make_project(tmp_path, Recipe())
    with pytest.raises(NoPagesError):
        verify_pages(project)
    (tmp_path / "README.md").write_text("# Nothing declared, 5\n")
    with pytest.raises(NoPagesError):
        verify_pages(project)
    site = tmp_path / "site" / "deep"
    site.mkdir(parents=True)
    (site / "a.md").write_text("<!-- benchctl: run=demo-r1 -->\n\n72<!--= count --> cells.\n")
    (site / "b.md").write_text("---\nbenchctl: none\nreason: the manual\n---\n5\n")
    (site / "c.md").write_text("5<!--= count -->\n")
    report = verify_pages(project)
    assert [page.path for page in report.pages] == ["site/deep/a.md", "site/deep/b.md", "site/deep/c.md"]
    assert report.undeclared == ("README.md",)
    assert [page.ok for page in report.pages] == [
        True,
        True,
        False,
    ]  # a binding without a run is no page to skip
    named = verify_pages(project, [tmp_path / "README.md", site / "a.md"])
    assert [page.ok for page in named.pages] == [False, True]
    assert [page.path for page in verify_pages(project, [site]).pages] == [
        "site/deep/a.md",
        "site/deep/b.md",
        "site/deep/c.md",
    ]


def test_a_page_taken_out_and_named_alone_is_listed(tmp_path):
    project = make_project(tmp_path, Recipe())
    page = tmp_path / "b.md"
    page.write_text("---\nbenchctl: none\nreason: the manual\n---\n5\n")
    report = verify_pages(project, [page])
    assert (report.ok, [(item.path, item.excluded) for item in report.pages]) == (
        True,
        [("b.md", "the manual")],
    )
    with pytest.raises(NoPagesError):
        verify_pages(project, [tmp_path])  # a folder of nothing to check


@pytest.mark.parametrize(
    "text",
    [
        "5<!--= count -->",
        "5<!--= count --><!--= count -->",
        "x <!--assert: count > 0 -->",
        "<!--claims: 5 = count -->\n5 cells",
        "<!--claims:table by=arm cells=count -->\n| arm | cells |\n|--|--|\n",
        "5<!--retracted -->",
        "BLOCK",
        "<!-- benchctl:chart chart=score run=r9 -->",
        "<!-- benchctl:chart -->",
    ],
)
def test_a_page_taken_out_binds_nothing(project, block, text):
    head = "---\nbenchctl: none\nreason: the manual\n---\n"
    report = verify_text(project, "page.md", f"{head}{text.replace('BLOCK', block)}\n")
    assert one(report, "page-excluded-bound").line == 5
    assert not report.ok
    fenced = verify_text(project, "page.md", f"{head}```\n{text}\n```\n\n5<!--exempt: a rule -->\n")
    assert fenced.findings == ()


def test_an_unreadable_page_spoils_only_itself(tmp_path):
    project = make_project(tmp_path, Recipe())
    good, bad = tmp_path / "README.md", tmp_path / "site" / "bad.md"
    bad.parent.mkdir()
    good.write_text("<!-- benchctl: run=demo-r1 -->\n\n72<!--= count --> cells.\n")
    bad.write_bytes(b"caf\xe9")
    for paths in ([good, bad], []):
        report = verify_pages(project, paths)
        assert [(page.path, page.ok) for page in report.pages] == [
            ("README.md", True),
            ("site/bad.md", False),
        ]
        finding = one(report.pages[1], "page-unreadable")
        assert (finding.line, finding.column, finding.severity) == (1, 1, "error")
        assert finding.message.startswith("not UTF-8")
    missing = verify_pages(project, [good, tmp_path / "nothing.md"])
    assert one(missing.pages[1], "page-unreadable").message == "cannot be read: No such file or directory"
    with pytest.raises(PageUnreadableError, match="not UTF-8"):
        verify_pages(project, [bad])
    with pytest.raises(PageUnreadableError, match="cannot be read"):
        verify_pages(project, [tmp_path / "nothing.md", bad])


def test_one_page_does_not_lend_its_runs_to_the_next(tmp_path):
    project = make_project(tmp_path, Recipe(), Recipe(run="demo-r2", shift=0.1))
    body = "72<!--= count@demo-r2 --> cells.\n"
    texts = {"a.md": "run=demo-r1", "b.md": "run=demo-r1 also=demo-r2", "c.md": "run=demo-r1"}
    for name, declared in texts.items():
        (tmp_path / name).write_text(f"<!-- benchctl: {declared} -->\n\n{body}")
    report = verify_pages(project, [tmp_path / name for name in texts])
    assert [page.ok for page in report.pages] == [False, True, False]
