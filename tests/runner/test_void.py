"""Cells taken out of the denominators of a closed run, with the reason; and put back."""

import json
from pathlib import Path

import jsonschema
import pytest
from correctable import ANSWERS, RUN, make

from benchctl.cli import exit_code
from benchctl.errors import CellUnknownError, OptionInvalidError
from benchctl.expressions import evaluate, parse, probes
from benchctl.runner.void import VoidingChoice, void_cells, voiding
from benchctl.store.checking.verify import verify_run
from benchctl.store.measuring.question import measure

SCHEMA = Path(__file__).resolve().parents[2] / "site" / "reference" / "schemas" / "void.json"
CELLS = list(ANSWERS)
STALLED = CELLS[4]


@pytest.fixture
def project(tmp_path):
    return make(tmp_path)


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    """Return a project that tests share, since what is refused changes nothing in it."""
    return make(tmp_path_factory.mktemp("untouched"))


def void(capsys, project, *words, why="its disk was full"):
    code = exit_code(("void", RUN, *words, "--why", why, "--project", str(project.root), "--format", "json"))
    assert code == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(document)
    return document


def value(project, expression):
    node = parse(expression)
    return evaluate(node, measure(project.store, RUN, probes(node), declared=frozenset({RUN})))


def is_void(project):
    return [row["void"] for row in project.store.run(RUN).cells()]


def bytes_of(project):
    return {path: path.read_bytes() for path in project.data.rglob("*") if path.is_file()}


def test_a_void_cell_stays_and_leaves_the_denominators(project, capsys):
    before = project.store.run(RUN)
    assert value(project, "score.n") == 5
    document = void(capsys, project, CELLS[0])
    after = project.store.run(RUN)
    assert (document["cells"], document["already"], document["by_outcome"]) == ([CELLS[0]], [], [])
    assert document["counted"] == {"before": 5, "after": 4}
    assert document["data"] == {"before": before.data_digest, "after": after.data_digest}
    assert before.data_digest != after.data_digest
    assert is_void(project) == [True, False, False, False, True, False]
    assert value(project, "score.n") == 4
    assert value(project, "count") == 6, "count is of all rows"
    assert value(project, "score.mean") == pytest.approx((0.5 + 0 + 1 + 0.5) / 4)
    (row,) = after.rows("voids")
    assert (row["cell"], row["void"], row["why"], row["generation"]) == (
        CELLS[0],
        True,
        "its disk was full",
        2,
    )
    assert row["noted_at"].endswith("Z")
    assert verify_run(after.path) == []


def test_a_failed_cell_that_is_voided_is_no_failure_any_more(project, capsys):
    assert value(project, "score.n_failed") == 1
    void(capsys, project, CELLS[2])
    assert value(project, "score.n_failed") == 0


@pytest.mark.parametrize(
    ("words", "cells", "by_outcome"),
    [
        (["--question", "callers"], CELLS[:3], []),
        (["--question", "where", "--question", "words"], [CELLS[3], CELLS[5]], [STALLED]),
        (["--question", "callers", CELLS[5]], [*CELLS[:3], CELLS[5]], []),  # they add up
        (["--all"], [*CELLS[:4], CELLS[5]], [STALLED]),
        ([CELLS[1], CELLS[1]], [CELLS[1]], []),
        ([STALLED], [], [STALLED]),
    ],
)
def test_which_cells_are_meant(untouched, capsys, words, cells, by_outcome):
    document = void(capsys, untouched, *words, "--dry-run")
    assert (document["cells"], document["by_outcome"]) == (cells, by_outcome)
    assert document["data"]["after"] is None


def test_a_void_again_is_said_and_not_written(project, capsys):
    void(capsys, project, CELLS[0])
    before = bytes_of(project)
    document = void(capsys, project, CELLS[0], why="another reason")
    assert (document["cells"], document["already"]) == ([], [CELLS[0]])
    assert document["data"]["before"] == document["data"]["after"]
    assert bytes_of(project) == before
    assert exit_code(("void", RUN, CELLS[0], "--why", "x", "--project", str(project.root))) == 0
    out = capsys.readouterr().out
    assert f"unchanged: {CELLS[0]} is void already" in out
    assert "nothing changes; nothing is written" in out


def test_a_void_is_taken_back_and_both_stay_on_record(project, capsys):
    first = project.store.run(RUN).data_digest
    void(capsys, project, CELLS[0], CELLS[1])
    document = void(capsys, project, CELLS[0], CELLS[2], STALLED, "--lift", why="it was another disk")
    assert (document["cells"], document["already"], document["by_outcome"]) == (
        [CELLS[0]],
        [CELLS[2]],
        [STALLED],
    )
    assert document["counted"] == {"before": 3, "after": 4}
    assert is_void(project) == [False, True, False, False, True, False]
    run = project.store.run(RUN)
    assert [(row["generation"], row["void"], row["why"]) for row in run.rows("voids", "WHERE cell = ? ORDER BY generation", (CELLS[0],))] == [
        (2, True, "its disk was full"),
        (3, False, "it was another disk"),
    ]  # fmt: skip
    assert run.data_digest != first, "a run that was corrected and corrected back says so"
    assert verify_run(run.path) == []


