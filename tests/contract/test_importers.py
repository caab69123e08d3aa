"""One contract for every importer: strict, nothing invented, nothing dropped, the same each time."""

import random

import pytest
from import_files import own, read_file, rows_of, write_file

from benchctl.errors import BenchctlError
from benchctl.importers import IMPORTERS
from benchctl.schema.result import TABLES

COLUMNS = ["question", "arm", "rep", "score", "wall_s", "points", "note"]
TYPES = dict(
    zip(COLUMNS, ["VARCHAR", "VARCHAR", "BIGINT", "DOUBLE", "DOUBLE", "BIGINT", "VARCHAR"], strict=True)
)
ROWS = [
    dict(zip(COLUMNS, values, strict=True))
    for values in (
        ("q1", "grep", 1, 0.5, 1.25, 7, "fine"),
        ("q1", "index", 1, None, 2.5, None, None),
        ("q2", "grep", 1, 1.0, None, 9, 'says "no", twice'),
    )
]


@pytest.fixture(params=IMPORTERS)
def kind(request):
    return request.param


@pytest.fixture
def path(kind, tmp_path):
    return write_file(tmp_path / f"results.{kind}", kind, ROWS, COLUMNS, TYPES)


def test_the_module_fills_the_protocol(kind):
    module = IMPORTERS[kind]
    assert kind == module.SUFFIX
    assert module.__doc__
    assert callable(module.read)


def test_every_column_is_mapped_or_kept(kind, path):
    found = read_file(path, kind)
    fates = [found.plan.fate(index) for index in range(len(found.reading.columns))]
    assert list(found.reading.columns) == COLUMNS
    assert "left out" not in fates
    assert set(found.record.mapped) == {"question", "arm", "rep", "score", "wall_s"}
    assert own(found) == [{name: row[name] for name in ("points", "note")} for row in ROWS]


def test_nothing_is_invented_and_null_stays_null(kind, path):
    found = read_file(path, kind)
    mapped = {"cell", "order", "question", "arm", "rep", "wall_s"}
    for cell, row in zip(rows_of(found, "cells"), ROWS, strict=True):
        assert {name for name, value in cell.items() if value is not None} <= mapped
        assert cell["wall_s"] == row["wall_s"]
        assert set(cell) == {column.name for column in TABLES["cells"]} - {"row_digest"}
    assert [(row["cell"], row["score"]) for row in rows_of(found, "grades")] == [
        ("q1/grep/1", 0.5),
        ("q2/grep/1", 1.0),
    ]


def test_every_pass_gives_the_same_rows(kind, path):
    found = read_file(path, kind)
    for table in ("cells", "grades", "foreign"):
        assert rows_of(found, table) == rows_of(found, table)
    assert read_file(path, kind).record == found.record


def test_a_file_without_a_row_is_refused(kind, tmp_path):
    path = write_file(tmp_path / "empty", kind, [], COLUMNS, TYPES)
    with pytest.raises(BenchctlError) as caught:
        read_file(path, kind)
    assert caught.value.slug == "import-empty"


def test_an_empty_file_is_refused(kind, tmp_path):
    path = tmp_path / "empty"
    path.touch()
    with pytest.raises(BenchctlError) as caught:
        read_file(path, kind)
    assert caught.value.slug in ("import-empty", "import-unreadable")


def test_whatever_the_bytes_are_it_is_read_or_refused(kind, path):
    """A byte that changed, or an end that is missing, never ends in anything but rows or one of our errors."""
    whole, dice = path.read_bytes(), random.Random(3)
    refused = 0
    for _ in range(150):
        broken = bytearray(whole)
        if dice.random() < 0.3:
            del broken[dice.randrange(len(broken)) :]
        else:
            broken[dice.randrange(len(broken))] = dice.randrange(256)
        path.write_bytes(broken)
        error = refusal(path, kind)
        assert error is None or error.slug.startswith("import-")
        assert error is None or error.where is None or error.where.file == path.name
        refused += error is not None
    assert refused


def refusal(path, kind):
    try:
        found = read_file(path, kind)
        for table in ("cells", "grades", "foreign"):
            rows_of(found, table)
    except BenchctlError as error:
        return error
    return None
