"""Late counts: every row checked first, a group filled whole, and never over what was reported in time."""

import io
import json
import os
import sys
from pathlib import Path

import jsonschema
import pytest
from correctable import ANSWERS, RUN, make

from benchctl.cli import exit_code
from benchctl.errors import BackfillInvalidError, OptionInvalidError
from benchctl.runner import late_usage
from benchctl.runner.backfill import backfill
from benchctl.runner.late_usage import read_late_usage
from benchctl.store.checking.verify import verify_run

SCHEMA = Path(__file__).resolve().parents[2] / "site" / "reference" / "schemas" / "backfill.json"
CELLS = list(ANSWERS)
REPORTED, BLANK, _, OTHER, PRICED, THIRD = CELLS
HEAD = "cell,input_tokens,output_tokens,total_tokens,cost_usd,source\n"


@pytest.fixture
def project(tmp_path):
    return make(tmp_path)


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    """Return a project that tests share, since what is refused changes nothing in it."""
    return make(tmp_path_factory.mktemp("untouched"))


def told(capsys, project, text, *words, name="late.csv"):
    (project.root / name).write_text(text)
    code = exit_code(("backfill", RUN, str(project.root / name), *words, "--project", str(project.root)))
    out, err = capsys.readouterr()
    return code, out, err


def filled(capsys, project, text, *words, name="late.csv"):
    code, out, _ = told(capsys, project, text, *words, "--format", "json", name=name)
    assert code == 0
    document = json.loads(out)
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(document)
    return document


def usage(project, cell):
    names = ("input_tokens", "output_tokens", "total_tokens", "token_source", "cost_usd", "cost_source")
    row = project.store.run(RUN).cell(cell)
    return tuple(row[name] for name in names)


def bytes_of(project):
    return {path: path.read_bytes() for path in project.data.rglob("*") if path.is_file()}


def test_late_counts_are_filled_in_and_the_row_stays(project, capsys):
    assert usage(project, BLANK) == (None,) * 6
    document = filled(capsys, project, f"{HEAD}{BLANK},100,20,,0.5,proxy\n{OTHER},,,7,,proxy\n")
    assert (document["cells"], document["already"]) == (2, 0)
    assert [(move["cell"], move["line"], move["group"]) for move in document["moves"]] == [
        (BLANK, 2, "tokens"),
        (BLANK, 2, "dollars"),
        (OTHER, 3, "tokens"),
    ]
    run = project.store.run(RUN)
    assert document["data"]["after"] == run.data_digest != document["data"]["before"]
    assert usage(project, BLANK) == (100, 20, 120, "proxy", 0.5, "proxy")
    assert usage(project, OTHER) == (None, None, 7, "proxy", None, None)
    assert usage(project, REPORTED) == (10, 5, 15, "agent", 0.5, "agent")
    (row, _) = run.rows("backfills", "ORDER BY cell")
    assert (row["cell"], row["why"], row["generation"]) == (BLANK, "late counts of late.csv", 2)
    assert verify_run(run.path) == []


def test_the_same_file_again_changes_nothing(project, capsys):
    text = f"{HEAD}{BLANK},100,20,,0.5,proxy\n"
    filled(capsys, project, text)
    before = bytes_of(project)
    document = filled(capsys, project, text)
    assert (document["cells"], document["already"], document["moves"]) == (0, 1, [])
    assert document["data"]["before"] == document["data"]["after"]
    as_jsonl = json.dumps(
        {"cell": BLANK, "input_tokens": 100, "output_tokens": 20, "cost_usd": 0.5, "source": "proxy"}
    )
    assert filled(capsys, project, as_jsonl, name="late.jsonl")["already"] == 1
    code, out, _ = told(capsys, project, text)
    assert code == 0
    assert "1 row, there already; nothing is written" in out
    assert bytes_of(project) == before


def test_a_later_file_replaces_a_group_whole_and_leaves_the_other(project, capsys):
    filled(capsys, project, f"{HEAD}{BLANK},100,20,,0.5,proxy\n{THIRD},1,1,,,proxy\n")
    document = filled(capsys, project, f"{HEAD}{BLANK},,,90,,log\n{THIRD},,,,0.25,bill\n")
    assert document["moves"][0]["was"]["total_tokens"] == 120
    assert usage(project, BLANK) == (None, None, 90, "log", 0.5, "proxy"), "no stale count beside a fresh one"
    assert usage(project, THIRD) == (1, 1, 2, "proxy", 0.25, "bill")
    rows = project.store.run(RUN).rows("backfills", "WHERE cell = ? ORDER BY generation", (BLANK,))
    assert [row["input_tokens"] for row in rows] == [100, None], "what was there stays"
    assert verify_run(project.store.run(RUN).path) == []


