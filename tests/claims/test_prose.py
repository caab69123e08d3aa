"""Arithmetic that a page does itself: true pages give nothing, false ones what is wrong with them."""

import pytest
from claims_page import lookup_value
from prose_corpus import FALSE, TRUE

from benchctl.claims.answers.lookup import Lookup
from benchctl.claims.checks import CHECKS
from benchctl.expressions import parse_definitions

OURS = frozenset(
    {
        "percent-impossible",
        "mean-impossible",
        "arithmetic-wrong",
        "change-impossible",
        "order-impossible",
        "interval-impossible",
        "interval-backwards",
        "value-impossible",
    }
)


@pytest.fixture
def found(verify):
    """Return a function from a text to (slug, message) of what its own arithmetic rules out."""

    def impossible(text: str, *, severity: str = "warning") -> list[tuple[str, str]]:
        findings = [item for item in verify(text).findings if item.slug in OURS]
        assert all(item.verdict == "impossible" and item.severity == severity for item in findings)
        return [(item.slug, item.message) for item in findings]

    return impossible


def test_the_corpus_is_large_enough_to_mean_something():
    assert len(set(TRUE)) == len(TRUE) > 300
    assert len({text for text, _ in FALSE}) == len(FALSE) > 140
    assert {slug for _, slug in FALSE} == OURS


@pytest.mark.parametrize("text", TRUE)
def test_a_true_text_gives_nothing(found, text):
    assert found(text) == []


@pytest.mark.parametrize(("text", "slug"), FALSE)
def test_a_false_text_is_found_once(found, text, slug):
    assert [item[0] for item in found(text)] == [slug]


def test_the_whole_true_corpus_on_one_page_gives_nothing(found):
    assert found("\n\n".join(TRUE)) == []


def test_every_false_text_is_found_on_one_page(found):
    assert [slug for slug, _ in sorted(found("\n\n".join(text for text, _ in FALSE)))] == sorted(
        slug for _, slug in FALSE
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("44 of 48 (93 %)", "44 of 48 is 91.7 %, not 93 %"),
        ("92.3 % of 48 cells", "no whole number of 48 is 92.3 %: 44 are 91.67 % and 45 are 93.75 %"),
        (
            "A mean of 5.19 over 28 integers",
            "no 28 whole numbers have the mean 5.19: 145/28 is 5.179, 146/28 is 5.214",
        ),
        (
            "0.935 over 48 with 44 answered",
            "0.935 \u00d7 48 is 44.88, more than the 44 that answered can give",
        ),
        ("A mean of 5.19 over 0 integers", "5.19 is the mean of no value"),
        ("16 \u00d7 4 \u00d7 3 = 193", "16 \u00d7 4 \u00d7 3 is 192, not 193"),
        ("(16 + 4) \u00d7 3 = 28", "(16 + 4) \u00d7 3 is 60, not 28"),
        ("60 s \u00d7 3 = 4 min", "60 s \u00d7 3 is 3 min, not 4 min"),
        ("from 9.42 to 5.27, a 54 % reduction", "9.42 to 5.27 is 44.1%, not 54 %"),
        ("97 s \u2192 17 s (6.7\u00d7)", "97 s to 17 s is 5.71\u00d7, not 6.7\u00d7"),
        ("min 3.4 s, max 1.2 s", "min 3.4 s is more than max 1.2 s"),
        ("0.82 [0.84, 0.90]", "0.82 lies outside of its own interval, 0.84 to 0.90"),
        ("12\u20133 s", "the interval begins with 12, which is more than 3 s, its end"),
        ("an accuracy of 104 %", "104 % is no share: it lies between 0 and 100 %"),
        ("p = 1.3", "1.3 is no p-value: it lies between 0 and 1"),
    ],
)
def test_the_message_says_the_arithmetic(found, text, message):
    assert [item[1] for item in found(f"{text}.")] == [message]


@pytest.mark.parametrize(
    "text",
    [
        "44 of 48.\n\n(93 %)",  # two paragraphs
        "- 44 of 48\n- (93 %)",  # two items
        "| a | b |\n|--|--|\n| 44 of 48 | (93 %) |",  # two cells
        "## 16 \u00d7 4 \u00d7 3\n\n= 193",
        "0.82\n\n[0.84, 0.90]",
        "It took min 3.4 s. Max 1.2 s.",
    ],
)
def test_nothing_reaches_across_a_block_or_a_sentence(found, text):
    assert found(text) == []


