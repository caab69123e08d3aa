"""Mutation finds the checker blind where it is blind, and nowhere else."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from claims_page import lookup_value, true_page
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from benchctl.claims import examine
from benchctl.claims.answers.nature import Nature
from benchctl.claims.examine import Examiner
from benchctl.claims.mutation.companies import companies
from benchctl.claims.mutation.literals import Literal
from benchctl.claims.mutation.mutant import KINDS
from benchctl.claims.mutation.mutate import all_mutants, mutate_pages, mutate_text, trial_of
from benchctl.claims.mutation.printing import rate_text, to_json, to_text
from benchctl.claims.mutation.result import MutationReport
from benchctl.claims.mutation.spelled import cardinal
from benchctl.claims.mutation.truth import Printed, why_true
from benchctl.claims.numbers import Numbers
from benchctl.claims.reading.page import Page
from benchctl.cli.verify_claims import command
from benchctl.errors import ClaimsFailedError, MutantSurvivedError, NothingMutatedError, OptionInvalidError
from benchctl.quantities.format import format_number
from benchctl.quantities.numerals import scan
from benchctl.store.measuring import question

DECLARED = "<!-- benchctl: run=r9 -->\n\n"
TENTH, ABOUT = Fraction(1, 10), Fraction(1, 20)


@pytest.fixture(scope="module")
def examiner(project):
    return Examiner.of(project)


@pytest.fixture
def mutate(examiner):
    """Return a function from a page's text, which declares run r9, to what mutating it gives."""
    return lambda text: mutate_text(examiner, "page.md", DECLARED + text)


def number(text, place="0.1", unit="", cmp="=", *, ends=False):
    return Printed(Fraction(text), Fraction(place), unit, cmp, ends)


TRUE = [
    (number("16.2"), 16.25, None, "a tie"),
    (number("16.3"), 16.25, None, "a tie"),
    (number("16.2"), 16.24, None, "true"),
    (number("16.1"), 16.25, None, ""),
    (number("139809", "1"), 139809.5, None, "a tie"),
    (number("12.4", unit="%"), 0.125, "fraction", ""),
    (number("12", "1", "%"), 0.125, "fraction", "a tie"),
    (number("13", "1", "%"), 0.125, "fraction", "a tie"),
    (number("12.5", unit="%"), 0.125, "fraction", "true"),
    (number("12.5"), 0.125, "fraction", ""),  # without its percent sign it is another number
    (number("12.5", unit="pp"), 0.125, "fraction", "true"),
    (number("1500", "1", "ms"), 1.5, "s", "true"),
    (number("1.5", unit="KB"), 1.5, "s", ""),
    (number("1.5", unit="KB"), 1.5, None, "true"),  # a value without a unit compares as printed
    (number("17", "1", cmp=">="), 29, None, "true as a bound"),
    (number("30", "1", cmp=">="), 29, None, ""),
    (number("29", "1", cmp=">"), 29, None, ""),
    (number("29", "1", cmp=">", ends=True), 29, None, "true where the word before it is no bound"),
    (number("30", "1", cmp="<"), 29, None, "true as a bound"),
    (number("29", "1", cmp="<="), 29, None, "true as a bound"),
    (number("28", "1", cmp="<="), 29, None, ""),
    (number("100", "1", cmp="~"), 105, None, "true as about"),
    (number("100", "1", cmp="~"), 105.001, None, ""),
    (number("1", "1", cmp="~"), 1.5, None, "true as about"),  # half the last place is wider
    (number("1"), True, None, ""),
    (number("1"), "one", None, ""),
]


@pytest.mark.parametrize(("printed", "value", "unit", "why"), TRUE)
def test_what_is_equivalent_is_decided_by_the_contracts_words(printed, value, unit, why):
    assert why_true(printed, value, Nature(unit), ABOUT) == why


def test_a_count_gets_no_rounding_and_no_unit():
    nature = Nature(None, exact=True, plain=True)
    assert why_true(number("36", "1"), 36, nature, ABOUT) == "true"
    assert why_true(number("40", "10"), 36, nature, ABOUT) == ""
    assert why_true(number("36", "1", "s"), 36, nature, ABOUT) == ""


