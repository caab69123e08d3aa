"""The markers of a generated block: what may be rewritten on a page, and what must match byte for byte.

    <!-- benchctl:begin table=arms run=demo data=sha256:… body=sha256:… -->

    …the rendered table…

    <!-- benchctl:end -->

Each marker stands alone on its line, from its first column, with exactly these
attributes in this order. Anything that looks like a marker and is none is an error:
a marker that a checker overlooks would let an old table pass as text. Fenced code and
code spans are left alone, so that a manual can show the syntax.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchctl.errors import StampInvalidError, Where
from benchctl.report.lines import in_code_span, lines_outside_code
from benchctl.report.markdown import to_markdown
from benchctl.report.shape import Table
from benchctl.schema.canonical import sha256_hex
from benchctl.schema.names import NAME_PATTERN

__all__ = [
    "Block",
    "StampProblem",
    "body_digest",
    "parse_blocks",
    "render_block",
    "scan_blocks",
    "update_text",
]

_DIGEST = r"sha256:[0-9a-f]{64}"
_BEGIN = re.compile(
    rf"<!-- benchctl:begin table=(?P<table>{NAME_PATTERN}) run=(?P<run>{NAME_PATTERN})"
    rf" data=(?P<data>{_DIGEST}) body=(?P<body>{_DIGEST}) -->"
)
_END = "<!-- benchctl:end -->"
_ANY = re.compile(r"<!--\s*benchctl\s*:\s*(?P<word>begin|end)(?![A-Za-z0-9])[^\n]*?(?:-->|$)", re.IGNORECASE)
_EXPECTED = {
    "begin": "<!-- benchctl:begin table=NAME run=ID data=sha256:64-hex body=sha256:64-hex --> alone on its line",
    "end": f"{_END} alone on its line",
}


@dataclass(frozen=True, slots=True)
class Block:
    """One generated block. Offsets are code points of the page; lines count from 1.

    `start` and `end` take in both markers (without the last line end), `body_start` and
    `body_end` what stands between their lines. `data` and `body_stamp` are what the begin
    marker says; `body` is what the page says.
    """

    table: str
    run: str
    data: str
    body_stamp: str
    body: str
    start: int
    body_start: int
    body_end: int
    end: int
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class StampProblem:
    """A marker that cannot be one. `start` and `end` are code points of the page; line and column count from 1."""

    what: str
    expected: str
    start: int
    end: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class _Marker:
    """Something that looks like a marker; `match` is None where it is none."""

    word: str
    text: str
    start: int
    line: int
    column: int
    next_line: int
    strict: bool
    match: re.Match[str] | None
    flaw: str = "is malformed"

    def problem(self, what: str) -> StampProblem:
        expected = _EXPECTED[self.word]
        return StampProblem(what, expected, self.start, self.start + len(self.text), self.line, self.column)


def body_digest(body: str) -> str:
    """Return `sha256:…` of a block's body, whose line ends count the same whatever the file uses."""
    return f"sha256:{sha256_hex(_unix(body).encode())}"


def render_block(table: Table) -> str:
    """Return the whole block of a table, markers included, without a last line end.

    Raises StampInvalidError for a table of a run that is still open: it has no digest to pin.
    """
    if table.data_digest is None:
        raise StampInvalidError(
            f"run {table.run!r} is still open, so its table {table.name!r} cannot be stamped",
            next_step=f"finish it with `benchctl run --run-id {table.run}`",
        )
    body = f"\n{to_markdown(table)}\n"
    begin = (
        f"<!-- benchctl:begin table={table.name} run={table.run}"
        f" data={table.data_digest} body={body_digest(body)} -->"
    )
    return f"{begin}\n{body}{_END}"


def parse_blocks(text: str, *, file: str = "page") -> list[Block]:
    """Return every block of a page in order. Raises StampInvalidError at the first marker that is wrong."""
    blocks, problems = scan_blocks(text)
    if problems:
        first = problems[0]
        raise StampInvalidError(
            first.what, where=Where(file, first.line, first.column), expected=first.expected
        )
    return blocks


def scan_blocks(text: str) -> tuple[list[Block], list[StampProblem]]:
    """Return the blocks of a page and everything that is wrong with its markers, both in page order."""
    blocks: list[Block] = []
    problems: list[StampProblem] = []
    opened: _Marker | None = None
    for marker in _markers(text):
        if not marker.strict:
            problems.append(marker.problem(f"a benchctl:{marker.word} marker {marker.flaw}"))
        if marker.word == "begin":
            if opened is not None:
                problems.append(
                    marker.problem(f"a block begins inside the one that line {opened.line} began")
                )
            opened = marker
            continue
        if opened is None:
            if marker.strict:
                problems.append(marker.problem("a block ends that never began"))
        elif opened.strict and marker.strict:
            block = _block(text, opened, marker)
            if twin := next(
                (old for old in blocks if (old.table, old.run) == (block.table, block.run)), None
            ):
                problems.append(
                    opened.problem(f"table {block.table!r} of this run already stands at line {twin.line}")
                )
            blocks.append(block)
        opened = None  # A malformed marker still parts blocks, so that one mistake is one problem.
    if opened is not None and opened.strict:
        problems.append(opened.problem("this block never ends"))
    return blocks, sorted(problems, key=lambda problem: problem.start)


def update_text(text: str, render: Callable[[Block], str]) -> str:
    """Return the page with each block replaced by what `render` returns, in the page's own line ends.

    Every other byte stays. Raises StampInvalidError before anything is rendered where a marker is wrong.
    """
    parts: list[str] = []
    position = 0
    for block in parse_blocks(text):
        rendered = render(block)
        if text[block.body_start - 2 : block.body_start] == "\r\n" and "\r" not in rendered:
            rendered = rendered.replace("\n", "\r\n")
        parts += [text[position : block.start], rendered]
        position = block.end
    return "".join([*parts, text[position:]])


def _block(text: str, begin: _Marker, end: _Marker) -> Block:
    fields = begin.match.groupdict() if begin.match else {}
    return Block(
        table=fields["table"],
        run=fields["run"],
        data=fields["data"],
        body_stamp=fields["body"],
        body=_unix(text[begin.next_line : end.start]),
        start=begin.start,
        body_start=begin.next_line,
        body_end=end.start,
        end=end.start + len(_END),
        line=begin.line,
        end_line=end.line,
    )


def _markers(text: str) -> Iterator[_Marker]:
    for number, start, line, next_line in lines_outside_code(text):
        for found in _ANY.finditer(line):
            if in_code_span(line, found.start()):
                continue
            word = found["word"].lower()
            match = _BEGIN.fullmatch(line) if word == "begin" else None
            strict = match is not None if word == "begin" else line == _END
            yield _Marker(
                word,
                found[0],
                start + found.start(),
                number,
                found.start() + 1,
                next_line,
                strict,
                match,
                _flaw(line, found[0], word),
            )


def _flaw(line: str, marker: str, word: str) -> str:
    """Say why a marker is none, where its text is right and its place is not."""
    sound = marker == _END if word == "end" else _BEGIN.fullmatch(marker) is not None
    if not sound:
        return "is malformed"
    if line.strip() != marker:
        return "is malformed: it shares its line with other text"
    return f"is malformed: it {'is indented' if line[:1].isspace() else 'has blanks behind it'}"


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")
