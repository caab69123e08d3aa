"""A generated block is, byte for byte, what its run renders today."""

from __future__ import annotations

import re
from itertools import accumulate, islice, zip_longest

from benchctl.claims.line_edits import edits
from benchctl.claims.sheet import Sheet
from benchctl.errors import BenchctlError
from benchctl.quantities.numerals import scan
from benchctl.report.stamp import Block, body_digest, parse_blocks

__all__ = ["check"]

_STAMP = re.compile(r"\s*benchctl\s*:\s*(?:begin|end)(?![A-Za-z0-9])", re.IGNORECASE)
_WORD = re.compile(r"[^\s|]+")
_MOST_LINES = 10
_ADDED = "this line was added by hand"
_BLANKS = "only the blanks of this line differ from what the run renders"


def check(sheet: Sheet) -> None:
    """Compare every block with its table; a marker that is none is a finding too."""
    for problem in sheet.block_problems:
        sheet.record.find(
            "stamp-malformed", problem.start, problem.end, problem.what, next_step=f"write {problem.expected}"
        )
    if not sheet.block_problems:
        _strays(sheet)
    for block in sheet.blocks:
        _block(sheet, block)


def _strays(sheet: Sheet) -> None:
    """Find comments that say begin or end and belong to no block, so that none is taken for plain text."""
    for comment in sheet.page.comments:
        inside = any(block.start <= comment.start < block.end for block in sheet.blocks)
        if _STAMP.match(comment.text) and not inside:
            message = "this marker stands where it is not read"
            sheet.record.find("stamp-malformed", comment.start, comment.end, message)


def _block(sheet: Sheet, block: Block) -> None:
    scope = sheet.scopes.at(block.start)
    run = sheet.lookup.runs.get(block.run)
    first = (block.start, block.body_start - 1)
    if run is None:
        sheet.record.find("page-run-unknown", *first, f"no run `{block.run}` in the store")
    elif scope and block.run != scope.run:
        message = f"this block is of run {block.run}, the page speaks of {scope.run}"
        sheet.record.find("block-other-run", *first, message, hint=f"equals {block.run}")
    elif run.data_digest != block.data:
        message = f"run {block.run} had other data when this block was rendered"
        sheet.record.find("block-old-data", *first, message)
    else:
        _body(sheet, block)


def _body(sheet: Sheet, block: Block) -> None:
    try:
        rendered = sheet.lookup.block(block.run, block.table, sheet.config)
    except BenchctlError as error:
        sheet.record.fail(error, block.start, block.body_start - 1)
        return
    if rendered == sheet.page.text[block.start : block.end].replace("\r\n", "\n"):
        return
    if body_digest(block.body) == block.body_stamp:
        message = f"table {block.table} of run {block.run} renders otherwise today"
        sheet.record.find("block-outdated", block.start, block.body_start - 1, message)
        return
    own = parse_blocks(rendered)[0].body
    others = {} if sheet.terse else _others(sheet, block)
    twins = [name for name, body in others.items() if body == block.body]
    if twins:
        hint = f"equals {', '.join(twins)}"
        message = f"the body is that of run {', '.join(twins)}, the marker names {block.run}"
        sheet.record.find("block-edited", block.body_start, block.body_end, message, hint=hint)
        return
    _lines(sheet, block, own, others)


def _others(sheet: Sheet, block: Block) -> dict[str, str]:
    """Return the body that every other run of the store renders; a run that has no such table is left out."""
    bodies: dict[str, str] = {}
    for name in sheet.lookup.runs:
        if name != block.run:
            try:
                bodies[name] = parse_blocks(sheet.lookup.block(name, block.table, sheet.config))[0].body
            except BenchctlError:
                continue
    return bodies


def _lines(sheet: Sheet, block: Block, own: str, others: dict[str, str]) -> None:
    """Name each line that was edited: what is printed, what it should be, and whose it is."""
    page, expected = sheet.page.text[block.body_start : block.body_end].split("\n"), own.split("\n")
    starts = list(accumulate((len(line) + 1 for line in page), initial=block.body_start))
    plain = [line.removesuffix("\r") for line in page]
    for here, there in islice(edits(plain, expected), _MOST_LINES):
        offset = min(starts[here.start], block.body_end)
        if not there:
            sheet.record.find("block-edited", offset, offset + len(page[here.start]), _ADDED)
        elif not here:
            message = f"a line was removed by hand here: {expected[there.start].strip() or 'an empty one'}"
            sheet.record.find("block-edited", offset, offset, message)
        else:
            theirs = {name: _nth(body, there.start) for name, body in others.items()}
            _line(sheet, offset, (plain[here.start], expected[there.start]), theirs)


def _nth(body: str, index: int) -> str:
    lines = body.split("\n")
    return lines[index] if index < len(lines) else ""


def _line(sheet: Sheet, offset: int, pair: tuple[str, str], theirs: dict[str, str]) -> None:
    """Say where the page's line leaves the expected one (`pair`), and which run's line has that word."""
    line, expected = pair
    words, true = list(_WORD.finditer(line)), _WORD.findall(expected)
    printed = [word[0] for word in words]
    at = next((i for i, both in enumerate(zip_longest(printed, true)) if both[0] != both[1]), 0)
    if at >= len(printed) or at >= len(true) or printed == true:
        message = (
            _BLANKS
            if printed == true
            else f"this line was changed by hand: the run renders {expected.strip()}"
        )
        sheet.record.find("block-edited", offset, offset + len(line), message)
        return
    start, end = words[at].span()
    whose = [
        name for name, other in theirs.items() if _WORD.findall(other)[at : at + 1] == printed[at : at + 1]
    ]
    values = [token.value for token in scan(true[at]) if token.value is not None]
    sheet.record.find(
        "block-edited",
        offset + start,
        offset + end,
        f"edited by hand: it says {printed[at]}, and the run renders {true[at]}",
        actual=float(values[0]) if values else None,
        hint=f"equals {', '.join(whose)}" if whose else "",
    )
