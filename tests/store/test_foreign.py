"""Imported runs and further tables, in SQL and in expressions, whatever their columns are called."""

from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from results_file import imported_run
from small_run import plan, record, run_cell

from benchctl import errors
from benchctl.expressions import Probe, evaluate, parse, parse_filters, probes
from benchctl.schema.result import VIEWS
from benchctl.store.measuring.question import measure
from benchctl.store.reader import Store
from benchctl.store.relations import cells_view as effective
from benchctl.store.relations import connection as relations
from benchctl.store.relations import loaded
from benchctl.store.relations.own_columns import further_of, own_columns_of
from benchctl.store.relations.views import sayable
from benchctl.store.sql.query import query_sql
from benchctl.store.writing.generation import add_generation
from benchctl.store.writing.writer import RunWriter


def ask(store, text, run="x1", where="", declared=frozenset()):
    node = parse(text)
    filters = parse_filters(where) if where else ()
    return evaluate(
        node, measure(store, run, probes(node, filters=filters), declared=declared), filters=filters
    )


def answer(store, text, **more):
    (probe,) = probes(parse(text))
    return measure(store, "x1", [probe], **more)[probe]


TOOLS = {
    "tool": ("VARCHAR", ["rg", "rg", "grep", "grep"]),
    "bench": ("VARCHAR", ["linux_literal", "words", "linux_literal", "words"]),
    "time_s": ("DOUBLE", [0.1, 0.5, 2.5, None]),
    "failed": ("BIGINT", [0, 3, 7, 0]),
    "outcome": ("VARCHAR", ["pass", "fail", "pass", "pass"]),
    "fast": ("BOOLEAN", [True, True, False, None]),
    "peak memory, MB": ("BIGINT", [1, 2, 3, 2**60]),
    "a.b": ("BIGINT", [1, 2, 3, 4]),
    "a": ("BIGINT", [5, 6, 7, 8]),
    "min": ("BIGINT", [9, 9, 9, 1]),
}
GRADES = {"score": [1.0, 0.5, 0.25, 0.0]}


def further(store, run, name, sql):
    """Give a closed run a further table of what `sql` gives."""
    file = Path(store.path) / f"{name.encode().hex()[:40]}.parquet"
    duckdb.sql(f"COPY ({sql}) TO '{file}' (FORMAT parquet)")
    add_generation(store.run(run).layout, {f"tables/{name}.parquet": file})


@pytest.fixture(params=["tables", "views"])
def store(request, tmp_path, monkeypatch):
    monkeypatch.setattr(loaded, "_LOADED", loaded.OrderedDict())
    if request.param == "views":
        monkeypatch.setattr(relations, "_MANY_ROWS", 0)
        monkeypatch.setattr(effective, "_SMALL", 0)
    store = Store(tmp_path / "data")
    imported_run(store, "x1", TOOLS, {"arm": ["a", "a", "b", "b"]}, GRADES)
    with RunWriter.create(store, record("r1", plan(4))) as writer:
        for cell in writer.unfinished:
            run_cell(writer, cell, 0.5)
        writer.close()
    return store


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("time_s[tool=rg, bench=linux_literal]", 0.1),
        ("time_s.median[tool=rg]", 0.3),
        ("time_s.n", 3),
        ("failed.sum", 10),  # the import's own, a count of tests
        ("failed[tool=grep, bench=linux_literal]", 7),
        ("count[failed>0]", 2),
        ("count[failed=3]", 1),
        ("count[failed=99]", 0),  # a number that occurs nowhere is a number
        ("count[outcome=pass]", 3),
        ("count[fast=true]", 2),
        ("count[fast!=true]", 1),
        ("fast.mean", 2 / 3),
        ('"peak memory, MB".max', 2**60),
        ('count["peak memory, MB"=1152921504606846976]', 1),
        ('count["peak memory, MB">1152921504606846975]', 1),
        ("a.b.sum", 10),  # the longest name wins
        ('"a.b".sum', 10),
        ("a.sum", 26),
        ("a.min", 5),
        ("min[tool=grep, bench=words]", 1),  # a column named like a statistic wins over it
        ("min.max", 9),
        ("score.mean", 0.4375),
        ("score.mean[arm=b]", 0.125),
        ("count", 4),
        ("time_s.n[tool~r*]", 2),
        ("count over tool: time_s.min > 1", 1),
        ("all bench: time_s.n > 0", True),
        ("sum over fast: count", 4),
        ("tool.distinct", 2),
        ("share[tool=rg]", 0.5),
    ],
)
def test_an_own_column_is_a_column_like_any(store, text, value):
    assert ask(store, text) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("time_s[tool=rg]", errors.AmbiguousRowError, "2 rows match"),
        ("time_s[tool=grep, bench=words]", errors.NullResultError, "measured in none"),
        ("time_s.median[tool=rgx]", errors.FilterValueUnknownError, "one of grep, rg; did you mean rg"),
        ("count[outcome=ok]", errors.FilterValueUnknownError, "one of fail, pass"),
        ("tool.mean", errors.KindMismatchError, "is a text"),
        ("count[fast=yes]", errors.KindMismatchError, "true or false"),
        ("count[failed=x]", errors.KindMismatchError, "is a number"),
        ("time.median", errors.ColumnUnknownError, "no metric and no column `time`"),
        ("time_s.macro", errors.NullResultError, "which question they answer"),
        ("score.lo", errors.NullResultError, "--map SOURCE=question"),
        ("delta(score.macro, arm=a, arm=b)", errors.NullResultError, "which question"),
        ("failed.lo", errors.KindMismatchError, "has no interval"),
        ("n_failed", errors.NullResultError, "the import has no outcome"),
        ("prices::usd.mean", errors.ColumnUnknownError, "no table `prices`"),
    ],
)
def test_what_an_import_does_not_say_is_an_error_that_says_so(store, text, error, words):
    with pytest.raises(error) as raised:
        ask(store, text)
    assert words in str(raised.value)


