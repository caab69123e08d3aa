"""An imported run is shown with what is known of it and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from results_file import AT, make_import, plain
from small_run import grade, plan, record, run_cell

from benchctl.errors import ColumnUnknownError, GenerationUnknownError, TableUnknownError
from benchctl.report.builtin import BUILTIN_TABLES
from benchctl.report.cell_rows import distinct
from benchctl.report.comparability import terms
from benchctl.report.corrections import corrections, generations
from benchctl.report.imported_table import IMPORTED, imported_table
from benchctl.report.own_tables import tables_of
from benchctl.report.stamp import render_block
from benchctl.report.tables import build_table, named_table
from benchctl.report.terminal import to_text
from benchctl.schema.project import ProjectFile, TableColumn, TableSpec
from benchctl.store.disk.rows import grade_json
from benchctl.store.reader import Store
from benchctl.store.writing.corrections import append_backfills, append_grades, append_voids
from benchctl.store.writing.writer import RunWriter


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "data")


def spec_of(store, run="imp"):
    stored = store.run(run)
    return imported_table(stored, stored.record.imported)


def titles(spec):
    return [column.title for column in spec.columns]


def terms_of(store, run="imp"):
    stored = store.run(run)
    return {term.name: term for term in terms(stored.record, stored.cells(), stored.data_digest)}


def test_the_terms_say_where_it_came_from_and_guess_nothing(store):
    make_import(store)
    found = terms_of(store)
    assert list(found) == [
        "Run", "Data", "Source", "Rows", "Mapping", "Own columns", "Notes", "Terms", "Failed cells", "Void cells",
    ]  # fmt: skip
    assert found["Run"].details == (f"imported {AT} with benchctl 0.1.0",)
    assert found["Source"].lines == ("results.csv",)
    assert found["Source"].details[0] == f"sha256 {store.run('imp').record.imported.sha256}"
    assert found["Rows"].details == ("named by tool, task", "read as null: '', 'n/a'")
    assert "agent is tool" in found["Mapping"].lines
    assert "hits (BIGINT), 1 row without a value" in found["Own columns"].lines
    assert found["Notes"].lines == ("a BOM was left out",)
    assert found["Terms"].lines == ("unknown: imported",)
    assert found["Terms"].alarm
    assert found["Failed cells"].lines == ("unknown: no outcome was imported",)
    assert "None" not in str([term.lines + term.details for term in found.values()])


def test_an_import_of_almost_nothing_says_so(store):
    make_import(store, rows=[{"v": 1.5}], mapped={}, key=(), null_texts=(), notes=(), encoding=None)
    found = terms_of(store)
    assert found["Mapping"].lines == ("none: no column of the file is a standard one",)
    assert found["Rows"].details == ("named by their number",)
    assert "Notes" not in found


OUTCOMES = [
    {**row, "end": ("ok", "timeout", "ok", "host_stalled")[number], "bad": number == 1, "off": number == 3}
    for number, row in enumerate(plain(4))
]
MAPPED = {"agent": "tool", "question": "task", "outcome": "end", "failed": "bad", "void": "off"}


def test_outcomes_that_were_imported_are_counted(store):
    make_import(store, rows=OUTCOMES, mapped=MAPPED)
    found = terms_of(store)
    assert found["Failed cells"].lines == ("1 of 4, counted with score 0: 1 timeout",)
    assert found["Void cells"].lines == ("1 of 4, left out of every figure: 1 host_stalled",)
    table = named_table(store, "imp", IMPORTED)
    assert [column.title for column in table.columns][-3:] == ["failed", "n", "void"]
    assert [[cell.value for cell in row][-3:] for row in table.rows] == [[1, 1, 1], [0, 2, 0]]


def test_its_own_table_has_who_answered_and_every_number(store):
    make_import(store)
    table = named_table(store, "imp", IMPORTED)
    assert [column.title for column in table.columns] == [
        "agent",
        "median wall time (s)",
        "median hits",
        "failed",
        "n",
    ]
    assert [[cell.value for cell in row] for row in table.rows] == [
        ["ag", 3.5, 30.0, None, 3],
        ["rg", 2.5, 20.0, None, 3],
    ]
    failed = table.rows[0][-2]
    assert failed.text == "\N{EN DASH}"
    assert failed.notes == ("the import has no outcome",)
    assert any("results.csv" in note and "unknown" in note for note in table.notes)
    assert "30.0 (n=2)" in to_text(table)


@pytest.mark.parametrize(
    ("rows", "mapped", "key", "by"),
    [
        (plain(6), {"agent": "tool", "question": "task"}, ("tool", "task"), ("agent",)),
        (plain(6), {}, ("tool", "task"), ("tool", "task")),  # nothing was mapped: the key's own columns
        (
            plain(6, tool="rg"),
            {"agent": "tool", "question": "task"},
            ("tool", "task"),
            ("agent",),
        ),  # all alike
        (plain(6), {"arm": "tool", "question": "task"}, ("task",), ("arm",)),
        ([{"v": n} for n in range(3)], {}, (), ("run",)),  # nobody is named at all
        ([{"q": n, "v": n} for n in range(90)], {"question": "q"}, ("q",), ("run",)),  # too many for a table
        ([{"q": n // 2, "v": n} for n in range(9)], {"question": "q"}, (), ("question",)),
        ([{"who": None, "v": 1}, {"who": "a", "v": 2}], {"arm": "who"}, (), ("arm",)),
    ],
)
def test_its_rows_are_by_what_differs(store, rows, mapped, key, by):
    rows = [{name: str(value) if name == "q" else value for name, value in row.items()} for row in rows]
    make_import(store, rows=rows, mapped=mapped, key=key)
    assert spec_of(store).by == by


def test_a_mapped_number_stands_once_and_too_many_are_left_to_the_query(store):
    make_import(
        store,
        rows=[{"tool": "rg", **{f"m{n}": float(n) for n in range(20)}}],
        mapped={"agent": "tool", "wall_s": "m3"},
        key=("tool",),
    )
    spec = spec_of(store)
    assert titles(spec)[0] == "median wall time"
    assert "median m3" not in titles(spec)
    assert len(spec.columns) == 12
    assert "8 further columns" in spec.note


def test_a_column_may_be_called_anything(store):
    odd = {"count": 1, "and": 2, 'a "b" c': 3.0, "median": 4, "x.y": 5, "Order": 6}
    make_import(
        store, rows=[{"tool": "rg", **odd}, {"tool": "ag", **odd}], mapped={"agent": "tool"}, key=("tool",)
    )
    table = named_table(store, "imp", IMPORTED)
    values = dict(zip([c.title for c in table.columns], table.rows[0], strict=True))
    for name, value in odd.items():
        assert values[f"median {name}"].value == value, name


def test_a_key_may_be_a_standard_name_in_other_letters(store):
    rows = [{"Model": f"m{n}", "seconds": 1.0} for n in range(3)]
    make_import(store, rows=rows, mapped={"wall_s": "seconds"}, key=("Model",))
    table = named_table(store, "imp", IMPORTED)
    assert [row[0].text for row in table.rows] == ["m0", "m1", "m2"]


def test_a_column_that_hides_a_standard_one_is_the_files_own(store):
    rows = [{"tool": tool, "failed": failed, "outcome": "pass"} for tool, failed in (("rg", 3), ("ag", 5))]
    make_import(store, rows=rows, mapped={"agent": "tool"}, key=("tool",))
    table = named_table(store, "imp", IMPORTED)
    found = [[cell.value for cell in row] for row in table.rows]
    assert [column.title for column in table.columns] == ["agent", "median failed", "failed", "n"]
    assert found == [["ag", 5.0, None, 1], ["rg", 3.0, None, 1]]
    assert terms_of(store)["Failed cells"].lines == ("unknown: no outcome was imported",)


def test_rows_without_a_key_are_counted_in_a_note(store):
    rows = [{"tool": tool, "id": number, "v": 1.0} for number, tool in enumerate(("rg", None, "ag"))]
    make_import(store, rows=rows, mapped={"agent": "tool"}, key=("id",))
    spec = TableSpec(title="T", by=("agent",), columns=(TableColumn(title="v", value="v.median"),))
    table = build_table(store, "imp", "t", spec)
    assert [row[0].value for row in table.rows] == ["ag", "rg"]
    assert "1 cell without agent in no row." in table.notes
    both = build_table(store, "imp", "t", spec.model_copy(update={"by": ("id", "agent")}))
    assert [[cell.value for cell in row[:2]] for row in both.rows] == [["0", "rg"], ["2", "ag"]]
    assert "1 cell without id or agent in no row." in both.notes
    assert sorted(distinct(store.run("imp"), ("id", "agent"))) == [(0, "rg"), (2, "ag")]
    with pytest.raises(ColumnUnknownError):
        build_table(store, "imp", "t", spec.model_copy(update={"by": ("nosuch",)}))


def test_the_built_in_tables_that_fit_have_only_what_is_known(store):
    make_import(
        store,
        rows=[{**row, "points": 0.5} for row in plain(6)],
        mapped={"arm": "tool", "question": "task", "score": "points"},
    )
    run = store.run("imp")
    assert tables_of(run, ProjectFile()) == (IMPORTED, "arms", "questions")
    table = named_table(store, "imp", "arms")
    assert [column.title for column in table.columns] == ["arm", "score", "failed", "n"]
    assert [column.title for column in named_table(store, "imp", "repos").columns] == [
        "repo",
        "arm",
        "score",
        "failed",
        "n",
    ]
    assert named_table(store, "imp", "repos").rows == ()
    make_import(store, "bare")
    assert tables_of(store.run("bare"), ProjectFile()) == (IMPORTED,)
    assert [column.title for column in named_table(store, "bare", "arms").columns][:2] == [
        "arm",
        "median wall (s)",
    ]


def test_a_collected_run_has_the_tables_it_had(store):
    with RunWriter.create(store, record("r1", plan(2))) as writer:
        for cell in writer.unfinished:
            run_cell(writer, cell)
        writer.close()
    own = {"mine": TableSpec(title="T", by=("arm",), columns=(TableColumn(title="n", value="n"),))}
    config = ProjectFile(tables=own)
    assert tables_of(store.run("r1"), config) == (*BUILTIN_TABLES, "mine")
    with pytest.raises(TableUnknownError):
        named_table(store, "r1", IMPORTED)
    make_import(store)
    assert named_table(store, "imp", IMPORTED, ProjectFile(tables={IMPORTED: own["mine"]})).title == "T"


def test_its_table_can_be_stamped_and_is_the_same_each_time(store):
    make_import(store)
    (store.path.parent / "benchctl.toml").write_text("")
    command = [sys.executable, "-m", "benchctl", "report", "imp", "--table", IMPORTED, "--stamp"]
    printed = [
        subprocess.run(  # a process each: what one of them remembers, the other has to find out
            command,
            cwd=store.path.parent,
            env={**os.environ, "PYTHONHASHSEED": seed, "XDG_CACHE_HOME": f"{store.path}-{seed}"},
            capture_output=True,
            check=True,
        ).stdout.decode()
        for seed in "12"
    ]
    assert printed[0] == printed[1] == render_block(named_table(store, "imp", IMPORTED)) + "\n"


def test_an_own_column_that_is_called_like_a_metric_is_shown_by_its_own_type(store):
    rows = [{"tool": "rg", "task": str(n), "failed": 3 + n, "tool_calls": 2.25} for n in range(3)]
    make_import(store, rows=rows, mapped={"agent": "tool"})
    text = to_text(named_table(store, "imp", IMPORTED))
    assert "median failed" in text
    assert "4.00" in text, "a median is no whole number"
    assert "4.000" not in text, "and no rate"
    assert "2.25" in text


@pytest.fixture
def regraded(store):
    with RunWriter.create(store, record("r1", plan(4))) as writer:
        cells = writer.unfinished
        for cell in cells:
            run_cell(writer, cell, 0.25)
        writer.close()
    rows = [{**grade_json(grade(1.0)), "cell": cell, "facts": "[]"} for cell in cells[:2]]
    append_grades(store.run("r1"), rows)
    void = {"void": True, "why": "the key was wrong", "noted_at": AT}
    append_voids(store.run("r1"), [{"cell": cell, **void} for cell in cells[2:]])
    return store


def test_what_was_noted_later_is_listed_with_its_reason(regraded):
    run = regraded.run("r1")
    found = {term.name: term for term in corrections(run)}
    assert list(found) == ["Grading", "Voided by hand"]
    assert found["Grading"].lines == ("grades of generation 2, the newest (also 1)",)
    (line,) = found["Voided by hand"].lines
    assert line.startswith(f"2 cells void, {AT}: the key was wrong (")
    assert run.cells()[2]["cell"] in line
    append_voids(
        run, [{"cell": run.cells()[2]["cell"], "void": False, "why": "it was right", "noted_at": AT}]
    )
    assert any("1 cell no longer void" in line for line in corrections(regraded.run("r1"))[1].lines)


def test_late_usage_is_listed(store):
    with RunWriter.create(store, record("r1", plan(1))) as writer:
        from benchctl.schema.usage import Usage

        run_cell(writer, writer.unfinished[0], usage=Usage())
        writer.close()
    cell = store.run("r1").cells()[0]["cell"]
    append_backfills(store.run("r1"), [{
        "cell": cell, "input_tokens": 1, "output_tokens": 2, "total_tokens": 3, "cost_usd": None,
        "token_source": "bill", "cost_source": None, "why": "the bill came", "noted_at": AT,
    }])  # fmt: skip
    (term,) = corrections(store.run("r1"))
    assert (term.name, "the bill came" in term.lines[0]) == ("Late usage", True)


def test_a_table_says_of_which_grading_it_is_only_where_there_are_several(regraded):
    newest, first = (named_table(regraded, "r1", "arms", generation=number) for number in (None, 1))
    assert "grades of generation 2, the newest (also 1)" in newest.caption
    assert "grades of generation 1, not the newest (also 2)" in first.caption
    assert newest.rows != first.rows
    assert [row[1].value for row in first.rows] == [0.25, 0.25]
    assert generations(regraded.run("r1")) == (1, 2)
    with pytest.raises(GenerationUnknownError):
        named_table(regraded, "r1", "arms", generation=3)
    with RunWriter.create(regraded, record("r2", plan(2))) as writer:
        run_cell(writer, writer.unfinished[0])
        assert named_table(regraded, "r2", "arms").grading == ""
        assert generations(regraded.run("r2")) == (1,)
        assert corrections(regraded.run("r2")) == ()
