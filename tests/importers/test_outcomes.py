"""The manual's outcome table, executed: every row is a real-shaped file, what is printed for it, and what becomes of it."""

import gzip
import io
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from benchctl.cli import exit_code

PAGE = Path(__file__).resolve().parents[2] / "site" / "guide" / "importing.md"


@dataclass
class Quirk:
    """A file, how it is imported, and the type of some columns in the run; no type at all where it is refused."""

    kind: str
    content: object
    args: tuple = ()
    types: dict = field(default_factory=dict)


def csv(content, *args, **types):
    return Quirk("csv", content, args, types)


def jsonl(content, *args, **types):
    return Quirk("jsonl", content, args, types)


def document(content, *args, **types):
    return Quirk("json", content, args, types)


def parquet(sql, *args, **types):
    return Quirk("parquet", sql, args, types)


def from_arrow(table):
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


def durations(_):
    import pyarrow as pa

    return from_arrow(pa.table({"q": ["a"], "s": pa.array([5], pa.duration("ms"))}))


def doubled_names(_):
    import pyarrow as pa

    names, values = ["q", "s", "s", "s_1", ""], [["a"], [1], [2], [3], [4]]
    return from_arrow(pa.Table.from_arrays([pa.array(each) for each in values], names=names))


def wide_integers(_):
    import polars as pl

    file = io.BytesIO()
    pl.DataFrame({"q": ["a"], "s": pl.Series([2**100], dtype=pl.Int128)}).write_parquet(file)
    return file.getvalue()