def test_rows_of_which_nobody_said_that_they_are_void_or_failed_count(store):
    measured = answer(store, "score.mean")
    assert (measured.n, measured.count, measured.failed, measured.void) == (4, 4, 0, 0)


def test_macro_takes_rows_without_a_repository_as_of_one(store):
    questions = {"question": ["q1", "q1", "q1", "q2"]}
    imported_run(store, "x2", {"t": ("DOUBLE", [1.0, 2.0, 3.0, 10.0])}, questions)
    assert ask(store, "t.macro", "x2") == 6.0


def test_own_columns_of_pooled_runs_must_agree_where_they_are_named(store):
    imported_run(store, "x2", {"tool": ("VARCHAR", ["rg"]), "failed": ("DOUBLE", [0.5])})
    imported_run(store, "x3", {"time_s": ("DOUBLE", [9.0]), "FAILED": ("BIGINT", [5])})
    declared = frozenset({"x2", "x3", "r1"})
    assert ask(store, "count[tool=rg]@x1+x2", declared=declared) == 3
    assert ask(store, "time_s.max@x1+x2", declared=declared) == 2.5
    assert ask(store, "failed.sum@x1+x3", declared=declared) == 15
    assert ask(store, "FAILED.sum@x1+x3 + failed.sum@x2", declared=declared) == 15.5
    with pytest.raises(errors.RunsNotComparableError, match="BIGINT, DOUBLE in different runs"):
        ask(store, "failed.sum@x1+x2", declared=declared)


def test_one_query_asks_runs_whose_columns_mean_different_things(store):
    declared = frozenset({"r1"})
    assert ask(store, "failed.sum + failed.sum@r1", declared=declared) == 10
    assert ask(store, "count[outcome=pass] + count[outcome=ok]@r1", declared=declared) == 7
    assert ask(store, "n_failed@r1", declared=declared) == 0


