"""Imported runs are corrected as collected ones are, as far as they hold what is corrected."""

import pytest

from benchctl.cli import exit_code
from benchctl.store.checking.verify import verify_run
from benchctl.store.project import Project

RESULTS = """question,arm,rep,score,total_tokens,points
q1,grep,1,0.5,,12
q1,index,1,1.0,90,9
q2,grep,1,,,7
"""
CELL = "q1/grep/1"


@pytest.fixture
def project(tmp_path, capsys):
    (tmp_path / "benchctl.toml").write_text("")
    (tmp_path / "results.csv").write_text(RESULTS)
    words = (
        "import",
        "csv",
        str(tmp_path / "results.csv"),
        "--run-id",
        "theirs",
        "--key",
        "question,arm,rep",
    )
    assert exit_code((*words, "--project", str(tmp_path))) == 0
    capsys.readouterr()
    return Project.find(tmp_path)


def told(capsys, project, *words):
    code = exit_code((*words, "--project", str(project.root)))
    return code, *capsys.readouterr()


def test_a_run_imported_without_answers_has_nothing_to_grade(project, capsys):
    code, out, err = told(capsys, project, "regrade", "theirs")
    assert (code, out) == (3, "")
    assert "run theirs was imported without answers" in err
    assert "[evidence-missing]" in err


def test_a_row_of_an_imported_run_is_voided_and_counts_again(project, capsys):
    code, out, _ = told(capsys, project, "void", "theirs", CELL, "--why", "their disk was full")
    assert (code, "3 cells counted before, 2 now" in out) == (0, True)
    run = project.store.run("theirs")
    assert [(row["void"], row["void_why"]) for row in run.cells()] == [
        (True, "their disk was full"),
        (None, None),
        (None, None),
    ]
    assert verify_run(run.path) == []
    code, out, _ = told(capsys, project, "void", "theirs", "--all", "--lift", "--why", "it was not")
    assert (code, f"{CELL} counts again" in out) == (0, True)
    assert project.store.run("theirs").cell(CELL)["void"] is False


def test_counts_that_an_import_did_not_have_are_filled_in_and_others_are_not(project, capsys):
    late = project.root / "late.csv"
    late.write_text(f"cell,total_tokens,source\n{CELL},70,their log\n")
    assert told(capsys, project, "backfill", "theirs", str(late))[0] == 0
    run = project.store.run("theirs")
    assert [row["total_tokens"] for row in run.cells()] == [70, 90, None]
    assert verify_run(run.path) == []
    late.write_text("cell,total_tokens,source\nq1/index/1,70,their log\n")
    code, _, err = told(capsys, project, "backfill", "theirs", str(late))
    assert code == 2
    assert "cell q1/index/1: the tokens were reported by the run itself (total_tokens 90)" in err