def test_what_an_outcome_made_void_no_word_makes_count(untouched, capsys):
    before = bytes_of(untouched)
    assert exit_code(("void", RUN, STALLED, "--lift", "--why", "x", "--project", str(untouched.root))) == 0
    assert f"unchanged: {STALLED} is void by how it ended" in capsys.readouterr().out
    assert bytes_of(untouched) == before


def test_an_unknown_cell_names_the_near_ones_and_nothing_is_written(untouched, capsys):
    before = bytes_of(untouched)
    code = exit_code(
        ("void", RUN, CELLS[0], "callers/grep/rg/none/9", "--why", "x", "--project", str(untouched.root))
    )
    err = capsys.readouterr().err
    assert code == 2
    assert "no cell 'callers/grep/rg/none/9'" in err
    assert "such as callers/grep/rg/none/" in err
    assert "[cell-unknown]" in err
    assert bytes_of(untouched) == before
    run = untouched.store.run(RUN)
    with pytest.raises(CellUnknownError) as refused:
        voiding(run, VoidingChoice(cells=("###",)), "x")
    assert refused.value.expected is None


@pytest.mark.parametrize(
    ("choice", "why", "match"),
    [
        (VoidingChoice(), "x", "no cell is named"),
        (VoidingChoice(every=True), " ", "--why says nothing"),
        (VoidingChoice(every=True), "\u200b", "--why says nothing"),
        (VoidingChoice(every=True), "a\nb", "--why holds a line end"),
        (VoidingChoice(every=True), "x" * 1001, "--why is longer than"),
        (VoidingChoice(questions=("caller",)), "x", r"asked no question 'caller'.*\n  expected: .*callers"),
        (VoidingChoice(questions=("#",)), "x", r"expected: callers, where, words"),
    ],
)
def test_a_choice_that_cannot_be_used(untouched, choice, why, match):
    with pytest.raises(OptionInvalidError, match=match):
        voiding(untouched.store.run(RUN), choice, why)


def test_why_is_asked_for(untouched, capsys):
    assert exit_code(("void", RUN, "--all", "--project", str(untouched.root))) == 2
    assert "--why" in capsys.readouterr().err


def test_the_words_are_printed(project, capsys):
    here = ("--project", str(project.root))
    assert exit_code(("void", RUN, CELLS[0], "--why", "x", "--dry-run", *here)) == 0
    out = capsys.readouterr().out
    assert f"would change: {CELLS[0]} is void" in out
    assert "5 cells counted before, 4 then" in out
    assert exit_code(("void", RUN, CELLS[0], "--why", " x ", *here)) == 0
    out, err = capsys.readouterr()
    assert "5 cells counted before, 4 now" in out
    assert "stale-data" in err
    assert project.store.run(RUN).rows("voids")[0]["why"] == "x"


def test_a_void_that_is_found_and_written_says_what_it_found(project):
    run = project.store.run(RUN)
    done = void_cells(run, VoidingChoice(every=True), "the tree was another")
    assert (done.before, done.after.generation) == (run.manifest, 2)
    assert done.found.cells == (*CELLS[:4], CELLS[5])
    assert all(is_void(project))


def test_of_two_that_looked_before_either_wrote_the_second_says_that_it_changed_nothing(project):
    run = project.store.run(RUN)
    first, second = (void_cells(run, VoidingChoice((CELLS[0],)), why) for why in ("A", "B"))
    assert first.found.cells == (CELLS[0],)
    assert (second.found.cells, second.found.already) == ((), (CELLS[0],))
    assert (second.found.counted, second.found.counted_then) == (4, 4)
    assert first.after == second.before == second.after
    assert [row["why"] for row in project.store.run(RUN).rows("voids")] == ["A"]


def test_what_a_command_prints_is_about_the_run_that_it_changed(project, capsys, monkeypatch):
    """Another void comes between the look and the lock: its cells are neither claimed nor counted twice."""
    from benchctl.runner import closed

    real = closed.closed_run

    def overtaken(store, run_id):
        found = real(store, run_id)
        void_cells(found, VoidingChoice((CELLS[0],)), "first")
        return found

    monkeypatch.setattr(closed, "closed_run", overtaken)
    document = void(capsys, project, CELLS[0], CELLS[1])
    assert (document["cells"], document["already"]) == ([CELLS[1]], [CELLS[0]])
    assert document["counted"] == {"before": 4, "after": 3}
    assert document["data"]["after"] == project.store.run(RUN).data_digest
    assert document["data"]["before"] == newest_manifest_before(project).data


def newest_manifest_before(project):
    from benchctl.store.disk.manifest import read_manifest

    run = project.store.run(RUN)
    return read_manifest(run.layout, run.manifest.generation - 1)
