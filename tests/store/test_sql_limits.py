"""What a statement may not say or take, and which runs it is asked of."""

import resource
import subprocess
import sys

import duckdb
import pytest
from results_file import imported_run
from small_run import plan, record, run_cell

from benchctl.errors import QueryRefusedError, RunUnknownError
from benchctl.store.reader import Store
from benchctl.store.sql.limits import limited
from benchctl.store.sql.query import open_for, query_sql
from benchctl.store.writing.generation import add_generation
from benchctl.store.writing.writer import RunWriter


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    with RunWriter.create(store, record(cells=plan(4))) as writer:
        for cell in writer.unfinished:
            run_cell(writer, cell)
        writer.close()
    with RunWriter.create(store, record("open", cells=plan(2))) as writer:
        run_cell(writer, writer.unfinished[0])
    return store


@pytest.mark.parametrize(
    "name",
    ["current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_user", "user",
     "session_user", "current_role", "current_schema", "current_catalog", "current_database", "rowid", "cells.rowid",
     '"current_date"', "current_date.year()", "epoch(current_timestamp)"],
)  # fmt: skip
def test_what_the_clock_and_the_session_say_is_no_column(store, name):
    for sql in (f"SELECT {name} FROM cells", f"SELECT arm FROM cells ORDER BY {name}"):
        with pytest.raises(QueryRefusedError, match="is no column here"):
            query_sql(store, sql)


@pytest.mark.parametrize(
    "sql",
    ["SELECT count(*) FROM cells TABLESAMPLE 50%", "SELECT cell FROM cells USING SAMPLE 3",
     "SELECT * FROM (FROM cells) TABLESAMPLE reservoir(3 ROWS)", "SELECT approx_quantile(score, 0.5) FROM cells"],
)  # fmt: skip
def test_what_may_be_another_answer_tomorrow_is_refused(store, sql):
    with pytest.raises(QueryRefusedError, match="not allowed here"):
        query_sql(store, sql)


def nested(function, depth):
    text = "'x'"
    for _ in range(depth):
        text = function.format(text)
    return f"SELECT length({text})"


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        (nested("replace({}, 'x', 'xxxxxxxxxxxxxxxx')", 8), "characters or items could be made"),
        (nested("regexp_replace({}, 'x', 'xxxxxxxxxxxxxxxx', 'g')", 8), "characters or items could be made"),
        (nested("translate({}, 'x', 'yy')", 60), "characters or items could be made"),
        ("SELECT " + "replace(" * 4 + "arm" + ", 'x', repo)" * 4 + " FROM cells", "could be made"),
        ("SELECT " + ", ".join(["arm"] * 30_000) + " FROM cells", "bytes"),
        ("SELECT " + ", ".join(["1"] * 30_000), "more than 20,000 parts"),
        ("SELECT 1 WHERE 1 IN (" + ", ".join(map(str, range(150_000))) + ")", "bytes"),
        ("SELECT '" + "ü" * 50_001 + "'", "bytes"),
    ],
)
def test_what_grows_or_is_too_long_is_refused(store, sql, why):
    with pytest.raises(QueryRefusedError, match=why):
        query_sql(store, sql)


def test_what_grows_a_little_is_not(store):
    separate = ", ".join("replace(arm, 'grep', 'text search')" for _ in range(30))
    assert len(query_sql(store, f"SELECT {separate} FROM cells LIMIT 1").columns) == 30
    assert query_sql(store, nested("replace({}, 'x', 'yy')", 8)).rows == [(2,)]
    assert query_sql(store, "SELECT list_reduce([1, 2, 3], lambda a, b: a + b)").rows == [(6,)]


def test_no_advice_of_duckdb_that_cannot_be_followed(store):
    with pytest.raises(QueryRefusedError, match="depth limit of 1000 exceeded") as refused:
        query_sql(store, "SELECT " + "(" * 5000 + "1" + ")" * 5000)
    assert "SET " not in str(refused.value)


def test_nothing_is_drawn_while_a_statement_runs(store):
    with open_for(store, "SELECT count(*) FROM cells").connection as connection:
        assert connection.execute("SELECT current_setting('enable_progress_bar')").fetchone() == (False,)


