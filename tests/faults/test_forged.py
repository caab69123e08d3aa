"""A manifest made to agree with its files hides nothing that the run says twice."""

import json
import shutil
from contextlib import suppress
from dataclasses import replace

import duckdb
import pytest
from small_run import plan, record, run_cell

from benchctl.errors import BenchctlError, StoreDamagedError
from benchctl.schema.canonical import digest
from benchctl.schema.run import GoldRecord
from benchctl.store.checking.verify import table_entries, verify_run
from benchctl.store.disk.manifest import data_digest, file_entry
from benchctl.store.disk.walk import listed_files
from benchctl.store.reader import Store
from benchctl.store.sql.query import query_sql
from benchctl.store.writing.writer import RunWriter

SUITE = "schema = 1\n"
GOLD = (GoldRecord(question="q1", digest=digest(["a", "b"]), items=2),)
CELLS = [cell.cell for cell in plan(4)]


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    with RunWriter.create(store, record(cells=plan(4), suite=SUITE, gold=GOLD), suite_text=SUITE) as writer:
        for index, cell in enumerate(writer.unfinished):
            run_cell(writer, cell, index / 4)
        writer.gold("q1", ["a", "b"])
        writer.close()
    return store.run("r1")


@pytest.fixture
def run(sealed, tmp_path):
    shutil.copytree(sealed.path, tmp_path / "runs" / "r1")
    return Store(tmp_path).run("r1")


def edit(run, table, sql):
    path = run.layout.table(table)
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("CREATE TABLE t AS SELECT * FROM read_parquet(?)", [str(path)])
        connection.execute(sql)
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")


def seal(run, *, tables=True, **change):
    """Write the manifest anew so that it says what the files now are; the way a forger with this program would."""
    manifest = replace(
        run.manifest, files={name: file_entry(path) for name, path in listed_files(run.layout, 1).items()}
    )
    if tables:
        entries = dict(manifest.tables)
        with suppress(StoreDamagedError):  # columns that no table has cannot be digested
            entries |= table_entries(run.layout, manifest)
        manifest = replace(manifest, tables=entries, data=data_digest(entries))
    run.layout.manifest().write_bytes(replace(manifest, **change).to_bytes())


def test_a_seal_that_changes_nothing_is_sound(run):
    seal(run)
    assert verify_run(run.path) == []


def everywhere(run, sql):
    for table in ("cells", "attempts", "grades", "transcripts"):
        edit(run, table, sql)


CELLS_FILE, ATTEMPTS, GRADES = "rows/cells.parquet", "rows/attempts.parquet", "grades/g0001.parquet"
TRANSCRIPTS, GOLD_FILE = "evidence/transcripts.parquet", "evidence/gold.json"
FORGED = [
    (lambda run: run.layout.gold.unlink(), GOLD_FILE, "not in the manifest"),
    (lambda run: run.layout.suite.unlink(), "evidence/suite.toml", "not in the manifest"),
    (lambda run: run.layout.suite.write_text("schema = 2\n"), "evidence/suite.toml", "sha256:"),
    (lambda run: run.layout.gold.write_text('{"q1":["a"]}'), GOLD_FILE, "the key of question q1"),
    (lambda run: run.layout.gold.write_text("[" * 9999), GOLD_FILE, "nested too deeply"),
    (lambda run: run.layout.gold.write_text('["\\ud800"]'), GOLD_FILE, "lone surrogate"),
    (lambda run: run.layout.gold.write_text("[1]"), GOLD_FILE, "not an answer key"),
    (lambda run: everywhere(run, f"DELETE FROM t WHERE cell = '{CELLS[2]}'"), CELLS_FILE, "missing"),
    (lambda run: edit(run, "cells", 'DELETE FROM t WHERE "order" = 3'), CELLS_FILE, "missing"),
    (lambda run: edit(run, "cells", "UPDATE t SET wall_s = 9"), CELLS_FILE, "own digest"),
    (lambda run: edit(run, "grades", "UPDATE t SET score = 0.123"), GRADES, "own digest"),
    (lambda run: edit(run, "attempts", "UPDATE t SET wall_s = 9"), ATTEMPTS, "own digest"),
    (lambda run: edit(run, "grades", f"DELETE FROM t WHERE cell = '{CELLS[0]}'"), GRADES, "missing"),
    (lambda run: edit(run, "grades", "INSERT INTO t SELECT * FROM t LIMIT 1"), GRADES, "more than once"),
    (lambda run: edit(run, "attempts", "INSERT INTO t SELECT * FROM t LIMIT 1"), ATTEMPTS, "that its cell counts"),
    (lambda run: edit(run, "attempts", "DELETE FROM t WHERE cell LIKE '%/2'"), ATTEMPTS, "that its cell counts"),
    (lambda run: edit(run, "transcripts", "DELETE FROM t WHERE stream = 'stderr'"), TRANSCRIPTS, "not the streams"),
    (lambda run: edit(run, "transcripts", "INSERT INTO t SELECT * FROM t"), TRANSCRIPTS, "not the streams"),
    (lambda run: edit(run, "cells", "ALTER TABLE t DROP COLUMN outcome"), CELLS_FILE, "outcome"),
    (lambda run: edit(run, "cells", "ALTER TABLE t ALTER COLUMN rep TYPE VARCHAR"), CELLS_FILE, "rep"),
    (lambda run: edit(run, "grades", "ALTER TABLE t ADD COLUMN more BIGINT"), GRADES, "more"),
]  # fmt: skip


