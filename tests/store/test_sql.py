"""What a person may ask in SQL, and every way out of it that is known."""

import datetime as dt
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from small_run import AT, plan, record, run_cell

from benchctl.errors import QueryRefusedError
from benchctl.store.reader import Store
from benchctl.store.relations.connection import connect
from benchctl.store.sql import query
from benchctl.store.sql.allowed import FUNCTIONS
from benchctl.store.sql.guard import SQL_TABLES, Checked, check_sql
from benchctl.store.sql.json_values import plain_value
from benchctl.store.sql.query import query_sql
from benchctl.store.writing.writer import RunWriter

OUT = "/tmp/benchctl-test-sql-out"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    with RunWriter.create(store, record(cells=plan(4))) as writer:
        for index, cell in enumerate(writer.unfinished):
            run_cell(writer, cell, index / 4)
        writer.close()
    with RunWriter.create(store, record("open", cells=plan(2))) as writer:
        run_cell(writer, writer.unfinished[0])
        writer.claim(writer.unfinished[0], AT)
    return store


@pytest.mark.parametrize(
    ("sql", "names", "rows"),
    [
        ("SELECT count(*) AS n FROM cells", ["n"], [(5,)]),
        ("select arm, avg(score) from cells where run = 'r1' group by all order by arm;", ["arm", "avg(score)"], [("grep", 0.25), ("index", 0.5)]),
        ("FROM runs SELECT run, state ORDER BY run", ["run", "state"], [("open", "open"), ("r1", "closed")]),
        ("WITH best AS (SELECT max(score) AS s FROM cells) SELECT s FROM best", ["s"], [(1.0,)]),
        ('SELECT "order" FROM cells WHERE run=\'r1\' ORDER BY 1 LIMIT 2', ["order"], [(0,), (1,)]),
        ("SELECT count(*) FROM cells JOIN attempts USING (run, cell) JOIN grades USING (run, cell)", ["count_star()"], [(5,)]),
        ("SELECT max(length(text)) FROM transcripts", None, [(6,)]),
        ("SELECT count(*) FROM tool_calls", ["count_star()"], [(0,)]),
        ("SELECT arm, row_number() OVER (PARTITION BY arm ORDER BY score) r FROM cells WHERE run='r1' ORDER BY arm, r LIMIT 1", ["arm", "r"], [("grep", 1)]),
        ("SELECT CASE WHEN score > 0.4 THEN 'hi' ELSE 'lo' END x, count(*) FROM cells GROUP BY 1 ORDER BY 1", ["x", "count_star()"], [("hi", 3), ("lo", 2)]),
        ("SELECT quantile_cont(score, 0.5) FROM cells WHERE run='r1'", None, [(0.375,)]),
        ("SELECT json_extract_string(facts, '$[0].id') FROM grades LIMIT 1", None, [("a::b",)]),
        ("SELECT list(arm ORDER BY arm) FROM cells WHERE run='r1'", None, [(["grep", "grep", "index", "index"],)]),
        ("SELECT run FROM runs UNION SELECT run FROM cells ORDER BY run", ["run"], [("open",), ("r1",)]),
        ("SELECT 1, 0.5, 'x', NULL, true", None, [(1, 0.5, "x", None, True)]),
        ("SELECT * FROM (VALUES (1, 'a')) t(n, s)", ["n", "s"], [(1, "a")]),
        ("SELECT 'read_csv(''/etc/passwd'')' AS text", ["text"], [("read_csv('/etc/passwd')",)]),  # a text is only a text
        ("SELECT 1 AS a, 2 AS a, 3 AS a, 4 AS a_1", ["a", "a_2", "a_3", "a_1"], [(1, 2, 3, 4)]),
        ("SELECT unnest([1, 2]) AS x", ["x"], [(1,), (2,)]),
        ("SELECT * FROM unnest([1, 2]) t(x)", ["x"], [(1,), (2,)]),
        ("SELECT sum(i) FROM range(1, 2000000) t(i)", None, [(1999999000000,)]),
        ("SELECT i FROM generate_series(1, 9, 4) t(i)", ["i"], [(1,), (5,), (9,)]),
        ("SELECT len(range(0, 100, 10)), len(generate_series(3))", None, [(10, 4)]),
        ("SELECT value->>'id' AS fact FROM grades, json_each(facts) WHERE run = 'open'", ["fact"], [("a::b",)]),
        ("SELECT from_json('[1]', '[\"BIGINT\"]')", None, [([1],)]),
        ("SELECT lpad('7', 3, '0'), rpad('a', 2, '.'), repeat('=', 3), printf('%5.1f|', 1.25), format('{:>3}', 'x')", None, [("007", "a.", "===", "  1.2|", "  x")]),
        ("SHOW TABLES", ["name"], [(name,) for name in sorted(SQL_TABLES)]),
        ("SELECT {'type': 'COPY_QUERY_NODE'} AS s", ["s"], [({"type": "COPY_QUERY_NODE"},)]),
    ],
)  # fmt: skip
def test_what_people_ask_is_answered(store, sql, names, rows):
    got_names, got, _, unreadable, warnings = query_sql(store, sql)
    assert not warnings
    assert not unreadable
    assert got == rows
    assert names in (None, got_names)


