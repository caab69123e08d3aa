"""A relation gives the same rows to every library, null stays null, and what it shows is text."""

import copy
import html.parser
import pickle
import sys

import pytest
from results_file import make_import, plain
from small_run import plan, record, run_cell

from benchctl.errors import (
    CellUnknownError,
    FrameLibraryMissingError,
    FrameTypeError,
    GenerationUnknownError,
    QueryRefusedError,
    RunUnknownError,
    StoreDamagedError,
    StoreNotFoundError,
    TableUnknownError,
)
from benchctl.store.frames.opened import RUN_LIST, open_store
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter

HOSTILE = "<script>alert(1)</script>\u202e\x1b[31m\n|" + "x" * 500


@pytest.fixture
def folder(tmp_path):
    store = Store(tmp_path / "data")
    with RunWriter.create(store, record("r1", plan(4))) as writer:
        for number, cell in enumerate(writer.unfinished):
            run_cell(writer, cell, 0.25 * number, cpu_s=None if number == 1 else 0.5, answer=HOSTILE)
        writer.close()
    return store.path


@pytest.fixture
def store(folder):
    return open_store(folder)


@pytest.fixture
def imported(folder):
    make_import(Store(folder))
    return open_store(folder)


def rows_of(frame):
    return [tuple(row.values()) for row in frame]


def test_every_library_gets_the_same_rows(store):
    cells = store.cells("r1")
    wanted = rows_of(cells)
    names = [column.name for column in cells.columns]
    assert len(cells) == len(wanted) == 4
    assert [list(row) for row in cells.fetchall()] == [names] * 4
    assert cells.duckdb().fetchall() == wanted
    assert cells.arrow().column_names == names
    assert [tuple(row.values()) for row in cells.arrow().to_pylist()] == wanted
    assert cells.pl().rows() == wanted
    frame = cells.df()
    plain_rows = frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None)
    assert list(plain_rows) == wanted


def test_null_is_null_and_a_whole_number_stays_whole(imported):
    frame = imported.cells("imp").df()
    types = {name: str(type_) for name, type_ in frame.dtypes.items()}
    assert types["hits"] == "Int64"
    assert frame["hits"].isna().tolist() == [False, False, False, True, False, False]
    assert frame["hits"].sum() == 0 + 10 + 20 + 40 + 50
    assert (types["wall_s"], types["failed"], types["remark"]) == ("Float64", "boolean", "string")
    assert frame["failed"].isna().all()
    assert frame["score"].isna().all()
    assert imported.cells("imp").pl()["hits"].null_count() == 1
    assert imported.cells("imp").arrow()["hits"].null_count == 1


@pytest.mark.parametrize(
    ("sql", "type_", "value"),
    [
        ("select 1::hugeint as x", "Int64", 1),
        ("select sum(rep) as x from cells where run = 'r1'", "Int64", 6),
        ("select 2.50::decimal(9, 2) as x", "Float64", 2.5),
        ("select 1::utinyint as x", "Int64", 1),
        ("select 'a' as x", "string", "a"),
        ("select true as x", "boolean", True),
        ("select 0.5::float as x", "Float64", 0.5),
    ],
)
def test_a_query_gives_nullable_types_too(store, sql, type_, value):
    frame = store.query(sql).df()
    assert (str(frame["x"].dtype), frame["x"][0]) == (type_, value)


@pytest.mark.parametrize(
    ("sql", "names", "first"),
    [
        ("-- how many\nselect 1 a, 2 a;", ["a", "a_1"], (1, 2)),
        ("select 1 a, 2 a, 3 A", ["a", "a_1", "A_2"], (1, 2, 3)),
        ('select order_ from (select "order" order_ from cells) order by 1 desc -- last', ["order_"], (3,)),
        ("with x as (select rep from cells) select max(rep) from x", ["max(rep)"], (2,)),
        ("values (7)", ["col0"], (7,)),
        ("select date '2026-11-30' as d, [1, 2] as l", ["d", "l"], None),
    ],
)
def test_a_query_is_asked_as_it_is_written(store, sql, names, first):
    frame = store.query(sql)
    assert [column.name for column in frame.columns] == names == list(frame.df().columns)
    assert first in (None, rows_of(frame)[0], frame.duckdb().fetchall()[0])


def test_a_query_over_a_damaged_run_is_an_error(imported, folder):
    assert len(imported.query("select distinct run from cells")) == 2
    path = folder / "runs" / "imp" / "rows" / "cells.parquet"
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(StoreDamagedError, match="imp"):
        imported.query("select distinct run from cells")


def test_a_whole_number_beyond_64_bits_keeps_its_digits(store):
    frame = store.query("select 170141183460469231731687303715884105727::hugeint as x").df()
    assert frame["x"].tolist() == [2**127 - 1]