QUIRKS = {
    # numbers that are none
    "a text among numbers": csv("q,s\na,1\nb,ERROR\nc,2\n", s="VARCHAR"),
    "the same, named as null": csv("q,s\na,1\nb,ERROR\n", "--null", '"",ERROR', s="BIGINT"),
    "thousands separators": csv('q,s\na,"77,394"\nb,"1,204"\n', s="VARCHAR"),
    "a decimal comma": csv("q;s\na;1,5\nb;2,25\n", s="VARCHAR"),
    "thousands points and a decimal comma": csv("q;s\na;1.234,5\nb;2.000,0\n", s="VARCHAR"),
    "Infinity and NaN": csv("q,s\na,1.5\nb,Infinity\nc,NaN\n", s="VARCHAR"),
    "NaN, named as null": csv("q,s\na,1.5\nb,NaN\n", "--null", '"",NaN', s="DOUBLE"),
    "leading zeros": csv("q,s\na,007\nb,012\n", s="VARCHAR"),
    "a plus sign": csv("q,s\na,+5\nb,+7\n", s="VARCHAR"),
    "a number too large": csv("q,s\na,1e400\nb,1\n", s="VARCHAR"),
    "a number too small": csv("q,s\na,1e-400\nb,1\n", s="VARCHAR"),
    "a whole number beyond 64 bits": csv("q,s\na,9223372036854775808\nb,1\n", s="VARCHAR"),
    "minus zero": csv("q,s\na,-0\nb,1\n", s="DOUBLE"),
    "numbers with as many decimals each": csv("q,s\na,1.10\nb,0.50\n", s="DOUBLE"),
    "versions": csv("q,s\na,1.10\nb,1.9\n", s="VARCHAR"),
    "more digits than a DOUBLE holds": csv("q,s\na,0.12345678901234567890\nb,1\n", s="DOUBLE"),
    "spaces around numbers": csv("q,s\na, 1 \nb,2\n", s="BIGINT"),
    "percent signs": csv("q,s\na,12 %\nb,7%\n", s="VARCHAR"),
    "units": csv("q,s\na,1.5s\nb,20 ms\n", s="VARCHAR"),
    "dates and times": csv("q,s\na,2026-01-02\nb,2026-01-03T10:00:00Z\n", s="VARCHAR"),
    "true and false in any case": csv("q,s\na,True\nb,FALSE\n", s="BOOLEAN"),
    "yes and no": csv("q,s\na,yes\nb,no\n", s="VARCHAR"),
    "truths and numbers mixed": csv("q,s\na,true\nb,1\n", s="VARCHAR"),
    # null
    "blank, n/a and -": csv("q,s\na,\nb,n/a\nc,-\nd,4\n", s="BIGINT"),
    "a text column in which - means something": csv("q,s\na,-\nb,+x\nc,y\n", s="VARCHAR"),
    "a column without any value": csv("q,s\na,\nb,\n", s="VARCHAR"),
    # rows
    "a short row": csv("q,s,t\na,1,2\nb,1\n"),
    "a short row, allowed": csv("q,s,t\na,1,2\nb,1\n", "--short-rows", "null", t="BIGINT"),
    "a long row": csv("q,s\na,1\nb,1,2\n"),
    "a delimiter too many in one row": csv("q,s\na,1\nb,1,\n"),
    "a delimiter at the end of every line": csv("q,s,\na,1,\nb,2,\n", s="BIGINT"),
    "blank lines": csv("q,s\n\na,1\n\nb,2\n", s="BIGINT"),
    "a comment line": csv("q,s\n# as of May\na,1\n"),
    "a comment line, left out": csv("# as of May\nq,s\n# more\na,1\n", "--comment", "#", s="BIGINT"),
    "a comment that reads as a row": csv("q,s\n# May, 2026\na,1\n", s="BIGINT"),
    "two rows of one key": csv("question,arm,seed\nq1,a,1\nq1,a,2\n"),
    "two rows alike in everything": csv("question,seed\nq1,1\nq1,1\n"),
    "a row without its key": csv("question,s\nq1,1\n,2\n"),
    "no column that could be a key": csv("x,y\n1,2\n3,4\n"),
    "a key that measurements would need": csv("question,wall_s\nq1,1.5\nq1,2.5\n"),
    "only long texts": csv(f"x,y\n{'a' * 300},2.5\n{'b' * 300},3.5\n"),
    "several texts that could name a row": csv("tool,task,note\nrg,t1,x\nrg,t2,x\nag,t1,y\n", tool="VARCHAR"),
    # names
    "a name twice": csv("q,s,s\na,1,2\n", s="BIGINT", s_1="BIGINT"),
    "names that differ by case": csv("q,time,Time\na,1,x\n", time="BIGINT", Time_1="VARCHAR"),
    "a column without a name": csv("q,,t\na,1,2\n", column_2="BIGINT"),
    "spaces around a name": csv("q, s\na,1\n", s="BIGINT"),
    "a column called run": csv("q,run\na,7\n", source_run="BIGINT"),
    "a header of numbers": csv("1,2\n3,4\n"),
    # the text
    "a byte order mark": csv(b"\xef\xbb\xbfq,s\na,1\n", q="VARCHAR", s="BIGINT"),
    "UTF-16 with its mark": csv("q,s\na,1\n".encode("utf-16"), s="BIGINT"),
    "latin-1": csv("q,s\na,1\ncaf\u00e9,2\n".encode("latin-1")),
    "latin-1, named": csv("q,s\ncaf\u00e9,2\n".encode("latin-1"), "--encoding", "latin-1", s="BIGINT"),
    "the character NUL": csv(b"q,s\na\0b,1\n"),
    "lines ended by CR LF or CR": csv(b"q,s\r\na,1\rb,ERROR\r\n", s="VARCHAR"),
    "a line break in quotes": csv('q,s\n"a\nb",1\nc,ERROR\n', s="VARCHAR"),
    "a quote that is never closed": csv('q,s\na,1\n"b,2\nc,3\n'),
    "a text behind a closing quote": csv('q,s\n"a"b,1\n'),
    "semicolons": csv("q;s\na;1\n", s="BIGINT"),
    "tabs": csv("q\ts\na\t1\n", s="BIGINT"),
    "a first line that names the delimiter": csv("\ufeffsep=;\r\nq;s\r\na;1,5\r\n", s="VARCHAR"),
    "gzip as CSV": csv(gzip.compress(b"q,s\na,1\n")),
    "a Git LFS pointer": csv("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1\n"),
    "a web page": csv("<!DOCTYPE html>\n<html><body>Not found</body></html>\n"),
    "a field of 200 KB": csv(f"q,s\na,{'x' * 200_000}\n", s="VARCHAR"),
    "one column": csv("q\na\nb\n", q="VARCHAR"),
    "an empty file": csv(""),
    "a header and no row": csv("q,s\n"),
    # meaning
    "a score of 87.5": csv("question,score\na,87.5\n"),
    "the same, under another name": csv("question,score\na,87.5\n", "--map", "score=points", points="DOUBLE"),
    "a name of benchctl's with another type": csv("question,failed\na,12\n", failed="BIGINT"),
    "an outcome in other words": csv("question,outcome\na,pass\n", outcome="VARCHAR"),
    "a mapped value of the wrong type": csv("q,s\na,1\nb,x\n", "--map", "s=wall_s"),
    "an unknown column mapped": csv("question,seconds\na,1\n", "--map", "second=wall_s"),
    "two columns for one": csv("q,s,t\na,1,2\n", "--map", "s=wall_s,t=wall_s"),
    # JSON
    "nested objects": jsonl(
        '{"q":"a","u":{"in":1,"out":{"n":2}}}\n', **{"u.in": "BIGINT", "u.out.n": "BIGINT"}
    ),
    "an empty object, a list": jsonl('{"q":"a","e":{},"l":[1.50,{"k":null}]}\n', e="VARCHAR", l="VARCHAR"),
    "keys that differ": jsonl('{"q":"a","s":1}\n{"q":"b","t":2}\n', s="BIGINT", t="BIGINT"),
    "a key twice in an object": jsonl('{"q":"a","s":1,"s":2}\n'),
    "a dotted key beside a nested one": jsonl('{"q":"a","u":{"n":1}}\n{"q":"b","u.n":2}\n'),
    "NaN in JSON": jsonl('{"q":"a","s":NaN}\n{"q":"b","s":1}\n', s="VARCHAR"),
    "a number in quotes": jsonl('{"q":"a","s":"1"}\n', s="VARCHAR"),
    "a torn last line": jsonl('{"q":"a"}\n{"q":"b","s'),
    "a line that is no object": jsonl('{"q":"a"}\n[1]\n'),
    "half a character": jsonl('{"q":"\\ud83d"}\n'),
    "NUL in JSON": jsonl('{"q":"a\\u0000b"}\n'),
    "too deep a nesting": jsonl('{"q":' + "[" * 100_000 + "]" * 100_000 + "}\n"),
    "an array behind a pointer": document(
        '{"results":[{"rows":[{"q":"a","s":1}]}]}', "--pointer", "/results/0/rows", s="BIGINT"
    ),
    "no array at the top": document('{"results":[{"q":"a"}]}'),
    "a pointer to nothing": document('{"results":[{"q":"a"}]}', "--pointer", "/result"),
    "an element that is no object": document('[{"q":"a"},\n3]'),
    "an object of objects": document('{"a":{"s":1},"b":{"s":2}}'),
    "objects one after the other": document('{"q":"a"}\n{"q":"b"}\n'),
    "columns instead of rows": document('{"columns":["q","s"],"data":[["a",1]]}'),
    "an empty array": document("[]"),
    # Parquet
    "decimals": parquet("SELECT 'a' AS q, 1.10::DECIMAL(9,2) AS s", s="DOUBLE"),
    "timestamps": parquet("SELECT 'a' AS q, TIMESTAMP '2026-01-02 03:04:05' AS s", s="VARCHAR"),
    "timestamps with a zone": parquet(
        "SELECT 'a' AS q, TIMESTAMPTZ '2026-01-02 03:04:05+02' AS s", s="VARCHAR"
    ),
    "lists": parquet("SELECT 'a' AS q, [1, NULL] AS s", s="VARCHAR"),
    "structs": parquet(
        "SELECT 'a' AS q, {'x': 1, 'y z': true} AS s", **{"s.x": "BIGINT", "s.y z": "BOOLEAN"}
    ),
    "dictionaries": parquet("SELECT 'a' AS q, 'x'::ENUM('x', 'y') AS s", s="VARCHAR"),
    "32-bit floats": parquet("SELECT 'a' AS q, 0.1::FLOAT AS s", s="DOUBLE"),
    "unsigned beyond 64 bits": parquet("SELECT 'a' AS q, 18446744073709551615::UBIGINT AS s", s="VARCHAR"),
    "not a number, in Parquet": parquet("SELECT 'a' AS q, 'nan'::DOUBLE AS s", s="VARCHAR"),
    "128-bit integers": Quirk("parquet", wide_integers, types={"s": "VARCHAR"}),
    "durations": Quirk("parquet", durations, types={"s": "BIGINT"}),
    "names twice, in Parquet": Quirk(
        "parquet",
        doubled_names,
        types={"s": "BIGINT", "s_2": "BIGINT", "s_1": "BIGINT", "column_5": "BIGINT"},
    ),
    "bytes": parquet(r"SELECT 'a' AS q, '\xAA'::BLOB AS s", s="VARCHAR"),
    "a Parquet file cut short": Quirk("parquet", lambda whole: whole[:-20]),
}


