"""Markers: every block is found where it stands, and nothing that looks like a marker is passed over."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.errors import StampInvalidError
from benchctl.report.stamp import body_digest, parse_blocks, render_block, scan_blocks, update_text

HEX = "a" * 64
BEGIN = f"<!-- benchctl:begin table=arms run=r1 data=sha256:{HEX} body=sha256:{HEX} -->"
END = "<!-- benchctl:end -->"


def test_a_block_is_found_where_it_stands():
    text = f"# Title\n\nétude\n\n{BEGIN}\n\n| a |\n\n{END}\n\nafter\n"
    [block] = parse_blocks(text)
    assert (block.table, block.run, block.data, block.body_stamp) == (
        "arms",
        "r1",
        f"sha256:{HEX}",
        f"sha256:{HEX}",
    )
    assert text[block.start : block.end] == f"{BEGIN}\n\n| a |\n\n{END}"
    assert text[block.body_start : block.body_end] == block.body == "\n| a |\n\n"
    assert (block.line, block.end_line) == (5, 9)


@pytest.mark.parametrize(
    ("text", "line", "column", "word"),
    [
        (f"{BEGIN}\nx\n", 1, 1, "never ends"),
        (f"x\n{END}\n", 2, 1, "never began"),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", 2, 1, "inside"),
        (f"{BEGIN}\n{END}\n{END}\n", 3, 1, "never began"),
        (f"{BEGIN}\n{END}\n\n{BEGIN}\n{END}\n", 4, 1, "already stands"),
        (f" {BEGIN}\n{END}\n", 1, 2, "malformed"),  # indented
        (f"{BEGIN} \n{END}\n", 1, 1, "malformed"),  # something behind it
        (f"text {BEGIN}\n{END}\n", 1, 6, "malformed"),
        (f"{BEGIN.replace('table=arms ', '')}\n{END}\n", 1, 1, "malformed"),  # an attribute left out
        (f"{BEGIN.replace('run=r1', 'run=r1 run=r2')}\n{END}\n", 1, 1, "malformed"),  # one twice
        (f"{BEGIN.replace('sha256:a', 'sha256:A', 1)}\n{END}\n", 1, 1, "malformed"),  # another spelling
        (f"{BEGIN.replace(HEX, HEX[:-1])}\n{END}\n", 1, 1, "malformed"),
        (f"{BEGIN.replace('<!-- ', '<!--')}\n{END}\n", 1, 1, "malformed"),
        (f"{BEGIN.replace('begin', 'BEGIN')}\n{END}\n", 1, 1, "malformed"),
        (f"{BEGIN}\n<!-- benchctl:end  -->\n", 2, 1, "malformed"),
        (f"{BEGIN[:40]}\nmore -->\n{END}\n", 1, 1, "malformed"),  # broken over lines
    ],
)
def test_a_wrong_marker_is_an_error_at_its_place(text, line, column, word):
    _, problems = scan_blocks(text)
    assert [(problem.line, problem.column) for problem in problems][:1] == [(line, column)]
    assert len(problems) == 1, "one mistake is one problem"
    assert word in problems[0].what
    with pytest.raises(StampInvalidError) as caught:
        parse_blocks(text, file="page.md")
    assert str(caught.value.where) == f"page.md:{line}:{column}"


def test_every_problem_is_reported_in_page_order():
    _, problems = scan_blocks(f"{END}\n{BEGIN}\n {END}\n{BEGIN}\n")
    assert [problem.line for problem in problems] == [1, 3, 4]


@pytest.mark.parametrize(
    "shown",
    [
        f"```\n{BEGIN}\n```\n",
        f"~~~~ text\n{BEGIN}\n~~~\n~~~~\n",
        f"    ````\n    {BEGIN}\n    ````\n",  # inside an admonition
        f"Write `{BEGIN}` and `{END}`.\n",
        f"```\n{END}",  # a fence that never closes is code to the end
    ],
)
def test_code_shows_the_syntax_and_is_none(shown):
    assert scan_blocks(shown) == ([], [])


def test_a_line_of_backticks_is_no_fence():
    assert len(parse_blocks(f"``` `x` ```\n{BEGIN}\n{END}\n")) == 1


def test_line_ends_of_the_file_do_not_change_a_body():
    unix = f"{BEGIN}\n\n| a |\n{END}\n"
    [dos] = parse_blocks(unix.replace("\n", "\r\n"))
    assert dos.body == parse_blocks(unix)[0].body
    assert body_digest("a\r\nb") == body_digest("a\nb")


def test_a_rendered_block_is_its_own_proof(arms):
    [block] = parse_blocks(f"before\n\n{render_block(arms)}\n\nafter\n")
    assert block.body_stamp == body_digest(block.body)
    assert (block.table, block.run, block.data) == (arms.name, arms.run, arms.data_digest)


def test_an_open_run_cannot_be_stamped(arms):
    from dataclasses import replace

    with pytest.raises(StampInvalidError, match="still open"):
        render_block(replace(arms, data_digest=None))


def test_a_changed_digit_changes_the_digest(arms):
    [block] = parse_blocks(render_block(arms).replace("0.612", "0.613"))
    assert block.body_stamp != body_digest(block.body)


def test_updating_touches_nothing_but_blocks():
    page = f"a\r\n\n{BEGIN}\nold\n{END}\ttail is malformed"
    with pytest.raises(StampInvalidError):
        update_text(page, lambda _: "never asked")
    page = f"a\r\n\n{BEGIN}\nold\n{END}\n\n  b \n"
    assert update_text(page, lambda block: f"[{block.table}]") == "a\r\n\n[arms]\n\n  b \n"


@given(st.lists(st.sampled_from([BEGIN, END, "```", "text", "", f"`{END}`", f" {END}"]), max_size=12))
def test_blocks_and_problems_account_for_every_marker(lines):
    text = "\n".join(lines)
    blocks, problems = scan_blocks(text)
    for block in blocks:
        assert text[block.start : block.end].startswith(BEGIN)
        assert text[block.start : block.end].endswith(END)
    if not problems:
        assert update_text(text, lambda block: text[block.start : block.end]) == text
        assert update_text(text, lambda _: "").count(BEGIN) == text.count(BEGIN) - len(blocks)
