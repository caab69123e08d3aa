"""`benchctl import`: what is printed, what is written, and how it ends."""

import json

import pytest

from benchctl.cli import exit_code
from benchctl.store.checking.verify import verify_run
from benchctl.store.reader import Store

TEXT = "question,arm,score,points\nq1,a,0.5,7\nq1,b,n/a,\nq2,a,1,9\n"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "benchctl.toml").touch()
    (tmp_path / "results.csv").write_text(TEXT)
    return tmp_path


def run(project, *args, file="results.csv", kind="csv", run_id="r"):
    return exit_code(
        ["import", kind, str(project / file), "--run-id", run_id, "--project", str(project), *args]
    )


def test_it_says_what_becomes_of_each_column(project, capsys):
    assert run(project) == 0
    out, err = capsys.readouterr()
    lines = [line.split() for line in out.splitlines()]
    assert lines[:5] == [
        ["source", "type", "null", "becomes"],
        ["question", "VARCHAR", "0", "standard", "`question`"],
        ["arm", "VARCHAR", "0", "standard", "`arm`"],
        ["score", "DOUBLE", "1", "standard", "`score`"],
        ["points", "BIGINT", "1", "own", "`points`"],
    ]
    assert "note: score: read as null: 1 of `n/a`" in out
    assert "3 rows of results.csv, named by question, arm" in out
    assert err.startswith("imported: run r, data sha256:")
    assert verify_run(Store(project / "data").run("r").path) == []


def test_once_more_there_is_nothing_to_do(project, capsys):
    assert run(project) == 0
    assert run(project) == 0
    assert capsys.readouterr().err.splitlines()[-1].startswith("nothing to do: run r")


def test_the_same_bytes_under_another_file_name_are_the_same_import(project, capsys):
    (project / "copy.csv").write_text(TEXT)
    assert (run(project), run(project, file="copy.csv")) == (0, 0)
    assert "nothing to do" in capsys.readouterr().err


def test_another_file_under_the_id_is_refused_with_3(project, capsys):
    assert run(project) == 0
    (project / "results.csv").write_text(TEXT + "q3,a,1,1\n")
    assert run(project) == 3
    assert "[import-differs]" in capsys.readouterr().err


def test_what_is_wrong_with_a_file_ends_with_2_and_leaves_nothing(project, capsys):
    (project / "results.csv").write_text(TEXT + "q3,a\n")
    assert run(project) == 2
    assert "results.csv:5: 2 fields where the header has 4 [import-ragged]" in capsys.readouterr().err
    assert not list(project.glob("data/*"))


def test_a_dry_run_writes_nothing_and_says_the_same(project, capsys):
    assert run(project, "--dry-run") == 0
    dry = capsys.readouterr()
    assert not (project / "data").exists()
    assert dry.err == "would import: run r\n"
    assert run(project) == 0
    assert capsys.readouterr().out == dry.out


def test_a_dry_run_of_what_is_there_says_so_and_one_of_another_file_is_refused(project, capsys):
    assert run(project) == 0
    assert run(project, "--dry-run") == 0
    assert "nothing to do" in capsys.readouterr().err
    (project / "results.csv").write_text(TEXT + "q3,a,1,1\n")
    assert run(project, "--dry-run") == 3


