"""Rows of a bound table that are no arm like the others: the baseline, the total, another run."""

import pytest
from claims_page import lookup_value

from benchctl.claims.answers.lookup import Lookup
from benchctl.claims.mutation.mutate import mutate_pages
from benchctl.claims.verify import verify_text
from benchctl.expressions import parse_definitions
from benchctl.quantities.format import format_number

ARMS = ("grep", "index", "hybrid", "graphify")
HEAD = "---\nbenchctl: {run: r9, also: [r8]}\n---\n\n"
ALONE = "the group that ends here is `96` alone, and 2 expressions are given"
RATIO = "ratio(wall_s.median, wall_s.median[arm=grep])"


@pytest.fixture(scope="module")
def printed(project):
    """Return a function from an expression and a run to its value as a table prints it."""
    lookup = Lookup(project.store, parse_definitions(project.config.values))

    def text(expression: str, places: int = 2, run: str = "r9") -> str:
        return format_number(lookup_value(lookup, expression, run), places=places)

    return text


@pytest.fixture
def slugs(project):
    """Return a function from a page's text to (slug, literal) of what is found on it, notes left out."""

    def found(text: str) -> list[tuple[str, str]]:
        report = verify_text(project, "page.md", HEAD + text)
        return [(item.slug, item.literal) for item in report.findings if item.severity != "note"]

    return found


def table(binding: str, *rows: str) -> str:
    width = rows[0].count("|") - 1
    return "\n".join([f"<!--claims:table {binding} -->", rows[0], "|--" * width + "|", *rows[1:], ""])


def ratios(printed, arms=ARMS, baseline="1.00×", expression=RATIO) -> str:
    rows = [
        f"| {arm} | {baseline if arm == 'grep' else printed(f'ratio(wall_s.median[arm={arm}], wall_s.median[arm=grep])') + '×'} |"
        for arm in arms
    ]
    subset = " rows=subset" if len(arms) < len(ARMS) else ""
    return table(f'by=arm "vs grep"="{expression}"{subset}', "| arm | vs grep |", *rows)


def test_the_row_that_all_are_held_against_is_no_vacuous_one(slugs, printed):
    assert slugs(ratios(printed)) == []
    assert slugs(ratios(printed, baseline="1.01×")) == [("number-false", "1.01×")]


def test_a_change_of_the_baseline_to_itself_is_none(slugs, printed):
    def change(arm: str) -> str:
        return printed(f"change_pct(wall_s.median[arm=grep], wall_s.median[arm={arm}])") + " %"

    rows = [f"| {arm} | {'0 %' if arm == 'grep' else change(arm)} |" for arm in ARMS]
    binding = 'by=arm change="change_pct(wall_s.median[arm=grep], wall_s.median)"'
    assert slugs(table(binding, "| arm | change |", *rows)) == []


@pytest.mark.parametrize(
    "expression",
    [
        "ratio(wall_s.median, wall_s.median)",  # constant in every row
        "ratio(wall_s.median[arm=grep], wall_s.median[arm=grep])",
    ],
)
def test_a_column_that_moves_in_no_row_is_vacuous_in_all(slugs, expression):
    rows = [f"| {arm} | 1.00× |" for arm in ARMS]
    found = slugs(table(f'by=arm "vs grep"="{expression}"', "| arm | vs grep |", *rows))
    assert found == [("expression-vacuous", "1.00×")] * len(ARMS)


def test_a_baseline_alone_proves_nothing(slugs, printed):
    assert slugs(ratios(printed, arms=("grep",))) == [("expression-vacuous", "1.00×")]


def test_a_baseline_in_a_sentence_proves_nothing(slugs):
    text = "1.00×<!--= ratio(wall_s.median[arm=grep], wall_s.median[arm=grep]) -->\n"
    assert slugs(text) == [("expression-vacuous", "1.00×")]


def mutated(project, text):
    page = project.root / "README.md"
    page.write_text(HEAD + text)
    try:
        return mutate_pages(project, [page])
    finally:
        page.unlink()


def test_every_mutant_of_these_tables_is_found(project, printed):
    runs = [f"| {run} | {printed('score.mean', 4, run)} |" for run in ("r8", "r9")]
    total = table(
        "by=arm rows=subset cells=count",
        "| arm | cells |",
        "| grep | 24 |",
        "| total | 96<!--= count --> |",
    )
    text = "\n".join([ratios(printed), table("by=run score=score.mean", "| run | score |", *runs), total])
    report = mutated(project, text)
    assert report.ok
    assert not [item for page in report.pages for item in page.survivors]