def test_the_arithmetic_of_exempt_numbers_counts_and_that_of_retracted_ones_does_not(found):
    assert found("44/48 (93 %)<!--exempt: from another study -->")
    assert not found("44/48 (93 %)<!--retracted -->")
    assert not found("It was 0.82 [0.84, 0.90]<!--retracted --> then.")


def test_bindings_and_emphasis_inside_a_statement_do_not_hide_it(found):
    assert found("**44** of *48*<!--exempt: a --> (**93 %**<!--exempt: b -->)")
    assert found("16 &times; 4 &times; 3 = 193")


def test_counts_and_a_percent_that_are_all_true_may_not_fit_together(verify, project):
    """A percent in parentheses that is another quantity of the run, and true: it reads as that of the counts."""
    value = lookup_value(
        Lookup(project.store, parse_definitions(project.config.values)), "score.mean", agent=None
    )
    text = "24 of 96<!--= count[arm=grep]; count --> ({:.1f} %<!--= score.mean -->)"
    (found,) = (item for item in verify(text.format(100 * value)).findings if item.slug in OURS)
    assert found.slug == "percent-impossible"
    assert found.message.endswith("is of something else")
    slugs = [item.slug for item in verify(text.format(100 * value + 3)).findings]
    assert sorted(slugs) == ["number-false", "percent-impossible"]


@pytest.mark.parametrize(
    "text",
    [
        "{b:.4f}<!--= score.max[arm=grep] --> [{a:.4f}<!--= score.min[arm=grep] -->, {m:.4f}<!--= score.mean[arm=grep] -->]",
        "min {m:.4f}<!--= answered.mean[arm=grep] -->, max {b:.4f}<!--= score.max[arm=grep] -->",
    ],
)
def test_names_that_the_data_denies_are_not_theirs(verify, project, text):
    """All numbers are true of the run: what the sentence calls them is for its reader."""
    lookup = Lookup(project.store, parse_definitions(project.config.values))
    names = ("score.min", "score.max", "score.mean" if "[{a" in text else "answered.mean")
    a, b, m = (lookup_value(lookup, f"{name}[arm=grep]", agent=None) for name in names)
    assert [item.slug for item in verify(text.format(a=a, b=b, m=m)).findings if item.slug in OURS] == []
    wrong = text.format(a=a, b=b + 0.01, m=m)
    assert OURS & {item.slug for item in verify(wrong).findings}


def test_a_column_that_only_the_run_knows_has_no_known_step():
    from benchctl.claims.checks.mean import _is_mean_of_whole
    from benchctl.expressions import parse

    assert not _is_mean_of_whole(parse("widgets.mean"))
    assert _is_mean_of_whole(parse("tool_calls.mean"))
    assert not _is_mean_of_whole(parse("tool_calls.mean + 1"))


def test_a_generated_block_is_not_read(project, verify):
    from benchctl.report.stamp import render_block
    from benchctl.report.tables import named_table

    block = render_block(named_table(project.store, "r9", "tokens", project.config))
    assert [item.slug for item in verify(f"{block}\n").findings if item.slug in OURS] == []


def test_a_policy_makes_them_errors(tmp_path, project):
    from benchctl.claims.verify import verify_text
    from benchctl.store.project import Project

    (tmp_path / "benchctl.toml").write_text(
        f'store = "{project.root}/data"\n[claims]\nerrors = ["impossible"]\n'
    )
    report = verify_text(Project.find(tmp_path), "page.md", "<!-- benchctl: run=r9 -->\n\n44 of 48 (93 %)\n")
    assert [item.severity for item in report.findings if item.slug == "percent-impossible"] == ["error"]