def test_the_digest_is_the_runs_and_of_several_one_over_theirs(imported):
    digest = imported.run("r1").digest
    assert imported.cells("r1").digest == digest
    both = imported.cells(["r1", "imp"])
    assert both.digests == {"r1": digest, "imp": imported.run("imp").digest}
    assert both.digest not in (None, *both.digests.values())
    assert imported.cells().digest == imported.cells(["imp", "r1"]).digest


def test_own_columns_stand_behind_the_standard_ones_with_their_meaning(imported):
    columns = {column.name: column for column in imported.cells("imp").columns}
    assert list(columns)[-5:] == ["tool", "task", "seconds", "hits", "remark"]
    assert columns["hits"].type == "BIGINT"
    assert "results.csv" in columns["hits"].meaning
    assert columns["wall_s"].unit == "s"
    assert columns["wall_s"].null
    rows = {row["cell"]: row for row in imported.cells(["r1", "imp"])}
    assert rows["rg/t1"]["tool"] == "rg"
    assert rows["rg/t1"]["agent"] == "rg"
    assert rows["q1/grep/rg/none/1"]["tool"] is None


def test_an_open_run_is_one_moment_for_each_frame(folder):
    with RunWriter.create(Store(folder), record("r2", plan(3))) as writer:
        first, *others = writer.unfinished
        run_cell(writer, first)
        frame = open_store(folder).cells("r2")
        assert (len(frame), frame.digest) == (1, None)
        for cell in others:
            run_cell(writer, cell)
        assert len(rows_of(frame)) == len(frame.df()) == 1
        assert len(open_store(folder).cells("r2")) == 3


def test_the_list_of_runs_names_a_damaged_one(imported, folder):
    (folder / "runs" / "imp" / "manifest.json").unlink()
    rows = {row["id"]: row for row in imported.runs}
    assert [column.name for column in RUN_LIST] == list(rows["r1"])
    assert (rows["r1"]["state"], rows["r1"]["cells"], rows["r1"]["why"]) == ("closed", 4, None)
    assert rows["imp"]["state"] == "damaged"
    assert "manifest.json" in rows["imp"]["why"]
    with pytest.raises(StoreDamagedError, match="imp"):
        imported.cells()
    assert len(imported.cells("r1")) == 4


def test_a_changed_file_is_damage_and_no_frame(store, folder):
    cells = store.cells("r1")
    assert len(cells.df()) == 4
    path = folder / "runs" / "r1" / "rows" / "cells.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(StoreDamagedError):
        cells.df()


def test_the_relation_reads_no_file_and_changes_no_other_frame(store, tmp_path):
    import duckdb

    (tmp_path / "secret.csv").write_text("a\n1\n")
    relation = store.cells("r1").duckdb()
    assert relation.filter("rep = 1").aggregate("count(*)").fetchall() == [(2,)]
    for attempt in (
        lambda: relation.write_parquet(str(tmp_path / "out.parquet")),
        lambda: relation.query("cells", f"select * from '{tmp_path}/secret.csv'").fetchall(),
    ):
        with pytest.raises(duckdb.Error):
            attempt()
    assert not (tmp_path / "out.parquet").exists()


class _Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]


