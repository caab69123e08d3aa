"""What the view `cells` says after grades, voids and late usage, and that every way of reading says the same."""

import random
from pathlib import Path

import duckdb
import pytest
from small_run import evidence, grade, plan, record, run_cell

from benchctl.errors import GenerationUnknownError, QueryRefusedError, StoreDamagedError
from benchctl.schema.result import VIEWS
from benchctl.schema.usage import Usage
from benchctl.store.reader import Store, connect
from benchctl.store.relations import cells_view as effective
from benchctl.store.relations import connection as relations
from benchctl.store.relations import file_content as facts
from benchctl.store.relations import loaded
from benchctl.store.relations.connection import fetch
from benchctl.store.sql.guard import Checked
from benchctl.store.sql.query import query_sql
from benchctl.store.writing.corrections import append_backfills, append_grades, append_voids
from benchctl.store.writing.writer import RunWriter

CELLS = [cell.cell for cell in plan(8)]
AT = "2026-12-01T00:00:00Z"
OLD = Path(__file__).parents[1] / "vectors" / "stores" / "schema-1"


def collect(store, run="r1", cells=8, score=0.5):
    with RunWriter.create(store, record(run, plan(cells))) as writer:
        for cell in writer.unfinished:
            run_cell(writer, cell, score)
        writer.close()
    return store.run(run)


def grade_row(run, cell, score):
    newest = run.grades(cell)[0]
    return {**{name: newest[name] for name in newest if name != "run"}, "score": score}


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setattr(loaded, "_LOADED", loaded.OrderedDict())
    return Store(tmp_path / "data")


@pytest.fixture
def corrected(store):
    """r1 was graded anew twice (once in part), three cells were voided, one of them again counted, two filled in."""
    run = collect(store)
    append_grades(run, [grade_row(run, cell, 0.75) for cell in CELLS])
    run = store.run("r1")
    append_grades(run, [grade_row(run, cell, 1.0) for cell in CELLS[:2]])
    for voids in ((CELLS[1:4], True), (CELLS[3:4], False)):
        append_voids(
            store.run("r1"),
            [{"cell": cell, "void": voids[1], "why": f"why {voids[1]}", "noted_at": AT} for cell in voids[0]],
        )
    collect(store, "r2", 4, 0.25)
    return store


def test_the_newest_grade_of_each_cell_counts_and_an_older_one_by_its_number(corrected):
    run = corrected.run("r1")
    scores = {n: [row["score"] for row in run.cells(n)] for n in (None, 1, 2, 3)}
    assert scores == {None: [1.0, 1.0, *[0.75] * 6], 1: [0.5] * 8, 2: [0.75] * 8, 3: [1.0, 1.0, *[0.75] * 6]}
    with connect(corrected.runs(), ("cells",), generation=2) as connection:
        assert [row["score"] for row in fetch(connection, "cells")] == [*[0.75] * 8, *[0.25] * 4]
    with pytest.raises(GenerationUnknownError) as raised:
        run.cells(4)
    assert raised.value.expected == "1, 2, 3"


def test_the_newest_void_of_a_cell_counts_and_says_why(corrected):
    rows = corrected.run("r1").cells()
    assert [row["void"] for row in rows] == [False, True, True, *[False] * 5]
    assert [row["void_why"] for row in rows] == [None, "why True", "why True", *[None] * 5]
    assert query_sql(corrected, "SELECT run, count(*) FROM voids GROUP BY 1").rows == [("r1", 4)]


def test_late_usage_replaces_a_group_as_a_whole(store):
    with RunWriter.create(store, record("r1", plan(2))) as writer:
        for cell in writer.unfinished:
            writer.claim(cell, AT)
            writer.finish(evidence(cell, usage=Usage(cost_usd=0.5, cost_source="agent")), grade(0.5))
        writer.close()
    run = store.run("r1")
    usage = {"input_tokens": 10, "output_tokens": None, "total_tokens": 12, "token_source": "bill"}
    append_backfills(
        run,
        [{"cell": CELLS[0], **usage, "cost_usd": None, "cost_source": None, "why": "late", "noted_at": AT}],
    )
    first, second = store.run("r1").cells()
    assert {name: first[name] for name in usage} == usage
    assert (first["cost_usd"], first["cost_source"]) == (0.5, "agent")
    assert {second[name] for name in usage} == {None}