def test_describe_and_summarize_show_the_columns(store):
    assert [row[0] for row in query_sql(store, "DESCRIBE cells").rows][:3] == ["run", "cell", "key"]
    assert len(query_sql(store, "SUMMARIZE cells")[1]) == len(query_sql(store, "DESCRIBE cells")[1])


READS = [
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('/etc/passwd')",
    "SELECT * FROM read_json('/etc/passwd')",
    "SELECT * FROM read_parquet('x.parquet')",
    "SELECT * FROM parquet_metadata('x.parquet')",
    "SELECT * FROM parquet_scan('x.parquet')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    'SELECT * FROM "../../etc/passwd"',
    "SELECT * FROM 'https://example.org/x.csv'",
    "SELECT (SELECT content FROM read_text('/etc/passwd'))",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('cells')",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM pragma_version()",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM memory.main.cells",
    "SELECT * FROM gold_answers",
    "SELECT getenv('HOME')",
    "SELECT getvariable('x')",
    "SELECT current_setting('home_directory')",
    "SELECT version()",
    "SELECT now()",
    "SELECT random()",
    "SELECT uuid()",
    "SHOW ALL TABLES",
    "SHOW DATABASES",
    "SHOW nosuch",
    "SELECT * FROM (SHOW TABLES)",
]
WRITES = [
    f"COPY (SELECT 1) TO '{OUT}'",
    f"COPY cells TO '{OUT}'",
    f"WITH x AS (COPY (SELECT 1) TO '{OUT}') SELECT * FROM x",
    f"WITH x AS MATERIALIZED (COPY (SELECT 1) TO '{OUT}') SELECT 1",
    f"SELECT * FROM (WITH x AS (COPY (SELECT 1) TO '{OUT}') SELECT * FROM x)",
    f"SELECT (WITH x AS (COPY (SELECT 1) TO '{OUT}') SELECT count(*) FROM x)",
    "WITH x AS (INSERT INTO cells SELECT * FROM cells RETURNING *) SELECT * FROM x",
    "WITH x AS (UPDATE cells SET score = 1 RETURNING *) SELECT * FROM x",
    "WITH x AS (DELETE FROM cells RETURNING *) SELECT * FROM x",
    "INSERT INTO cells SELECT * FROM cells",
    "UPDATE cells SET score = 1",
    "DELETE FROM cells",
    "DROP TABLE cells",
    "CREATE TABLE t AS SELECT 1",
    "CREATE MACRO m() AS 1",
    f"EXPORT DATABASE '{OUT}'",
    f"ATTACH '{OUT}'",
    "ATTACH ':memory:' AS m",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET threads = 8",
    "SET VARIABLE x = 1",
    f"SET profiling_output = '{OUT}'",
    f"PRAGMA enable_profiling = '{OUT}'",
    "CALL enable_logging(storage='file')",
    "CREATE PERSISTENT SECRET s (TYPE s3)",
    "CHECKPOINT",
    "VACUUM",
    "EXPLAIN SELECT 1",
    "PREPARE p AS SELECT 1",
    "BEGIN",
]
MANY = [
    "SELECT 1; SELECT 2",
    "COMMIT; INSERT INTO cells SELECT * FROM cells",
    "SELECT 1; DROP TABLE cells;",
    "",
    ";",
    "-- nothing",
]
BOMBS = [
    "SELECT repeat('a', 1000000000)",
    "SELECT lpad('a', 1000000000, 'b')",
    "SELECT rpad('a', 1000000000, 'b')",
    "SELECT printf('%1000000000d', 1)",
    "SELECT format('{:>1000000000}', 1)",
    "SELECT range(1000000000)",
    "SELECT repeat(repeat(repeat('a', 1000), 1000), 1000)",
    "WITH a AS (SELECT repeat('a', 2000) AS s) SELECT repeat(s, 2000) FROM a",
    "SELECT repeat('a', rep) FROM cells",
    "SELECT repeat('a', 99999999999999999999)",
    "SELECT printf(answer, 1) FROM cells",
    "SELECT printf('%*d', 5, 1)",
    "SELECT format('{:{}}', 1, 1000000000)",
    "SELECT printf()",
    "SELECT repeat('a')",
    "SELECT generate_series(1, 1000000000)",
    "SELECT * FROM unnest(range(1000000000))",
    "SELECT * FROM repeat('a', 3)",
    "SELECT " + " + ".join(["1"] * 900),
    "SELECT levenshtein(a.answer, b.answer) FROM cells a, cells b",
    "WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM r) SELECT * FROM r",
    "SELECT " + "(" * 2000 + "1" + ")" * 2000,
    "SELECT ? ",
    "SELECT $1",
    "PIVOT cells ON arm USING sum(score)",
    "UNPIVOT cells ON score, recall",
    "SELECT '\udcff'",
]


