"""Write rows, import them: the same rows, in the same order, whatever the format."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from import_files import own, read_file, rows_of, write_file

from benchctl.importers import IMPORTERS

LETTERS = st.characters(exclude_characters="\0", exclude_categories=("Cs",))
VALUES = {
    "VARCHAR": st.text(LETTERS, max_size=12).map(lambda text: f"t{text}"),
    "BIGINT": st.integers(-(2**63), 2**63 - 1),
    "DOUBLE": st.floats(allow_nan=False, allow_infinity=False),
    "BOOLEAN": st.booleans(),
}
NAMES = st.text(LETTERS, min_size=1, max_size=8).map(lambda name: f"x{name.strip()}")


@st.composite
def sheets(draw):
    """Columns of one type each, none of them without a value, and a column that names the rows."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique_by=lambda name: name.encode().lower()))
    types = {"id": "VARCHAR", **{name: draw(st.sampled_from(sorted(VALUES))) for name in names}}
    count = draw(st.integers(1, 6))
    rows = []
    for number in range(count):
        row = {"id": f"row{number}"}
        for name in names:
            row[name] = draw(VALUES[types[name]] if number == 0 else st.none() | VALUES[types[name]])
        rows.append(row)
    return rows, ["id", *names], types


def same(value):
    return repr(value)  # which tells -0.0 from 0.0 and 1 from 1.0


@pytest.mark.parametrize("kind", IMPORTERS)
@given(sheet=sheets())
@settings(max_examples=40)
def test_the_rows_that_were_written_are_the_rows_that_are_read(kind, sheet, tmp_path_factory):
    rows, columns, types = sheet
    path = write_file(tmp_path_factory.mktemp("law") / "rows", kind, rows, columns, types)
    found = read_file(path, kind, {"key": ("id",), "null_texts": ("",)})
    assert [[(name, same(value)) for name, value in row.items()] for row in own(found)] == [
        [(name, same(row[name])) for name in columns] for row in rows
    ]
    assert {each.name: each.type for each in found.record.foreign} == types
    assert [each.null for each in found.record.foreign] == [
        sum(row[name] is None for row in rows) for name in columns
    ]


@pytest.mark.parametrize("kind", IMPORTERS)
@given(sheet=sheets(), data=st.data())
@settings(max_examples=12)
def test_the_order_of_the_columns_changes_nothing_but_their_order(kind, sheet, data, tmp_path_factory):
    rows, columns, types = sheet
    shuffled = data.draw(st.permutations(columns))
    folder = tmp_path_factory.mktemp("law")
    terms = {"key": ("id",), "null_texts": ("",)}
    found = read_file(write_file(folder / "a", kind, rows, columns, types), kind, terms)
    other = read_file(write_file(folder / "b", kind, rows, shuffled, types), kind, terms)
    assert rows_of(found, "cells") == rows_of(other, "cells")
    assert [{n: same(v) for n, v in row.items()} for row in own(found)] == [
        {n: same(v) for n, v in row.items()} for row in own(other)
    ]
    assert [list(row) for row in own(other)] == [list(shuffled)] * len(rows)


@given(st.lists(st.text(LETTERS, max_size=6), min_size=1, max_size=5))
def test_a_cell_name_says_its_key(parts):
    from benchctl.importers.key import cell_id

    assert cell_id(parts).count("/") == len(parts) - 1
    assert all(part not in ("", ".", "..") for part in cell_id(parts).split("/"))
    assert len({cell_id(parts), cell_id([None, *parts]), cell_id(["", *parts])}) == 3