def rows_of_the_table():
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("|") and len(cells) == 3 and cells[0] not in ("quirk", "---"):
            yield cells


TABLE = {quirk: (printed, becomes) for quirk, printed, becomes in rows_of_the_table()}


def content_of(quirk, folder):
    import duckdb

    if quirk.kind != "parquet":
        return quirk.content.encode() if isinstance(quirk.content, str) else quirk.content
    sql = quirk.content if isinstance(quirk.content, str) else "SELECT 'a' AS q"
    made = folder / "made.parquet"
    duckdb.sql(f"COPY ({sql}) TO '{made}' (FORMAT parquet)")
    whole = made.read_bytes()
    return whole if isinstance(quirk.content, str) else quirk.content(whole)


def imported(quirk, folder, *args):
    (folder / "benchctl.toml").touch()
    file = folder / f"results.{quirk.kind}"
    file.write_bytes(content_of(quirk, folder))
    return exit_code(
        [
            "import",
            quirk.kind,
            str(file),
            "--run-id",
            "r",
            "--dry-run",
            "--project",
            str(folder),
            *quirk.args,
            *args,
        ]
    )


def plain(text):
    return re.sub(r"\s+", " ", text.replace("`", ""))


def test_the_table_and_the_files_are_of_the_same_quirks():
    assert list(TABLE) == list(QUIRKS)


