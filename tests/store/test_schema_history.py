"""A store that a released schema wrote is read for ever, row by row, as it was written.

Each folder of `tests/vectors/stores` is such a store, and the JSON file beside it all that it says;
`tests/keep_store.py` writes both when the schema is raised. Neither is ever written again.
"""

import json
import shutil

import pytest
from keep_store import STORES, foreign
from small_run import run_cell

from benchctl.expressions import evaluate, parse, probes
from benchctl.schema.result import SCHEMA_VERSION, TABLES, VIEWS
from benchctl.store.checking.verify import verify_run
from benchctl.store.disk.manifest import newest_manifest
from benchctl.store.measuring.question import measure
from benchctl.store.reader import Store
from benchctl.store.sql.query import query_sql
from benchctl.store.writing.writer import RunWriter

KEPT = sorted(path for path in STORES.iterdir() if path.is_dir())
SAID = {path.name: json.loads(path.with_suffix(".json").read_text()) for path in KEPT}
RUNS = [pytest.param(path, run, id=f"{path.name}/{run}") for path in KEPT for run in SAID[path.name]]
TABLES_SAID = [
    pytest.param(path, run, table, id=f"{path.name}/{run}/{table}")
    for path in KEPT
    for run, said in SAID[path.name].items()
    for table in said["tables"]
]
CLOSED = [param for param in RUNS if SAID[param.values[0].name][param.values[1]]["state"] == "closed"]


@pytest.fixture(autouse=True)
def _untouched():
    before = {path: path.read_bytes() for path in STORES.rglob("*") if path.is_file()}
    yield
    assert {path: path.read_bytes() for path in STORES.rglob("*") if path.is_file()} == before


def test_every_schema_version_has_a_store_that_it_wrote():
    assert [path.name for path in KEPT] == [f"schema-{version}" for version in range(1, SCHEMA_VERSION + 1)]


@pytest.mark.parametrize(("path", "run"), RUNS)
def test_a_kept_run_is_sound(path, run):
    stored = Store(path).run(run)
    assert verify_run(stored.path) == []
    said = SAID[path.name][run]
    assert (stored.state, stored.data_digest) == (said["state"], said["data"])
    assert stored.gold() == {name: tuple(items) for name, items in said["gold"].items()}
    assert stored.record.run == run


def test_every_kept_store_holds_a_run_of_each_kind():
    every = {"closed", "corrected", "imported", "open"}
    wanted = {1: {"closed", "open"}, 2: every, 3: every}
    for version, path in enumerate(KEPT, start=1):
        assert set(SAID[path.name]) == {run.id for run in Store(path).runs()} == wanted[version]


@pytest.mark.parametrize(("path", "run", "table"), TABLES_SAID)
def test_a_kept_table_says_what_it_said(path, run, table):
    stored = Store(path).run(run)
    rows = foreign(stored) if table == "foreign" else stored.rows(table, "ORDER BY ALL")
    said = SAID[path.name][run]["tables"][table]
    key = lambda row: json.dumps([row[name] for name in said[0] if name != "row_digest"])  # noqa: E731 - the order is by what was said
    assert len(rows) == len(said)
    # The rows of an open run are made anew by today's program, and so is what signs them.
    anew = {"row_digest"} if stored.state == "open" else set()
    for row, wanted in zip(sorted(rows, key=key), sorted(said, key=key), strict=True) if said else ():
        names = wanted.keys() - anew
        assert {name: row[name] for name in names} == {name: wanted[name] for name in names}


@pytest.mark.parametrize(("path", "run"), CLOSED)
def test_a_column_that_a_kept_file_lacks_reads_as_its_declared_default(path, run):
    stored = Store(path).run(run)
    written = stored.manifest.rows_schema
    for table, columns in TABLES.items():
        later = [c.name for c in columns if c.since > written and c.default == "NULL"]
        assert all(row[name] is None for row in stored.rows(table) for name in later)
    assert list(stored.cells()[0]) == [column.name for column in VIEWS["cells"]]


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_a_kept_open_run_is_finished_and_closed_in_a_copy(path, tmp_path):
    shutil.copytree(path, tmp_path / "data")
    store = Store(tmp_path / "data")
    before = store.run("open").cells()
    with RunWriter.resume(store, "open", plan_digest="sha256:" + "2" * 64) as writer:
        assert writer.finished == {row["cell"] for row in before}
        for cell in writer.unfinished:
            run_cell(writer, cell, 1.0)
        writer.close()
    run = store.run("open")
    assert run.cell("q2/index/rg/none/1")["attempts"] == 2, "an attempt that a dead writer began stays begun"
    assert verify_run(run.path) == []
    assert [{**row, "run": "open"} for row in run.cells()[: len(before)]] == before
    assert [row["attempts"] for row in run.cells()] == [1, 1, 2, 1, 1, 2, 1, 1]
    assert run.manifest.rows_schema == SCHEMA_VERSION


