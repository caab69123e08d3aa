import hashlib
import json
from dataclasses import replace

import duckdb
import pytest
from small_run import AT, evidence, grade, plan, record, run_cell

from benchctl.errors import StoreDamagedError, StoreUnwritableError
from benchctl.schema.evidence import Stream
from benchctl.schema.result import SCHEMA_VERSION, TABLES, VIEWS, Column
from benchctl.store.checking.verify import table_entries, verify_run
from benchctl.store.disk import parquet as parquet_module
from benchctl.store.disk import sealing
from benchctl.store.disk.manifest import data_digest
from benchctl.store.disk.rows import canonical_row
from benchctl.store.measuring import columns
from benchctl.store.reader import Store
from benchctl.store.relations import views
from benchctl.store.writing.writer import RunWriter

HOSTILE = [
    "",
    "null",
    "{}",
    "a\0b",
    "\u2028\u2029\ufeff\uffff",
    "\U0001f600 é",
    '"\\\n\r\t\b\f\x1b[31m',
    "'; DROP TABLE cells; --",
    "1e999",
    "NaN",
    "2024-01-01",
    "x" * 100_000,
]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "it's data")


@pytest.fixture
def schema(monkeypatch):
    """The columns of tables as they are now, to be changed; what was remembered of them is forgotten."""
    remembered = (parquet_module._versions, views.standard_view, columns._standard)
    for each in remembered:
        each.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    for each in remembered:
        each.cache_clear()


def closed(store, run="r1", cells=None, **more):
    with RunWriter.create(store, record(run, cells, "x"), suite_text="x") as writer:
        for index, cell in enumerate(writer.unfinished):
            run_cell(writer, cell, index / len(writer._planned), **more)
        writer.close()
    return store.run(run)


def parquet(path, sql="*"):
    with duckdb.connect() as connection:
        return connection.execute(f"SELECT {sql} FROM read_parquet(?)", [str(path)]).fetchall()


def test_hostile_text_comes_back_byte_for_byte(store):
    with RunWriter.create(store, record(cells=plan(len(HOSTILE)))) as writer:
        for cell, text in zip(writer.unfinished, HOSTILE, strict=True):
            writer.claim(cell, AT)
            stream = Stream(text, len(text.encode()))
            writer.finish(evidence(cell, answer=text, detail=text, stdout=stream), grade(note=text))
        writer.close()
    run = store.run("r1")
    assert [row["answer"] for row in run.cells()] == HOSTILE
    assert [row["detail"] for row in run.rows("attempts")] == HOSTILE
    assert [row["note"] for row in run.rows("grades")] == HOSTILE
    assert [run.transcripts(row["cell"])[1]["text"] for row in run.cells()] == HOSTILE
    assert verify_run(run.path) == []


@pytest.mark.parametrize(
    "number", [0.1, 1e-320, 1.7976931348623157e308, 0.30000000000000004, 1 / 3, -0.0, 1e22]
)
def test_numbers_come_back_bit_for_bit(store, number):
    row = closed(store, cells=plan(1), wall_s=number).rows("attempts")[0]
    assert repr(row["wall_s"]) == repr(float(number))


def test_whole_numbers_keep_all_their_digits(store):
    assert closed(store, cells=plan(1), tool_calls=2**62 + 1).cells()[0]["tool_calls"] == 2**62 + 1


def test_rows_are_stored_in_the_recorded_order_whatever_the_order_of_finishing(store):
    with RunWriter.create(store, record()) as writer:
        for cell in reversed(writer.unfinished):
            writer.claim(cell, AT)
            writer.end(evidence(cell, 1, outcome="timeout"))
            run_cell(writer, cell)
        writer.close()
    layout = store.run("r1").layout
    assert parquet(layout.table("cells"), '"order"') == [(n,) for n in range(8)]
    cells = [cell.cell for cell in plan(8)]
    assert parquet(layout.table("attempts"), "cell, attempt") == [(cell, n) for cell in cells for n in (1, 2)]


def test_equal_runs_have_equal_bytes(store, tmp_path):
    one, two = closed(store), closed(Store(tmp_path / "other"))
    assert one.manifest == two.manifest
    assert (one.path / "manifest.json").read_bytes() == (two.path / "manifest.json").read_bytes()


def test_one_changed_value_changes_the_data_digest(store):
    digests = {
        closed(store, f"r{index}", **change).data_digest
        for index, change in enumerate(
            [{}, {"wall_s": 0.26}, {"answer": "x"}, {"exit_code": 1}, {"detail": "x"}]
        )
    }
    assert len(digests) == 5


def test_the_data_digest_survives_recompression_and_another_order(store):
    run = closed(store)
    path = run.layout.table("cells")
    before = path.read_bytes()
    with duckdb.connect() as connection:
        again = path.with_suffix(".again")
        connection.execute(
            f"COPY (SELECT * FROM read_parquet(?) ORDER BY \"order\" DESC) TO '{str(again).replace(chr(39), chr(39) * 2)}'"
            " (FORMAT parquet, COMPRESSION snappy)",
            [str(path)],
        )
    again.replace(path)
    assert path.read_bytes() != before
    assert table_entries(run.layout, run.manifest).items() <= run.manifest.tables.items()
    assert data_digest(table_entries(run.layout, run.manifest)) == run.data_digest


