"""Files that are not what they seem, one line a case: each is refused with its place, and nothing hangs or falls over."""

import tracemalloc

import pytest
from import_files import own, read_file

from benchctl.errors import BenchctlError
from benchctl.importers import IMPORTERS, base
from benchctl.importers.arrow_schema import peculiar_columns
from benchctl.importers.base import WIDEST, ReadOptions
from benchctl.importers.names import column_names


def refused(tmp_path, kind, content, **options):
    path = tmp_path / f"results.{kind}"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(BenchctlError) as caught:
        read_file(path, kind, **options)
    assert caught.value.next_step, "every refusal says what to do"
    return caught.value


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ('[{"a":1} {"a":2}]', "results.json:1:10", "Expecting ','"),
        ('[{"a":1},]', "results.json:1:10", "Expecting ','"),
        ('[{"a":1}', "results.json:1:9", "Expecting ','"),
        ('[{"a":1}]\n]', "results.json:2:1", "follows the end"),
        ("[", "results.json:1:2", "Expecting value"),
        ("", "results.json:1:1", "Expecting value"),
        ("7", "results.json:1", "not an array"),
        ('[{"a":tru}]', "results.json:1:7", "Expecting value"),
        ('[\n{"a":1},\n{"a":1,"a":2}]', "results.json:3:1", "stands twice"),
        ('[{"a":{"b":1,"b":2}}]', "results.json:1:2", "stands twice"),
        ('[{"a":"\x01"}]', "results.json:1:8", "control character"),
    ],
)
def test_a_document_that_is_no_array_of_objects(tmp_path, text, where, says):
    error = refused(tmp_path, "json", text)
    assert str(error.where) == where
    assert says in error.what


@pytest.mark.parametrize(
    ("text", "pointer", "says"),
    [
        ('{"a":[{"q":"x"}],"a":1}', "/a", "stands twice"),  # which of them would it be?
        ('{"a":[{"q":"x"}],"b":tru}', "/a", "not JSON"),  # what follows the array is read too
        ('{"a":[{"q":"x"}]', "/a", "Expecting ',' or '}'"),
        ('{"a" [{"q":"x"}]}', "/a", "Expecting ':'"),
        ('{"a":7}', "/a/b", "no 'b'"),
        ('{"a":[[{"q":"x"}]]}', "/a/1", "no '1'"),
        ('{"a":{"rows":[{"q":"x"}]}}', "/a", "not an array"),
        ('{"a":[{"q":"x"} 1]}', "/a/5", "Expecting ',' or ']'"),
    ],
)
def test_a_pointer_that_leads_nowhere(tmp_path, text, pointer, says):
    assert says in refused(tmp_path, "json", text, pointer=pointer).what


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ('[[{"q":"x"}],[]]', "/0"),
        ('{"a/b":{"c~d":[{"q":"x"}]}}', "/a~1b/c~0d"),
        ('{"":[{"q":"x"}], "z": [1, {"y": []}]}', "/"),
        (' { "k" : 1 , "a" : [ { "q" : "x" } ] } ', "/a"),
    ],
)
def test_a_pointer_that_leads_to_the_rows(tmp_path, text, pointer):
    path = tmp_path / "results.json"
    path.write_text(text)
    assert own(read_file(path, "json", pointer=pointer)) == [{"q": "x"}]


def test_the_arrays_that_a_pointer_could_name_are_named(tmp_path):
    error = refused(tmp_path, "json", '{"meta":{},"a":{"rows":[{"q":"x"}]},"b":[{"runs":[{"q":"y"}]}]}')
    assert error.next_step == "`--pointer /a/rows` or `--pointer /b` or `--pointer /b/0/runs` names one"