def test_json_says_what_the_text_says(project, capsys):
    assert run(project, "--format", "json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["schema"] == "benchctl.import/1"
    assert (result["state"], result["rows"], result["key"]) == ("imported", 3, ["question", "arm"])
    assert result["columns"][3] == {
        "source": "points",
        "type": "BIGINT",
        "null": 1,
        "becomes": "own `points`",
    }
    assert result["data"] == Store(project / "data").run("r").data_digest


def test_a_file_can_be_a_further_table_of_a_run(project, capsys):
    (project / "prices.jsonl").write_text('{"model":"m","usd":0.5}\n{"model":"n","usd":2}\n')
    assert run(project) == 0
    for _ in range(2):
        assert run(project, "--table", "prices", file="prices.jsonl", kind="jsonl") == 0
    assert capsys.readouterr().err.splitlines()[-1].startswith("nothing to do: table prices of run r")
    stored = Store(project / "data").run("r")
    assert stored.manifest.generation == 2
    assert json.loads((stored.path / "tables" / "prices.json").read_text())["rows"] == 2
    assert verify_run(stored.path) == []


def test_the_options_name_columns_and_texts_with_commas(project, capsys):
    (project / "odd.csv").write_text('"a,b","c=d",e\nx,"1,5",2\ny,3,4\n')
    args = ("--map", '"a,b=question","c=d=wall_s"', "--null", '"1,5",""', "--format", "json")
    assert run(project, *args, file="odd.csv") == 0
    columns = {each["source"]: each for each in json.loads(capsys.readouterr().out)["columns"]}
    assert columns["a,b"]["becomes"] == "standard `question` and own `a,b`"
    assert (columns["c=d"]["null"], columns["c=d"]["becomes"]) == (1, "standard `wall_s` and own `c=d`")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--map", "arm"), "is no mapping"),
        (("--map", "arm=question", "--map", "arm=agent"), "is mapped twice"),
        (("--map", '"arm"x=y'), "cannot be read"),
        (("--key", ","), "names no column"),
        (("--key", "amr"), "expected: arm"),
        (("--pointer", "/a"), "--pointer is an option of json"),
        (("--delimiter", ";;"), "not one character"),
        (("--delimiter", ""), "not one character"),
        (("--comment", ""), "every line begins"),
        (("--encoding", "klingon"), "no text encoding"),
        (("--encoding", "hex"), "no text encoding"),
        (("--table", "cells"), "cannot be a further table's name"),
        (("--table", "a b"), "cannot be a further table's name"),
        (("--table", "x", "--key", "arm"), "has no key"),
        (("--table", "x"), "no run 'r'"),
        (("--short-rows", "drop"), "drop"),
    ],
)
def test_an_option_that_means_nothing_is_refused(project, capsys, args, says):
    assert run(project, *args) == 2
    assert says in capsys.readouterr().err
    assert not list(project.glob("data/*"))


def test_a_pointer_that_is_none_is_refused(project, capsys):
    (project / "x.json").write_text("[]")
    assert run(project, "--pointer", "a", file="x.json", kind="json") == 2
    assert "does not begin with a slash" in capsys.readouterr().err


def test_an_id_that_is_no_folder_is_refused(project):
    assert run(project, run_id="../r") == 2


def test_a_table_may_call_a_column_cell_but_none_run(project, capsys):
    (project / "t.csv").write_text("cell,run,x\nq1/a,1,2\n")
    assert run(project) == 0
    assert run(project, "--table", "t", "--map", "x=y", "--format", "json", file="t.csv") == 0
    result = json.loads(capsys.readouterr().out.split("\n{", 1)[-1].join(["{", ""]))
    assert [each["becomes"] for each in result["columns"]] == ["own `cell`", "own `source_run`", "own `y`"]
    for target in ("run", "CELL"):
        assert run(project, "--table", "u", "--map", f"x={target}", file="t.csv") == 2


def test_the_formats_that_the_commands_name_are_those_that_there_are():
    from benchctl.cli.export import command as export_command
    from benchctl.cli.import_ import command as import_command
    from benchctl.importers import IMPORTERS
    from benchctl.schema.imported import EXPORTED_SCHEMA
    from benchctl.store.frames.export import FILE_SCHEMA, FORMATS

    def choices(command, name):
        return tuple(next(each for each in command.params if each.name == name).type.choices)

    assert choices(import_command, "kind") == tuple(IMPORTERS)
    assert choices(export_command, "kind") == FORMATS
    assert EXPORTED_SCHEMA == FILE_SCHEMA


def test_standard_input_and_folders_are_refused_in_words(project, capsys):
    for path, says in (("-", "standard input is not read"), (str(project), "a folder")):
        assert exit_code(["import", "csv", path, "--run-id", "r", "--project", str(project)]) == 2
        assert says in capsys.readouterr().err
    assert not list(project.glob("data/*"))