LITERALS = [
    ("69,164", ["69,165", "69,163"]),
    ("9,999", ["10,000", "9,998"]),
    ("0", ["1"]),
    ("1.00", ["1.01", "0.99"]),
    (".812", [".813", ".811"]),
    ("\u22120.029", ["\u22120.030", "\u22120.028", "0.029"]),
    ("\u22120.001", ["\u22120.002", "0.000", "0.001"]),
    ("+3", ["+4", "+2", "\u22123"]),
    ("44.8k", ["44.9k", "44.7k", "44.8M"]),
    ("44 million", ["45 million", "43 million", "44 thousand"]),
    ("12.3 s", ["12.4 s", "12.2 s", "12.3 ms"]),
    ("5\u00a0min", ["6\u00a0min", "4\u00a0min", "5\u00a0s"]),
    ("2.0\u00d7", ["2.1\u00d7", "1.9\u00d7", "2.0%"]),
    ("2.5&times;", ["2.6&times;", "2.4&times;", "2.5%"]),
    ("92%", ["93%", "91%", "92\u00d7", "92"]),
    ("$0.60", ["$0.61", "$0.59", "\u20ac0.60"]),
    ("5.2 MiB", ["5.3 MiB", "5.1 MiB", "5.2 KiB"]),
    ("27 500", ["27 501", "27 499"]),
    ("8m30s", ["8m31s", "8m39s"]),
    ("1.5e-3", ["1.5e-4", "1.5e-2"]),
    ("10\u207b\u2074", ["10\u207b\u2075", "10\u207b\u00b3"]),
    ("10<sup>4</sup>", ["10<sup>5</sup>", "10<sup>3</sup>"]),
    ("nine", ["ten", "eight"]),
    ("Twenty-one", ["Twenty-two", "Twenty"]),
    ("three hundred", ["four hundred", "two hundred"]),
    ("twice", ["thrice"]),
    ("half", ["a third", "two thirds"]),
    ("a dozen", ["thirteen", "eleven"]),
    ("two and a half", ["four", "five"]),
    ("seven thousand", ["seven", "eight"]),
]


@pytest.mark.parametrize(("literal", "expected"), LITERALS)
def test_a_literal_is_changed_in_its_own_form_and_says_what_it_is_taken_to_say(literal, expected):
    text = f"It is {literal} of it"
    page = Page("page.md", text)
    found = Literal.of(page, Numbers(page).atoms[0])
    variants = [*found.digits(), *found.signs(), *found.units()]
    changed = [text[: item.edit.start] + item.edit.text + text[item.edit.end :] for item in variants]
    assert [line[len("It is ") : -len(" of it")] for line in changed] == expected
    for line, variant in zip(changed, variants, strict=True):
        token = next(token for token in scan(Page("page.md", line).visible) if token.value is not None)
        assert float(token.value) == pytest.approx(float(variant.says.value)), line
        assert token.unit == variant.says.unit


@given(
    st.decimals(-(10**9), 10**9, places=4),
    st.sampled_from([None, "s", "ms", "min", "%", "x", "USD", "MiB", "tokens"]),
    st.integers(0, 4),
    st.decimals(-(10**9), 10**9, places=6),
)
def test_whatever_is_written_in_a_numbers_place_is_read_as_what_it_is_taken_to_say(
    value, unit, places, other
):
    text = f"It is {format_number(value, unit=unit, places=places)} of it"
    page = Page("page.md", text)
    found = Literal.of(page, Numbers(page).atoms[0])
    shown = found.showing("neighbour", Fraction(other))
    for variant in [*found.digits(), *found.signs(), *found.units(), *([shown] if shown else [])]:
        line = text[: variant.edit.start] + variant.edit.text + text[variant.edit.end :]
        token = next(token for token in scan(line) if token.value is not None)
        assert (Fraction(token.value), token.unit) == (variant.says.value, variant.says.unit), line
        assert Fraction(token.place) == variant.says.place
        assert line != text
    if shown:
        assert abs(shown.says.value - Fraction(other)) <= shown.says.place / 2


@pytest.mark.parametrize("value", [*range(1, 130), 200, 201, 219, 345, 999])
def test_a_number_in_words_is_read_back(value):
    (token,) = [token for token in scan(f"{cardinal(value)} cells") if token.value is not None]
    assert (token.value, token.text) == (value, cardinal(value))


def test_what_is_examined_together_is_found_as_if_it_were_alone(project, examiner):
    trial, sheet = trial_of(examiner, "page.md", true_page(project))
    mutants = all_mutants(sheet)
    assert {item.kind for item in mutants} >= {*KINDS} - {"bound", "key", "sign"}
    false = [item for item in mutants if not item.equivalent]
    together = companies(false)
    for company in together:
        keys = [key for item in company for key in item.place.keys if item.data is None]
        assert len(keys) == len(set(keys))
    assert sum(map(len, together)) == len(false) > 3 * len(together)
    assert trial.survivors(false) == []
    assert trial.examinations == len(together)
    sample = false[::7]
    assert [item for item in sample if not trial.killed_alone(item)] == []