ASKED = [
    ("schema-1", "SELECT count(*), sum(attempts), sum(total_tokens) FROM cells WHERE run = 'closed'", [(8, 9, 135)]),
    ("schema-1", "SELECT arm, avg(score) FROM cells WHERE run = 'closed' GROUP BY arm ORDER BY arm", [("grep", 0.25), ("index", 0.3125)]),
    ("schema-1", "SELECT run, state, planned, seed FROM runs ORDER BY run", [("closed", "closed", 8, 7), ("open", "open", 8, 7)]),
    ("schema-1", "SELECT outcome, count(*) FROM attempts GROUP BY outcome ORDER BY outcome", [("exit_nonzero", 2), ("ok", 11), ("timeout", 2)]),
    ("schema-1", "SELECT count(*), count(DISTINCT cell) FROM transcripts WHERE run = 'closed'", [(18, 8)]),
    ("schema-1", "SELECT (SELECT count(*) FROM voids), (SELECT count(*) FROM backfills)", [(0, 0)]),
    ("schema-2", "SELECT count(*), sum(attempts), sum(total_tokens) FROM cells WHERE run = 'closed'", [(8, 9, 135)]),
    ("schema-2", "SELECT run, state, planned, seed FROM runs ORDER BY run", [("closed", "closed", 8, 7), ("corrected", "closed", 8, 7), ("imported", "closed", 3, None), ("open", "open", 8, 7)]),
    ("schema-2", "SELECT cell, void_why FROM cells WHERE run = 'corrected' AND void ORDER BY cell", [("q2/grep/rg/none/2", None), ("q2/index/rg/none/1", "its disk was full")]),
    ("schema-2", "SELECT sum(total_tokens), sum(cost_usd), max(token_source) FROM cells WHERE run = 'corrected'", [(480, 0.75, "proxy")]),
    ("schema-2", "SELECT generation, count(*), round(sum(score), 9) FROM grades WHERE run = 'corrected' GROUP BY 1 ORDER BY 1", [(1, 8, 2.25), (2, 8, 2.0)]),
    ("schema-2", "SELECT (SELECT count(*) FROM voids), (SELECT count(*) FROM backfills)", [(3, 4)]),
    ("schema-2", "SELECT sum(points), max(note), sum(score) FROM cells WHERE run = 'imported'", [(19, "first", 1.5)]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "sql", "rows"), ASKED)
def test_sql_over_a_kept_store_gives_the_numbers_that_it_gave(name, sql, rows):
    answer = query_sql(Store(STORES / name), sql)
    assert (answer.rows, answer.unreadable) == (rows, ())


EXPRESSIONS = [
    ("schema-1", "closed", "score.mean[arm=grep]", 0.25),
    ("schema-1", "closed", "count[outcome=ok] / count", 0.875),
    ("schema-1", "closed", "wall_s.sum", 2.25),
    ("schema-1", "closed", "total_tokens.median", 15.0),
    ("schema-1", "closed", "score.max[question=q2]", 0.75),
    ("schema-1", "closed", "score.n_failed", 1),
    ("schema-1", "open", "count", 5),
    ("schema-2", "closed", "score.mean[arm=grep]", 0.5 / 3),
    ("schema-2", "closed", "count[outcome=ok] / count", 0.75),
    ("schema-2", "corrected", "score.mean", 2 / 6),
    ("schema-2", "corrected", "score.n", 6),
    ("schema-2", "corrected", "total_tokens.sum", 480),
    ("schema-2", "corrected", "cost_usd.max", 0.5),
    ("schema-2", "corrected", "score.n_failed", 1),
    ("schema-2", "imported", "score.mean", 0.75),
    ("schema-2", "imported", "points.sum[arm=grep]", 19),
    ("schema-2", "imported", "count", 3),
    ("schema-2", "open", "count", 5),
    ("schema-3", "closed", "content_tokens.median[arm=grep]", 10.0),
    ("schema-3", "closed", "input_tokens.floor[arm=grep]", 5.0),
    ("schema-3", "closed", "continuations.max", 2),
    ("schema-3", "closed", "prepare_s.sum", 1.25),
    ("schema-3", "corrected", "score.n", 6),
    ("schema-3", "open", "count", 5),
]


@pytest.mark.parametrize(("name", "run", "expression", "value"), EXPRESSIONS)
def test_an_expression_over_a_kept_store_gives_the_number_that_it_gave(name, run, expression, value):
    node = parse(expression)
    found = evaluate(node, measure(Store(STORES / name), run, probes(node), declared=frozenset({run})))
    assert found == pytest.approx(value, rel=1e-15)


def test_a_first_manifest_is_the_first_generation_and_has_the_first_schema():
    stored = Store(STORES / "schema-1").run("closed")
    manifest = newest_manifest(stored.layout)
    assert (manifest.generation, manifest.rows_schema, manifest.previous) == (1, 1, None)
    assert json.loads(stored.layout.manifest().read_bytes())["schema"] == "benchctl.manifest/1"