def test_a_store_of_the_first_schema_reads_as_before():
    store = Store(OLD)
    rows = store.run("closed").cells()
    assert rows
    assert {row["void_why"] for row in rows} == {None}
    assert list(rows[0]) == [column.name for column in VIEWS["cells"]]
    answer = query_sql(
        store, "SELECT run, count(*), count(score), count(void_why) FROM cells GROUP BY 1 ORDER BY 1"
    )
    assert [row[0] for row in answer.rows] == ["closed", "open"]
    assert all(row[3] == 0 for row in answer.rows)
    assert query_sql(store, "SELECT count(*) FROM voids, backfills").rows == [(0,)]


@pytest.fixture(params=["by name", "row by row"])
def joined(request, monkeypatch):
    monkeypatch.setattr(effective, "_SMALL", 10**6 if request.param == "by name" else 0)
    monkeypatch.setattr(facts, "_ALIGNED", {})


@pytest.fixture(params=["tables", "views"])
def held(request, monkeypatch):
    if request.param == "views":
        monkeypatch.setattr(relations, "_MANY_ROWS", 0)


QUERIES = [
    'SELECT run, cell, score, void, void_why, wall_s FROM cells ORDER BY run, "order"',
    "SELECT arm, avg(score), count(*) FROM cells WHERE NOT void GROUP BY arm ORDER BY arm",
    "SELECT sum(score) FROM cells WHERE run = 'r2' AND score > 0",
    "SELECT count(*) FROM cells WHERE run = 'r1' AND score = 1",
    "SELECT count(*) FROM cells JOIN attempts USING (run, cell) JOIN grades g USING (run, cell)",
    "SELECT run, max(generation), count(*) FROM grades GROUP BY 1 ORDER BY 1",
    "SELECT count(score) FROM cells",
    "SELECT count(*) FROM cells",
]


@pytest.mark.usefixtures("joined", "held")
def test_every_way_of_reading_says_the_same(corrected):
    with RunWriter.create(corrected, record("open", plan(3))) as writer:
        run_cell(writer, writer.unfinished[0], 0.125)
        answers = [query_sql(corrected, sql).rows for sql in QUERIES]
    assert len(answers[0]) == 13
    assert [row[2] for row in answers[0]] == [0.125, 1.0, 1.0, *[0.75] * 6, *[0.25] * 4]
    assert [row[4] for row in answers[0] if row[3]] == ["why True"] * 2
    assert answers[2:4] == [[(1.0,)], [(2,)]]
    assert answers[5] == [("open", 1, 1), ("r1", 3, 18), ("r2", 1, 4)]
    assert answers[6:] == [[(13,)], [(13,)]]


def test_grades_out_of_step_are_never_joined_row_by_row(store, monkeypatch):
    """A generation of as many rows in another order, or with a cell twice and one missing, is joined by name."""
    monkeypatch.setattr(effective, "_SMALL", 0)
    run = collect(store)
    with connect((run,), ("cells",)) as connection:
        rows = connection.execute("SELECT cell FROM cells").fetchall()
    shuffled = [cell for (cell,) in rows]
    random.Random(1).shuffle(shuffled)
    path = run.layout.table("cells")
    for order, expected in ((shuffled, False), ([cell for (cell,) in rows], True)):
        other = run.path / f"{expected}.parquet"
        values = ", ".join(f"({n}, '{cell}')" for n, cell in enumerate(order))
        duckdb.sql(f"COPY (SELECT cell FROM (VALUES {values}) t(n, cell) ORDER BY n) TO '{other}'")
        pair = tuple(facts_file(each) for each in (path, other))
        with duckdb.connect() as connection:
            assert facts.aligned(connection, [pair]) == [expected]


