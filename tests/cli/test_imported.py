"""Every command that shows a run shows an imported one, and none collects into it."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
from results_file import make_import, plain
from small_run import plan, record, run_cell

from benchctl.cli import exit_code
from benchctl.errors import PlanDiffersError
from benchctl.runner import collect
from benchctl.store.disk.rows import grade_json
from benchctl.store.reader import Store
from benchctl.store.writing.corrections import append_grades
from benchctl.store.writing.writer import RunWriter

SCHEMAS = Path(__file__).resolve().parents[2] / "site" / "reference" / "schemas"


@pytest.fixture
def store(tmp_path, monkeypatch):
    (tmp_path / "benchctl.toml").write_text("")
    store = Store(tmp_path / "data")
    make_import(store)
    monkeypatch.chdir(tmp_path)
    return store


def told(capsys, *words):
    code = exit_code(words)
    out, err = capsys.readouterr()
    return code, out, err


def fits(name, out):
    document = json.loads(out)
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)
    return document


def test_runs_names_the_file_and_counts_its_rows(store, capsys):
    code, out, _ = told(capsys, "runs")
    assert (code, "from results.csv" in out) == (0, True)
    (line,) = fits("runs", told(capsys, "runs", "--format", "json")[1])["runs"]
    assert (line["imported"], line["cells"], line["sandbox"]) == ("results.csv", 6, None)
    assert line["data"] == store.run("imp").data_digest


def test_status_says_done_and_guesses_no_failure(store, capsys):
    (line,) = fits("status", told(capsys, "status", "--format", "json")[1])["runs"]
    assert (line["state"], line["planned"], line["done"], line["left"]) == ("done", 6, 6, 0)
    assert (line["failed"], line["outcomes"], line["spent_usd"]) == (None, {}, None)
    rows = [{**row, "end": ("ok", "timeout")[n % 2], "bad": bool(n % 2)} for n, row in enumerate(plain(4))]
    make_import(store, "ended", rows=rows, mapped={"outcome": "end", "failed": "bad"})
    line = json.loads(told(capsys, "status", "ended", "--format", "json")[1])["runs"][0]
    assert (line["failed"], line["outcomes"]) == (2, {"ok": 2, "timeout": 2})


def test_show_says_where_it_came_from_and_lists_what_has_values(store, capsys):
    code, out, _ = told(capsys, "show", "imp")
    assert code == 0
    for part in (
        "source        results.csv",
        "unknown: imported",
        "rg/t1",
        "<b>fast</b>",
        store.run("imp").record.imported.sha256,
    ):
        assert part in out
    assert "precision" not in out
    document = json.loads(told(capsys, "show", "imp", "--format", "json")[1])
    assert document["cells"][1]["hits"] == 10
    assert document["record"]["imported"]["file"] == "results.csv"


def test_show_of_a_long_import_is_cut_and_says_so(store, capsys):
    make_import(
        store,
        "long",
        rows=[{"id": n, **{f"c{m}": m for m in range(15)}} for n in range(201)],
        mapped={},
        key=("id",),
    )
    out = told(capsys, "show", "long")[1]
    assert "the first 200 of 201 cells" in out
    assert "further columns; `benchctl query`" in out
    assert len(json.loads(told(capsys, "show", "long", "--format", "json")[1])["cells"]) == 201


def test_show_of_a_cell_has_its_own_columns(store, capsys):
    make_import(
        store,
        "scored",
        rows=[{**row, "points": 0.5} for row in plain(2)],
        mapped={"arm": "tool", "score": "points"},
    )
    for run in ("imp", "scored"):
        code, out, _ = told(capsys, "show", run, "rg/t1")
        assert (code, "remark" in out, "attempt" in out) == (0, True, False)
    fits("show-cell", told(capsys, "show", "imp", "rg/t1", "--format", "json")[1])
    document = fits("show-cell", told(capsys, "show", "scored", "rg/t1", "--format", "json")[1])
    assert document["cell"]["remark"] == "<b>fast</b>"
    assert document["grades"][0]["facts"] == []


def test_an_own_column_that_is_called_like_a_metric_is_shown_as_it_is(store, capsys):
    rows = [{"tool": "rg", "task": "t", "failed": 3, "tool_calls": 2.25}]
    make_import(store, "own", rows=rows, mapped={"agent": "tool"})
    for words in (("show", "own"), ("show", "own", "rg/t")):
        code, out, _ = told(capsys, *words)
        assert code == 0
        assert re.search(r"(?m)(\s|^)3(\s|$)", out)
        assert "2.25" in out
        assert "3.000" not in out


@pytest.mark.parametrize("form", ["text", "md", "html", "csv", "json"])
def test_report_prints_its_table(store, capsys, form):
    assert store
    code, out, _ = told(capsys, "report", "imp", "--format", form)
    assert code == 0
    assert "hits" in out
    if form == "json":
        (table,) = fits("table", out)
        assert table["name"] == "imported"
        assert table["rows"][0]["failed"]["value"] is None


@pytest.mark.parametrize("more", [(), ("--stamp",), ("--format", "json")])
def test_a_table_without_a_row_is_refused_with_those_that_have_some(store, capsys, more):
    assert store
    code, out, err = told(capsys, "report", "imp", "--table", "arms", *more)
    assert (code, out) == (2, "")
    assert (
        "'arms' has no row of run imp: rows are made of arm [table-rowless]\n  expected: one of: imported\n"
        in err
    )


def test_a_block_is_not_rendered_anew_into_nothing(store, capsys, tmp_path):
    assert store
    page = tmp_path / "x.md"
    page.write_text(told(capsys, "report", "imp", "--stamp")[1].replace("table=imported", "table=arms"))
    before = page.read_bytes()
    code, _, err = told(capsys, "report", "--update", "x.md")
    assert (code, "[table-rowless]" in err) == (2, True)
    assert page.read_bytes() == before


def test_an_unknown_table_of_an_import_names_its_own_too(store, capsys):
    (store.path.parent / "benchctl.toml").write_text(
        '[tables.mine]\ntitle = "x"\nby = ["tool"]\ncolumns = [{title = "n", value = "count"}]\n'
    )
    code, _, err = told(capsys, "report", "imp", "--table", "agents")
    assert (code, "expected: one of: arms, costs, imported, mine, questions, repos" in err) == (2, True)


def test_report_takes_a_grading_by_its_number(store, capsys):
    from small_run import grade

    with RunWriter.create(store, record("r1", plan(2))) as writer:
        cells = writer.unfinished
        for cell in cells:
            run_cell(writer, cell, 0.25)
        writer.close()
    once = told(capsys, "report", "r1", "--table", "arms")[1]
    assert "generation" not in once
    append_grades(store.run("r1"), [{**grade_json(grade(1.0)), "cell": cells[0], "facts": "[]"}])
    newest = told(capsys, "report", "r1", "--table", "arms")[1]
    assert "grades of generation 2, the newest (also 1)" in newest
    code, first, _ = told(capsys, "report", "r1", "--table", "arms", "--generation", "1")
    assert (code, "grades of generation 1, not the newest" in first) == (0, True)
    assert first.splitlines()[2:] == once.splitlines()[2:] != newest.splitlines()[2:]
    assert "grading" in told(capsys, "show", "r1")[1]
    for words in (["--generation", "3"], ["--generation", "1", "--stamp"], ["--generation", "0"]):
        assert told(capsys, "report", "r1", *words)[0] == 2


def test_nothing_is_collected_into_an_imported_run(store):
    ready = SimpleNamespace(record=SimpleNamespace(run="imp", plan_digest="sha256:0"))
    with pytest.raises(PlanDiffersError, match=r"imp was imported from results\.csv"):
        collect._complete(store, ready)
