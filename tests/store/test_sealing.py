"""A sealed file says exactly the rows that were handed in, under whatever names, or it is not there."""

import math

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchctl.errors import StoreDamagedError, StoreExistsError, StoreUnwritableError
from benchctl.schema.result import Column
from benchctl.store.disk import sealing
from benchctl.store.disk.manifest import entry_of
from benchctl.store.disk.parquet import read_rows
from benchctl.store.disk.sealing import seal_table

VALUES = {
    "VARCHAR": st.text(st.characters(codec="utf-8")),
    "BIGINT": st.integers(-(2**63), 2**63 - 1),
    "DOUBLE": st.floats(allow_nan=False, allow_infinity=False),
    "BOOLEAN": st.booleans(),
}
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)


def column(name, type_="VARCHAR"):
    return Column(name, type_, "A column of somebody else's.")


@st.composite
def tables(draw):
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique_by=lambda name: name.encode().lower()))
    columns = tuple(column(name, draw(st.sampled_from(sorted(VALUES)))) for name in names)
    row = st.fixed_dictionaries({c.name: st.none() | VALUES[c.type] for c in columns})
    return columns, draw(st.lists(row, max_size=6))


def back(path, columns):
    with duckdb.connect() as connection:
        return list(read_rows(connection, path, columns))


def sealed(folder, rows, columns, name="t.parquet"):
    return seal_table(rows, columns, folder / name, scratch=folder / "scratch", metadata={"k'": 'v"'})


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables())
def test_rows_under_any_names_come_back_as_they_were(tmp_path, table):
    columns, rows = table
    path = tmp_path / "t.parquet"
    path.unlink(missing_ok=True)
    entry = sealed(tmp_path, rows, columns)
    found = back(path, columns)
    assert [repr(list(row.items())) for row in found] == [  # the text, for -0.0 is not 0.0
        repr([(c.name, row[c.name]) for c in columns]) for row in rows
    ]
    assert entry == entry_of(found)
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.parametrize(
    "name",
    ['a"b', "it's", "a\\nb", "a\nb", "\\", "select", "*", "a.b", " ", "é\u0301", "\U0001f600", "{}", "cell%s", "$1"],
)  # fmt: skip
def test_a_name_that_needs_quoting_is_a_name(tmp_path, name):
    columns = (column("cell"), column(name, "BIGINT"))
    sealed(tmp_path, [{"cell": "c", name: 7}], columns)
    assert back(tmp_path / "t.parquet", columns) == [{"cell": "c", name: 7}]


def test_a_whole_number_in_a_double_is_a_float(tmp_path):
    columns = (column("x", "DOUBLE"),)
    sealed(tmp_path, [{"x": 5}, {"x": 2**53 + 1}], columns)
    assert repr(back(tmp_path / "t.parquet", columns)) == "[{'x': 5.0}, {'x': 9007199254740992.0}]"


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("BIGINT", "5"),
        ("BIGINT", 5.0),
        ("BIGINT", True),  # a truth is no count
        ("BIGINT", 2**63),
        ("BIGINT", -(2**63) - 1),
        ("DOUBLE", "0.5"),
        ("DOUBLE", True),
        ("DOUBLE", math.inf),
        ("DOUBLE", math.nan),
        ("BOOLEAN", 1),
        ("BOOLEAN", "true"),
        ("VARCHAR", 5),
        ("VARCHAR", b"x"),
        ("VARCHAR", "\ud800"),  # half a character
    ],
)
def test_a_value_that_is_not_of_its_columns_type_is_refused_and_nothing_written(tmp_path, type_, value):
    with pytest.raises(ValueError, match=r"row 2, column 'x'|surrogates not allowed"):
        sealed(tmp_path, [{"x": None}, {"x": value}], (column("x", type_),))
    assert [path.name for path in tmp_path.rglob("*")] == ["scratch"]


@pytest.mark.parametrize("row", [{}, {"x": 1, "y": 2}, {"y": 1}])
def test_a_row_with_other_columns_is_refused(tmp_path, row):
    with pytest.raises(ValueError, match="row 1"):
        sealed(tmp_path, [row], (column("x", "BIGINT"),))


@pytest.mark.parametrize("names", [("",), ("a\0",), ("Time", "time"), ("x", "x")])
def test_names_that_no_table_can_have_are_refused(tmp_path, names):
    with pytest.raises(ValueError, match="cannot be a column's name"):
        sealed(tmp_path, [], tuple(map(column, names)))


def test_a_sealed_file_is_never_overwritten(tmp_path):
    columns = (column("x"),)
    sealed(tmp_path, [{"x": "first"}], columns)
    with pytest.raises(StoreExistsError):
        sealed(tmp_path, [{"x": "second"}], columns)
    assert back(tmp_path / "t.parquet", columns) == [{"x": "first"}]
    assert list((tmp_path / "scratch").iterdir()) == []


def test_row_groups_are_bounded_by_bytes(tmp_path):
    columns = (column("x"),)
    sealed(tmp_path, ({"x": f"{index:07d}" * 200_000} for index in range(40)), columns)
    with duckdb.connect() as connection:
        groups = connection.execute(
            "SELECT count(DISTINCT row_group_id), max(row_group_num_rows) FROM parquet_metadata(?)",
            [str(tmp_path / "t.parquet")],
        ).fetchone()
    assert groups[0] >= 3
    assert groups[1] < 40


def test_what_does_not_read_back_gets_no_name(tmp_path, monkeypatch):
    real = sealing.write_parquet

    def bad(connection, rows, columns, into, **more):
        rows.write_bytes(rows.read_bytes().replace(b"yes", b"no!"))
        real(connection, rows, columns, into, **more)

    monkeypatch.setattr(sealing, "write_parquet", bad)
    with pytest.raises(StoreDamagedError, match="does not read back"):
        sealed(tmp_path, [{"x": "yes"}], (column("x"),))
    assert [path.name for path in tmp_path.rglob("*")] == ["scratch"]


@pytest.mark.parametrize(
    "words",
    [
        "No space left on device",
        "IO Error: No space left on device\nand more",
        (
            'IO Error: Async write failed for range [offset=910, size=8694]: {"exception_type":"IO",'
            '"exception_message":"Could not write file \\"/x.tmp\\": No space left on device","errno":"28"}'
        ),
    ],
)
def test_a_full_disk_is_named_as_such_in_one_line(tmp_path, monkeypatch, words):
    def full(*_args, **_more):
        raise duckdb.IOException(words)

    monkeypatch.setattr(sealing, "write_parquet", full)
    with pytest.raises(StoreUnwritableError) as raised:
        sealed(tmp_path, [{"x": "yes"}], (column("x"),))
    what = raised.value.what
    assert "\n" not in what
    assert what.removeprefix("cannot write: ").removeprefix("IO Error: ") == "No space left on device"
    assert [path.name for path in tmp_path.rglob("*")] == ["scratch"]