# Rows that are no value of the key.


def total_table(last: str, options: str = " rows=subset") -> str:
    rows = [f"| {arm} | 24 |" for arm in ARMS]
    return table(f"by=arm{options} cells=count", "| arm | cells |", *rows, last)


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("| total | 96<!--= count --> |", []),
        ("| total | 97<!--= count --> |", [("number-false", "97"), ("total-differs", "97")]),
        ("| total | 96 |", [("number-unbound", "96")]),
        ("| total | 96<!--exempt: sum of the rows above --> |", []),
        ("| total | 96 of 97 |", [("number-unbound", "96"), ("number-unbound", "97")]),
        ("| all 4 | 96<!--= count --> |", [("number-unbound", "4")]),
        ("| total | |", []),
        ("| greb | 24 |", [("number-unbound", "24")]),
    ],
)
def test_a_row_of_an_excerpt_may_be_no_value_of_the_key_and_binds_itself(slugs, row, found):
    assert slugs(total_table(row)) == found


def test_its_numbers_say_why_the_table_does_not_bind_them(project):
    (finding,) = verify_text(project, "page.md", HEAD + total_table("| total | 96 |")).findings
    assert "`total` is no arm of run r9" in finding.message
    assert "in its cell" in finding.next_step


def test_a_whole_table_has_no_such_row_and_says_both_ways_out(project):
    report = verify_text(project, "page.md", HEAD + total_table("| total | 96<!--= count --> |", ""))
    (finding,) = report.findings
    assert finding.slug == "table-row-unknown"
    assert "map the label" in finding.next_step
    assert "rows=subset" in finding.next_step


def test_a_cell_that_escapes_its_column_is_found_in_a_row_of_the_run(slugs):
    row = "| grep | 24<!--exempt: looks good --> |"
    found = slugs(table("by=arm rows=subset cells=count", "| arm | cells |", row, "| index | 24 |"))
    assert [slug for slug, _ in found] == ["table-cell-escapes"]


def test_many_rows_left_out_are_one_finding(project):
    text = table("by=arm,question cells=count", "| arm | question | cells |", "| grep | q1 | 6 |")
    (finding,) = verify_text(project, "page.md", HEAD + text).findings
    assert finding.slug == "table-row-missing"
    assert finding.message.startswith("run r9 has 15 rows that this table leaves out: ")
    assert finding.message.endswith("; and 10 more")


# Rows that are runs.


def by_run(printed, *runs, binding='by=run score=score.mean vs="ratio(score.mean, score.mean@r8)"') -> str:
    rows = [
        f"| {run} | {printed('score.mean', 4, run)} | "
        f"{float(printed('score.mean', 8, run)) / float(printed('score.mean', 8, 'r8')):.3f}× |"
        for run in runs
    ]
    return table(binding, "| run | score | vs |", *rows)


def test_a_row_of_a_run_is_asked_of_that_run(slugs, printed):
    assert slugs(by_run(printed, "r8", "r9")) == []
    assert slugs(by_run(printed, "r8")) == []  # no run need be there
    text = by_run(printed, "r8", "r9")
    swapped = text.replace("| r8 |", "| x |").replace("| r9 |", "| r8 |").replace("| x |", "| r9 |")
    assert {slug for slug, _ in slugs(swapped)} == {"number-stale-run"}


def test_a_message_says_the_run(project, printed):
    text = by_run(printed, "r8").replace(printed("score.mean", 4, "r8"), "0.1234")
    finding = next(
        item for item in verify_text(project, "page.md", HEAD + text).findings if item.slug == "number-false"
    )
    assert finding.claim == "score.mean@r8"


def test_a_run_that_the_page_does_not_declare_is_no_row(slugs, printed, project):
    text = by_run(printed, "r8", "r9").replace("| r8 |", "| r7 |")
    assert slugs(text) == [("table-row-unknown", "r7")]
    (finding,) = verify_text(project, "page.md", HEAD + text).findings
    assert "`also`" in finding.next_step