def facts_file(path):
    from benchctl.store.disk.manifest import file_entry
    from benchctl.store.relations.files import VerifiedFile

    return VerifiedFile(path, file_entry(path).sha256)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT c FROM cells c LIMIT 1",  # a row as a whole
        "SELECT cells FROM cells LIMIT 1",
        "SELECT count(*) FROM cells NATURAL JOIN grades",
        "SELECT b FROM cells AS t(a, b) ORDER BY 1",
        "SELECT #2 FROM cells ORDER BY 1",
        "SELECT t.arm FROM (FROM cells) t ORDER BY ALL",
        "SELECT arm, score FROM cells ORDER BY ALL",
        "SELECT Arm, SCORE s FROM Cells GROUP BY ALL ORDER BY ALL",
        "SELECT COLUMNS('arm|agent') FROM cells ORDER BY 1",
        'SELECT * EXCLUDE (answer) FROM cells ORDER BY run, "order"',
        "WITH t AS (SELECT arm AS x FROM cells) SELECT x, t.x FROM t ORDER BY x",
        "SELECT (SELECT max(g.score) FROM grades g WHERE g.cell = c.cell) m FROM cells c ORDER BY m",
        'SELECT arm, list(cell ORDER BY "order") FROM cells GROUP BY arm HAVING count(*) > 1 ORDER BY arm',
        "SELECT list_transform([1], lambda wall_s: wall_s + 1) FROM cells",
        "SELECT sum(wall_s) OVER (PARTITION BY arm ORDER BY rep, cell) s FROM cells ORDER BY s",
        "SELECT count(*) FROM cells a JOIN cells b ON a.cell = b.cell AND a.run <> b.run",
        "SELECT 1 FROM cells LIMIT 1",
    ],
)
def test_reading_only_what_is_meant_changes_no_answer(corrected, monkeypatch, sql):
    from benchctl.store.sql import query

    answer = query_sql(corrected, sql)
    real = query.check_sql
    monkeypatch.setattr(query, "check_sql", lambda *given: Checked(real(*given).tables))
    assert query_sql(corrected, sql) == answer


def test_only_the_columns_that_are_meant_are_held(corrected, monkeypatch):
    from benchctl.store.sql import query

    held = []
    real = query.connect
    monkeypatch.setattr(
        query, "connect", lambda runs, views, **more: (held.extend(views), real(runs, views, **more))[1]
    )
    query_sql(corrected, "SELECT arm, avg(score) FROM cells GROUP BY 1")
    assert [[output.name for output in view.outputs] for view in held] == [["run", "arm", "score"]]


def test_a_query_of_cells_reads_no_record(corrected, monkeypatch):
    from benchctl.store import reader
    from benchctl.store.disk import verified_file as trust

    seen = []
    real = trust.trusted
    for module in (reader, relations, loaded):
        if hasattr(module, "trusted"):
            monkeypatch.setattr(module, "trusted", lambda *given: (seen.append(given[2]), real(*given))[1])
    assert query_sql(corrected, "SELECT count(*) FROM cells").rows == [(12,)]
    assert "run.json" not in seen
    assert query_sql(corrected, "SELECT count(*) FROM runs").rows == [(2,)]
    assert "run.json" in seen


def test_a_record_that_is_gone_is_noticed_all_the_same(corrected):
    corrected.run("r2").layout.record.unlink()
    answer = query_sql(corrected, "SELECT count(*) FROM cells")
    assert answer.rows == [(8,)]
    assert [each.name for each in answer.unreadable] == ["r2"]