@pytest.mark.parametrize(("forge", "path", "what"), FORGED)
def test_what_is_forged_is_found_and_its_file_named(run, forge, path, what):
    forge(run)
    seal(run)
    found = verify_run(run.path)
    assert path in [damage.path for damage in found]
    assert what in " ".join(str(damage) for damage in found)


def test_a_transcript_that_the_manifest_does_not_count_is_found(run):
    edit(run, "transcripts", "UPDATE t SET text = 'other'")
    seal(run)
    assert [damage.path for damage in verify_run(run.path)] == [TRANSCRIPTS]


@pytest.mark.parametrize(
    ("field", "value"),
    [("key", "sha256:" + "f" * 64), ("order", 9), ("arm", "other"), ("cell", "q9/grep/rg/none/1")],
)
def test_a_plan_that_is_not_the_rows_is_found(run, field, value):
    data = json.loads(run.layout.record.read_bytes())
    data["cells"][1][field] = value
    run.layout.record.write_text(json.dumps(data))
    seal(run)
    assert CELLS_FILE in [damage.path for damage in verify_run(run.path)]


def test_a_doubled_row_is_damage_and_no_traceback(run):
    edit(run, "cells", "INSERT INTO t SELECT * FROM t LIMIT 1")
    seal(run, tables=False)
    found = verify_run(run.path)
    assert "more than once" in str(found[0])
    with pytest.raises(StoreDamagedError, match="5 rows"):
        Store(run.path.parents[1]).run("r1").cells()


@pytest.mark.parametrize(
    "forge",
    [
        lambda run: run.layout.table("cells").write_text("hello"),
        lambda run: edit(run, "cells", "ALTER TABLE t DROP COLUMN outcome"),
        lambda run: edit(run, "grades", "ALTER TABLE t ALTER COLUMN score TYPE VARCHAR"),
    ],
)
def test_a_table_that_is_none_is_damage_wherever_it_is_read(run, forge):
    forge(run)
    seal(run, tables=False)
    assert verify_run(run.path)
    again = Store(run.path.parents[1]).run("r1")
    for read in (again.cells, again.progress):
        with pytest.raises(StoreDamagedError, match=r"\.parquet"):
            read()
    answer = query_sql(Store(run.path.parents[1]), "SELECT * FROM cells")
    assert (answer.rows, [each.name for each in answer.unreadable]) == ([], ["r1"])


@pytest.mark.parametrize(
    "change",
    [
        {"tables": {}},
        {"files": {}},
        {"files": {"../../benchctl.toml": {"bytes": 1, "sha256": "0" * 64}}},
        {"files": {"/etc/passwd": {"bytes": 1, "sha256": "0" * 64}}},
        {"files": {"run.json": {"bytes": "1", "sha256": "0" * 64}}},
        {"files": {"run.json": {"bytes": 1, "sha256": "zz"}}},
        {"files": [1]},
        {"rows_schema": "1"},
        {"generation": True},
        {"previous": 1},
        {"data": None},
        {"run": "\ud800"},
    ],
)
def test_a_manifest_of_wrong_kinds_is_damage(run, change):
    data = {**json.loads(run.layout.manifest().read_bytes()), **change}
    del data["digest"]
    try:
        data["digest"] = digest(data)
    except ValueError:
        data["digest"] = "sha256:"
    run.layout.manifest().write_text(json.dumps(data, indent=1, sort_keys=True) + "\n")
    assert verify_run(run.path)
    with pytest.raises(StoreDamagedError):
        Store(run.path.parents[1]).run("r1")


@pytest.mark.parametrize("content", ["[" * 100000, '{"a":' * 3000, '"\\ud800"', "\ufeff{}", "NaN"])
@pytest.mark.parametrize("name", ["manifest.json", "run.json"])
def test_json_that_cannot_be_read_is_damage(run, name, content):
    (run.path / name).write_text(content)
    assert [damage.path for damage in verify_run(run.path)] == [name]
    with pytest.raises(BenchctlError):
        Store(run.path.parents[1]).run("r1")
