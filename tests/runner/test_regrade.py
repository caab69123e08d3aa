"""A closed run graded anew: alike, from what it kept, the old grades beside the new."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from correctable import ANSWERS, RUN, SCORES, SUITE, make
from small_run import AT, plan, record, run_cell

from benchctl.cli import exit_code
from benchctl.errors import (
    EvidenceMissingError,
    KeyMissingError,
    OptionInvalidError,
    PromptChangedError,
    QuestionsLostError,
    RunOpenError,
)
from benchctl.grading import GRADERS, gold
from benchctl.runner import regrade
from benchctl.runner.closed import closed_run
from benchctl.runner.regrade import regrading
from benchctl.schema.run import CorpusRecord
from benchctl.schema.suite import parse_suite
from benchctl.store.checking.verify import verify_run
from benchctl.store.writing.writer import RunWriter
from benchctl.workspace.corpus import resolve_corpus

SCHEMAS = Path(__file__).resolve().parents[2] / "site" / "reference" / "schemas"
CELLS = list(ANSWERS)


class Lenient:
    """A corrected grader: an item counts whatever its file is called."""

    @staticmethod
    def grade(key, answer):
        found = gold.grade(key, answer)
        return replace(found, score=1.0, note="lenient") if found.score == 0.5 else found


@pytest.fixture
def project(tmp_path):
    return make(tmp_path)


@pytest.fixture
def corrected(project, monkeypatch):
    """The grader is corrected after the run was collected."""
    assert scores(project) == SCORES
    monkeypatch.setitem(GRADERS, "gold", Lenient)


def told(capsys, project, *words):
    code = exit_code((*words, "--project", str(project.root)))
    out, err = capsys.readouterr()
    return code, out, err


def as_json(capsys, project, *words):
    code, out, _ = told(capsys, project, *words, "--format", "json")
    assert code == 0
    document = json.loads(out)
    jsonschema.Draft202012Validator(json.loads((SCHEMAS / f"{words[0]}.json").read_text())).validate(document)
    return document


def bytes_of(project):
    return {path: path.read_bytes() for path in project.data.rglob("*") if path.is_file()}


def scores(project):
    return [row["score"] for row in project.store.run(RUN).cells()]


def suite_file(project):
    return project.suites_dir / "callers-v1" / "suite.toml"


def test_the_same_grader_moves_nothing_and_nothing_is_written(project, capsys):
    assert scores(project) == SCORES
    before = bytes_of(project)
    code, out, _ = told(capsys, project, "regrade", RUN)
    assert code == 0
    assert "none of 6 grades moves; nothing is written" in out
    document = as_json(capsys, project, "regrade", RUN)
    assert (document["moves"], document["graded"], document["stay"], document["generation"]) == (
        [],
        6,
        6,
        None,
    )
    assert document["data"]["before"] == document["data"]["after"] == project.store.run(RUN).data_digest
    assert bytes_of(project) == before


@pytest.mark.usefixtures("corrected")
def test_a_corrected_grader_moves_what_it_moves_and_the_old_grades_stay(project, capsys):
    before = project.store.run(RUN)
    code, out, err = told(capsys, project, "regrade", RUN)
    after = project.store.run(RUN)
    assert code == 0
    assert "callers/grep/rg/none/2" in out
    assert "0.500" in out
    assert "1.000" in out
    assert "1 of 6 grades move, 5 stay; this is generation 2" in out
    assert before.data_digest in out
    assert after.data_digest in out
    assert before.data_digest != after.data_digest
    assert "stale-data" in err
    assert scores(project) == [1.0, 1.0, 0.0, 1.0, 0.0, 0.5]
    assert [(g["generation"], g["score"], g["note"]) for g in after.grades(CELLS[1])] == [
        (2, 1.0, "lenient"),
        (1, 0.5, "1 of 2 found, 1 extra"),
    ]
    assert len(after.rows("grades")) == 12, "all cells are graded alike, those that stay too"
    assert verify_run(after.path) == []
    again = as_json(capsys, project, "regrade", RUN)
    assert (again["moves"], again["stay"]) == ([], 6)


@pytest.mark.usefixtures("corrected")
def test_a_dry_run_shows_what_would_move_and_writes_nothing(project, capsys):
    before = bytes_of(project)
    document = as_json(capsys, project, "regrade", RUN, "--dry-run")
    (move,) = document["moves"]
    assert (move["cell"], move["score_was"], move["score"], move["facts"]) == (CELLS[1], 0.5, 1.0, [])
    assert (document["dry_run"], document["data"]["after"], document["generation"]) == (True, None, 2)
    code, out, _ = told(capsys, project, "regrade", RUN, "--dry-run")
    assert code == 0
    assert "would be generation 2" in out
    assert "a dry run writes nothing" in out
    assert bytes_of(project) == before


def test_the_facts_that_differ_are_named(project, capsys):
    suite_file(project).write_text(SUITE.replace('"a.py::two"]', '"a.py::zzz"]'))
    document = as_json(capsys, project, "regrade", RUN, "--gold", "suite", "--dry-run")
    moves = {move["cell"]: move for move in document["moves"]}
    assert moves[CELLS[1]]["facts"] == [
        {"id": "a.py::two", "was": "missed", "now": None},
        {"id": "a.py::zzz", "was": "extra", "now": "hit"},
    ]
    assert (moves[CELLS[1]]["score_was"], moves[CELLS[1]]["score"]) == (0.5, 1.0)
    code, out, _ = told(capsys, project, "regrade", RUN, "--gold", "suite", "--dry-run")
    assert code == 0
    assert "a.py::zzz: extra -> hit" in out
    assert "a.py::two: missed -> not stated" in out


def test_the_suites_present_key_is_recorded_by_its_digest_in_every_row(project, capsys):
    suite_file(project).write_text(SUITE.replace('"a.py::two"]', '"a.py::zzz"]'))
    document = as_json(capsys, project, "regrade", RUN, "--gold", "suite")
    assert {move["question"] for move in document["moves"]} == {"callers"}
    key = document["keys"]["callers"]
    run = project.store.run(RUN)
    notes = {row["cell"]: row["note"] for row in run.rows("grades", "WHERE generation = 2")}
    assert [f"key {key}" in notes[cell] for cell in CELLS] == [True] * 3 + [False] * 3
    assert scores(project) == [0.5, 1.0, 0.0, 1.0, 0.0, 0.5]
    assert as_json(capsys, project, "regrade", RUN, "--gold", "suite")["moves"] == []
    assert len(as_json(capsys, project, "regrade", RUN)["moves"]) == 3, "the run's own key is the default"
    assert scores(project) == SCORES


def test_a_failed_cell_keeps_score_0_and_its_facts(project, monkeypatch):
    monkeypatch.setitem(GRADERS, "gold", Lenient)
    run = closed_run(project.store, RUN)
    row = next(row for row in regrading(project, run).rows if row["cell"] == CELLS[2])
    assert (row["score"], row["recall"]) == (0.0, 1.0)


@pytest.mark.usefixtures("corrected")
def test_only_some_questions_are_graded_and_the_others_keep_their_grade(project, capsys):
    document = as_json(capsys, project, "regrade", RUN, "--only", "where,words")
    assert (document["graded"], document["moves"]) == (3, [])
    document = as_json(capsys, project, "regrade", RUN, "--only", "callers")
    assert (document["graded"], document["stay"], len(document["moves"])) == (3, 2, 1)
    run = project.store.run(RUN)
    assert {row["cell"] for row in run.rows("grades", "WHERE generation = 2")} == set(CELLS[:3])
    assert scores(project) == [1.0, 1.0, 0.0, 1.0, 0.0, 0.5]
    assert verify_run(run.path) == []


def test_a_question_that_the_run_did_not_ask(project):
    with pytest.raises(OptionInvalidError, match=r"asked no question 'wher'.*\n  expected: .*where"):
        regrading(project, closed_run(project.store, RUN), only=["wher"])


def test_a_changed_prompt_is_refused_with_what_can_still_be_graded(project, capsys):
    suite_file(project).write_text(SUITE.replace("Who calls b?", "Who calls c?"))
    before = bytes_of(project)
    code, out, err = told(capsys, project, "regrade", RUN)
    assert (code, out) == (3, "")
    assert "the prompt of callers is not the one that run r1 was asked" in err
    assert "[prompt-changed]" in err
    assert "--only where,words" in err
    assert bytes_of(project) == before
    assert as_json(capsys, project, "regrade", RUN, "--only", "where,words")["graded"] == 3
    with pytest.raises(PromptChangedError, match="collect a new run"):
        regrading(project, closed_run(project.store, RUN), only=["callers"])


def test_a_run_whose_prompts_are_not_those_of_its_own_suite_is_refused(tmp_path):
    project = make(tmp_path, prompts={"callers": "sha256:" + "0" * 64})
    with pytest.raises(PromptChangedError, match="callers"):
        regrading(project, closed_run(project.store, RUN))


def test_a_suite_that_is_gone_is_not_needed_where_the_run_kept_its_own(project):
    shutil.rmtree(project.suites_dir)
    assert regrading(project, closed_run(project.store, RUN)).moves == ()


def test_a_run_that_kept_no_suite_is_graded_by_the_projects_where_the_prompts_agree(tmp_path):
    project = make(tmp_path, kept=False)
    assert regrading(project, closed_run(project.store, RUN)).moves == ()
    suite_file(project).write_text(SUITE.replace('id = "words"', 'id = "others"'))
    with pytest.raises(QuestionsLostError, match=r"asked words, and neither the run nor suite callers-v1"):
        regrading(project, closed_run(project.store, RUN))
    shutil.rmtree(project.suites_dir)
    with pytest.raises(QuestionsLostError, match="asked callers, where, words"):
        regrading(project, closed_run(project.store, RUN))


def test_a_kept_suite_that_today_cannot_read_is_questions_lost(tmp_path):
    project = make(tmp_path)
    shutil.rmtree(project.data)
    with RunWriter.create(
        project.store, record(RUN, plan(1), "schema = 7\n"), suite_text="schema = 7\n"
    ) as writer:
        run_cell(writer, writer.unfinished[0])
        writer.close()
    with pytest.raises(QuestionsLostError, match=r"the suite that run r1 kept cannot be read"):
        regrading(project, closed_run(project.store, RUN))


def test_a_run_without_a_key_says_so(project, monkeypatch):
    run = closed_run(project.store, RUN)
    monkeypatch.setattr(type(run), "gold", lambda _: {"callers": ("a",)})
    with pytest.raises(KeyMissingError, match=r"keeps no answer key of where, words"):
        regrading(project, run)


def test_the_suites_key_needs_the_suite_and_its_questions(project):
    suite_file(project).write_text(SUITE.replace('id = "words"', 'id = "others"'))
    run = closed_run(project.store, RUN)
    with pytest.raises(KeyMissingError, match="suite callers-v1 has no question words"):
        regrading(project, run, gold="suite")
    shutil.rmtree(project.suites_dir)
    with pytest.raises(KeyMissingError, match="the project has no suite callers-v1"):
        regrading(project, run, gold="suite")


DERIVED = SUITE.replace('gold = { items = ["a.py::one", "a.py::two"] }', 'gold = { target = "b" }').replace(
    "[arms.grep]",
    """[[gold_methods]]