def test_more_columns_than_a_table_has_are_refused(tmp_path):
    names = [f"c{number}" for number in range(WIDEST + 1)]
    rows = [f'{{"q":"{number}","{name}":1}}\n' for number, name in enumerate(names)]
    for kind, content in (("csv", ",".join(names) + "\n"), ("jsonl", "".join(rows))):
        assert f"{WIDEST + 1} columns" in refused(tmp_path, kind, content).what


def test_a_parquet_file_of_too_many_columns_is_refused(tmp_path):
    import duckdb

    columns = ", ".join(f"{number} AS c{number}" for number in range(WIDEST + 1))
    duckdb.sql(f"COPY (SELECT {columns}) TO '{tmp_path / 'made'}' (FORMAT parquet)")
    assert "columns" in refused(tmp_path, "parquet", (tmp_path / "made").read_bytes()).what


def test_nul_in_a_parquet_text_is_refused(tmp_path):
    import duckdb

    duckdb.sql(f"COPY (SELECT 'a' || chr(0) || 'b' AS q) TO '{tmp_path / 'made'}' (FORMAT parquet)")
    assert "NUL" in refused(tmp_path, "parquet", (tmp_path / "made").read_bytes()).what


@pytest.mark.parametrize("name", ["a\0b", "half \ud83d"])
def test_a_name_that_nothing_can_be_called_is_refused(name):
    with pytest.raises(BenchctlError, match="cannot be a column's"):
        column_names(["fine", name], ReadOptions("results.csv"))


def test_a_third_name_of_a_kind_gets_the_next_number():
    names, notes = column_names(["s", "S", "s", "s_1", ""], ReadOptions("results.csv"))
    assert names == ["s", "S_2", "s_3", "s_1", "column_5"]
    assert len(notes) == 3
    assert column_names(["S", "s"], ReadOptions("results.csv"))[0] == ["S", "s_1"]


@pytest.mark.parametrize("encoding", ["utf-8", "jsonl"])
def test_the_place_of_a_wrong_byte_is_counted_in_characters(tmp_path, encoding):
    kind = "jsonl" if encoding == "jsonl" else "csv"
    text = "q,s\n" if kind == "csv" else '{"q":"a"}\n'
    error = refused(tmp_path, kind, f"{text}\u00e4\u00f6".encode() + b"\xff\n")
    assert (error.where.line, error.where.column) == (2, 3)


def test_a_wrong_byte_far_behind_the_header_is_found(tmp_path):
    error = refused(tmp_path, "csv", b"q,s\n" + b"a,1\n" * 50_000 + b"\xe4,1\n")
    assert str(error.where) == "results.csv:50002:1"


def test_half_a_unit_of_utf_16_is_refused(tmp_path):
    error = refused(tmp_path, "csv", "q,s\na,1\n".encode("utf-16-le") + b"a", encoding="utf-16-le")
    assert "not UTF-16-LE" in error.what


@pytest.mark.parametrize(
    "encoding", ["utf-7", "unicode_escape", "raw_unicode_escape", "punycode", "hex", "nope"]
)
def test_an_encoding_that_can_say_half_a_character_is_none(tmp_path, encoding):
    assert refused(tmp_path, "csv", "q,s\na,1\n", encoding=encoding).slug == "option-invalid"


def test_utf_16_without_its_mark_says_what_to_do(tmp_path):
    error = refused(tmp_path, "csv", "q,s\na,1\n".encode("utf-16-le"))
    assert "`--encoding utf-16-le`" in error.next_step


def test_a_byte_order_mark_in_front_of_json_is_dropped(tmp_path):
    for kind, content in (("json", b'[{"q":"x"}]'), ("jsonl", b'{"q":"x"}\n\n')):
        path = tmp_path / f"results.{kind}"
        path.write_bytes(b"\xef\xbb\xbf" + content)
        found = read_file(path, kind)
        assert own(found) == [{"q": "x"}]
        assert "a byte order mark (BOM) begins the file: dropped" in found.record.notes


