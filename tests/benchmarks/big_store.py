"""A store of any size, made by DuckDB alone: rows that look like a run's, in as many runs as asked for.

The files have the schema, the compression and the manifest of real ones. The digests of rows are made up:
nothing reads them here, and `verify-store` would say so.
"""

import sys
from pathlib import Path

import duckdb

from benchctl.schema.result import TABLES, VIEWS
from benchctl.store.disk.manifest import Manifest, TableEntry, data_digest, file_entry
from benchctl.store.disk.record import record_bytes
from benchctl.store.disk.walk import listed_files
from benchctl.store.reader import Store

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from small_run import record

_VALUES = {
    "cell": "'q' || i // 60 || '/' || arm || '/' || agent || '/none/' || i % 5 + 1",
    "key": "'sha256:' || sha256('k' || i)",
    "question": "'q' || i // 60",
    "class": "'class' || i % 7",
    "repo": "'repo' || i % 20",
    "arm": "arm",
    "agent": "agent",
    "model": "'none'",
    "rep": "i % 5 + 1",
    "order": "i % $each",
    "outcome": "if(i % 50 = 0, 'timeout', 'ok')",
    "failed": "i % 50 = 0",
    "void": "false",
    "attempts": "1",
    "wall_s": "(hash(i) % 100000) / 1000.0",
    "cpu_s": "(hash(i + 1) % 100000) / 1000.0",
    "input_tokens": "hash(i + 2) % 100000",
    "output_tokens": "hash(i + 3) % 5000",
    "total_tokens": "hash(i + 2) % 100000 + hash(i + 3) % 5000",
    "tool_calls": "i % 30",
    "answer": "repeat('src/click/core.py::Context ', 1 + (i % 8)::INT) || i",
    "stdout_bytes": "i % 4000",
    "stderr_bytes": "0",
    "sandbox": "'bwrap'",
    "row_digest": "'sha256:' || sha256('r' || i)",
    "generation": "1",
    "grader": "'items'",
    "score": "(hash(i + 4) % 9) / 8.0",
    "answered": "true",
    "precision": "(hash(i + 4) % 9) / 8.0",
    "recall": "(hash(i + 4) % 9) / 8.0",
    "answer_items": "i % 9",
    "gold_items": "8",
    "hit_items": "hash(i + 4) % 9",
    "facts": """'[{"id":"a::b' || i % 500 || '","state":"hit","note":""}]'""",
    "note": "''",
}
_FORMAT = "(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 9, ROW_GROUP_SIZE_BYTES '8MB')"
_EMPTY = ("attempts", "transcripts")


def _select(columns, each, where):
    values = ", ".join(
        f'({_VALUES.get(c.name, "NULL").replace("$each", str(each))})::{c.type} AS "{c.name}"'
        for c in columns
    )
    return f"SELECT {values} FROM t WHERE {where} ORDER BY i"


def write_store(folder, *, rows, runs):
    """Write a store of `runs` closed runs with `rows` cells in all, and `one.parquet`: the same rows in one file."""
    store, each = Store(folder), rows // runs
    connection = duckdb.connect(config={"threads": 2})
    connection.execute(
        "CREATE TABLE t AS SELECT i, ['grep', 'index', 'graph', 'none'][i % 4 + 1] AS arm,"
        f" ['rg', 'claude', 'codex'][i // 4 % 3 + 1] AS agent FROM range({rows}) r(i)"
    )
    for number in range(runs):
        layout = store.layout(f"run-{number:04d}")
        for name in ("rows", "grades", "evidence"):
            (layout.folder / name).mkdir(parents=True)
        layout.record.write_bytes(record_bytes(record(layout.folder.name, cells=())))
        layout.gold.write_text("{}\n")
        where = f"i >= {number * each} AND i < {number * each + each}"
        for table in ("cells", "grades", *_EMPTY):
            select = _select(TABLES[table], each, "false" if table in _EMPTY else where)
            connection.execute(f"COPY ({select}) TO '{layout.table(table)}' {_FORMAT}")
        entries = {
            name: TableEntry(0 if name in _EMPTY else each, f"{number:064x}")
            for name in ("cells", "grades", *_EMPTY)
        }
        files = {name: file_entry(path) for name, path in listed_files(layout, 1).items()}
        manifest = Manifest(layout.folder.name, 1, None, "0.1.0", 2, data_digest(entries), entries, files)
        layout.manifest().write_bytes(manifest.to_bytes())
    one = folder / "one.parquet"
    connection.execute(f"COPY ({_select(VIEWS['cells'][1:], rows, 'true')}) TO '{one}' {_FORMAT}")
    return store, one