@pytest.mark.parametrize(
    ("text", "found_it"),
    [
        ("1.30<!--= score.mean[arm=grep] -->", True),
        (
            "104 %<!--= answered.mean -->",
            False,
        ),  # a flag has no unit that a percent converts to: unit-mismatch or none
        ("130 %<!--= score.mean[arm=grep] -->", True),
        ("1.30<!--= score.max / score.min -->", False),
        ("1.30<!--= score.sd -->", False),
        ("1.00<!--= score.max -->", False),
        ("\u22121 s<!--= wall_s.min -->", True),
        ("at most 1.30<!--= score.max -->", False),
    ],
)
def test_a_bound_metric_keeps_to_its_domain(verify, text, found_it):
    assert ("value-impossible" in [item.slug for item in verify(text).findings]) is found_it


@pytest.mark.parametrize(
    ("text", "found_it"),
    [
        ("0.99<!--= tool_calls.mean[arm=grep, rep=1, agent=claude, question=q1] -->", True),  # one value
        ("0.98<!--= answered.mean[arm=grep] -->", True),  # 24 flags: 23/24 is 0.96
        ("0.98<!--= score.mean[arm=grep] -->", False),  # scores of no known step
        ("9,999<!--= tool_calls.mean[arm=grep] -->", False),
        ("0.98<!--= answered.macro[arm=grep] -->", False),
    ],
)
def test_a_false_bound_mean_of_whole_values_may_be_impossible_too(verify, text, found_it):
    assert ("mean-impossible" in [item.slug for item in verify(text).findings]) is found_it


def test_the_checks_stand_behind_the_judging_of_values():
    order = list(CHECKS)
    ours = ("share", "mean", "equation", "change", "order", "interval", "domain", "consistency")
    assert all(order.index(name) > order.index("value") for name in ours)


def test_what_a_page_calls_by_name_contradicts_itself_although_all_of_it_is_true(verify, project):
    """One column's greatest value as its least, and an estimate outside of what is called its interval."""
    lookup = Lookup(project.store, parse_definitions(project.config.values))
    a, b, m = (lookup_value(lookup, f"score.{name}[arm=grep]", agent=None) for name in ("min", "max", "mean"))
    order = f"min {b:.4f}<!--= score.max[arm=grep] -->, max {m:.4f}<!--= score.mean[arm=grep] -->"
    assert [item.slug for item in verify(order).findings] == ["order-impossible"]
    ends = f"{a:.4f}<!--= score.min[arm=grep] --> to {m:.4f}<!--= score.mean[arm=grep] -->"
    interval = f"{b:.4f}<!--= score.max[arm=grep] --> (95 % CI {ends})"
    assert [item.slug for item in verify(interval).findings if item.slug in OURS] == ["interval-impossible"]


@pytest.mark.parametrize(
    "text",
    [
        "| question | wall (s) |\n|--|--|\n| q1 | 9.2 |\n| q2 | 4.1 |\n| q3 | 7.7 |",
        "| arm | q1 | q2 | q3 |\n|--|--|--|--|\n| grep | 9.2 | 4.1 | 7.7 |",
        "| quarter | sales |\n|--|--|\n| Q1 | 9.2 |\n| Q2 | 4.1 |\n| Q3 | 7.7 |\n| Q4 | 1.0 |",
        "It took q1 9.2 s, q2 4.1 s, q3 7.7 s.",
    ],
)
def test_questions_and_quarters_are_no_quartiles(found, text):
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "| | wall (s) |\n|--|--|\n| q1 | 9.2 |\n| median | 4.1 |\n| q3 | 7.7 |",
        "| quartile | wall (s) |\n|--|--|\n| q1 | 9.2 |\n| q2 | 4.1 |\n| q3 | 7.7 |",
        "The quartiles are q1 9.2 s, q3 7.7 s.",
    ],
)
def test_quartiles_are_what_is_called_so(found, text):
    assert [slug for slug, _ in found(text)] == ["order-impossible"]


def test_the_key_of_a_bound_table_names_no_statistic(verify, project):
    lookup = Lookup(project.store, parse_definitions(project.config.values))
    rows = "".join(
        f"| {question} | {lookup_value(lookup, f'wall_s.mean[question={question}]', agent=None):.3f} |\n"
        for question in ("q1", "q2", "q3", "q4")
    )
    for binding in ("<!--claims:table by=question quartile=wall_s.mean -->\n", ""):
        report = verify(f"{binding}| question | quartile |\n|--|--|\n{rows}")
        slugs = [item.slug for item in report.findings if item.slug in OURS]
        assert slugs == ([] if binding else ["order-impossible"])