def test_a_figure_that_was_reported_in_time_is_never_replaced(untouched, capsys):
    before = bytes_of(untouched)
    code, out, err = told(capsys, untouched, f"{HEAD}{BLANK},1,1,,,proxy\n{REPORTED},100,20,,,proxy\n")
    assert (code, out) == (2, "")
    assert "late.csv:3: cell callers/grep/rg/none/1: the tokens were reported by agent" in err
    assert "1 row cannot be used, and nothing of the file was written" in err
    assert "[backfill-invalid]" in err
    assert bytes_of(untouched) == before
    code, _, err = told(capsys, untouched, f"{HEAD}{REPORTED},,,,9,proxy\n")
    assert code == 2
    assert "cell callers/grep/rg/none/1: the dollars were reported by agent (cost_usd 0.5)" in err


def test_tokens_that_arrive_late_leave_the_dollars_that_were_reported_in_time(project, capsys):
    assert usage(project, PRICED) == (None, None, None, None, 2.0, "agent")
    filled(capsys, project, f"{HEAD}{PRICED},100,20,,,proxy\n")
    assert usage(project, PRICED) == (100, 20, 120, "proxy", 2.0, "agent")
    code, _, err = told(capsys, project, f"{HEAD}{PRICED},200,40,,1,proxy\n")
    assert code == 2
    assert "cell where/grep/rg/none/2: the dollars were reported by agent (cost_usd 2.0)" in err
    assert "the tokens" not in err
    assert usage(project, PRICED) == (100, 20, 120, "proxy", 2.0, "agent")


UNUSABLE = [
    ("callers/grep/rg/none/9,1,1,,,proxy", "no cell 'callers/grep/rg/none/9'; such as callers/grep/rg/none/"),
    ("###,1,1,,,proxy", "no cell '###'"),
    (f"{BLANK},1,1,,,proxy\n{BLANK},2,2,,,proxy", f"late.csv:3: cell {BLANK} stands on line 2 already"),
    (f"{BLANK},,,,,proxy", "no figure"),
    (f"{BLANK},1,1,,,", "no source"),
    (",1,1,,,proxy", "no cell"),
    (f"{BLANK},-1,1,,,proxy", "input_tokens is '-1', not a whole number from 0"),
    (f"{BLANK},1.5,1,,,proxy", "input_tokens is '1.5'"),
    (f'{BLANK},"1,000",1,,,proxy', "input_tokens is '1,000'"),
    (f"{BLANK},٣,1,,,proxy", "input_tokens is '٣'"),
    (f"{BLANK},99999999999999999999,1,,,proxy", "not a whole number"),
    (f"{BLANK},1,n/a,,,proxy", "output_tokens is 'n/a'"),
    (f"{BLANK},1,1,3,,proxy", "total_tokens is 3, and its parts add up to 2"),
    (f"{BLANK},5,,3,,proxy", "total_tokens is 3, which is less than a part of it"),
    (f"{BLANK},,,,nan,proxy", "cost_usd is 'nan', not a number from 0"),
    (f"{BLANK},,,,inf,proxy", "cost_usd is 'inf'"),
    (f"{BLANK},,,,-1,proxy", "cost_usd is '-1'"),
    (f"{BLANK},,,,1_0,proxy", "cost_usd is '1_0'"),
    (f"{BLANK},,,,$1,proxy", "cost_usd is '$1'"),
    (f"{BLANK},,,,-0.0,proxy", "cost_usd is '-0.0', not a number from 0"),
    (f"{BLANK},,,,\u0663,proxy", "cost_usd is"),
    (f"{BLANK},1,1", "late.csv:2: 3 values under 6 columns"),
]


@pytest.mark.parametrize(("rows", "what"), UNUSABLE, ids=[what[:40] for _, what in UNUSABLE])
def test_a_row_that_cannot_be_used_is_named_and_nothing_is_written(untouched, capsys, rows, what):
    before = bytes_of(untouched)
    code, out, err = told(capsys, untouched, f"{HEAD}{rows}\n{OTHER},1,1,,,proxy\n")
    assert (code, out) == (2, "")
    assert what in err
    assert bytes_of(untouched) == before