title = "one way"
argv = ["{python}", "{gold}/key.py", "{tree}"]

[[gold_methods]]
title = "another way"
argv = ["{python}", "{gold}/key.py", "{tree}"]

[arms.grep]""",
)
METHOD = """import json, pathlib, sys
print(json.dumps(sorted(p.name + "::one" for p in pathlib.Path(sys.argv[1]).glob("*.py"))))
"""


def derivable(project):
    """Give the suite methods that derive the key of `callers` from the tree; return that tree's digest."""
    folder = suite_file(project).parent
    suite_file(project).write_text(DERIVED)
    (folder / "gold").mkdir()
    (folder / "gold" / "key.py").write_text(METHOD)
    (folder / "corpus" / "a.py").write_text("x = 1\n")
    return resolve_corpus("click", parse_suite(DERIVED, "suite.toml").repos["click"], folder).tree_digest


def about(run, tree):
    corpus = CorpusRecord(repo="click", kind="directory", version=None, tree_digest=tree, files=1, bytes=6)
    return run.record.model_copy(update={"corpora": (corpus,)})


def test_a_derived_key_is_derived_for_the_tree_that_the_run_was_asked_about(project, monkeypatch):
    tree, run = derivable(project), closed_run(project.store, RUN)
    asked = about(run, tree)
    monkeypatch.setattr(type(run), "record", property(lambda _: asked))
    found = regrading(project, run, gold="suite")
    assert [row["gold_items"] for row in found.rows][:3] == [1, 1, 1]
    assert {move.cell for move in found.moves} == set(CELLS[:3])