def test_what_is_equivalent_is_no_error_on_the_page(project, examiner):
    page = true_page(project) + (
        "\nAbout 16<!--= count --> cells, at least 3<!--= count -->, under 1,000,000<!--= count --> and over"
        " one<!--= count --> of them.\n"
    )
    page = page.replace("About 16<", f"About {96 // 2}<")
    trial, sheet = trial_of(examiner, "page.md", page)
    equivalent = [item for item in all_mutants(sheet) if item.equivalent]
    assert len(equivalent) > 4
    assert [item.changed_to for item in equivalent if trial.killed_alone(item)] == []


@pytest.mark.parametrize("blind", ["value", "stamp", "assertion", "retraction"])
def test_a_check_that_is_taken_out_is_missed(project, examiner, monkeypatch, blind):
    text = true_page(project)
    assert mutate_text(examiner, "page.md", text).ok
    seeing = examine.CHECKS
    monkeypatch.setattr(examine, "CHECKS", {k: v for k, v in seeing.items() if k not in (blind, "vacuity")})
    trial, sheet = trial_of(examiner, "page.md", text)
    if blind == "value":  # without it nothing is judged, so the mutants are those of a seeing checker
        monkeypatch.setattr(examine, "CHECKS", seeing)
        _, sheet = trial_of(examiner, "page.md", text)
        monkeypatch.setattr(examine, "CHECKS", {k: v for k, v in seeing.items() if k != blind})
    false = [item for item in all_mutants(sheet) if not item.equivalent]
    some = [item for kind in KINDS for item in [each for each in false if each.kind == kind][-4:]]
    missed = {item.kind for item in trial.survivors(some)}
    expected = {
        "value": {"digit", "neighbour", "run", "swap", "source"},
        "stamp": {"generated", "source"},
        "assertion": {"assertion"},
        "retraction": {"retraction"},
    }[blind]
    assert expected <= missed, missed


@pytest.mark.parametrize("word", ["over", "under", "above", "below"])
def test_a_word_that_may_be_a_preposition_makes_its_other_bounds_equivalent(mutate, word):
    found = mutate(
        f"With 4<!--= question.distinct --> questions {word} 2<!--= repo.distinct --> repositories."
    )
    assert (found.ok, found.seen) == (True, 2)
    assert [(item.kind, item.changed_to[:1]) for item in found.equivalent] == [
        ("digit", "1" if word in ("over", "above") else "3")
    ]
    assert "write *across* or *in* for the preposition" in to_text(MutationReport((found,)))


SHARED = [
    ("from {0} % to {1} %{2}", 1),
    ("{0} %\u2013{1} %{2}", 1),
    ("{0}%-{1}%{2}", 1),
    ("**{0} %** to **{1} %**{2}", 1),
    ("[{0} %, {1} %]{2}", 1),
    ("{0} % \u2192 {1} %{2}", 1),
    ("between {0} % and {1} %{2}", 1),
    ("{0} % \u00b1 {1} %{2}", 1),
    ("from {0} %<!--= {3} --> to {1} %<!--= {4} -->", 1),
    ("{0} %<!--= {3} --> \u2192 {1} %<!--= {4} -->", 0),  # each its own: nothing lends there
    ("{0} %<!--= {3} --> and {1} %<!--= {4} -->", 0),
    ("{0} % / {1} %{2}", 0),
    ("from {0} to {1} %{2}", 0),
]


@pytest.mark.parametrize(("form", "same"), SHARED)
def test_a_unit_that_its_group_lends_all_the_same_is_no_loss(mutate, examiner, form, same):
    low, high = "score.mean[arm=grep]", "score.mean[arm=hybrid]"
    one, two = (f"{100 * lookup_value(examiner.lookup, each, 'r9'):.1f}" for each in (low, high))
    found = mutate("It was " + form.format(one, two, f"<!--= {low}; {high} -->", low, high) + ".")
    assert found.ok, to_text(MutationReport((found,)))
    units = [item for item in found.equivalent if item.kind == "unit"]
    assert [(item.changed_to, item.why) for item in units] == [(one, "true")] * same


