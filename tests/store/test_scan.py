"""The law of the canonical lines: what DuckDB writes is what Python writes, byte for byte."""

import json
import struct

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchctl.schema.canonical import digest
from benchctl.schema.result import Column
from benchctl.store.disk.entries import entry_of
from benchctl.store.disk.rows import canonical_row
from benchctl.store.disk.scan import Scan, canonical_lines, newest_entry
from benchctl.store.disk.sealing import seal_table

COLUMNS = (
    Column("zeta", "VARCHAR", ""),
    Column("row_digest", "VARCHAR", ""),
    Column('né "x"\n', "VARCHAR", ""),
    Column("alpha", "DOUBLE", ""),
    Column("n", "BIGINT", ""),
    Column("ok", "BOOLEAN", ""),
)
TEXT = st.text(st.characters(codec="utf-8"), max_size=12) | st.text(
    "\\u001bB\x1b\x0b\x00\x7f\"'/", max_size=12
)
NUMBER = st.floats(allow_nan=False, allow_infinity=False) | st.integers(0, 2**64 - 1).map(
    lambda bits: struct.unpack("d", bits.to_bytes(8, "little"))[0]
).filter(lambda value: abs(value) < float("inf"))
ROW = st.fixed_dictionaries(
    {
        "zeta": st.none() | TEXT,
        'né "x"\n': st.none() | TEXT,
        "alpha": st.none() | NUMBER,
        "n": st.none() | st.integers(-(2**63), 2**63 - 1),
        "ok": st.none() | st.booleans(),
    }
)


@given(st.lists(ROW, min_size=1, max_size=20), st.booleans())
def test_a_canonical_line_is_the_one_that_python_writes(tmp_path_factory, rows, signed):
    folder = tmp_path_factory.mktemp("law")
    columns = COLUMNS if signed else tuple(c for c in COLUMNS if c.name != "row_digest")
    if signed:
        rows = [{**row, "row_digest": digest(row)} for row in rows]
    seal_table(rows, columns, folder / "t.parquet", scratch=folder, metadata={})
    with duckdb.connect() as connection:
        lines = list(canonical_lines(connection, folder / "t.parquet", columns, ("n", "zeta")))
    assert [line.text for line in lines] == [canonical_row(row) for row in rows]
    assert [line.kept for line in lines] == [[row["n"], row["zeta"]] for row in rows]
    assert all(line.sound for line in lines)


@pytest.mark.parametrize("said", [None, "sha256:" + "0" * 64, "\x1b", digest({"n": 1}) + " "])
def test_a_row_that_is_not_what_its_digest_says(tmp_path, said):
    columns = (Column("n", "BIGINT", ""), Column("row_digest", "VARCHAR", ""))  # the digest stands last here
    rows = [{"n": 1, "row_digest": digest({"n": 1})}, {"n": 1, "row_digest": said}]
    seal_table(rows, columns, tmp_path / "t.parquet", scratch=tmp_path, metadata={})
    with duckdb.connect() as connection:
        lines = list(canonical_lines(connection, tmp_path / "t.parquet", columns))
    assert [line.sound for line in lines] == [True, False]
    assert [json.loads(line.text) for line in lines] == rows


CELLS = [f"c{number}" for number in range(9)]
VALUE = st.integers(0, 3)
GENERATIONS = st.lists(st.dictionaries(st.sampled_from(CELLS), VALUE, min_size=1), min_size=1, max_size=4)
TABLE = (Column("cell", "VARCHAR", ""), Column("n", "BIGINT", ""))


@settings(deadline=None)
@given(GENERATIONS, st.permutations(CELLS), st.booleans())
def test_of_rows_over_several_files_the_newest_of_each_cell_counts(tmp_path_factory, files, recorded, tidy):
    """Held to a plain model: a dictionary that each file is poured into."""
    folder = tmp_path_factory.mktemp("split")
    place = {cell: nth for nth, cell in enumerate(recorded)}
    paths, model = [], {}
    for nth, values in enumerate(files):
        rows = [{"cell": cell, "n": n} for cell, n in values.items()]
        if tidy:  # as every writer of ours leaves them
            rows.sort(key=lambda row: place[row["cell"]])
        model |= {row["cell"]: row for row in rows}
        paths.append(folder / f"{nth}.parquet")
        seal_table(rows, TABLE, paths[-1], scratch=folder, metadata={})
    with duckdb.connect() as connection:
        scans = [Scan(path, TABLE) for path in paths]
        entry = newest_entry(connection, scans, place)
    assert entry == entry_of(sorted(model.values(), key=lambda row: place[row["cell"]]))
    assert [{row["cell"] for row in scan.kept} for scan in scans] == [set(values) for values in files]


@settings(deadline=None, max_examples=40)
@given(st.dictionaries(st.sampled_from(CELLS), VALUE, min_size=1), st.data())
def test_rows_that_differ_in_no_cell_have_one_entry_however_they_are_split(tmp_path_factory, values, data):
    folder = tmp_path_factory.mktemp("split")
    rows = [{"cell": cell, "n": n} for cell, n in sorted(values.items())]
    parts = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    scans = []
    for part in sorted(set(parts)):
        path = folder / f"{part}.parquet"
        own = [row for row, at in zip(rows, parts, strict=True) if at == part]
        seal_table(own, TABLE, path, scratch=folder, metadata={})
        scans.append(Scan(path, TABLE))
    with duckdb.connect() as connection:
        entry = newest_entry(connection, scans, {cell: nth for nth, cell in enumerate(CELLS)})
    assert entry == entry_of(rows)


@pytest.mark.parametrize("signed", [False, True])
def test_a_row_of_two_thousand_columns_is_read(tmp_path, signed):
    row = {f"column {number}": number for number in range(2000)}
    columns = tuple(Column(name, "BIGINT", "") for name in row)
    if signed:
        columns += (Column("row_digest", "VARCHAR", ""),)
        row["row_digest"] = digest(row)
    seal_table([row], columns, tmp_path / "t.parquet", scratch=tmp_path, metadata={})
    with duckdb.connect() as connection:
        lines = list(canonical_lines(connection, tmp_path / "t.parquet", columns))
    assert [(line.text, line.sound) for line in lines] == [(canonical_row(row), True)]