def test_a_derived_key_of_another_tree_is_refused(project, monkeypatch):
    derivable(project)
    run = closed_run(project.store, RUN)
    asked = about(run, "sha256:" + "0" * 64)
    monkeypatch.setattr(type(run), "record", property(lambda _: asked))
    with pytest.raises(KeyMissingError, match="was asked about another"):
        regrading(project, run, gold="suite")


def test_a_method_that_refuses_leaves_no_key(project, monkeypatch):
    tree, run = derivable(project), closed_run(project.store, RUN)
    (suite_file(project).parent / "gold" / "key.py").write_text("raise SystemExit(3)")
    asked = about(run, tree)
    monkeypatch.setattr(type(run), "record", property(lambda _: asked))
    with pytest.raises(KeyMissingError, match="the suite has no usable key: callers: "):
        regrading(project, run, gold="suite")


def test_an_open_run_is_not_corrected(tmp_path, capsys):
    project = make(tmp_path, close=False)
    with pytest.raises(RunOpenError, match="only a closed run is corrected"):
        closed_run(project.store, RUN)
    for words in (["regrade", RUN], ["void", RUN, "--all", "--why", "x"]):
        code, out, err = told(capsys, project, *words)
        assert (code, out) == (3, "")
        assert "[run-not-closed]" in err
        assert "`benchctl run callers-v1 --run-id r1` continues and closes it" in err


