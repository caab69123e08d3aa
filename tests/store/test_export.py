"""An export says what the store says, in every format, and never half of it or over anything."""

import csv
import io
import json
from pathlib import Path

import jsonschema
import pytest
from results_file import make_import
from small_run import plan, record, run_cell

from benchctl.cli import exit_code
from benchctl.cli import export as export_command
from benchctl.errors import ExportExistsError, StoreUnwritableError
from benchctl.schema.result import VIEWS
from benchctl.store.frames import export as exporting
from benchctl.store.frames.export import FORMATS, export
from benchctl.store.frames.export_text import csv_line, json_line
from benchctl.store.frames.opened import open_store
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter

SCHEMA = Path(__file__).resolve().parents[2] / "site" / "reference" / "schemas" / "export.json"
ODD = "a \"quoted\", two\nlines\r\n=cmd|' /C calc'!A0 \u202e é \U0001f600 "


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "data")
    with RunWriter.create(store, record("r1", plan(4))) as writer:
        for number, cell in enumerate(writer.unfinished):
            run_cell(writer, cell, number / 3, answer=(ODD, "", None, "=1+1")[number], wall_s=0.1 * number)
        writer.close()
    make_import(store)
    return store


@pytest.fixture
def frames(store):
    opened = open_store(store.path)
    return [opened.table(name, ("r1", "imp")) for name in ("cells", "attempts")]


def read_back(form, to, name):
    """Return a table's names and rows as a reader of that format has them, and the runs that the file names."""
    if form == "duckdb":
        return from_database(to, name)
    path = to / f"{name}.{form}"
    if form == "parquet":
        return from_parquet(path)
    said = json.loads((to / f"{name}.{form}.json").read_text())
    if form == "jsonl":
        rows = [json.loads(line) for line in path.read_text().split("\n")[:-1]]
        return list(rows[0]), [tuple(row.values()) for row in rows], said["runs"]
    types = {column["name"]: column["type"] for column in said["columns"]}
    names, *lines = csv.reader(io.StringIO(path.read_bytes().decode(), newline=""))
    read = {"VARCHAR": str, "BIGINT": int, "DOUBLE": float, "BOOLEAN": lambda text: text == "true"}
    # Python's reader does not tell an empty text from null; the file does, and another test says so.
    kinds = [read[types[name]] for name in names]
    rows = [tuple(kind(v) if v else None for kind, v in zip(kinds, line, strict=True)) for line in lines]
    return names, rows, said["runs"]


def from_database(path, name):
    import duckdb

    with duckdb.connect(str(path), read_only=True) as connection:
        cursor = connection.execute(f'SELECT * FROM "{name}"')
        names, rows = [column[0] for column in cursor.description], cursor.fetchall()
        said = connection.execute('SELECT run, data_digest FROM benchctl_export WHERE "table" = ?', [name])
        return names, rows, dict(said.fetchall())


def from_parquet(path):
    import duckdb

    with duckdb.connect() as connection:
        cursor = connection.execute(f"SELECT * FROM read_parquet('{path}')")
        names, rows = [column[0] for column in cursor.description], cursor.fetchall()
        pairs = connection.execute(f"SELECT key, value FROM parquet_kv_metadata('{path}')").fetchall()
    return names, rows, json.loads(dict(pairs)[b"benchctl.export"])["runs"]


@pytest.mark.parametrize("form", FORMATS)
def test_every_value_comes_out_exactly(frames, tmp_path, form):
    to = tmp_path / ("out.duckdb" if form == "duckdb" else "out")
    written = export(frames, to, form)
    assert [each.table for each in written] == ["cells", "attempts"]
    for frame, each in zip(frames, written, strict=True):
        names, rows, runs = read_back(form, to, frame.name)
        wanted = [tuple(row.values()) for row in frame]
        if form == "csv":
            wanted = [tuple(None if value == "" else value for value in row) for row in wanted]
        assert names == [column.name for column in frame.columns]
        assert rows == wanted
        assert runs == frame.digests
        assert each.rows == len(wanted)
        assert each.path.stat().st_size == each.bytes
    assert sorted(path.name for path in tmp_path.rglob(".export-*")) == []


def test_csv_tells_null_from_an_empty_text_and_counts_formulas(frames, tmp_path):
    (cells, _) = export(frames, tmp_path / "out", "csv")
    lines = (tmp_path / "out" / "cells.csv").read_bytes().decode()
    assert ',"",' in lines
    assert cells.formulas == 1
    names = ["a", "b", "c", "d", "e"]
    assert csv_line(names, dict.fromkeys(names)) == ",,,,"
    assert (
        csv_line(names, dict(zip(names, ("", True, 10**18, 0.1, ' x"y'), strict=True)))
        == '"",true,1000000000000000000,0.1," x""y"'
    )
    assert csv_line(["a,b", "c"], None) == '"a,b",c'
    assert json_line(["é"], {"é": "\u2028", "x": 1}) == '{"é": "\u2028"}'