def test_a_bound_is_moved_past_its_value(mutate):
    found = mutate("At least 90<!--= count --> cells, at most a dozen<!--= question.distinct --> questions.")
    assert found.ok
    kinds = {kind: (tally.killed, tally.equivalent) for kind, tally in found.kinds.items()}
    assert kinds["bound"] == (2, 0)
    assert kinds["digit"] == (0, 4)
    assert {item.why for item in found.equivalent} == {"true as a bound"}


def test_a_row_that_another_row_would_say_too_is_equivalent(mutate):
    table = "<!--claims:table by=rep {}n=count -->\n\n| rep | n |\n|--:|--:|\n"
    some = mutate(table.format("rows=subset ") + "| 1 | 32 |\n")
    assert some.ok
    assert [(item.changed_to, item.why) for item in some.equivalent] == [("2", "true of rep 2, too")]
    assert some.kinds["key"].killed == 1  # there is no repetition 0
    every = mutate(table.format("") + "| 1 | 32 |\n| 2 | 32 |\n| 3 | 32 |\n")
    assert (every.ok, every.equivalent, every.kinds["key"].killed) == (True, (), 6)


@pytest.mark.parametrize(
    ("header", "column", "shown", "changed"),
    [
        ("wall (ms)", "wall_s.median", lambda value: f"{value * 1000:,.0f}", "s"),
        ("tokens, k", "total_tokens.median", lambda value: f"{value / 1000:.2f}", "M"),
        ("score (%)", "score.mean", lambda value: f"{value * 100:.1f}", "\u00d7"),
    ],
)
def test_the_unit_of_a_header_is_changed_for_its_column(examiner, header, column, shown, changed):
    rows = [
        f"| {arm} | {shown(lookup_value(examiner.lookup, f'{column}[arm={arm}]', 'r9'))} |\n"
        for arm in ("grep", "index", "hybrid", "graphify")
    ]
    table = (
        f'<!--claims:table by=arm "{header}"={column} -->\n\n| arm | {header} |\n|---|---:|\n{"".join(rows)}'
    )
    found = mutate_text(examiner, "page.md", DECLARED + table)
    assert found.ok, to_text(MutationReport((found,)))
    assert found.kinds["unit"].killed == 1
    _, sheet = trial_of(examiner, "page.md", DECLARED + table)
    (unit,) = [item for item in all_mutants(sheet) if item.kind == "unit"]
    assert unit.changed_to == changed
    assert len(unit.edits) == 2  # the binding names the header as it is written now


def test_a_unit_that_nothing_checks_is_counted(mutate, examiner):
    quotient = "total_tokens.sum[arm=grep] / wall_s.sum[arm=grep]"
    value = format_number(lookup_value(examiner.lookup, quotient, "r9"), places=1)
    found = mutate(f"It reads {value} s<!--= {quotient} --> a second.")
    assert (found.ok, found.unitless) == (True, 1)
    assert "1 printed unit that nothing checks" in to_text(MutationReport((found,)))
    assert "unit" not in found.kinds


def test_a_page_with_an_error_is_not_changed(mutate):
    found = mutate("It has 95<!--= count --> cells and 7 more.")
    assert not found.ok
    assert (found.total.mutants, found.rate, found.survivors) == (0, None, ())
    text = to_text(MutationReport((found,)))
    assert text.startswith("page.md:3:8: error: false: printed 95")
    assert "page.md: not changed: it is false as it stands" in text
    assert to_json(MutationReport((found,)))["pages"][0]["findings"][0]["slug"] == "number-false"


def test_exempt_numbers_and_no_claims_are_told(mutate):
    found = mutate("It has 96<!--= count --> cells, 7<!--exempt: a rule --> days, version 1.2.3.")
    text = to_text(MutationReport((found,)))
    assert "not mutated: 1 exempt, 1 not claims" in text
    assert text.endswith("ok: 1 of 1 bound number on 1 page, 3 mutants\n"), text


def test_the_rate_is_never_rounded_up_to_all():
    assert rate_text(1.0) == "100 %"
    assert rate_text(0.99999) == "99.99 %"
    assert rate_text(0.5) == "50.00 %"
    assert rate_text(None) == "nothing was changed"


PAGES = {
    "good.md": "It has 96<!--= count --> cells.",
    "false.md": "It has 95<!--= count --> cells.",
    "blind.md": "It has 96<!--= count --> cells of 4<!--= question.distinct --> questions.",
    "empty.md": "<!--assert: count > 0 -->Nothing.",
    "none.md": None,
}


