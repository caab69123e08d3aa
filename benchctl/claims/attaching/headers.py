"""The unit that a table's header gives its cells: `wall (ms)`, `wall, ms`, `wall in ms`, `F1 (%)`, `tokens (k)`."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from benchctl.claims.answers.lookup import Expression
from benchctl.claims.numbers import Atom
from benchctl.claims.reading.layout import Cell
from benchctl.claims.reading.page import Page
from benchctl.quantities.units import family, normalise_unit

__all__ = ["Scale", "cell_label", "header_scale", "scale_at", "scaled"]

_LINK = re.compile(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_COMMENT = re.compile(r"<!--(?:(?!-->).)*+-->", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_MARKUP = re.compile(r"\\([^\w\s])|[*`]|(?<!\w)_|_(?!\w)|~~")

_MARKS = re.compile(r"[\s\u2191\u2193\u25b2\u25bc*\u2020\u2021\u00a7:.]+$")
_GROUP = re.compile(r"(?P<gap>\s*)[(\[](?P<inside>[^()\[\]]*)[)\]]$")
_BEHIND = re.compile(r"(?:,|\bin|\s[\u2013\u2014/:-])\s+(?P<unit>[^,]+)$")
_ENDING = re.compile(r"(?:^|[\s_])(?P<unit>[^\s_]+)$")
_OF_EACH = re.compile(r"\s+(?:per|an?|each)(?:\s+(?P<word>.*))?$|\s*/\s*(?P<unit>\S+)$")
_FACTORS: dict[str, int] = {
    **dict.fromkeys(("k", "K", "thousand", "thousands", "'000", "1000", "1,000"), 10**3),
    **dict.fromkeys(("M", "mn", "million", "millions"), 10**6),
    **dict.fromkeys(("bn", "billion", "billions"), 10**9),
}
_FACTOR = re.compile(
    rf"[x\u00d7]?\s*(?P<factor>{'|'.join(map(re.escape, _FACTORS))})(?:\s+(?:of\s+)?(?P<unit>\S+))?"
)
_MISTAKABLE = frozenset(
    {"m", "h", "d", "B", "G", "X", "x", "min", "fold", "day", "days", "token", "tokens", *_FACTORS}
)
"""Units that a header's last word may spell without meaning them: `wall min`, `first d`, `input tokens`."""
_LEAST = re.compile(r"\bmin\b")


@dataclass(frozen=True, slots=True)
class Scale:
    """What a header says of the numbers below it: their unit ("" for none) and what one of them stands for."""

    unit: str
    factor: int = 1
    written: str = ""


def cell_label(page: Page, cell: Cell) -> str:
    """Return what a reader sees of a cell: no comments, no markup."""
    text = _COMMENT.sub("", page.text[cell.start : cell.end])
    text = _LINK.sub(r"\1", _TAG.sub("", text))
    return html.unescape(_MARKUP.sub(r"\1", text)).strip()


def header_scale(label: str, *, bare: bool = True) -> Scale | None:
    """Return the scale that a header ends with; None where it names none.

    `bare` reads a unit without marks, too, as in `median ms` and `% answered`.
    """
    rest = _MARKS.sub("", label)
    while group := _GROUP.search(rest):
        for piece in re.split(r"[,;]", group["inside"]):
            # `question(s)` is a plural.
            found = _scale(piece) if group["gap"] or piece.strip() != "s" else None
            if found:
                return found
        rest = _MARKS.sub("", rest[: group.start()])
    behind = _BEHIND.search(rest)
    if behind and (found := _scale(behind["unit"])):
        return found
    if not bare:
        return None
    ending = _ENDING.search(rest)
    word = "%" if rest.startswith("%") else ending["unit"] if ending else ""
    return None if word in _MISTAKABLE else _scale(word)


def _scale(written: str) -> Scale | None:
    """Return the scale that a piece of a header is; `ms per cell` is ms, `tokens/s` and `tokens per second` are rates."""
    text = written.strip()
    each = _OF_EACH.search(text)
    if each:
        of_each = each["unit"] or each["word"] or ""
        if family(of_each):
            amount = normalise_unit(text[: each.start()].strip().rpartition(" ")[2])
            return Scale(f"{amount}/{normalise_unit(of_each)}", 1, text) if amount else None
        text = text[: each.start()]
    if not text:
        return None
    factor = _FACTOR.fullmatch(text)
    if factor:
        unit = factor["unit"] or ""
        return Scale(normalise_unit(unit) if family(unit) else "", _FACTORS[factor["factor"]], text)
    return Scale(normalise_unit(text), 1, text) if family(text) else None


def scale_at(page: Page, offset: int) -> Scale | None:
    """Return the scale of the table cell that a raw offset lies in: its header's, else its row's."""
    place = page.cell_at(offset)
    if place is None:
        return None
    table, row, _, index = place
    if not index or index >= len(table.header.cells):
        return None
    return header_scale(cell_label(page, table.header.cells[index])) or header_scale(
        cell_label(page, row.cells[0]), bare=False
    )


def scaled(
    atoms: Sequence[Atom], scale: Scale | None, expressions: Sequence[Expression | None]
) -> list[Atom]:
    """Return a cell's numbers, those without a unit of their own in the header's.

    Under `answered (%)` the percent of `18 of 24, 75` is the share's: it goes past counts. `wall (min)` over a
    least value is no minute.
    """
    if scale is None:
        return list(atoms)
    counts = [expression is not None and expression.nature.exact for expression in expressions]
    passes = scale.unit == "%" and not all(counts)
    result: list[Atom] = []
    for atom, expression, exact in zip(atoms, expressions, counts, strict=True):
        least = scale.written == "min" and expression and _LEAST.search(expression.text)
        skipped = (passes and exact) or least
        result.append(atom if skipped or _has_own(atom) else _in(atom, scale))
    return result


def _has_own(atom: Atom) -> bool:
    """Whether a number has a unit or a multiplier of its own: then it wins over its header's."""
    return bool(atom.token.unit) or not atom.literal[-1:].isdigit()


def _in(atom: Atom, scale: Scale) -> Atom:
    token = atom.token
    if token.value is None or token.place is None:
        return atom
    factor = Decimal(scale.factor)
    named = replace(
        token, value=token.value * factor, place=token.place * factor, unit=scale.unit or token.unit
    )
    return replace(atom, token=named, literal=f"{atom.literal} {scale.written}")