@pytest.mark.parametrize("sql", [*READS, *WRITES, *MANY, *BOMBS])
def test_everything_else_is_refused_before_it_runs(store, sql, monkeypatch):
    monkeypatch.setattr(query, "connect", lambda *_args, **_more: pytest.fail("it got as far as the tables"))
    with pytest.raises(QueryRefusedError):
        query_sql(store, sql)
    assert not Path(OUT).exists()


@pytest.mark.parametrize(
    "sql",
    [
        sql
        for sql in READS + WRITES
        if sql not in READS[18:28]
        and not sql.startswith(("EXPLAIN", "PREPARE", "BEGIN", "SHOW"))
        and "SHOW" not in sql
    ],
)
def test_the_locked_connection_stops_what_the_guard_would_miss(store, sql):
    """The second wall alone: the same attacks past the allow-list, in the same transaction."""
    before = query_sql(store, "SELECT * FROM cells ORDER BY run, cell")
    harmless = {"SELECT * FROM query('SELECT 1')", "SELECT * FROM query_table('cells')", "SET VARIABLE x = 1", "ATTACH ':memory:' AS m", "CREATE MACRO m() AS 1", "CHECKPOINT", "VACUUM", *READS[15:18]}  # fmt: skip
    with connect(store.runs(), ("cells",)) as connection:
        connection.execute("BEGIN TRANSACTION READ ONLY")
        try:
            connection.execute(sql).fetchall()
        except duckdb.Error:
            pass
        else:
            assert sql in harmless
    assert not Path(OUT).exists()
    assert query_sql(store, "SELECT * FROM cells ORDER BY run, cell") == before


@pytest.mark.parametrize("sql", [sql for sql in WRITES if sql.startswith("WITH") and "COPY" not in sql])
def test_the_transaction_stops_a_writing_with_that_the_guard_would_miss(store, monkeypatch, sql):
    monkeypatch.setattr(query, "check_sql", lambda _sql, _further: Checked(("cells",)))
    with pytest.raises(QueryRefusedError, match="read-only"):
        query_sql(store, sql)


def test_every_lock_is_locked(store):
    wanted = {
        "enable_external_access": "false",
        "lock_configuration": "true",
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "allow_community_extensions": "false",
        "allow_persistent_secrets": "false",
        "python_enable_replacements": "false",
        "temp_directory": "",
        "threads": "1",
    }
    with connect(store.runs(), ("cells",)) as connection:
        for name, value in wanted.items():
            (said,) = connection.execute("SELECT current_setting(?)", [name]).fetchone()
            assert str(said).lower() == value.lower(), name


def test_variables_of_this_process_cannot_be_read(store):
    import types

    gold_answers = types.SimpleNamespace()
    assert gold_answers is not None
    for sql in ("SELECT * FROM gold_answers", "SELECT * FROM READS"):
        with pytest.raises(QueryRefusedError, match="no table"):
            query_sql(store, sql)
        with connect(store.runs(), ("cells",)) as connection, pytest.raises(duckdb.Error):
            connection.execute(sql)


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT * FROM celsl", "expected: cells?"),
        ("SELECT medain(score) FROM cells", "such as median"),
        ("SELECT nosuch FROM cells", "nosuch"),
        ("SELEC 1", "syntax error"),
        ("SELECT 1; SELECT 2", "2 statements"),
        ("SELECT score + arm FROM cells", "No function matches"),
        ("WITH x AS (COPY (SELECT 1) TO 'f') SELECT * FROM x", "copy query node is not allowed"),
        ("PIVOT cells ON arm USING sum(score)", "count(*) FILTER (WHERE"),
        ("UNPIVOT cells ON score, recall", "UNPIVOT are not allowed"),
        ("SELECT * FROM glob('x')", "function `glob` is not allowed"),
        ("SELECT * FROM md5('x')", "table function `md5`"),
        ("SELECT repeat('a', rep) FROM cells", "its length must be constant"),
        ("SELECT repeat(repeat('a', 2000), 2000)", "more than 1,000,000 characters"),
        ("SELECT '\udcff'", "not UTF-8 at character 9"),
        ("SELECT * FROM other.cells", "no table `other.cells`"),
    ],
)
def test_a_refusal_says_what_and_what_instead(store, sql, says):
    with pytest.raises(QueryRefusedError) as error:
        query_sql(store, sql)
    assert says in str(error.value)