def test_a_notebook_shows_hostile_text_as_text_and_says_how_many_rows(store):
    shown = store.query(f"select answer, '{'<img src=x onerror=y>'}' as \"<b>\" from cells")._repr_html_()
    reader = _Tags()
    reader.feed(shown)
    assert reader.tags == {"div", "table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert "<script" not in shown
    assert "\u202e" not in shown
    assert "\x1b" not in shown
    assert "4 rows" in shown
    assert len(shown) < 4000


def test_what_is_left_out_is_said(folder):
    make_import(
        Store(folder), "many", rows=[{"tool": "rg", "task": f"t{n}", "seconds": 1.0} for n in range(25)]
    )
    cells = open_store(folder).cells("many")
    for shown in (repr(cells), cells._repr_html_()):
        assert "10 of 25 rows" in shown
        assert f"12 of {len(cells.columns)} columns" in shown
    assert "25" in repr(open_store(folder).run("many").cells())
    assert len(repr(cells).splitlines()) == 12


def test_a_column_of_several_types_is_said_to_be_one(imported, folder):
    make_import(Store(folder), "other", rows=[{"tool": "rg", "task": "t", "hits": "many"}], mapped={})
    with pytest.warns(UserWarning, match=r"`hits` of `cells` is BIGINT in imp; VARCHAR in other") as warned:
        cells = imported.cells(["imp", "other"])
    assert warned[0].filename == __file__, "it stands where the program asked"
    with pytest.warns(UserWarning, match="read as VARCHAR") as warned:
        assert imported.query("select hits from cells").notes == cells.notes
    assert warned[0].filename == __file__
    assert [row["hits"] for row in cells][-2:] == ["50", "many"]
    (note,) = cells.notes
    assert "`hits`" in note
    assert note in repr(cells)
    assert "`hits`" in cells._repr_html_()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_missing_library_says_which_extra_brings_it(store, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    cells = store.cells("r1")
    ask = {"pandas": cells.df, "polars": cells.pl, "pyarrow": cells.arrow}[library]
    with pytest.raises(FrameLibraryMissingError, match=library) as raised:
        ask()
    assert "benchctl[frames]" in str(raised.value)
    assert len(cells.fetchall()) == 4
    if library != "pandas":  # which needs neither of the others
        assert cells.df()["answer"].tolist() == [HOSTILE] * 4
        assert str(cells.df()["answer"].dtype) == "string"


def test_what_there_is_not_is_an_error_of_its_own(store):
    for error, ask in (
        (RunUnknownError, lambda: store.cells("nosuch")),
        (RunUnknownError, lambda: store.run("r2")),
        (TableUnknownError, lambda: store.table("prices", "r1")),
        (CellUnknownError, lambda: store.transcripts("r1", cell="nosuch")),
        (GenerationUnknownError, lambda: store.cells("r1", generation=7).df()),
        (QueryRefusedError, lambda: store.query("drop table cells")),
        (QueryRefusedError, lambda: store.query("select * from 'x.csv'")),
    ):
        with pytest.raises(error):
            ask()


def test_every_relation_of_a_run_is_reached_by_the_run_too(store):
    run = store.run("r1")
    cell = plan(1)[0].cell
    assert (run.id, run.state, run.record.suite) == ("r1", "closed", "callers-v1")
    assert run.digest in repr(run)
    assert [len(run.cells()), len(run.attempts()), len(run.grades()), len(run.transcripts())] == [4, 4, 4, 8]
    assert [len(run.attempts(cell)), len(run.grades(cell)), len(run.transcripts(cell))] == [1, 1, 2]
    assert len(run.table("tool_calls")) == 0
    assert len(run.cells(generation=1)) == 4


def test_a_project_a_store_and_nothing_else_is_opened(folder, tmp_path, monkeypatch):
    (tmp_path / "benchctl.toml").write_text("")
    assert len(open_store(tmp_path).runs) == len(open_store(str(folder)).runs) == 1
    assert "1 runs" in repr(open_store(folder))
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert len(open_store().runs) == 1
    for wrong in (tmp_path / "nosuch", tmp_path / "below"):
        with pytest.raises(StoreNotFoundError, match=wrong.name):
            open_store(wrong)


def test_an_empty_store_has_frames_without_rows(tmp_path):
    (tmp_path / "runs").mkdir()
    store = open_store(tmp_path)
    assert (len(store.runs), len(store.cells()), store.cells().digest) == (0, 0, None)
    assert list(store.cells().df().columns) == [column.name for column in store.cells().columns]
    assert "0 rows" in store.runs._repr_html_()


def test_plain_rows_have_a_null_that_is_no_zero():
    assert [row["hits"] for row in plain(4)] == [0, 10, 20, None]


def test_a_url_opens_the_store_behind_it(folder):
    from benchctl.errors import StoreUrlInvalidError

    assert len(open_store(folder.as_uri()).cells("r1")) == 4
    with pytest.raises(StoreUrlInvalidError):
        open_store("s3://user:secret@bucket/x")


def test_a_type_that_a_library_lacks_is_said_with_a_cast(store):
    for sql in ("select interval 1 day as i, 1 as x", "select [interval 1 day] as i"):
        frame = store.query(sql)
        with pytest.raises(FrameTypeError, match="`i` is INTERVAL") as error:
            frame.pl()
        assert "cast it" in error.value.next_step
        assert frame.arrow().num_rows == len(frame.fetchall()) == 1


def test_a_sum_of_whole_numbers_is_one_in_every_library_where_it_fits(store):
    small, big = "select sum(rep) as x, count(*) as n from cells", f"select {2**63}::hugeint as x"
    assert store.query(small).pl()["x"].to_list() == store.query(small).arrow()["x"].to_pylist() == [6]
    assert str(store.query(small).arrow().schema.field("x").type) == "int64"
    assert str(store.query(small + " where false").arrow().schema.field("x").type) == "int64"
    assert store.query(big).arrow()["x"].to_pylist() == [2**63]
    assert store.query(big).df()["x"][0] == 2**63


def test_a_frame_is_not_pickled_and_says_what_to_do(store):
    for attempt in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError, match=r"`df\(\)`"):
            attempt(store.cells("r1"))


def test_a_query_of_some_runs_is_asked_of_those_alone(imported, folder):
    make_import(Store(folder), "other", rows=[{"tool": "rg", "task": "t", "hits": "many"}], mapped={})
    with pytest.warns(UserWarning, match="read as VARCHAR"):
        imported.query("select max(hits) as most from cells")
    alone = imported.query("select max(hits) as most from cells", runs=["imp"])
    assert alone.fetchall() == [{"most": 50}]
    assert set(alone.digests) == {"imp"}