@pytest.fixture
def pages(tmp_path):
    for name, text in PAGES.items():
        declared = DECLARED + text if text else "<!-- benchctl: none: the manual -->\n\nNothing."
        (tmp_path / name).write_text(declared)
    return tmp_path


def called(project, *arguments):
    return CliRunner().invoke(command, [*map(str, arguments), "--mutate", "--project", str(project.root)])


def test_the_command_says_what_it_found(project, pages):
    result = called(project, pages / "good.md")
    assert (result.exit_code, result.exception) == (0, None)
    assert result.stdout.endswith("ok: 1 of 1 bound number on 1 page, 3 mutants\n")
    assert called(project, pages / "good.md", "-q").stdout == ""
    document = json.loads(called(project, pages / "good.md", "--format", "json").stdout)
    assert (document["ok"], document["pages"][0]["rate"]) == (True, 1.0)


@pytest.mark.parametrize(
    ("names", "error", "says"),
    [
        (["false.md", "blind.md"], ClaimsFailedError, "1 page false as it stands"),
        (["blind.md", "good.md"], MutantSurvivedError, "3 changes not found, at 3 bound numbers"),
        (["none.md"], NothingMutatedError, "nothing was mutated"),
    ],
)
def test_the_command_fails(project, pages, names, error, says, monkeypatch):  # noqa: PLR0917 - one column each
    if error is MutantSurvivedError:
        seeing = examine.CHECKS
        monkeypatch.setattr(examine, "CHECKS", {k: v for k, v in seeing.items() if k != "value"})
    result = called(project, *(pages / name for name in names))
    assert isinstance(result.exception, error)
    assert result.exception.exit_code == 1
    assert says in str(result.exception)


@pytest.mark.parametrize(
    "more", [["--format", "sarif"], ["--fix"], ["--accept"], ["--changed", "HEAD"], ["--write", "json=x"]]
)
def test_the_command_goes_with_nothing_else(project, pages, more):
    assert isinstance(called(project, pages / "good.md", *more).exception, OptionInvalidError)


def test_every_page_is_told_when_it_is_done(project, pages):
    told = []
    report = mutate_pages(project, [pages / "good.md", pages / "false.md"], told=told.append)
    assert [page.report.path for page in told] == [page.report.path for page in report.pages]
    assert [page.ok for page in report.pages] == [True, False]


def test_what_is_missed_in_company_is_tried_alone(examiner, monkeypatch):
    trial, sheet = trial_of(examiner, "page.md", f"{DECLARED}It has 96<!--= count --> cells.")
    false = [item for item in all_mutants(sheet) if not item.equivalent]
    missed = type(trial)._missed
    monkeypatch.setattr(
        type(trial), "_missed", lambda *args, alone=False: missed(*args, alone=True) if alone else args[1]
    )
    assert trial.survivors(false) == []
    assert trial.examinations == len(false)


def test_a_swap_is_equivalent_only_where_both_numbers_stay_true(mutate):
    found = mutate(
        "About 24<!--= count[arm=grep] --> and 25<!--= count[arm=grep] + repo.distinct / 2 --> cells."
    )
    assert found.ok, to_text(MutationReport((found,)))
    assert (found.kinds["swap"].killed, found.kinds["swap"].equivalent) == (1, 0)
    found = mutate("About 24<!--= count[arm=grep] --> and ~25<!--= count[arm=index] + repo.distinct / 2 -->.")
    assert (found.kinds["swap"].killed, found.kinds["swap"].equivalent) == (0, 1)


def test_nothing_is_measured_twice(project, examiner, monkeypatch):
    trial, sheet = trial_of(examiner, "page.md", true_page(project))
    mutants = [item for item in all_mutants(sheet) if not item.equivalent]
    asked, measure = [], question.measure

    def counted(*args, **options):
        asked.append(args)
        return measure(*args, **options)

    monkeypatch.setattr(question, "measure", counted)
    assert trial.survivors(mutants) == []
    assert asked == []


def test_a_moved_answer_stays_in_its_own_examination(examiner):
    trial, sheet = trial_of(examiner, "page.md", f"{DECLARED}It has 96<!--= count --> cells.")
    source = next(item for item in all_mutants(sheet) if item.kind == "source")
    assert trial.killed_alone(source)
    (answer,) = source.data.answers.values()
    assert answer.value != 96
    held = replace(trial.examiner, lookup=trial.lookup)
    assert held.examine("page.md", trial.text).record.findings == []