def test_columns_of_one_name_are_told_apart_in_every_format(store):
    sql = "SELECT c.*, a.* FROM cells c JOIN attempts a USING (run, cell) LIMIT 1"
    names = query_sql(store, sql).columns
    assert len(set(names)) == len(names)
    assert {"outcome", "outcome_1", "wall_s", "wall_s_1"} <= set(names)


def test_ctrl_c_in_a_query_is_an_interrupt(store, monkeypatch):
    def interrupted(*_):
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr(query, "_rows", interrupted)
    with pytest.raises(KeyboardInterrupt):
        query_sql(store, "SELECT 1")
    monkeypatch.setattr(query, "_rows", lambda *_: (_ for _ in ()).throw(RuntimeError("other")))
    with pytest.raises(RuntimeError, match="other"):
        query_sql(store, "SELECT 1")


def test_a_connection_that_cannot_be_opened_is_a_refusal(store, monkeypatch):
    def full(*_args, **_more):
        raise duckdb.OutOfMemoryException("Out of Memory Error: no more")

    monkeypatch.setattr(query, "connect", full)
    with pytest.raises(QueryRefusedError, match="no more"):
        query_sql(store, "SELECT 1")


def test_a_query_that_never_ends_is_ended(store, monkeypatch):
    monkeypatch.setattr(query, "_LIMITS", ("SET max_execution_time = 200",))
    with pytest.raises(QueryRefusedError):
        query_sql(store, "SELECT count(*) FROM " + ", ".join(f"transcripts t{n}" for n in range(14)))


def test_more_rows_than_anybody_reads_are_refused(store, monkeypatch):
    monkeypatch.setattr(query, "MAX_ROWS", 4)
    with pytest.raises(QueryRefusedError, match="more than 4 rows"):
        query_sql(store, "SELECT * FROM cells")
    assert len(query_sql(store, "SELECT * FROM cells LIMIT 4")[1]) == 4


def test_only_the_tables_that_are_read_are_loaded():
    assert check_sql("SELECT 1") == Checked((), columns=frozenset())
    assert set(check_sql("WITH t AS (SELECT * FROM Cells) SELECT * FROM t, runs").tables) == {"cells", "runs"}
    assert check_sql("SHOW cells") == Checked(("cells",))
    assert check_sql("SHOW TABLES") == Checked(SQL_TABLES, listing=True)


def test_a_name_of_a_common_table_hides_nothing_else(store):
    assert query_sql(store, "WITH extra AS (SELECT 1 AS a) SELECT a FROM EXTRA")[1] == [(1,)]
    with pytest.raises(QueryRefusedError, match="no table"):
        query_sql(store, "SELECT a FROM extra")


def test_every_allowed_function_exists():
    with duckdb.connect() as connection:
        known = {
            row[0]
            for row in connection.execute("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()
        }
    window = {"row_number", "rank", "dense_rank", "rank_dense", "percent_rank", "cume_dist", "ntile", "lead", "lag", "first_value", "last_value", "nth_value"}  # fmt: skip
    syntax = {
        "coalesce",
        "ifnull",
        "nullif",
        "position",
        "->",
        "->>",
        "array_extract",
        "count_star",
        "struct_pack",
    }
    assert FUNCTIONS - known - window - syntax == set()


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        (True, True),
        (2**70, 2**70),
        (1.5, 1.5),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (Decimal("1.50"), 1.5),
        (Decimal(3), 3),
        (b"\x00\xff", "00ff"),
        ([Decimal("0.5"), (1,)], [0.5, [1]]),
        ({"a": {1: b""}}, {"a": {"1": ""}}),
        (dt.date(2026, 11, 30), "2026-11-30"),
        (dt.timedelta(days=1), "1 day, 0:00:00"),
    ],
)
def test_values_are_what_json_can_say(value, plain):
    assert plain_value(value) == plain
    assert type(plain_value(value)) is type(plain)