def test_columns_without_names_of_their_own_get_them_in_time(store):
    names = query_sql(store, "SELECT " + ", ".join(["1 AS a"] * 2_000)).columns
    assert (len(set(names)), names[:2], names[-1]) == (2_000, ["a", "a_1"], "a_1999")


def test_some_runs_can_be_asked_alone(store):
    assert query_sql(store, "SELECT DISTINCT run FROM cells", ["r1"]).rows == [("r1",)]
    assert query_sql(store, "SELECT run FROM runs ORDER BY run", ["r1", "open", "r1"]).rows == [
        ("open",),
        ("r1",),
    ]
    with pytest.raises(RunUnknownError, match="no run 'r2'"):
        query_sql(store, "SELECT 1", ["r2"])


def test_a_run_that_is_asked_alone_has_its_own_types(tmp_path):
    store = Store(tmp_path)
    imported_run(store, "whole", {"size": ("BIGINT", [2**53 + 1, 1])})
    imported_run(store, "broken", {"size": ("DOUBLE", [0.5, 2.0])})
    imported_run(store, "small", {"size": ("BIGINT", [7, 2**53])})
    sql = "SELECT max(size) FROM cells"
    assert query_sql(store, sql, ["whole"]) == (["max(size)"], [(2**53 + 1,)], 1, (), ())
    floats = query_sql(store, sql, ["small", "broken"])
    assert (floats.rows, len(floats.warnings)) == ([(2.0**53,)], 1)
    texts = query_sql(store, "SELECT size FROM cells WHERE run = 'whole' ORDER BY size")
    assert texts.rows == [("1",), (str(2**53 + 1),)]
    types = "DOUBLE in broken; BIGINT in small, whole"
    why = "it is read as VARCHAR, for a number of it is too great for a DOUBLE"
    assert texts.warnings == (f"the column `size` of `cells` is {types}: {why}",)
    with pytest.raises(QueryRefusedError) as refused:
        query_sql(store, "SELECT sum(size) FROM cells")
    assert "it is read as VARCHAR" in str(refused.value)
    assert "--run ID" in str(refused.value)


def test_the_next_step_names_the_further_tables(tmp_path):
    store = Store(tmp_path)
    run = imported_run(store, "x1", {"t": ("BIGINT", [1])})
    file = tmp_path / "prices.parquet"
    duckdb.sql(f"COPY (SELECT 7::BIGINT AS usd) TO '{file}' (FORMAT parquet)")
    add_generation(run.layout, {"tables/prices.parquet": file})
    with pytest.raises(QueryRefusedError, match=r"next: .*prices"):
        query_sql(store, "SELECT * FROM price")


LIMITED = """
import os, sys
from pathlib import Path
from benchctl.errors import QueryRefusedError
from benchctl.store.reader import Store
from benchctl.store.sql.limits import limited
from benchctl.store.sql.query import query_sql

def late():
    print("late", flush=True)
    os._exit(2)

try:
    query_sql(Store(Path(sys.argv[1])), sys.argv[2], limits=limited(late, seconds=float(sys.argv[3]), memory=300 * 2**20))
except QueryRefusedError as error:
    print(error.what)
"""
STEPS = ", ".join(
    f"t{n} AS (SELECT replace(a, 'x', 'xxxxxxxxxxxxxxxx') a FROM t{n - 1})" for n in range(1, 10)
)
GROWING = f"WITH t0 AS (SELECT 'x' a), {STEPS} SELECT length(a) FROM t9"


@pytest.mark.parametrize(
    ("sql", "seconds", "said"),
    [
        (GROWING, "300", "emory"),
        ("SELECT sum(i) FROM range(100000000000) t(i)", "0.5", "late"),
        ("SELECT 1", "300", ""),
    ],
)
def test_a_statement_ends_within_the_limits_of_its_process(store, sql, seconds, said):
    call = [sys.executable, "-c", LIMITED, str(store.path), sql, seconds]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert said in done.stdout, done
    assert bool(said) == bool(done.stdout)


def test_the_limits_of_a_process_are_what_they_were_afterwards():
    before = resource.getrlimit(resource.RLIMIT_AS)
    with limited(lambda: None):
        assert resource.getrlimit(resource.RLIMIT_AS) != before
    assert resource.getrlimit(resource.RLIMIT_AS) == before
