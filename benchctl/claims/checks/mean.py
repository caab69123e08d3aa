"""Means that their values cannot have: 5.19 over 28 whole numbers, 0.935 over 48 cells of which 44 answered."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from benchctl.claims.prose.prose import is_count, printed
from benchctl.claims.sheet import Judged, Sheet
from benchctl.errors import ColumnUnknownError
from benchctl.expressions import Node, Probe
from benchctl.quantities.format import format_number
from benchctl.quantities.span import Span
from benchctl.stats.possible import mean_possible, means_around, shared_mean_possible
from benchctl.store.measuring.columns import relation

__all__ = ["check"]

_ALL = r"(?:(?:all|the|its|their|these|those)\s+)*"
_COUNTED = r"(?:calls|files|items|turns|errors|failures|retries|commits|bugs|hits|steps|edits|findings|defects|warnings|searches)"
_UNIT = r"(?:cells|runs|trials|attempts|rows|people|participants|sessions|answers)"
_OVER = re.compile(
    rf"(?P<what>\s+(?:[a-z-]+\s+)?{_COUNTED})?(?:\s+(?:per|a|an|each)\s+[a-z]+)?,?\s+(?:over|across|of|from|for|in)\s+{_ALL}"
)
_N_IS = re.compile(
    rf"(?P<what>\s+(?:[a-z-]+\s+)?{_COUNTED})?(?:\s+(?:per|a|an|each)\s+[a-z]+)?,?\s*\(?\s*[nN]\s*=\s*"
)
_WHOLE = re.compile(r"\s+(?:integers|whole numbers|counts|integer values|integer scores)(?![\w-])")
_THINGS = re.compile(rf"\s+{_UNIT}(?![\w'\u2019-])")
_MEAN = re.compile(r"\b(?:means?|averag\w*|avg)\b", re.IGNORECASE)
_COUNTED_BEFORE = re.compile(rf"\b{_COUNTED}\b", re.IGNORECASE)
_NO_PLAIN_MEAN = re.compile(
    r"\b(?:medians?|macro|weight\w*|geometric|harmonic|trimmed|per[- ](?:question|repo\w*|task|arm)|means of|rate|ratio|adjusted"
    r"|estimat\w*|projected|difference|delta)\b",
    re.IGNORECASE,
)
_WITH = re.compile(
    r"(?:\s+[a-z]+)?(?:,?\s+(?:with|of which|of them|where|and)\s+(?:only\s+|just\s+)?|\s*[,;(]\s*(?:of which\s+)?(?:only\s+|just\s+)?)"
)
_ANSWERED = re.compile(
    r"\s*(?:of them\s+|cells\s+)?(?:were\s+|are\s+)?(?:answered|solved|passed|non-?zero|scored)(?=\s*(?:[.,;:)]|\Z|cells))"
)
_LARGEST_N = 10**9


def check(sheet: Sheet) -> None:
    """Find means that no values of their kind and number have."""
    prose = sheet.prose
    for index, item in enumerate(prose.items):
        token = item.token
        if token.kind != "number" or token.cmp != "=" or (token.place or 1) >= 1 or not prose.usable(index):
            continue
        gap = prose.gap(index + 1)
        over = (_OVER.fullmatch(gap) or _N_IS.fullmatch(gap)) if len(gap) > 3 else None
        counted = over and prose.usable(index + 1) and is_count(prose.token(index + 1))
        if over and counted and not sheet.holds(item) and not _shared(sheet, index):
            _whole(sheet, index, over["what"] or "")
    for judged in sheet.judged:
        _bound(sheet, judged)


def _shared(sheet: Sheet, index: int) -> bool:
    """Find `0.935 over 48 with 44 answered`: at most 1 each. False where the page says no such thing."""
    prose = sheet.prose
    mean, total, some = index, index + 1, index + 2
    token = prose.token(mean)
    if (
        not _WITH.fullmatch(prose.gap(some))
        or not prose.usable(some)
        or not _ANSWERED.match(prose.after(some))
    ):
        return False
    n, answered = prose.token(total), prose.token(some)
    share = printed(token).times(Fraction(1, 100) if token.unit == "%" else 1)
    if (
        not is_count(answered)
        or token.unit not in ("", "%")
        or not 0 <= share.middle <= 1
        or answered.cmp != "="
    ):
        return False
    if not (answered.value or 0) <= (n.value or 0):
        return False
    if not shared_mean_possible(share, int(n.value or 0), int(answered.value or 0)):
        product = format_number(_decimal(share.middle * int(n.value or 0)), places=2)
        literal = prose.items[mean].literal
        message = f"{literal} × {prose.items[total].literal} is {product}, more than the {prose.items[some].literal} that answered can give"
        sheet.record.find("mean-impossible", prose.items[mean].start, prose.items[mean].end, message)
    return True


def _whole(sheet: Sheet, index: int, what: str) -> None:
    """Find `a mean of 5.19 over 28 integers`, and of counted things over cells or runs."""
    prose = sheet.prose
    mean, total = prose.token(index), prose.token(index + 1)
    before, behind = prose.before(index), prose.after(index + 1)
    by_name = prose.gap(index + 1).rstrip().endswith("=")
    is_mean = _MEAN.search(before) or _MEAN.search(prose.gap(index + 1))
    counted = what or _COUNTED_BEFORE.search(before)
    is_whole = _WHOLE.match(behind) or (counted and (by_name or _THINGS.match(behind)))
    if mean.unit or not is_mean or not is_whole or _NO_PLAIN_MEAN.search(before + behind):
        return
    _grim(sheet, printed(mean), int(total.value or 0), prose.items[index].literal, index=index)


def _grim(sheet: Sheet, span: Span, n: int, literal: str, *, index: int) -> None:
    if n > _LARGEST_N or mean_possible(span, n):
        return
    item = sheet.prose.items[index]
    sheet.record.find("mean-impossible", item.start, item.end, _message(span, n, literal))


def _message(span: Span, n: int, literal: str) -> str:
    if n < 1:
        return f"{literal} is the mean of no value"
    places = _places(span)
    known = [
        f"{mean * n}/{n} is {format_number(_decimal(mean), places=places)}"
        for mean in means_around(span.middle, n)
    ]
    return f"no {n} whole numbers have the mean {literal}: {', '.join(known)}"


def _places(span: Span) -> int:
    """Return the places that show a neighbour apart from the print: its own and one more."""
    width = _decimal(span.hi - span.lo)
    return min(9, max(0, -width.adjusted()) + 1)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _bound(sheet: Sheet, judged: Judged) -> None:
    """Find a false bound mean of a whole column that not even other values of that number would have."""
    claim, n = judged.claim, judged.answer.n
    if (
        judged.judgement.word != "false"
        or claim.atom is None
        or not n
        or not _is_mean_of_whole(claim.expression.node)
    ):
        return
    token = claim.atom.token
    if token.cmp != "=" or token.unit or token.value is None or n > _LARGEST_N:
        return
    span = printed(token)
    if not mean_possible(span, n):
        message = _message(span, n, claim.atom.literal)
        sheet.record.find(
            "mean-impossible", claim.start, claim.end, message, claim=claim.expression.text, n=n
        )


def _is_mean_of_whole(node: Node) -> bool:
    """Whether an expression is the mean of a column of whole numbers or flags."""
    if not isinstance(node, Probe) or node.contrast or node.group_by or node.interval:
        return False
    try:
        column, statistic = relation(node.table).resolve(node.name)
    except ColumnUnknownError:
        return False
    return statistic == "mean" and column is not None and column.column.type in ("BIGINT", "BOOLEAN")