def test_a_grader_that_reads_transcripts_needs_them(project, monkeypatch):
    run = closed_run(project.store, RUN)
    assert regrading(project, run).moves == ()
    monkeypatch.setattr(regrade, "READ_TRANSCRIPTS", frozenset({"path"}))
    assert regrading(project, run).moves == ()
    monkeypatch.setattr(type(run.manifest), "file_of", lambda _self, _table: None)
    with pytest.raises(EvidenceMissingError, match=r"were dropped, and the grader of where reads them"):
        regrading(project, run)


def erase(capsys, project, text):
    secret = project.root / "secret.txt"
    secret.write_text(text)
    words = ("gc", RUN, "--erase", str(secret), "--why", "it was a password", "--yes")
    assert told(capsys, project, *words)[0] == 0


def test_dropped_transcripts_are_not_needed_by_a_grader_of_answers(project, capsys):
    assert told(capsys, project, "gc", RUN, "--yes")[0] == 0
    run = closed_run(project.store, RUN)
    assert run.manifest.file_of("transcripts") is None
    assert regrading(project, run).moves == ()
    suite_file(project).write_text(SUITE.replace('"a.py::two"]', '"a.py::zzz"]'))
    assert as_json(capsys, project, "regrade", RUN, "--gold", "suite")["generation"] == 2
    assert verify_run(run.path) == []


