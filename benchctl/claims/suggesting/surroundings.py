"""The pieces of text around a number, read one by one: its cell, header and row, or its clause, sentence and heading."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from benchctl.claims.attaching.headers import cell_label, header_scale, scale_at
from benchctl.claims.numbers import Atom
from benchctl.claims.reading.page import Page
from benchctl.claims.reading.sentences import sentence_at
from benchctl.claims.reading.visible import OBJECT
from benchctl.claims.suggesting.clues import Clue, Surroundings, better
from benchctl.claims.suggesting.names import Names
from benchctl.claims.suggesting.vocabulary import FLAGS, METRICS_SAID, SOLVED, words_in
from benchctl.quantities.units import normalise_unit

__all__ = ["header_surroundings", "surroundings_of"]

_CLAUSE = re.compile(r"[,;:](?=\s)|[()\u2014]|\s\u2013\s|\b(?:while|whereas|but|and)\b")
_BEHIND = 36
_COMPARES = re.compile(r"\s+(?:as|the|that|what|its|their|more|fewer|less)\b", re.IGNORECASE)
_MEASURED = re.compile(
    r"\b(?P<word>median|mean|average|maximum|minimum|max|min|p[0-9]{2})(?:\s+(?:of|is|was|at))?\s+[*_~`$]*$",
    re.IGNORECASE,
)
_OTHER_COLUMN = 1.0
_COUNT_HEADERS = frozenset({"n", "#", "count"})


def surroundings_of(page: Page, atoms: Sequence[Atom], names: Names, at: int) -> Surroundings:
    """Return what stands around the number `atoms[at]` of a group."""
    token, last = atoms[at].token, atoms[-1].token
    scale = scale_at(page, atoms[at].start)
    unit = "" if _counts(page, atoms[at]) else token.unit or (scale.unit if scale else "")
    around = Surroundings(
        normalise_unit(unit),
        whole=token.place is None or (token.place * (scale.factor if scale and not token.unit else 1)) >= 1,
        others=names.runs,
    )
    for where, (text, number) in _pieces(page, token.start, last.end):
        around.read(where, text, names, number=number)
    behind = page.visible[last.end if at == len(atoms) - 1 else token.end : last.end + _BEHIND]
    line = re.split(
        r"[.;:\n\u2029|(]", behind if at == len(atoms) - 1 else page.visible[last.end : last.end + _BEHIND]
    )[0]
    around.count("words behind", line, 3.0)
    counted = re.split(r"[,\d]|\b(?:and|but|of|while|that|which)\b", line)[0]
    around.close.counted_flag = next(
        (word.text for table in (FLAGS, SOLVED) for word in words_in(counted, table)), ""
    )
    measured = _MEASURED.search(page.visible, max(0, token.start - _BEHIND), token.start)
    around.close.measured = measured["word"] if measured else ""
    if not around.metrics and (around.unit == "x" or "times" in around.compared):
        _read_other_columns(around, page, token.start)
    around.infer()
    return around


def _counts(page: Page, atom: Atom) -> bool:
    """Whether `twice` says how often, as in "it failed twice", and not how much."""
    often = atom.token.word and atom.token.text.lower() in ("twice", "thrice")
    return often and _COMPARES.match(page.visible, atom.token.end) is None


def _read_other_columns(around: Surroundings, page: Page, start: int) -> None:
    """Let a column of ratios that names no metric be one of the metrics beside it."""
    place = page.cell_at(page.raw(start))
    for index, cell in enumerate(place[0].header.cells if place else ()):
        for word in words_in(cell_label(page, cell), METRICS_SAID):
            better(around.metrics, word.name, _OTHER_COLUMN - index / 10, "column", word.text)


def _pieces(page: Page, start: int, end: int) -> Iterator[tuple[str, tuple[str, int | None]]]:
    place = page.cell_at(page.raw(start))
    begin, stop = sentence_at(page, start)
    visible = page.visible
    if place:
        table, row, _, index = place
        yield "cell", _read(page, begin, stop, start)
        if index < len(table.header.cells):
            yield "header", (cell_label(page, table.header.cells[index]), None)
        for cell in row.cells[:index]:
            label = cell_label(page, cell)
            if not label[:1].isdigit():
                yield "row", (label, None)
    else:
        first = max((found.end() for found in _CLAUSE.finditer(visible, begin, start)), default=begin)
        found = _CLAUSE.search(visible, end, stop)
        yield "clause", _read(page, first, found.start() if found else stop, start)
        yield "sentence", _read(page, begin, stop, start)
        before = visible[max(0, begin - 2) : begin]
        if begin > 1 and "\u2029" not in before and "\n\n" not in before:
            yield "before", _read(page, *sentence_at(page, begin - 2))
    heading = page.heading_before(page.raw(start))
    if heading:
        yield "heading", _read(page, page.seen(heading.start), page.seen(heading.end))


def _read(page: Page, begin: int, end: int, number: int | None = None) -> tuple[str, int | None]:
    """Return a visible stretch with the text of its code spans (a name may be written as `grep`), and where the number is."""
    parts: list[str] = []
    at = None if number is None else number - begin
    for offset in range(begin, end):
        char = page.visible[offset]
        if char == OBJECT:
            index = bisect_right(page.regions, page.raw(offset), key=lambda region: region.start) - 1
            region = page.regions[index] if index >= 0 else None
            if region and region.kind == "code":
                char = page.text[region.start : region.end].strip("`")
                if at is not None and number is not None and offset < number:
                    at += len(char) - 1
        parts.append(char)
    return "".join(parts), at


def header_surroundings(header: str, unit: str, names: Names, *, whole: bool = False) -> Surroundings:
    """Return what a column's header alone says of the numbers below it; `whole` where none of them has decimals."""
    scale = None if unit else header_scale(header)
    around = Surroundings(
        normalise_unit(scale.unit if scale else unit), whole=whole and (scale is None or scale.factor == 1)
    )
    around.read("header", header, names)
    around.count("header", header, 3.0)
    if header.strip().casefold() in _COUNT_HEADERS:
        around.counted.setdefault("count", Clue(3.0, f'header "{header.strip()}"'))
    around.infer()
    return around
