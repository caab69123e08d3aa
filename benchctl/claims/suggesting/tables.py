"""One draft for a whole hand-written table, where its rows are values of a key and its columns are metrics of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product

from benchctl.claims.sheet import Sheet
from benchctl.claims.suggesting.answering import Answers
from benchctl.claims.suggesting.clues import Surroundings
from benchctl.claims.suggesting.draft import Draft
from benchctl.claims.suggesting.drafting import counts, drafts_of, is_part
from benchctl.claims.suggesting.names import Names
from benchctl.claims.suggesting.outlines import Column, Outline
from benchctl.claims.suggesting.selecting import filters_text
from benchctl.claims.suggesting.suggestion import TableSuggestion
from benchctl.claims.suggesting.surroundings import header_surroundings
from benchctl.claims.suggesting.table_binding import header_text, table_binding
from benchctl.expressions import Filter

__all__ = ["table_suggestion", "wanted"]

_MOST_DRAFTS, _LEAST_EVIDENCE = 40, 3.0


def wanted(outline: Outline, names: Names) -> Iterator[tuple[str, tuple[Filter, ...]]]:
    """Yield every expression that has to be measured for a table, with the key of its row."""
    for column in outline.columns:
        for drafts in _drafts(outline, column, names):
            for draft in drafts:
                yield from ((draft.text, row) for row in outline.rows)


def _drafts(outline: Outline, column: Column, names: Names) -> list[tuple[Draft, ...]]:
    """Return what a column may be by its header, the likeliest first; none where a row prints no number."""
    sizes = {len(atoms) for atoms in column.cells}
    if not column.header or sizes not in ({1}, {2}):
        return []
    units = {atoms[-1].token.unit for atoms in column.cells}
    whole = all(atom.token.place is None or atom.token.place >= 1 for atoms in column.cells for atom in atoms)
    unit = units.pop() if len(units) == 1 else ""
    around = header_surroundings(column.header, unit, names, whole=whole)
    plain = _without_keys(outline, around)
    alone = [draft for draft in (*_ratios(outline, around, names), *drafts_of(plain)) if not draft.against]
    found: list[tuple[Draft, ...]] = [(draft,) for draft in alone]
    if sizes == {2}:
        pairs = islice(product(alone[:6], repeat=2), 36)
        found = [*counts(plain), *((some, whole) for some, whole in pairs if is_part(some.text, whole.text))]
    ordered = sorted(found, key=lambda drafts: -sum(draft.score for draft in drafts) / len(drafts))
    return [drafts for drafts in ordered if max(draft.score for draft in drafts) >= _LEAST_EVIDENCE][
        :_MOST_DRAFTS
    ]


def _without_keys(outline: Outline, around: Surroundings) -> Surroundings:
    """Return the clues of a header without names of the row's own key: the row says that already."""
    own = {column for column, _ in outline.keys}
    return replace(
        around,
        keys={key: clue for key, clue in around.keys.items() if key[0] not in own},
        omitted={column: loss for column, loss in around.omitted.items() if column not in own},
    )


def _ratios(outline: Outline, around: Surroundings, names: Names) -> Iterator[Draft]:
    """Yield each metric over that of a value whose own row the table does not show: `vs grep`.

    The row of that value itself would be 1 whatever the run says, so with it each cell is drafted by itself.
    """
    if around.unit != "x" and "times" not in around.compared:
        return
    plain = replace(_without_keys(outline, around), unit="", compared={})
    key, labels = outline.keys[0]
    for value in sorted(set(names.values[key]) - {value for _, value in labels}):
        clue = around.keys.get((key, value))
        for draft in drafts_of(plain) if clue else ():
            if clue and "[" not in draft.text and " " not in draft.text:
                base = f"{draft.text}{filters_text([(key, value)])}"
                evidence = (*draft.evidence, clue.words)
                yield Draft(f"ratio({draft.text}, {base})", draft.score + clue.weight, evidence)


def table_suggestion(
    sheet: Sheet, outline: Outline, names: Names, answers: Answers
) -> tuple[TableSuggestion, set[int]] | None:
    """Return the draft of a table and the raw starts of the numbers that it binds; None where no column is drafted."""
    columns: list[tuple[str, list[str]]] = []
    evidence: list[str] = []
    bound: set[int] = set()
    folded = [header_text(column.header).casefold() for column in outline.columns]
    for column in outline.columns:
        if folded.count(header_text(column.header).casefold()) > 1:
            continue
        drafts = next(
            (found for found in _drafts(outline, column, names) if _fits(outline, column, found, answers)),
            None,
        )
        if drafts is None:
            continue
        columns.append((column.header, [draft.text for draft in drafts]))
        words = ", ".join(dict.fromkeys(words for draft in drafts for words in draft.evidence))
        said = " of ".join(draft.text for draft in drafts)
        evidence.append(f'column "{header_text(column.header)}": {said} prints every row ({words})')
        bound |= {atom.start for atoms in column.cells for atom in atoms}
    binding = table_binding(outline.keys, columns, subset=not _is_whole(outline, names))
    if binding is None:
        return None
    line, _ = sheet.page.place(outline.table.start)
    return TableSuggestion(outline.table.start, line, binding, tuple(evidence), len(bound)), bound


def _fits(outline: Outline, column: Column, drafts: tuple[Draft, ...], answers: Answers) -> bool:
    """Whether a column's drafts print every one of its rows."""
    texts = [draft.text for draft in drafts]
    return all(
        answers.prints(atoms, texts, row) for atoms, row in zip(column.cells, outline.rows, strict=True)
    )


def _is_whole(outline: Outline, names: Names) -> bool:
    """Whether every combination of the keys' values has its row."""
    combinations = 1
    for column, _ in outline.keys:
        combinations *= len(names.values[column])
    return combinations == len(outline.rows)
