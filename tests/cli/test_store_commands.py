"""runs, status, query, show and verify-store over a store in which one folder is not sound."""

import json
import shutil
from pathlib import Path

import jsonschema
import pytest
from small_run import plan, record, run_cell

from benchctl.cli import exit_code
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter

SCHEMAS = Path(__file__).resolve().parents[2] / "site" / "reference" / "schemas"


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "benchctl.toml").write_text("")
    store = Store(tmp_path / "data")
    for name in ("r1", "r2"):
        with RunWriter.create(store, record(name, plan(2))) as writer:
            for cell in writer.unfinished:
                run_cell(writer, cell, 0.5)
            writer.close()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(capsys, *words):
    code = exit_code(words)
    out, err = capsys.readouterr()
    return code, out, err


def fits(name, out):
    document = json.loads(out)
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)
    return document


BREAK = {
    "manifest": lambda runs: (runs / "r2" / "manifest.json").unlink(),
    "record": lambda runs: (runs / "r2" / "run.json").write_text("[" * 100000),
    "foreign": lambda runs: shutil.copytree(runs / "r1", runs / "my run"),
}


@pytest.mark.parametrize("command", ["runs", "status"])
@pytest.mark.parametrize("kind", BREAK)
def test_a_list_shows_the_sound_runs_and_the_damaged_one_and_ends_with_1(project, capsys, command, kind):
    BREAK[kind](project / "data" / "runs")
    bad = "my run" if kind == "foreign" else "r2"
    code, out, err = told(capsys, command)
    assert code == 1
    assert "r1" in out
    assert f"{bad} is damaged: " in err
    assert f"runs cannot be read: {bad} [store-damaged]" in err
    code, out, _ = told(capsys, command, "--format", "json")
    states = {line["run"]: line["state"] for line in fits(command, out)["runs"]}
    assert code == 1
    assert states[bad] == "damaged"
    assert states["r1"] in {"closed", "done"}
    assert [line["why"] is None for line in json.loads(out)["runs"]].count(False) == 1


@pytest.mark.parametrize("command", ["runs", "status"])
def test_a_list_of_sound_runs_ends_with_0(project, capsys, command):
    assert project
    code, out, _ = told(capsys, command, "--format", "json")
    assert code == 0
    assert [line["why"] for line in fits(command, out)["runs"]] == [None, None]


def test_status_tells_a_run_whose_rows_are_damaged(project, capsys):
    (project / "data" / "runs" / "r2" / "rows" / "cells.parquet").write_bytes(b"x")
    code, out, err = told(capsys, "status")
    assert code == 1
    assert "r2   damaged" in out
    assert "cells.parquet: the file is 1 bytes" in err


def test_a_query_answers_over_the_sound_runs_warns_and_ends_with_1(project, capsys):
    (project / "data" / "runs" / "r2" / "rows" / "cells.parquet").write_bytes(b"x")
    code, out, err = told(capsys, "query", "select distinct run from cells", "--format", "json")
    assert (code, json.loads(out)) == (1, [{"run": "r1"}])
    assert "warning: r2 is left out: " in err
    code, out, err = told(capsys, "query", "select count(*) as n from runs", "--format", "csv")
    assert (code, out, err) == (0, "n\n2\n", "")


@pytest.mark.parametrize(
    ("form", "expected"), [("csv", "a,a_1\n1,2\n"), ("json", '"a": 1,\n  "a_1": 2'), ("text", "a  a_1")]
)
def test_two_columns_of_one_name_are_both_printed(project, capsys, form, expected):
    assert project
    code, out, _ = told(capsys, "query", "select 1 a, 2 a", "--format", form)
    assert code == 0
    assert expected in out


@pytest.mark.parametrize("words", [["-- how many\nselect 1 x"], ["--", "--x\nselect 1 x"]])
def test_a_query_may_begin_with_a_comment(project, capsys, words):
    assert project
    assert told(capsys, "query", "--format", "csv", *words)[:2] == (0, "x\n1\n")


def test_a_query_that_is_interrupted_ends_with_130(project, capsys, monkeypatch):
    from benchctl.store.sql import query

    def interrupted(*_):
        raise RuntimeError("Query interrupted")

    assert project
    monkeypatch.setattr(query, "_rows", interrupted)
    assert told(capsys, "query", "select 1")[0] == 130


@pytest.mark.parametrize("command", ["verify-store", "status"])
def test_an_empty_id_is_no_id_and_never_all_of_them(project, capsys, command):
    assert project
    code, _, err = told(capsys, command, "")
    assert code == 2
    assert "[run-id-invalid]" in err


def test_verify_store_checks_a_damaged_run_by_its_name_and_every_folder_without_one(project, capsys):
    BREAK["manifest"](project / "data" / "runs")
    BREAK["foreign"](project / "data" / "runs")
    code, out, _ = told(capsys, "verify-store", "r2")
    assert (code, "manifest.json: missing" in out) == (1, True)
    code, out, err = told(capsys, "verify-store")
    assert code == 1
    assert "r1: sound" in out
    assert "2 of 3 runs are not as their manifests say: my run, r2" in err
    assert told(capsys, "verify-store", "nosuch")[0] == 2


