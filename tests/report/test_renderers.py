"""One table, five syntaxes: each compared with a file a person has read."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import cmarkgfm
import markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.quantities.format import NOT_MEASURED
from benchctl.report.html import to_html
from benchctl.report.markdown import to_markdown
from benchctl.report.records import rows_to_csv, to_csv, to_json
from benchctl.report.shape import Column, Table, TableCell
from benchctl.report.terminal import to_text

GOLDEN = Path(__file__).parent.parent / "golden" / "report"


def _json(table):
    return json.dumps(to_json(table), indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize(
    ("file", "render"),
    [
        ("arms.md", to_markdown),
        ("arms.html", to_html),
        ("arms.txt", to_text),
        ("arms.csv", to_csv),
        ("arms.json", _json),
    ],
)
def test_a_table_reads_as_its_golden_file(arms, file, render, tmp_path):
    actual = render(arms)
    (tmp_path / file).write_text(actual)
    assert actual == (GOLDEN / file).read_text(), f"actual output is in {tmp_path / file}"


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![pixel](https://evil.example/p.png)",
    "https://evil.example/ www.evil.example a@evil.example",
    "a | b | c",
    "first\nsecond\r\nthird",
    "`code` **bold** _soft_ ~~gone~~",
    "<!-- benchctl:end -->",
    '"><script>alert(1)</script>',
    "abc\u202edef\u2066",
    "zero\u200bwidth",
    "\x1b[31mred\x1b[0m",
    "| --- |",
    "\\| \\",
]


def _hostile_table(texts):
    rows = tuple((TableCell(text), TableCell(text), TableCell(1)) for text in texts)
    columns = (Column("id", key=True), Column("answer"), Column("n"))
    return Table("answers", "Answers", "demo", None, columns, rows)


@pytest.mark.parametrize(
    "render",
    [
        cmarkgfm.github_flavored_markdown_to_html,
        lambda text: markdown.markdown(text, extensions=["tables", "md_in_html", "attr_list", "sane_lists"]),
    ],
    ids=["github", "python-markdown"],
)
def test_hostile_cells_stay_text_in_both_dialects(render):
    table = _hostile_table(HOSTILE)
    page = render(to_markdown(table))
    assert page.count("<tr>") == len(HOSTILE) + 1
    assert not re.search(r"<(?!/?(?:table|thead|tbody|tr|t[hd]|p|em)\b)[a-z]", page), page
    assert " href=" not in page


def test_hostile_cells_stay_text_in_html():
    page = to_html(_hostile_table(HOSTILE))
    assert page.count("<tr>") == len(HOSTILE) + 1
    for marker in ("<img", "<script", "<!--", "\u202e", "\u200b", "\x1b"):
        assert marker not in page


def test_no_control_character_reaches_a_terminal():
    shown = to_text(_hostile_table(HOSTILE))
    assert "\x1b" not in shown
    assert len(shown.splitlines()) == len(HOSTILE) + 4


def test_columns_line_up_on_a_terminal_for_wide_and_combining_characters():
    rows = (
        (TableCell("漢字"), TableCell(1)),
        (TableCell("e\u0301a"), TableCell(22)),
        (TableCell("abcd"), TableCell(3)),
    )
    shown = to_text(Table("t", "T", "r", None, (Column("k", key=True), Column("n")), rows)).splitlines()
    assert shown[4:] == ["漢字   1", "e\u0301a    22", "abcd   3"]


def test_every_header_can_be_sorted_by_keyboard(arms):
    page = to_html(arms)
    heads = re.findall(r"<th scope=\"col\".*?</th>", page)
    assert len(heads) == len(arms.columns)
    assert all('aria-sort="none"><button type="button"' in head for head in heads)


def test_links_stand_in_a_column_of_their_own(arms):
    page = to_html(arms, links={("grep",): '<a href="cells/x/">1</a>'})
    assert '<th scope="col">Cells</th>' in page
    assert page.count('<td class="bc-links">') == len(arms.rows)


def test_the_caption_names_run_and_data_in_every_text_form(arms):
    for render in (to_markdown, to_html, to_text):
        assert "demo-r1" in render(arms)
        assert "0123456789ab" in render(arms)


def test_an_open_run_says_that_it_has_no_digest(arms):
    assert "still open" in to_markdown(replace(arms, data_digest=None))


def test_csv_quotes_hostile_text_and_defuses_formulas():
    table = _hostile_table(["=1+1", 'say "x", y', "two\nlines"])
    rows = list(csv.reader(io.StringIO(to_csv(table))))
    assert [row[0] for row in rows] == ["id", "'=1+1", 'say "x", y', "two\nlines"]


def test_stored_rows_keep_numbers_and_nulls():
    rows = [{"a": -1.5, "b": None, "c": True, "d": "-x"}, {"a": 0}]
    assert rows_to_csv(rows, ["a", "b", "c", "d"]) == "a,b,c,d\n-1.5,,true,'-x\n0,,,\n"


def test_json_cells_have_exactly_the_promised_keys(arms):
    cell = to_json(arms)["rows"][0]["score"]
    assert list(cell) == ["value", "lo", "hi", "scope", "n", "failed", "void", "verdict", "notes"]
    assert to_json(arms)["rows"][0]["answered"]["of"] == 12


@given(st.lists(st.text(max_size=30), min_size=1, max_size=5))
def test_any_text_leaves_the_row_count_alone(texts):
    page = cmarkgfm.github_flavored_markdown_to_html(to_markdown(_hostile_table(texts)))
    assert page.count("<tr>") == len(texts) + 1


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (TableCell(0.5), "0.500"),
        (TableCell(None), NOT_MEASURED),
        (TableCell(value=True), "yes"),
        (TableCell(value=False), "no"),
        (TableCell("as is"), "as is"),
        (TableCell(44, of=48), "44 of 48"),
        (TableCell(0.5, places=2, lo=0.25, hi=0.75), "0.50 [0.25, 0.75]"),
        (TableCell(0.5, places=2, lo=0.25), "0.50"),  # half an interval is none
        (TableCell(2.5, unit="x", places=1), "2.5\u00d7"),
        (TableCell(3, n=2, partial=True), "3 (n=2)"),
    ],
)
def test_a_cell_as_text(cell, text):
    assert cell.text == text