def test_a_flipped_byte_under_a_view_is_seen_before_it_is_read(corrected, monkeypatch):
    monkeypatch.setattr(relations, "_MANY_ROWS", 0)
    path = corrected.run("r1").layout.table("cells")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    answer = query_sql(corrected, "SELECT count(*) FROM cells")
    assert ([each.name for each in answer.unreadable], answer.rows) == (["r1"], [(4,)])


def test_a_table_with_other_columns_or_rows_than_it_must_have_is_refused(store):
    from benchctl.store.relations.selects import checked

    run = collect(store)
    other = run.path / "other.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT * FROM '{run.layout.table('cells')}' LIMIT 3) TO '{other}'")
        with pytest.raises(StoreDamagedError, match="3 rows"):
            checked(connection, [(run, facts_file(other))], "cells")
        connection.execute(f"COPY (SELECT 1 AS cell) TO '{run.path / 'odd.parquet'}'")
        with pytest.raises(StoreDamagedError, match="the columns are not those of `cells`"):
            checked(connection, [(run, facts_file(run.path / "odd.parquet"))], "cells")


class TestTheSecondWall:
    """Views over files: which files a connection may open, and what the first wall keeps from it."""

    @pytest.fixture
    def connection(self, corrected, monkeypatch):
        monkeypatch.setattr(relations, "_MANY_ROWS", 0)
        with connect(corrected.runs(), ("cells",)) as connection:
            yield connection

    @pytest.mark.parametrize(
        "sql",
        [
            "SELECT * FROM read_text('/etc/passwd')",
            "SELECT * FROM read_csv('/etc/passwd')",
            "SELECT * FROM glob('/etc/*')",
            "COPY (SELECT 1) TO '/tmp/benchctl-second-wall'",
            "WITH x AS (COPY (SELECT 1) TO '/tmp/benchctl-second-wall') SELECT * FROM x",
            "ATTACH '/tmp/benchctl-second-wall.db'",
            "SET enable_external_access = true",
            "SET allowed_paths = ['/etc/passwd']",
            "SET lock_configuration = false",
            "INSTALL httpfs",
            "CALL enable_logging(storage='file')",
        ],
    )
    def test_it_opens_no_other_file(self, connection, sql):
        with pytest.raises(duckdb.Error):
            connection.execute(sql)
        assert not Path("/tmp/benchctl-second-wall").exists()

    def test_it_does_allow_its_own_files_which_is_why_it_is_the_second(self, corrected, connection):
        path = corrected.run("r1").layout.table("cells")
        assert connection.execute(f"SELECT count(*) FROM read_parquet('{path}')").fetchall() == [(8,)]
        with pytest.raises(duckdb.Error):  # what it has no right to, though it stands beside it
            connection.execute(f"SELECT count(*) FROM read_parquet('{path.with_name('attempts.parquet')}')")
        connection.execute(f"COPY (SELECT 1 AS x) TO '{path}' (FORMAT parquet, USE_TMP_FILE false)")
        with pytest.raises(StoreDamagedError):  # and that is seen
            corrected.run("r1").cells()

    def test_the_first_wall_lets_none_of_that_through(self, corrected, monkeypatch):
        monkeypatch.setattr(relations, "_MANY_ROWS", 0)
        path = corrected.run("r1").layout.table("cells")
        before = path.read_bytes()
        for sql in (
            f"COPY (SELECT 1) TO '{path}'",
            f"COPY (SELECT 1) TO '{path}' (USE_TMP_FILE false)",
            f"WITH x AS (COPY (SELECT 1) TO '{path}' (USE_TMP_FILE false)) SELECT * FROM x",
            f"SELECT * FROM (WITH x AS (COPY (SELECT 1) TO '{path}') SELECT * FROM x)",
            f"SELECT * FROM read_parquet('{path}')",
            f"SELECT * FROM read_csv('{path}')",
            f"SELECT * FROM '{path}'",
            f"ATTACH '{path}'",
        ):
            with pytest.raises(QueryRefusedError):
                query_sql(corrected, sql)
        assert path.read_bytes() == before
