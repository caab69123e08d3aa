"""A statement over the columns that it may mean gives what it gives over all of them."""

import pytest
from results_file import imported_run
from small_run import plan, record, run_cell

from benchctl.errors import QueryRefusedError
from benchctl.store.reader import Store
from benchctl.store.relations import cells_view, connection, loaded
from benchctl.store.sql import guard
from benchctl.store.sql.query import query_sql
from benchctl.store.writing.writer import RunWriter

OWN = {
    "c": ("BIGINT", [3, 1, 2, 0]),
    "cells": ("BIGINT", [4, 5, 6, 7]),
    "Total": ("DOUBLE", [0.5, None, 2.5, 1.5]),
    "a b": ("VARCHAR", ["x", "null", None, "y"]),
    "user": ("VARCHAR", ["u1", "u2", "u3", "u4"]),
}

STATEMENTS = """
select arm.upper() from cells order by all
select c.arm.upper() from cells c order by all
select cells.arm.upper() from cells order by all
select score.round(1) from cells order by all
select arm.upper().lower() from cells order by all
select (arm).upper() from cells order by all
select count(*) from cells where arm.starts_with('g')
select score.sum() from cells
select cell from cells order by score.round(1), run, cell
select g.to_json() from grades g order by run, cell
select runs.to_json() from runs order by run
select to_json(g) from grades g order by run, cell
select to_json(x) from (select arm, run, cell from cells) x order by x.run, x.cell
select length(x.to_json()) from (select * from cells) x order by 1
select list(cell order by all) from cells
select list(cell order by all desc)[:2] from cells
select first(arm order by all) from cells
select string_agg(arm order by columns(*)) from cells
select arm, first(arm order by all) over (partition by repo) from cells order by all
select arg_max(cell, g) from grades g
select row(g) from grades g order by g.run, g.cell
select [g] from grades g order by g.run, g.cell
select typeof(g) from grades g limit 1
select count(g) from grades g
select j.arm from (cells join runs using (run)) j order by all
select j from (cells join runs using (run)) j order by j.run, j.cell
select cell from cells order by columns(*)
select cell from cells order by all
select arm, count(*) from cells group by all order by all
select arm as question, count(*) from cells group by all order by all
select a from (select arm, cell from cells) t(a, b) order by b, a
select a from cells t(a, b) order by all
with x(a, b) as (select arm, score from cells) select a, sum(b) from x group by a order by a
with x as (from cells) select arm from x order by all
select count(*) from cells natural join grades
select count(*) from cells join grades using (run, cell)
select columns('^s') from cells order by all
select coalesce(*columns(['arm', 'agent'])) from cells order by all
select min(columns(* exclude (run))) from cells
select * exclude (answer) from cells order by run, cell
select c.* from cells c order by c.run, c.cell
select C from cells order by all
select "cells" from cells order by all
select cells.cells from cells order by all
select "user" from cells order by all
select cells.user from cells order by all
select #1 from cells order by all
select distinct on (arm) arm, cell from cells order by arm, run, cell
select (select max(wall_s)) from cells group by arm, wall_s order by all
select (select max(score) from grades where grades.cell = c.cell) from cells c order by all
select cell from cells where exists (select 1 from grades where cell = cells.cell and score > 0.5) order by all
select arm, rank() over w from cells window w as (partition by repo order by wall_s, run, cell) order by all
select list_transform([1, 2], lambda score: score + 1) from cells limit 1
select grouping(arm), arm, count(*) from cells group by cube (arm, repo) order by all
describe select arm from cells
select column_name from (describe cells)
from cells
table cells
select "a b", total from cells order by all
select arm from cells union all by name select arm from cells order by arm
select struct_extract({'s': score}, 's') from cells order by all
""".strip().splitlines()


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    with RunWriter.create(store, record("r1", plan(4))) as writer:
        for n, cell in enumerate(writer.unfinished):
            run_cell(writer, cell, n / 4)
        writer.close()
    imported_run(store, "a1", OWN, {"arm": ["a", "b", "a", "b"]}, {"score": [1.0, 0.5, 0.25, 0.0]})
    imported_run(store, "z1", {"c": OWN["c"]}, {"arm": ["grep"] * 4}, {"score": [0.125] * 4})
    return store


def answered(store, sql):
    try:
        found = query_sql(store, sql)
    except QueryRefusedError as error:
        return error.what
    return found.columns, found.rows


@pytest.mark.parametrize("sql", STATEMENTS)
def test_a_statement_over_the_columns_it_may_mean_gives_what_it_gives_over_all(store, monkeypatch, sql):
    monkeypatch.setattr(loaded, "_LOADED", loaded.OrderedDict())
    pruned = answered(store, sql)
    assert isinstance(pruned, tuple), pruned
    with monkeypatch.context() as patch:
        patch.setattr(guard, "columns_meant", lambda _nodes: None)
        assert repr(answered(store, sql)) == repr(pruned)
    monkeypatch.setattr(connection, "_MANY_ROWS", 0)
    monkeypatch.setattr(cells_view, "_SMALL", 0)
    assert repr(answered(store, sql)) == repr(pruned)


def test_order_by_all_alone_does_not_read_every_column():
    assert guard.check_sql("select arm, count(*) from cells group by all order by all").columns == {"arm"}
    assert guard.check_sql("select list(arm order by all) from cells").columns is None
    assert guard.check_sql("select arm.upper() from cells").columns is None