def test_what_a_file_says_of_itself_has_every_columns_meaning(frames, tmp_path):
    import duckdb

    export(frames, tmp_path / "out", "jsonl")
    export(frames, tmp_path / "out.duckdb", "duckdb")
    said = json.loads((tmp_path / "out" / "cells.jsonl.json").read_text())
    columns = {column["name"]: column for column in said["columns"]}
    assert said["schema"] == "benchctl.exported/1"
    assert columns["wall_s"]["unit"] == "s"
    assert "results.csv" in columns["hits"]["meaning"]
    with duckdb.connect(str(tmp_path / "out.duckdb"), read_only=True) as connection:
        comments = dict(
            connection.execute(
                "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'cells'"
            ).fetchall()
        )
    assert comments["wall_s"].endswith("[s]")
    assert comments.keys() == columns.keys()


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_is_overwritten_unless_it_is_asked_for(frames, tmp_path, form):
    to = tmp_path / ("out.duckdb" if form == "duckdb" else "out")
    export(frames[:1], to, form)
    taken = to if form == "duckdb" else to / f"cells.{form}"
    taken.write_text("mine")
    with pytest.raises(ExportExistsError):
        export(frames[:1], to, form)
    assert taken.read_text() == "mine"
    export(frames[:1], to, form, force=True)
    assert len(read_back(form, to, "cells")[1]) == 10
    taken.unlink()
    taken.mkdir()
    with pytest.raises(ExportExistsError, match="folder"):
        export(frames[:1], to, form, force=True)


def test_a_file_that_comes_into_being_meanwhile_is_not_overwritten(frames, tmp_path, monkeypatch):
    real = exporting.fsync_file

    def late(path):
        real(path)
        (tmp_path / "out" / "cells.parquet").write_text("theirs")

    monkeypatch.setattr(exporting, "fsync_file", late)
    with pytest.raises(ExportExistsError):
        export(frames[:1], tmp_path / "out", "parquet")
    assert (tmp_path / "out" / "cells.parquet").read_text() == "theirs"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["cells.parquet"]


@pytest.mark.parametrize("form", FORMATS)
def test_a_failing_disk_leaves_nothing(frames, tmp_path, monkeypatch, form):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(exporting, "fsync_file", full)
    to = tmp_path / ("out.duckdb" if form == "duckdb" else "out")
    with pytest.raises(StoreUnwritableError):
        export(frames, to, form)
    assert not to.exists() or list(to.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_said(frames, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnwritableError, match="file"):
        export(frames, tmp_path / "file" / "out", "csv")


@pytest.fixture
def project(store, tmp_path, monkeypatch):
    assert store.names()
    (tmp_path / "benchctl.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def told(capsys, *words):
    code = exit_code(words)
    out, err = capsys.readouterr()
    return code, out, err


def test_the_command_writes_every_table_that_has_rows(project, capsys):
    code, out, _ = told(capsys, "export", "--to", "out", "--format", "json")
    document = json.loads(out)
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(document)
    assert code == 0
    assert set(document["runs"]) == {"r1", "imp"}
    assert [each["table"] for each in document["files"]] == ["cells", "attempts", "grades"]
    assert names_in(project / "out") == ["attempts.parquet", "cells.parquet", "grades.parquet"]
    code, out, _ = told(
        capsys, "export", "r1", "--to", "t", "--table", "transcripts, tool_calls", "--as", "jsonl"
    )
    assert code == 0
    assert names_in(project / "t") == [
        "tool_calls.jsonl", "tool_calls.jsonl.json", "transcripts.jsonl", "transcripts.jsonl.json",
    ]  # fmt: skip
    assert "transcripts  8 " in out


def test_the_command_says_that_texts_look_like_formulas(project, capsys):
    assert project
    _, _, err = told(capsys, "export", "r1", "--to", "out", "--as", "csv")
    assert "1 text like a formula" in err
    assert "formula" not in told(capsys, "export", "r1", "--to", "out")[2]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["nosuch", "--to", "x"], (2, "run-unknown")),
        (["r1", "--to", "x", "--table", "prices"], (2, "table-unknown")),
        (["r1", "--to", "x", "--table", " , "], (2, "option-invalid")),
        (["r2", "--to", "x"], (3, "run-not-closed")),
        (["r1", "--to", "data/runs/r1/run.json", "--as", "duckdb"], (2, "export-exists")),
    ],
)
def test_what_cannot_be_exported_is_refused_and_writes_nothing(project, store, capsys, words, expected):
    with RunWriter.create(store, record("r2", plan(2))) as writer:
        run_cell(writer, writer.unfinished[0])
        found = told(capsys, "export", *words)
    assert found[0] == expected[0]
    assert f"[{expected[1]}]" in found[2]
    assert not (project / "x").exists() or not list((project / "x").iterdir())