@pytest.mark.parametrize("name", QUIRKS)
def test_what_the_table_says_is_printed(name, tmp_path, capsys):
    printed, becomes = TABLE[name]
    code = imported(QUIRKS[name], tmp_path)
    out, err = capsys.readouterr()
    refused = becomes.startswith("refused")
    assert refused == (not QUIRKS[name].types)
    assert code == (2 if refused else 0), err
    if printed == "nothing":
        assert "note:" not in out.replace("note: named by", "")
    else:
        assert plain(printed) in plain(err if refused else out)
    if refused:
        assert "  next: " in err
        assert f"[{re.fullmatch('refused, `([a-z-]+)`.*', becomes)[1]}]" in err


@pytest.mark.parametrize("name", [name for name, quirk in QUIRKS.items() if quirk.types])
def test_what_becomes_of_the_columns(name, tmp_path, capsys):
    assert imported(QUIRKS[name], tmp_path, "--format", "json") == 0
    result = json.loads(capsys.readouterr().out)
    found = {}
    for column in result["columns"]:
        own = re.search("own `(.+)`", column["becomes"])
        found[own[1] if own else column["source"]] = column["type"]
    for column, type_ in QUIRKS[name].types.items():
        assert found[column] == type_
    assert not (tmp_path / "data").exists(), "a dry run writes nothing"