def test_rows_are_never_all_held(tmp_path):
    """Ten times the rows take nearly the same memory: eight bytes a row for the key."""

    def peak(rows):
        path = tmp_path / f"{rows}.csv"
        path.write_text("q,s,text\n" + "".join(f"q{n},{n},{'x' * 200}{n}\n" for n in range(rows)))
        tracemalloc.start()
        found = read_file(path, "csv", {"key": ("q",)})
        for rows_ in found.tables().values():
            for _ in rows_:
                pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(10_000) - peak(1_000) < 9_000 * 100


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("csv", "q,s\na,1\nb," + "x" * 1001),
        ("csv", 'q,s\na,1\n"b' + "\nx" * 1001),  # a quote that is never closed
        ("jsonl", '{"q":"a"}\n\n{"q":"' + "x" * 1001),
    ],
)
def test_a_line_or_field_that_is_too_long_is_refused_by_its_line(tmp_path, monkeypatch, kind, content):
    monkeypatch.setattr(base, "LONGEST", 1000)
    error = refused(tmp_path, kind, content)
    assert str(error.where) == f"results.{kind}:3"
    assert "more than 1000 characters" in error.what


def test_a_long_line_is_never_held_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(base, "LONGEST", 1 << 20)
    path = tmp_path / "results.csv"
    path.write_bytes(b"q,s\n" + b"x" * (1 << 25))
    tracemalloc.start()
    with pytest.raises(BenchctlError):
        read_file(path, "csv")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1 << 24


@pytest.mark.parametrize(("option", "value"), [("delimiter", ""), ("delimiter", ";;"), ("comment", "")])
def test_an_empty_option_is_refused(tmp_path, option, value):
    assert refused(tmp_path, "csv", "q,s\na,1\n", **{option: value}).slug == "option-invalid"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\x1f\x8b\x08", "gzip"),
        (b"PK\x03\x04", "zip"),
        (b"\xfd7zXZ\x00", "xz"),
        (b"\x28\xb5\x2f\xfd", "Zstandard"),
        (b"SQLite format 3\x00", "SQLite"),
        (b"PAR1", "Parquet"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
    ],
)
def test_a_file_of_another_kind_says_which(tmp_path, content, what):
    for kind in IMPORTERS:
        if (kind, what) != ("parquet", "Parquet"):
            assert what in refused(tmp_path, kind, content + b"x" * 80).what


@pytest.mark.parametrize(
    ("text", "what", "next_step"),
    [
        ("{}", "an empty object", "one object is one row"),
        ('{"a":1}', "an object of 1 key", "one object is one row"),
        ('"x"', '`"x"`', "has to be an object"),
        ('{"a":{"n":1},"b":{"n":2}}', "an object of 2 objects", "jq 'to_entries"),
        ('{"d":[[1]]}', "an object of 1 key", "hold no objects"),
        ('{"a":1}\n{"a":2}', "something follows", "jq -c ."),
    ],
)
def test_a_document_without_rows_says_what_it_holds(tmp_path, text, what, next_step):
    error = refused(tmp_path, "json", text)
    assert what in error.what
    assert next_step in error.next_step


def test_what_arrow_says_is_believed_only_where_it_can_be_read():
    import base64

    import pyarrow as pa

    schema = pa.schema(
        [("n", pa.int64()), ("d", pa.duration("ns")), ("s", pa.string()), ("e", pa.duration("s"))]
    )
    message = schema.serialize().to_pybytes()
    assert peculiar_columns(base64.b64encode(message)) == {1: "ns", 3: "s"}
    assert peculiar_columns(base64.b64encode(message[8:])) == {}
    assert peculiar_columns(b"no base64") == {}
    for cut in range(len(message)):
        broken = bytearray(message)
        broken[cut] ^= 0xFF
        for damaged in (message[:cut], bytes(broken)):
            assert set(peculiar_columns(base64.b64encode(damaged)).values()) <= {
                "s",
                "ms",
                "µs",
                "ns",
                "INT128",
            }