def test_an_answer_from_which_something_was_erased_is_not_graded_as_if_it_were_whole(project, capsys):
    erase(capsys, project, "alpha and gamma")
    run = closed_run(project.store, RUN)
    with pytest.raises(EvidenceMissingError, match="something was erased from the answer of cell words/"):
        regrading(project, run)
    assert regrading(project, run, only=["callers", "where"]).moves == ()


def test_a_key_from_which_something_was_erased_is_not_the_runs_key(project, capsys):
    erase(capsys, project, "a.py::two")
    run = closed_run(project.store, RUN)
    with pytest.raises(KeyMissingError, match="the key of callers that run r1 keeps is not the one"):
        regrading(project, run)


def test_an_imported_run_without_answers_has_nothing_to_grade(project, monkeypatch):
    run = closed_run(project.store, RUN)
    fake = run.record.model_copy(update={"imported": object()})
    monkeypatch.setattr(type(run), "record", property(lambda _: fake))
    assert regrading(project, run).moves == (), "one with answers is graded as any other"
    unanswered = [{**row, "answer": None} for row in run.cells()]
    monkeypatch.setattr(type(run), "cells", lambda _: unanswered)
    with pytest.raises(EvidenceMissingError, match="was imported without answers"):
        regrading(project, run)


def test_an_interrupted_cell_that_has_no_grade_gets_none(tmp_path):
    project = make(tmp_path)
    suite = SUITE.replace('id = "callers"', 'id = "q1"')
    suite_file(project).write_text(suite)
    with RunWriter.create(project.store, record("r2", plan(2), suite), suite_text=suite) as writer:
        writer.gold("q1", ("a::b",))
        run_cell(writer, writer.unfinished[0], 0.25)
        writer.claim(writer.unfinished[0], AT)
        writer.close(allow_unfinished=True)
    run = closed_run(project.store, "r2")
    found = regrading(project, run)
    assert [(row["cell"], row["score"]) for row in found.rows] == [("q1/grep/rg/none/1", 1.0)]
    regrade.regrade(project, run)
    assert verify_run(run.path) == []


@pytest.mark.usefixtures("corrected")
def test_pages_that_are_pinned_to_the_data_before_are_named(project, capsys):
    digest = project.store.run(RUN).data_digest
    lock = {"schema": "benchctl.lock/1", "pages": {"README.md": {RUN: digest}, "site/b.md": {"r0": digest}}}
    (project.root / "claims.lock").write_text(json.dumps(lock))
    document = as_json(capsys, project, "regrade", RUN, "--dry-run")
    assert document["pages"] == ["README.md"]
    code, _, err = told(capsys, project, "regrade", RUN)
    assert code == 0
    assert "1 page pinned to the data before: README.md" in err
    assert "`benchctl verify-claims --accept`" in err


@pytest.mark.usefixtures("corrected")
def test_a_lock_that_cannot_be_read_stops_before_anything_is_written(project, capsys):
    (project.root / "claims.lock").write_text("{")
    before = bytes_of(project)
    code, _, err = told(capsys, project, "regrade", RUN)
    assert (code, "[lock-invalid]" in err) == (2, True)
    assert bytes_of(project) == before


@pytest.mark.parametrize("names", [",", " , ", ""])
def test_an_option_that_names_no_question_is_an_error_and_never_all_of_them(project, capsys, names):
    code, out, err = told(capsys, project, "regrade", RUN, "--only", names)
    assert (code, out, "--only names nothing" in err) == (2, "", True)


@pytest.mark.usefixtures("corrected")
def test_of_two_that_looked_before_either_wrote_the_second_moves_nothing(project):
    run = closed_run(project.store, RUN)
    first, second = regrade.regrade(project, run), regrade.regrade(project, run)
    assert (len(first.found.moves), first.found.generation) == (1, 2)
    assert second.found.moves == ()
    assert first.after == second.before == second.after
    assert len(project.store.run(RUN).rows("grades")) == 12
