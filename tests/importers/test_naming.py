"""What names a row: as few columns as do, in a fixed order of preference, by the texts that the file has."""

import pytest
from import_files import read_file, rows_of

from benchctl.errors import ImportKeyError


def read(tmp_path, text, kind="csv", **terms):
    path = tmp_path / f"results.{kind}"
    path.write_text(text)
    return read_file(path, kind, terms)


def cells(found):
    return [row["cell"] for row in rows_of(found, "cells")]


@pytest.mark.parametrize(
    ("text", "key", "named"),
    [
        ("a,b,cell\nx,1,c/1\nx,2,c/2\n", ("cell",), ["c/1", "c/2"]),  # the file names its rows
        ("run,cell,n\nr1,c/1,1\nr2,c/1,2\n", ("run", "cell"), ["r1/c/1", "r2/c/1"]),
        ("question,cell\nq1,c\nq2,c\n", ("question",), ["q1", "q2"]),  # it does not
        ("question,tool\nq1,rg\nq2,ag\n", ("question",), ["q1", "q2"]),  # identity before texts
        ("x,y\na,p\nb,p\n", ("x",), ["a", "b"]),  # one is enough
        ("y,x\np,a\np,b\n", ("x",), ["a", "b"]),
        ("a,b,c\n1a,x,p\n1a,y,p\n2a,x,p\n", ("a", "b"), ["1a/x", "1a/y", "2a/x"]),
        ("a,b\n,y\nx,z\n", ("b",), ["y", "z"]),  # one that has values before one that has not
    ],
)
def test_the_fewest_columns_name_the_rows(tmp_path, text, key, named):
    found = read(tmp_path, text)
    assert found.record.key == key
    assert cells(found) == named


def test_a_choice_is_noted(tmp_path):
    assert (
        "named by x: the fewest short texts that tell the rows apart"
        in read(tmp_path, "x,y\na,p\nb,p\n").record.notes
    )
    assert not any(note.startswith("named by") for note in read(tmp_path, "x,n\na,1\nb,2\n").record.notes)


def test_a_row_is_named_by_the_text_that_the_file_has(tmp_path):
    text = "question,v\n1.10,1\n1.1,2\n1e3,3\n 7.50 ,4\n"
    found = read(tmp_path, text)
    assert cells(found) == ["1.10", "1.1", "1e3", path_of(" 7.50 ")] or cells(found) == [
        "1.10",
        "1.1",
        "1e3",
        "7.50",
    ]
    found = read(tmp_path, '{"v":1.0,"w":1}\n{"v":1,"w":2}\n', "jsonl", key=("v",))
    assert cells(found) == ["1.0", "1"]


def path_of(text):
    from benchctl.schema.names import path_safe

    return path_safe(text)


def test_a_name_that_was_exported_stays_and_any_other_is_made_safe(tmp_path):
    found = read(tmp_path, "cell,n\na%2Fb/%/-,1\n../x,2\nq%zz/\u00e9,3\n/,4\n")
    assert cells(found) == ["a%2Fb/%/-", "%2E%2E/x", "q%25zz/%C3%A9", "%/%"]


@pytest.mark.parametrize(
    "text", ["question,n,wall_s\nq,1,1.5\nq,1,2.5\n", f"question,a\nq,{'x' * 300}\nq,{'y' * 300}\n"]
)
def test_no_measured_number_and_no_long_text_is_proposed(tmp_path, text):
    with pytest.raises(ImportKeyError) as caught:
        read(tmp_path, text)
    assert "--key" not in caught.value.next_step
    assert "add one, such as rep" in caught.value.next_step


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        (("0.50", "0.25"), "DOUBLE"),  # as many decimals each
        (("1.0", "0.25"), "DOUBLE"),  # as few as needed
        (("12.50", "0"), "DOUBLE"),
        (("1.000000", "0.250000", "3e2"), "DOUBLE"),
        (("1.10", "1.9"), "VARCHAR"),
        (("1.9", "1.10"), "VARCHAR"),
        (("1.5", "1.50"), "VARCHAR"),  # two texts of one number
    ],
)
def test_versions_are_no_numbers(tmp_path, values, type_):
    found = read(tmp_path, "q,s\n" + "".join(f"q{n},{value}\n" for n, value in enumerate(values)))
    assert found.record.foreign[1].type == type_
    assert any("would print as" in note for note in found.record.notes) == (type_ == "VARCHAR")


def test_a_standard_column_of_numbers_is_one_however_its_decimals_are_written(tmp_path):
    found = read(tmp_path, "question,wall_s\na,1.50\nb,1.5\n")
    assert [row["wall_s"] for row in rows_of(found, "cells")] == [1.5, 1.5]
    assert not any("stays text" in note for note in found.record.notes)
