"""How a table stands to what a sentence says of its rows: it denies it, it bears it out, or it does not speak of it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from benchctl.claims.tables.figures import Figure, GridCell
from benchctl.claims.tables.grid import Column, Grid, GridRow
from benchctl.claims.tables.topics import NARROWER, WHOLES, is_general, singular, words_of
from benchctl.claims.wording.ledger import Line
from benchctl.claims.wording.neighbourhood import Neighbourhood
from benchctl.claims.wording.quantifiers import Quantified
from benchctl.claims.wording.superlatives import Extreme
from benchctl.quantities.span import Span

__all__ = ["Outcome", "of_extreme", "of_quantified"]

Outcome = tuple[bool, str]
"""Whether it is so, and why not."""

_FAILURES = {
    "failed": {"failed", "failure", "fail"},
    "timeout": {"timeout"},
    "crash": {"crash", "crashed"},
    "error": {"error"},
}


def of_extreme(
    around: Neighbourhood, grid: Grid, said: Extreme, words: frozenset[str] = frozenset()
) -> Iterator[Outcome]:
    """Yield how each line of a table that has the name and the quantity stands to a superlative.

    `words` are those of the sentence: what it does not speak of denies nothing.
    """
    for line in around.lines(grid):
        ways = [
            way
            for topic, way in said.meanings
            if (topic and topic == line.topic and (said.noun & NARROWER) <= set(line.words))
            or (topic is None and said.noun and said.noun <= set(line.words))
        ]
        if ways:
            whole = around.is_whole(grid, line) and is_general(line.words, words | said.noun)
            yield from (found for found in _extreme(around, line, said, ways[0]) if found[0] or whole)


_UNSAID = {"tokens": ""}
"""What a figure's unit may be left at, where a sentence writes it out."""
_PARTS_OF_RUN = frozenset(
    {
        "question",
        "task",
        "class",
        "repo",
        "repository",
        "language",
        "case",
        "benchmark",
        "issue",
        "date",
        "step",
        "phase",
        "metric",
        "query",
    }
)


def _extreme(around: Neighbourhood, line: Line, said: Extreme, way: int) -> Iterator[Outcome]:
    things = [(around.meant.get(name, name), figure, marked) for name, figure, marked in line.things]
    own = [figure for name, figure, _ in things if name == said.name]
    others = [(name, figure) for name, figure, marked in things if name != said.name and not marked]
    if len(own) != 1 or not others or len({figure.unit for _, figure, _ in things}) > 1:
        return
    mine = own[0]
    past = [(name, figure) for name, figure in others if _beyond(figure.span, mine.span, way)]
    if said.denied:
        best = all(_beyond(mine.span, figure.span, way) for _, figure in others) and line.complete
        yield not best, f"`{line.header}` of {said.name} is {mine.shown}, the best of all"
    elif past:
        name, figure = max(past, key=lambda item: item[1].value * way)
        yield (
            False,
            f"`{line.header}` is {figure.shown} of {name} and {mine.shown} of {said.name}",
        )
    else:
        yield True, ""


def _beyond(a: Span, b: Span, way: int) -> bool:
    """Whether the first is surely further out than the second."""
    return a.lo > b.hi if way > 0 else a.hi < b.lo


def of_quantified(
    around: Neighbourhood, grid: Grid, said: Quantified, words: frozenset[str] = frozenset()
) -> Iterator[Outcome]:
    """Yield how a table stands to what is said of all of its rows, of none, or of one alone."""
    if said.many is not None and said.many != len(grid.parts):
        return
    if said.claim == "bound":
        for line in around.lines(grid):
            alike = _speaks_of(line, said) and is_general(line.words, words)
            if alike and len(line.group) < 2 and _are_rows(grid, said.noun):
                yield _bounded(around, line, said)
    else:
        for column in grid.columns:
            yield from _counted(around, grid, column, said)


def _are_rows(grid: Grid, noun: str) -> bool:
    """Whether a table's rows may be what a sentence calls them: arms are no questions."""
    keys = {word for header in grid.key_headers for word in words_of(header)}
    return not noun or noun in keys or not keys & _PARTS_OF_RUN


def _speaks_of(line: Line, said: Quantified) -> bool:
    figures = [figure for _, figure, _ in line.things]
    if said.unit and any(figure.unit not in (said.unit, _UNSAID.get(said.unit)) for figure in figures):
        return False
    if said.topic:
        return line.topic == said.topic and said.words <= set(line.words) and _of_one_scale(figures, said)
    if not 0 < said.limit < 1 or line.topic not in (None, "score") or all(figure.whole for figure in figures):
        return False
    return all(not figure.unit and 0 <= figure.value <= 1 for figure in figures)


def _of_one_scale(figures: list[Figure], said: Quantified) -> bool:
    """Whether a limit may be one of such figures: 0.9 is none of percents, and 60 none of fractions."""
    if not said.unit and any(figure.unit == "%" for figure in figures):
        return False
    return said.topic != "score" or (said.limit <= 1) == all(abs(figure.value) <= 1 for figure in figures)


def _bounded(around: Neighbourhood, line: Line, said: Quantified) -> Outcome:
    limit = Span.exact(said.limit)
    keeps, breaks = [], []
    for written, figure, _ in line.things:
        name = around.meant.get(written, written)
        if _beyond(figure.span, limit, said.sign):
            keeps.append((name, figure))
        elif _beyond(limit, figure.span, said.sign):
            breaks.append((name, figure))
    if said.only:
        wrong = [item for item in breaks if item[0] == said.name] + [
            item for item in keeps if item[0] != said.name
        ]
    else:
        wrong = keeps if said.none else breaks
    if wrong:
        name, figure = wrong[0]
        return False, f"`{line.header}` of {name} is {figure.shown}"
    return True, ""


def _counted(around: Neighbourhood, grid: Grid, column: Column, said: Quantified) -> Iterator[Outcome]:
    words = _FAILURES[said.verb] if said.claim == "failures" else {singular(said.verb)}
    if not words & set(column.words) or len(column.words) > 2:
        return
    wanted = [(row, around.meant.get(row.label.casefold(), row.label.casefold())) for row in grid.parts]
    missing: list[tuple[str, str]] = []
    spoken = False
    for row, name in wanted:
        if said.name and not said.only and name != said.name:
            continue
        cell = row.cell(column.index)
        short = None if cell is None else _short(grid, row, column, cell, said)
        spoken = spoken or short is not None
        if said.only and short is not None:
            short = short != ((name == said.name) == (said.claim == "failures"))
        if cell and short:
            missing.append((name, cell.label))
    if missing:
        name, label = missing[0]
        yield False, f"`{column.header}` of {name} is {label}"
    elif spoken:
        yield True, ""


def _short(grid: Grid, row: GridRow, column: Column, cell: GridCell, said: Quantified) -> bool | None:
    """Return whether a row falls short: not all answered, or a failure counted; None where nobody can tell."""
    if cell.shape == "pair":
        part, whole = cell.figures[0].value, cell.figures[1].value
        return part < whole if said.claim == "full" else part > 0
    figure = cell.figure
    if figure is None:
        return None
    if said.claim == "failures":
        return figure.span.lo > 0
    if figure.unit == "%":
        return figure.span.hi < Decimal(100)
    whole_of = next(
        (other for other in grid.columns if set(other.words) & WHOLES and other is not column), None
    )
    count = row.figure(whole_of.index) if whole_of else None
    return figure.value < count.value if count and count.whole and figure.whole else None
