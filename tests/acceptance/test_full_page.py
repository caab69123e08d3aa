"""A page with a claim of every kind: silent as it stands, and no change of it passes."""

import re
from itertools import pairwise

import pytest
from full_page import TEMPLATE

from benchctl.claims.examine import Examiner
from benchctl.claims.markers.nouns import Assertion, Inline, Listed, TableBinding
from benchctl.claims.mutation.mutant import KINDS
from benchctl.claims.mutation.mutate import all_mutants, mutate_text, trial_of
from benchctl.claims.mutation.printing import to_text as mutation_text
from benchctl.claims.mutation.result import MutationReport
from benchctl.claims.outputs.text import to_text
from benchctl.claims.result import ClaimsReport
from benchctl.claims.verify import verify_text

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
BLOCK = re.compile(r"<!-- benchctl:begin.*?benchctl:end -->", re.DOTALL)


@pytest.fixture(scope="module")
def examined(project, page):
    return trial_of(Examiner.of(project), "page.md", page)


@pytest.fixture(scope="module")
def mutated(project, page):
    return mutate_text(Examiner.of(project), "page.md", page)


def test_it_has_no_finding_as_it_stands(project, page):
    report = verify_text(project, "page.md", page)
    assert report.findings == (), to_text(ClaimsReport((report,)))
    assert (report.bound, report.generated, report.exempt, report.unbound) == (69, 17, 2, 0)
    assert set(report.runs) == {"coding-r8", "coding-r9"}


def test_it_claims_in_every_way(examined, page):
    _, sheet = examined
    bound = {type(item) for item in sheet.bindings}
    assert bound >= {Inline, Listed, TableBinding, Assertion}
    assert len(sheet.claims) > 40
    assert len(sheet.blocks) == len(sheet.tables) == len(sheet.retractions) == 1
    tokens = [claim.atom.token for claim in sheet.claims]
    assert {token.cmp for token in tokens} == {"=", "~", ">", ">=", "<", "<="}
    units = {token.unit for token in tokens}
    assert units >= {"", "s", "ms", "min", "MiB", "%", "x", "USD", "tokens"}
    assert any(token.word for token in tokens)
    assert any(token.value < 0 for token in tokens)
    groups = [right for left, right in pairwise(sheet.claims) if page[left.end : right.start].strip() == "of"]
    assert groups
    runs = {run for claim in sheet.claims for probe in claim.expression.probes for run in probe.runs}
    assert runs == {"coding-r8", "coding-r9"}
    assert any(len(probe.runs) > 1 for claim in sheet.claims for probe in claim.expression.probes)
    words = {
        word
        for item in sheet.assertions
        for word in ("all", "any", "none")
        if item.expression.text.startswith(word)
    }
    assert words == {"all", "any", "none"}


def test_every_change_of_it_is_found(mutated):
    assert mutated.survivors == (), mutation_text(MutationReport((mutated,)))
    assert (mutated.rate, mutated.seen) == (1.0, mutated.numbers)
    assert mutated.numbers == 69
    assert set(mutated.kinds) == {*KINDS} - {"key"}
    assert mutated.kinds["neighbour"].killed > 150
    assert mutated.kinds["run"].killed > 75
    assert mutated.kinds["swap"].killed > 50


def test_a_hundred_changes_at_once_need_few_examinations(mutated):
    assert mutated.total.mutants > 7 * mutated.examinations


def test_only_what_is_true_all_the_same_is_excused(examined, mutated):
    """Every excuse is a bound or `about`; the other one is a percent sign left away from a value in percent."""
    trial, sheet = examined
    excused = {(item.why, item.kind) for item in mutated.equivalent}
    assert {why for why, _ in excused} == {"true as about", "true as a bound", "true"}
    assert [item.literal for item in mutated.equivalent if item.why == "true"] == ["63.6 %"]
    equivalent = [item for item in all_mutants(sheet) if item.equivalent]
    assert [item.changed_to for item in equivalent if trial.killed_alone(item)] == []


def test_its_bindings_are_shorter_than_what_they_bind(page):
    """Paragraph by paragraph, table by table: what is written for the checker against what a reader reads."""
    bindings = sentences = 0
    text = BLOCK.sub("", page[page.index("# Graphs") :])
    for block in re.split(r"\n\s*\n", text):
        hidden = sum(
            len(match[0]) for match in COMMENT.finditer(block) if not match[0].startswith("<!--exempt")
        )
        bindings += hidden
        sentences += len(COMMENT.sub("", block).strip())
    claims = len(re.findall(r"<!--=", page))
    print(f"{bindings} characters of bindings for {sentences} characters of {claims} bound places")
    assert bindings < sentences


def test_every_slot_of_the_page_is_filled(page):
    assert "{{" not in page
    assert TEMPLATE.count("<!--=") == page.count("<!--=")