def test_sql_sees_own_columns_and_says_what_it_made_of_their_types(store):
    found = query_sql(
        store, "SELECT run, sum(failed), count(tool), count(score) FROM cells GROUP BY 1 ORDER BY 1"
    )
    assert found.rows == [("r1", 0, 0, 4), ("x1", 10, 4, 4)]
    assert found.warnings == (
        "the column `failed` of `cells` is BOOLEAN in r1; BIGINT in x1: it is read as BIGINT",
    )
    assert not query_sql(store, "SELECT count(tool) FROM cells").warnings
    imported_run(store, "x2", {"TIME_S": ("VARCHAR", ["fast"]), "tool": ("VARCHAR", ["é"])})
    found = query_sql(store, "SELECT time_s, typeof(time_s) FROM cells WHERE tool IN ('rg', 'é') ORDER BY 1")
    assert found.rows == [("0.1", "VARCHAR"), ("0.5", "VARCHAR"), ("fast", "VARCHAR")]
    assert "DOUBLE in x1; VARCHAR in x2: it is read as VARCHAR" in found.warnings[0]
    names = query_sql(store, "SELECT * FROM cells").columns
    assert names == [column.name for column in VIEWS["cells"]] + [
        name for name in TOOLS if name not in {"failed", "outcome"}
    ]
    assert [row[0] for row in query_sql(store, "DESCRIBE cells").rows] == names


def test_a_run_says_its_own_columns(store):
    run = store.run("x1")
    assert {column.name: column.type for column in own_columns_of(run, "cells")} == {
        name: type_ for name, (type_, _) in TOOLS.items()
    }
    assert {row["failed"] for row in run.cells()} == {None}  # the standard column, never the import's own
    assert own_columns_of(store.run("r1"), "cells") == own_columns_of(run, "attempts") == ()
    with pytest.raises(errors.TableUnknownError, match="no table 'prices' in run x1"):
        own_columns_of(run, "prices")


def test_a_further_table_is_reached_in_expressions_and_in_sql(store):
    further(
        store,
        "x1",
        "Prices",
        "SELECT tool, usd::DOUBLE AS usd, cheap FROM (VALUES ('rg', 0.5, true), ('grep', 2, false)) t(tool, usd, cheap)",
    )
    further(store, "r1", "prices", "SELECT 'index' AS tool, 7::BIGINT AS usd")
    assert ask(store, "prices::usd.sum") == 2.5
    assert ask(store, "Prices::usd[tool=rg]") == 0.5
    assert ask(store, "prices::count[cheap=true]") == 1
    assert ask(store, "prices::usd@r1 + prices::count", declared=frozenset({"r1"})) == 9
    with pytest.raises(errors.NullResultError, match="no outcome"):
        ask(store, "prices::n_failed")
    with pytest.raises(errors.ColumnUnknownError, match="no column `arm`"):
        ask(store, "prices::usd.sum", where="arm=a")
    found = query_sql(store, "SELECT * FROM prices ORDER BY run, tool")
    assert (found.columns, found.rows) == (
        ["run", "tool", "usd", "cheap"],
        [("r1", "index", 7.0, None), ("x1", "grep", 2.0, False), ("x1", "rg", 0.5, True)],
    )
    assert found.warnings == (
        "the column `usd` of `prices` is BIGINT in r1; DOUBLE in x1: it is read as DOUBLE",
    )
    assert [row[0] for row in query_sql(store, "SHOW TABLES").rows] == sorted(["runs", *VIEWS, "prices"])
    assert query_sql(store, "SELECT c.tool, p.usd FROM cells c JOIN Prices p USING (run, tool) WHERE time_s < 0.2").rows == [("rg", 0.5)]  # fmt: skip
    assert [column.name for column in own_columns_of(store.run("x1"), "PRICES")] == ["tool", "usd", "cheap"]
    assert further_of((store.run("x1"),)) == {"prices": "Prices"}


def test_a_further_table_with_cells_has_what_they_have(store):
    further(
        store,
        "x1",
        "notes",
        "SELECT * FROM (VALUES ('row-0', 1), ('row-2', 2), ('nowhere', 4)) t(cell, weight)".replace(
            "1)", "1::BIGINT)"
        ),
    )
    assert ask(store, "notes::weight.sum[arm=b]") == 2
    assert ask(store, "notes::weight.sum", where="arm=a") == 1
    assert ask(store, "notes::count") == 3


def test_a_further_table_that_is_damaged_is_named(store):
    further(store, "x1", "prices", "SELECT 1.5::DOUBLE AS usd")
    path = store.run("x1").path / "tables" / "prices.parquet"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(errors.StoreDamagedError):
        ask(store, "prices::usd")
    assert [each.name for each in query_sql(store, "SELECT * FROM prices").unreadable] == ["x1"]
    assert query_sql(store, "SELECT count(*) FROM cells").unreadable == ()