def test_every_row_that_cannot_be_used_is_named(untouched, capsys):
    code, _, err = told(
        capsys, untouched, f"{HEAD}{BLANK},x,1,,,proxy\n\n{OTHER},1,1,,,proxy\n{THIRD},1,1,,,\n"
    )
    assert code == 2
    assert "late.csv:2: " in err
    assert "late.csv:5: no source" in err
    assert "late.csv:4" not in err
    assert "2 rows cannot be used" in err


JSONL = [
    ("{", "late.jsonl:1: not JSON"),
    ("[1]", "late.jsonl:1: not a JSON object"),
    ('{"cell": "x", "sauce": 1}', "late.jsonl:1: no column 'sauce'"),
    (f'{{"cell": "{BLANK}", "source": "p", "input_tokens": true}}', "input_tokens is True"),
    (f'{{"cell": "{BLANK}", "source": "p", "input_tokens": 1.0}}', "input_tokens is 1.0"),
    (f'{{"cell": "{BLANK}", "source": "p", "cost_usd": true}}', "cost_usd is True"),
    (f'{{"cell": "{BLANK}", "source": "p", "cost_usd": [1]}}', "cost_usd is [1]"),
    (f'{{"cell": "{BLANK}", "source": "p", "cost_usd": 1{"0" * 400}}}', "cost_usd is 1"),
    (f'{{"cell": "{BLANK}", "source": 1, "cost_usd": 1}}', "no source"),
    (
        f'{{"cell": "{BLANK}", "source": "p", "cost_usd": 1, "cost_usd": 2}}',
        "late.jsonl:1: the key 'cost_usd' stands twice in one object",
    ),
    (
        f'{{"cell": "{BLANK}", "source": "p", "cost_usd": 1, "c\\u006fst_usd": 2}}',
        "the key 'cost_usd' stands twice",
    ),
    (f'{{"cell": "{BLANK}", "source": "p", "cost_usd": -0.0}}', "cost_usd is -0.0, not a number from 0"),
    ('"text"', "late.jsonl:1: not a JSON object"),
]


@pytest.mark.parametrize(("line", "what"), JSONL)
def test_a_json_line_that_cannot_be_used_is_named(untouched, capsys, line, what):
    code, _, err = told(capsys, untouched, line, name="late.jsonl")
    assert code == 2
    assert what in err


HEADERS = [
    ("cell,tokens,source\n", "no column of it: tokens"),
    ("input_tokens,source\n", "missing: cell"),
    ("cell,input_tokens\n", "missing: source"),
    ("cell,source,source\n", "a column twice"),
    ("", "missing: cell, source"),
]


@pytest.mark.parametrize(("header", "what"), HEADERS)
def test_a_header_that_is_none_of_late_counts(tmp_path, header, what):
    path = tmp_path / "late.csv"
    path.write_text(header)
    with pytest.raises(BackfillInvalidError, match=what):
        read_late_usage(path)


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("late.txt", b"", "ending does not say what the file is"),
        ("late.csv", b"\xff", "not UTF-8 text"),
        ("late.csv", HEAD.encode(), "there is no row in it"),
        ("late.jsonl", b"\n\n", "there is no row in it"),
        ("late.csv", b'cell,source\n"a\n', "late.csv:2: not a row of CSV"),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path, name, content, what):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BackfillInvalidError, match=what):
        read_late_usage(path)


def test_a_byte_order_mark_windows_lines_and_a_cell_over_two_lines_are_read(tmp_path):
    path = tmp_path / "late.CSV"
    path.write_bytes(b'\xef\xbb\xbfsource,cell,input_tokens\r\n"my\r\nproxy",a,1\r\n\r\nlog,b,2\r\n')
    rows = read_late_usage(path)
    assert [(row.line, row.cell, row.source, row.input_tokens) for row in rows] == [
        (2, "a", "my\r\nproxy", 1),
        (5, "b", "log", 2),
    ]


def test_the_name_of_a_file_does_not_matter_where_its_kind_is_said(project, capsys):
    document = filled(capsys, project, f"{HEAD}{BLANK},1,1,,,proxy\n", "--as", "csv", name="late")
    assert document["cells"] == 1