def test_the_table_digests_are_over_the_canonical_rows(store):
    run = closed(store)
    rows = [{k: v for k, v in row.items() if k != "run"} for row in run.rows("attempts")]
    said = run.manifest.tables["attempts"]
    assert said.rows == len(rows) == 8
    assert said.sha256 == hashlib.sha256(b"".join(canonical_row(row) for row in rows)).hexdigest()


def test_parquet_files_say_what_they_are(store):
    run = closed(store)
    with duckdb.connect() as connection:
        rows = connection.execute(
            "SELECT key, value FROM parquet_kv_metadata(?)", [str(run.layout.table("cells"))]
        ).fetchall()
        codecs = connection.execute(
            "SELECT DISTINCT compression FROM parquet_metadata(?)", [str(run.layout.table("cells"))]
        ).fetchall()
    said = {key.decode(): value.decode() for key, value in rows}
    assert said == {
        "benchctl.run": "r1",
        "benchctl.table": "cells",
        "benchctl.schema": str(SCHEMA_VERSION),
        "benchctl.rows": f"8 sha256:{run.manifest.tables['cells'].sha256}",
    }
    assert codecs == [("ZSTD",)]


def test_a_transcript_longer_than_duckdbs_json_limit_is_sealed(store):
    text = "\0x" * (9 * 1024 * 1024)  # 54 MB as a JSON line
    with RunWriter.create(store, record(cells=plan(1))) as writer:
        run_cell(writer, writer.unfinished[0], stdout=Stream(text, len(text)))
        assert store.run("r1").transcripts(plan(1)[0].cell)[1]["text"] == text
        writer.close()
    assert store.run("r1").transcripts(plan(1)[0].cell)[1]["text"] == text


@pytest.mark.parametrize(
    ("type_", "default", "value"),
    [
        ("VARCHAR", "'node'", "node"),
        ("BIGINT", "7", 7),
        ("DOUBLE", "0.5", 0.5),
        ("BOOLEAN", "true", True),
        ("DOUBLE", "NULL", None),
    ],
)
def test_a_file_from_before_a_column_reads_as_its_declared_default(store, schema, type_, default, value):
    run = closed(store, answer=f"{type_} {default}")
    late = Column("mode", type_, "Appended later.", since=SCHEMA_VERSION + 1, default=default)
    schema.setattr(parquet_module, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    for tables in (TABLES, VIEWS):
        schema.setitem(tables, "cells", (*tables["cells"], late))
    assert [row["mode"] for row in run.cells()] == [value] * 8
    assert [row["score"] for row in run.cells()] == [n / 8 for n in range(8)]
    assert verify_run(run.path) == []  # its digest is over the columns of its own schema


def test_an_explicit_null_stays_null_where_the_default_is_a_value(store, schema):
    run = closed(store, cpu_s=None)
    changed = tuple(replace(c, default="9") if c.name == "cpu_s" else c for c in TABLES["cells"])
    schema.setitem(TABLES, "cells", changed)
    assert [row["cpu_s"] for row in run.cells()] == [None] * 8


def test_a_column_of_another_type_is_an_error_and_never_a_conversion(store, schema):
    run = closed(store, answer="word")
    changed = tuple(replace(c, type="BIGINT") if c.name == "answer" else c for c in TABLES["cells"])
    schema.setitem(TABLES, "cells", changed)
    with pytest.raises(StoreDamagedError, match="the columns are not those of `cells`: answer"):
        run.cells()


def test_a_seal_that_does_not_read_back_is_no_seal(store, monkeypatch):
    real = sealing.write_parquet

    def bad(connection, rows, columns, into, **more):
        if into.stem == "grades":
            rows.write_bytes(rows.read_bytes().replace(b'"score":0.125', b'"score":0.126'))
        real(connection, rows, columns, into, **more)

    monkeypatch.setattr(sealing, "write_parquet", bad)
    with RunWriter.create(store, record()) as writer:
        for index, cell in enumerate(writer.unfinished):
            run_cell(writer, cell, index / 8)
        with pytest.raises(StoreDamagedError, match="does not read back"):
            writer.close()
    monkeypatch.undo()
    assert store.run("r1").state == "open"
    with RunWriter.resume(store, "r1") as writer:
        writer.close()
    assert verify_run(store.run("r1").path) == []


def test_a_full_disk_while_sealing_leaves_the_run_open_and_whole(store, monkeypatch):
    def full(*_args, **_more):
        raise duckdb.IOException("IO Error: No space left on device")

    monkeypatch.setattr(sealing, "write_parquet", full)
    with RunWriter.create(store, record()) as writer:
        for cell in writer.unfinished:
            run_cell(writer, cell)
        with pytest.raises(StoreUnwritableError, match="No space left"):
            writer.close()
    assert len(store.run("r1").cells()) == 8


def test_an_empty_run_can_be_closed_and_read(store):
    with RunWriter.create(store, record()) as writer:
        writer.close(allow_unfinished=True)
    run = store.run("r1")
    assert run.cells() == run.rows("attempts") == run.transcripts("x") == []
    assert (run.gold(), verify_run(run.path)) == ({}, [])
    assert json.loads((run.path / "manifest.json").read_text())["tables"]["cells"]["rows"] == 0