def test_runs_that_are_a_file_are_damage(project, capsys):
    shutil.rmtree(project / "data" / "runs")
    (project / "data" / "runs").write_text("x")
    for words in (["runs"], ["status"], ["query", "select 1"], ["verify-store"], ["show", "r1"]):
        code, _, err = told(capsys, *words)
        assert (code, "[store-damaged]" in err) == (1, True), words


def test_facts_that_are_none_are_damage(project, capsys, monkeypatch):
    from benchctl.store.reader import StoredRun

    assert project
    real = StoredRun.grades
    for facts in ("[" * 100000, "{}", "[1]", '[{"id": 1}]', "null"):
        monkeypatch.setattr(
            StoredRun,
            "grades",
            lambda run, cell, facts=facts: [{**row, "facts": facts} for row in real(run, cell)],
        )
        code, _, err = told(capsys, "show", "r1", plan(1)[0].cell)
        assert (code, "[store-damaged]" in err) == ((0, False) if facts == "{}" else (1, True)), facts


@pytest.mark.parametrize("harm", ["cut", "gone"])
def test_runs_names_a_run_whose_data_file_is_not_of_its_size(project, capsys, harm):
    file = project / "data" / "runs" / "r2" / "rows" / "attempts.parquet"
    if harm == "cut":
        file.write_bytes(file.read_bytes()[:-1])
    else:
        file.unlink()
    code, out, err = told(capsys, "runs")
    assert code == 1
    assert "r2 is damaged: " in err
    assert "attempts.parquet" in err
    assert "runs cannot be read: r2 [store-damaged]" in err
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert "closed" in lines["r1"]
    assert "damaged" in lines["r2"]
    listed = fits("runs", told(capsys, "runs", "--format", "json")[1])["runs"]
    assert [(line["run"], line["state"]) for line in listed] == [("r1", "closed"), ("r2", "damaged")]


def test_a_folder_that_holds_no_run_is_none_that_is_checked(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "benchctl.toml").write_text("")
    (tmp_path / "data" / "runs" / "r1" / "journal").mkdir(parents=True)
    (tmp_path / "data" / "runs" / "r1" / "journal" / "lock").write_text("{}")
    code, out, err = told(capsys, "verify-store")
    assert (code, out, "nothing was checked" in err) == (1, "", True)
    assert told(capsys, "verify-store", "r1")[0] == 2


def test_what_a_cut_addition_left_is_told_and_is_no_damage(project, capsys):
    journal = project / "data" / "runs" / "r1" / "journal"
    journal.mkdir()
    (journal / "lock").write_text("{}")
    code, out, err = told(capsys, "verify-store", "r1")
    assert (code, err) == (0, "")
    assert "the next addition sweeps it" in out
    assert "r1: sound; nothing is damaged" in out
    code, out, _ = told(capsys, "verify-store", "r1", "--format", "json")
    said = json.loads(out)
    assert (said["ok"], said["damages"]) == (True, [])
    assert [each["path"] for each in said["leftovers"]] == ["journal/"]


def test_a_run_of_a_newer_program_hides_no_other(project, capsys):
    from benchctl.schema.canonical import digest

    path = project / "data" / "runs" / "r1" / "manifest.json"
    said = {**json.loads(path.read_text()), "schema": "benchctl.manifest/9"}
    del said["digest"]
    path.write_text(json.dumps({**said, "digest": digest(said)}))
    code, out, err = told(capsys, "verify-store")
    assert code == 2
    assert "r1: newer: " in out
    assert "r2: sound" in out
    assert "[store-newer]" in err
    code, out, _ = told(capsys, "verify-store", "--format", "json")
    said = json.loads(out)
    assert (said["ok"], said["runs"], [each["run"] for each in said["newer"]]) == (False, ["r2"], ["r1"])


@pytest.mark.parametrize("kind", ["database", "python"])
def test_a_lack_of_memory_is_one_line(project, capsys, monkeypatch, kind):
    import duckdb

    from benchctl.store.checking import verify

    def lacking(*_):
        raise (duckdb.OutOfMemoryException("could not allocate\nmore") if kind == "database" else MemoryError)

    assert project
    monkeypatch.setattr(verify, "verify_run", lacking)
    code, _, err = told(capsys, "verify-store", "r1")
    assert (code, "[system-error]" in err, "the memory does not suffice" in err) == (2, True, True)
    assert "Traceback" not in err


@pytest.mark.parametrize("pid", ["1" + "0" * 30, "1e400", "0", "-1", "true", '"7"', "null"])
def test_a_lock_that_names_what_can_be_no_process_is_nobodys(project, capsys, pid):
    journal = project / "data" / "runs" / "r1" / "journal"
    journal.mkdir()
    (journal / "lock").write_text(f'{{"pid": {pid}, "started": null, "boot": null}}')
    for words in (["verify-store"], ["status", "r1"], ["runs"]):
        assert told(capsys, *words)[0] == 0