def test_an_open_run_is_left_out_unless_it_is_wanted(project, store, capsys):
    assert project
    with RunWriter.create(store, record("r2", plan(2))) as writer:
        run_cell(writer, writer.unfinished[0])
        code, out, err = told(capsys, "export", "--to", "out", "--format", "json")
        assert (code, set(json.loads(out)["runs"])) == (0, {"r1", "imp"})
        assert "r2" in err
        code, out, _ = told(capsys, "export", "r2", "--open", "--to", "open", "--format", "json")
        assert (code, json.loads(out)["runs"]) == (0, {"r2": None})
        assert json.loads(out)["files"][0]["rows"] == 1


def test_a_damaged_run_is_an_error_before_anything_is_written(project, store, capsys):
    path = store.path / "runs" / "r1" / "rows" / "cells.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    for words in (["r1"], []):
        code, _, err = told(capsys, "export", *words, "--to", "out")
        assert (code, "[store-damaged]" in err) == (1, True)
        assert not list((project / "out").iterdir()) if (project / "out").exists() else True
    (store.path / "runs" / "r1" / "manifest.json").unlink()
    assert told(capsys, "export", "--to", "out")[0] == 1


def test_a_project_without_a_closed_run_has_nothing_to_export(tmp_path, capsys, monkeypatch):
    (tmp_path / "benchctl.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    code, _, err = told(capsys, "export", "--to", "out")
    assert (code, "[option-invalid]" in err) == (2, True)


def test_runs_whose_columns_are_of_different_types_do_not_go_into_one_file(project, store, capsys):
    big = 2**53 + 1
    make_import(store, "x1", rows=[{"n": big, "name": "a"}], mapped={}, key=("name",))
    make_import(store, "x2", rows=[{"n": 0.5, "name": "b"}], mapped={}, key=("name",))
    for words in (("x1", "x2"), ()):
        code, out, err = told(capsys, "export", *words, "--to", "both")
        assert (code, out, "[export-clash]" in err) == (2, "", True)
        assert "`n` of `cells` is BIGINT in x1; DOUBLE in x2" in err
        assert "one by one" in err
        assert not (project / "both").exists()
    for run, value in (("x1", big), ("x2", 0.5)):
        assert told(capsys, "export", run, "--to", run, "--as", "jsonl")[0] == 0
        (line,) = (project / run / "cells.jsonl").read_text().splitlines()
        assert repr(json.loads(line)["n"]) == repr(value)


def test_the_command_offers_what_the_room_can_write_and_every_view():
    assert export_command._FORMATS == FORMATS
    assert {*export_command._STANDARD} == {*VIEWS} - {"transcripts"}


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_what_a_file_says_of_itself_fits_its_schema(frames, tmp_path, form):
    import duckdb

    export(frames, tmp_path / "out", form)
    schema = json.loads(SCHEMA.with_name("exported.json").read_text())
    for frame in frames:
        path = tmp_path / "out" / f"{frame.name}.{form}"
        if form == "parquet":
            pairs = duckdb.sql(f"SELECT key, value FROM parquet_kv_metadata('{path}')").fetchall()
            said = json.loads(dict(pairs)[b"benchctl.export"])
        else:
            said = json.loads(path.with_name(f"{path.name}.json").read_text())
        jsonschema.Draft202012Validator(schema).validate(said)
        assert ("sha256" in said) == (form != "parquet")
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(schema).validate({**said, "columns": [{"name": "x"}]})


@pytest.mark.parametrize("run", ["r1", "imp"])
@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_what_was_exported_is_imported_again_with_the_same_values(project, store, capsys, form, run):
    assert project
    assert told(capsys, "export", run, "--to", "out", "--as", form, "--table", "cells")[0] == 0
    code, _, err = told(capsys, "import", form, f"out/cells.{form}", "--run-id", "again")
    assert code == 0, err
    opened = open_store(store.path)
    before, after = opened.cells(run).fetchall(), opened.cells("again").fetchall()
    assert len(before) == len(after)
    for was, now in zip(before, after, strict=True):
        assert {name: now[name] for name in was if name != "run"} == {
            name: value for name, value in was.items() if name != "run"
        }