def test_a_further_table_of_a_type_that_the_store_does_not_know_is_damage(store):
    further(store, "x1", "odd", "SELECT DATE '2026-01-01' AS day")
    with pytest.raises(errors.StoreDamagedError, match="`day` is of type DATE"):
        ask(store, "odd::day")


NAMES = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=40),
    st.sampled_from([
        '"', "';--", '"; DROP TABLE cells; --', "run_", "Run ", "_file", "_place", "filename", "file_row_number",
        "own_", "cells", "_open", "a.b.c", "💥", "n" * 20_000, "count", "void", "repo", " ", "\n", "$1", "?", "rowid",
    ]),
)  # fmt: skip


@given(
    names=st.lists(NAMES, min_size=1, max_size=4, unique_by=lambda name: name.casefold()), views=st.booleans()
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_name_of_a_column_is_more_than_a_name(tmp_path_factory, monkeypatch, names, views):
    """Whatever a column is called, it is found under its name, its values are its own, and the others stay theirs."""
    names = [name for name in names if name.lower() not in {"run", "cell"}]
    if not names:
        return
    with monkeypatch.context() as patch:
        patch.setattr(relations, "_MANY_ROWS", 0 if views else 200_000)
        patch.setattr(loaded, "_LOADED", loaded.OrderedDict())
        store = Store(tmp_path_factory.mktemp("store"))
        imported_run(store, "x1", {name: ("BIGINT", [n, 2 * n + 1]) for n, name in enumerate(names)})
        wanted = [Probe((name, "sum")) for name in names]
        assert [measure(store, "x1", wanted)[probe].value for probe in wanted] == [
            3 * n + 1 for n in range(len(names))
        ]
        found = query_sql(store, "SELECT * FROM cells")
        row = dict(zip(found.columns, found.rows[1], strict=True))
        by_lower = {name.lower(): value for name, value in row.items()}
        assert [by_lower[name.lower()] for name in names] == [2 * n + 1 for n in range(len(names))]
        for n, name in enumerate(names):
            quoted = name.replace('"', '""')
            assert query_sql(store, f'SELECT max("{quoted}") FROM cells').rows == [(2 * n + 1,)]
            text = '"' + quoted + '".sum'
            assert ask(store, text) == 3 * n + 1


def test_a_name_longer_than_an_expression_may_be_is_still_there_for_sql(store):
    """Nothing of an import is dropped for the length of its name; an expression says its own limit."""
    name = "n" * 65_536
    imported_run(store, "x2", {name: ("BIGINT", [1, 2])})
    assert query_sql(store, f"SELECT max(\"{name}\") FROM cells WHERE run = 'x2'").rows == [(2,)]
    with pytest.raises(errors.ExpressionInvalidError, match="at most 50,000 characters"):
        ask(store, f'"{name}".sum')


@given(name=st.text(st.characters(codec="utf-8", exclude_characters="\x00/"), min_size=1, max_size=30))
@settings(max_examples=15, deadline=None)
def test_no_name_of_a_table_is_more_than_a_name(tmp_path_factory, name):
    if name in {".", ".."} or name.lower() in {"runs", *VIEWS} or len(name.encode()) > 200:
        return
    store = Store(tmp_path_factory.mktemp("store"))
    run = imported_run(store, "x1", {"t": ("BIGINT", [1])})
    file = Path(store.path) / "x.parquet"
    duckdb.sql(f"COPY (SELECT 7::BIGINT AS usd) TO '{file}' (FORMAT parquet)")
    try:
        add_generation(run.layout, {f"tables/{name}.parquet": file})
    except (errors.BenchctlError, ValueError):
        return
    (shown,) = further_of((store.run("x1"),)).values()
    probe = Probe(("usd",), table=shown)
    assert measure(store, "x1", [probe])[probe].value == 7
    quoted = shown.replace('"', '""')
    assert query_sql(store, f'SELECT usd FROM "{quoted}"').rows == [(7,)]


def test_names_without_anything_are_given_one():
    assert sayable("", set()) == "unnamed"
    assert sayable("", {"unnamed"}) == "unnamed_1"
    assert sayable("Run", {"run", "run_1"}) == "Run_2"