def test_a_dry_run_shows_what_would_change_and_writes_nothing(untouched, capsys):
    before = bytes_of(untouched)
    code, out, _ = told(capsys, untouched, f"{HEAD}{BLANK},100,20,,,proxy\n", "--dry-run")
    assert code == 0
    assert "input_tokens 100, output_tokens 20, total_tokens 120 (proxy)" in out
    assert "1 cell to fill" in out
    assert "a dry run writes nothing" in out
    assert bytes_of(untouched) == before


def test_the_reason_is_kept(project, capsys):
    code, out, err = told(capsys, project, f"{HEAD}{BLANK},100,20,,,proxy\n", "--why", " the proxy was slow ")
    assert code == 0
    assert "run r1: 1 cell filled\n" in out
    assert "stale-data" in err
    assert project.store.run(RUN).rows("backfills")[0]["why"] == "the proxy was slow"
    code, _, err = told(capsys, project, f"{HEAD}{BLANK},100,20,,,proxy\n", "--why", " ")
    assert code == 2
    assert "--why says nothing" in err


def test_an_open_run_is_not_filled(tmp_path, capsys):
    project = make(tmp_path, close=False)
    code, _, err = told(capsys, project, f"{HEAD}{BLANK},1,1,,,proxy\n")
    assert (code, "[run-not-closed]" in err) == (3, True)


def test_a_group_that_says_what_was_reported_in_time_is_there_already(untouched, capsys):
    document = filled(capsys, untouched, f"{HEAD}{REPORTED},10,5,15,,agent\n", "--dry-run")
    assert (document["cells"], document["already"], document["moves"]) == (0, 1, [])


@pytest.mark.parametrize("why", ["\u200b", "a\nb", "x" * 1001, ""])
def test_a_reason_that_cannot_be_kept_is_refused(untouched, capsys, why):
    code, _, err = told(capsys, untouched, f"{HEAD}{BLANK},1,1,,,proxy\n", "--why", why)
    assert (code, "--why" in err) == (2, True)


def test_of_two_that_looked_before_either_wrote_the_second_says_what_it_replaced(project):
    run, late = project.store.run(RUN), project.root / "late.csv"
    done = []
    for row in (f"{BLANK},1,1,,,a", f"{BLANK},1,1,,,a", f"{BLANK},2,2,,,b"):
        late.write_text(f"{HEAD}{row}\n")
        done.append(backfill(run, late, read_late_usage(late), "x"))
    assert [(each.found.cells, each.found.already) for each in done] == [(1, 0), (0, 1), (1, 0)]
    (move,) = done[2].found.moves
    assert (move.was["total_tokens"], move.was["token_source"], move.now["total_tokens"]) == (2, "a", 4)
    assert done[0].after == done[1].before == done[1].after == done[2].before
    assert len(project.store.run(RUN).rows("backfills")) == 2


def test_a_pipe_a_device_and_a_file_that_is_too_big_are_refused_at_once(tmp_path, monkeypatch):
    pipe = tmp_path / "late.csv"
    os.mkfifo(pipe)
    big = tmp_path / "big.csv"
    big.write_text(HEAD * 10)
    monkeypatch.setattr(late_usage, "_MOST_BYTES", 100)
    for path, what in (
        (pipe, "not a regular file"),
        (Path("/dev/zero"), "not a regular file"),
        (big, "bytes"),
    ):
        with pytest.raises(OptionInvalidError, match=what):
            read_late_usage(path, "csv")
    link = tmp_path / "link.csv"
    link.symlink_to(tmp_path / "small.csv")
    (tmp_path / "small.csv").write_text("cell,input_tokens,source\na,1,p\n")
    assert len(read_late_usage(link)) == 1


def test_late_counts_come_from_standard_input_too(project, capsys, monkeypatch):
    text = f"{HEAD}{BLANK},1,1,,,proxy\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    code = exit_code(("backfill", RUN, "-", "--as", "csv", "--project", str(project.root)))
    assert (code, "1 cell filled" in capsys.readouterr().out) == (0, True)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x" * 200)))
    monkeypatch.setattr(late_usage, "_MOST_BYTES", 100)
    assert exit_code(("backfill", RUN, "-", "--as", "csv", "--project", str(project.root))) == 2