def test_a_label_may_stand_for_a_run_but_not_for_another_one(slugs, printed):
    mapped = by_run(printed, "r8", "r9").replace("by=run", 'by=run{"July"=r8}').replace("| r8 |", "| July |")
    assert slugs(mapped) == []
    renamed = by_run(printed, "r9").replace("by=run", "by=run{r8=r9}").replace("| r9 |", "| r8 |")
    assert slugs(renamed) == [("table-row-renamed", "r8")]


def test_the_rows_of_a_further_key_are_those_of_each_run(slugs):
    rows = [f"| {run} | {arm} | 24 |" for run in ("r8", "r9") for arm in ARMS]
    whole = table("by=run,arm cells=count", "| run | arm | cells |", *rows)
    assert slugs(whole) == []
    found = slugs(whole.replace("| r8 | grep | 24 |\n", "").replace("| r9 | index |", "| r9 | indx |"))
    assert [slug for slug, _ in found] == ["table-row-missing", "table-row-missing", "table-row-unknown"]


def test_the_pages_filter_holds_in_every_row(project):
    head = "---\nbenchctl: {run: r9, also: [r8], where: agent=claude}\n---\n\n"
    text = table("by=run cells=count", "| run | cells |", "| r8 | 48 |", "| r9 | 48 |")
    assert verify_text(project, "page.md", head + text).findings == ()


def test_a_run_that_is_not_there_is_said_once(project):
    head = "---\nbenchctl: {run: r9, also: [r5]}\n---\n\n"
    text = table("by=run cells=count", "| run | cells |", "| r5 | 96 |", "| r9 | 96 |")
    (finding,) = verify_text(project, "page.md", head + text).findings
    assert finding.slug == "page-run-unknown"


def test_with_all_a_run_of_a_row_is_not_unused(project, printed):
    report = verify_text(
        project, "page.md", HEAD + by_run(printed, "r8", binding="by=run score=score.mean"), show_all=True
    )
    assert "run-unused" not in {item.slug for item in report.findings}


# Groups.


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "24 and 96<!--= count[arm=grep]; count --> cells",
            f"{ALONE}; `24` stands outside of it, for `and` joins no group",
        ),
        (
            "24 vs 96<!--= count[arm=grep]; count --> cells",
            f"{ALONE}; `24` stands outside of it, for `vs` joins no group",
        ),
        (
            "24 of 96<!--= count -->",
            "the group that ends here is `24`, `96` (2 numbers), and 1 expression is given",
        ),
        ("96<!--= count; count -->", ALONE),
        (
            "Of 24<!--= count[arm=grep] --> and 96<!--= count; count -->",
            ALONE,
        ),
    ],
)
def test_a_miscounted_group_says_what_it_holds_and_what_stands_outside(verify, text, message):
    assert [item.message for item in verify(text).findings if item.slug == "group-count"] == [message]


def test_a_miscounted_cell_says_what_it_holds(verify):
    text = table("by=arm rows=subset cells=count", "| arm | cells |", "| grep | 24 of 24 |")
    (finding,) = verify(text).findings
    assert finding.message == "the cell holds `24`, `24` (2 numbers), and 1 expression is given"


CROSSED = [
    # the bound columns, and the headers that call one arm by the name of another
    ('hybrid="count[arm=grep]" grep="count[arm=hybrid]"', ["hybrid", "grep"]),
    ('hybrid="count[arm=hybrid]" grep="count[arm=grep]"', []),
    ('Hybrid="count[arm=grep]" grep="count[arm=grep]"', ["Hybrid"]),
    ('hybrid="count[arm=hybrid] - count[arm=grep] + count[arm=grep]" grep="count[arm=grep]"', []),  # of both
    ('hybrid="count[arm=nobody]" grep="count[arm=grep]"', ["hybrid"]),
    ('hybrid="count[colour=grep]" grep="count[arm=grep]"', []),  # an error of its own
    ('hybrid="count[arm!=grep]" grep="count[arm=grep]"', []),
]


@pytest.mark.parametrize(("columns", "named"), CROSSED)
def test_a_header_that_is_another_value_than_its_expression_asks_for_is_found(verify, columns, named):
    text = f"<!--claims:table by=agent {columns} -->\n| agent | hybrid | grep |\n|--|--|--|\n| claude | 12 | 12 |\n| codex | 12 | 12 |\n"
    found = [item.message for item in verify(text).findings if item.slug == "table-column-renamed"]
    assert [message.split(",")[0].removeprefix("the column is called ") for message in found] == named
