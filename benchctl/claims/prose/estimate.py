"""Estimates with their intervals: `0.82 [0.79, 0.90]`, `0.82 (95 % CI 0.79 to 0.90)`, `0.82 ± 0.03 [0.79, 0.85]`.

Brackets alone are read where they cannot be citations; a parenthesis only where a word, or the column's header,
says that it holds an interval.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from benchctl.claims.prose.prose import Prose
from benchctl.quantities.tokens import Token

__all__ = [
    "Estimate",
    "estimates",
]

_LABEL = (
    r"(?:(?:bootstrap(?:ped)?|Wilson|exact|clustered|percentile|profile|Bayesian|equal-tailed)\s+)?"
    r"(?:CIs?|C\.I\.|CrI|HDI|(?:confidence|credible|prediction)\s+(?:intervals?|limits)|intervals?|ranges?|IQR|inter-?quartile range)"
)
_COLON = r"\s*(?:of|from|is|:|=|,)?\s*"
_LEVEL_OPENS = re.compile(r",?\s*[,;(\[]\s*(?:with\s+(?:an?\s+)?)?")
_LEVEL_LABEL = re.compile(rf"(?:[\s-]*{_LABEL}{_COLON}|\s*:?\s*)[\[(]?\s*", re.IGNORECASE)
_LABELLED = re.compile(rf",?\s*[,;(\[]\s*(?P<label>{_LABEL}){_COLON}[\[(]?\s*", re.IGNORECASE)
_BRACKET = re.compile(r"\s*\[\s*")
_PAREN = re.compile(r"\s*\(\s*")
_JOINT = re.compile(r"\s*(?:,|;|\bto\b|-{1,3}|[\u2013\u2014]|\.\.\.?|\u2026|\band\b|&)\s*")
_PLUS_MINUS = re.compile(r"\s*(?:\u00b1|\+/[-\u2212])\s*")
_CLOSES = re.compile(r"\s*[\])]")
_ENDS = re.compile(r"\s*(?:[\])]|[.,;](?!\d)|\Z|\s)")
_HEADED = re.compile(rf"\b{_LABEL}(?![\w-])|\[", re.IGNORECASE)
_OTHER = re.compile(
    r"(?:(?:\bto|\bvs\.?|\bversus|\bagainst|\bthan|\band|\bor|\bfrom|\bby|[\u2192\u2013\u2212>/\u00d7+-])\s*"
    r"|(?<![A-Za-z])(?:p|t|z|F|n|N|df|Q|\u03c7\u00b2|\u03c72|chi2|SEM?|SD|[Ss]\.?[Ee]\.?|[Ss]\.?[Dd]\.?|std\w*|\u03c3|sigma|alpha|\u03b1|power|BF|[AB]IC"
    r"|[Rr][\u00b22]|I\u00b2|\u03c4\u00b2|weight|level|threshold|margin)\s*(?:\([^()]*\))?\s*(?:[=<>\u2264\u2265:]|of\b)?\s*|\bp-?values?\s+(?:of|is|=)\s*)\Z"
)
"""What an interval behind a number is not about: a second number of a comparison, a p-value, a count."""
_COMPARED = re.compile(
    r"\b(?:compared|against|versus|vs|than|minus|from|total|sum)\b[^,;:(]{0,30}\Z", re.IGNORECASE
)
_OF = re.compile(r"\s*(?:out\s+)?of\s+(?:(?:its|the|their|all)\s+)*")
_MIDDLE = re.compile(r"\b(?:mean|median|averag\w*|typical\w*)\b", re.IGNORECASE)
_QUARTILES = re.compile(r"IQR|inter-?quartile|\bq1\b|\bp25\b", re.IGNORECASE)
_RANGE = re.compile(r"range", re.IGNORECASE)
_SMALL = 1000


@dataclass(frozen=True, slots=True)
class Estimate:
    """The items of an estimate and of its interval's ends, in the order of the page.

    `named` says that a word beside them calls them an interval.
    """

    value: int
    first: int
    last: int
    named: bool = False


def estimates(prose: Prose) -> Iterator[Estimate]:
    """Yield the estimates of a page."""
    for last in range(2, len(prose.items)):
        gap = prose.gaps[last]
        if len(gap) < 12 and _is_joint(gap) and all(prose.usable(at) for at in (last - 1, last)):
            found = _estimate(prose, last)
            if found:
                yield found


def _is_joint(gap: str) -> bool:
    """Whether a gap parts the ends of an interval."""
    return _JOINT.fullmatch(gap) is not None


def _estimate(prose: Prose, last: int) -> Estimate | None:
    first = last - 1
    opens = prose.gap(first)
    behind = prose.after(last, 4)
    label, named = "", True
    if (
        _LEVEL_OPENS.fullmatch(prose.gap(first - 1))
        and _LEVEL_LABEL.fullmatch(opens)
        and _is_level(prose, first - 1)
    ):
        value, label, closed = first - 2, opens, _ENDS.match(behind)
    elif found := _LABELLED.fullmatch(opens):
        value, label, closed = first - 1, found["label"], _ENDS.match(behind)
    else:
        value, closed, named = first - 1, _CLOSES.match(behind), False
        if not _is_plain(prose, first, last, opens):
            return None
    if not closed:
        return None
    if prose.usable(value) and _PLUS_MINUS.fullmatch(prose.gap(value)):
        value -= 1
    if not _is_estimate(prose, value, label + prose.header(last)):
        return None
    return Estimate(value, first, last, named)


def _is_level(prose: Prose, index: int) -> bool:
    return index >= 0 and prose.items[index].token.kind == "param" and prose.items[index].token.unit == "%"


def _is_plain(prose: Prose, first: int, last: int, opens: str) -> bool:
    """Whether brackets without a word hold an interval: no citations, no shape, no list of counts."""
    if _PAREN.fullmatch(opens):
        return _HEADED.search(prose.header(last)) is not None
    if not _BRACKET.fullmatch(opens) or first < 1:
        return False
    value, ends = prose.token(first - 1), (prose.token(first), prose.token(last))
    if all(_is_small_count(token) for token in ends):
        return _HEADED.search(prose.header(last)) is not None
    return not _is_small_count(value)


def _is_small_count(token: Token) -> bool:
    return not token.unit and token.place == 1 and abs(token.value or Decimal(0)) < _SMALL


def _is_estimate(prose: Prose, value: int, label: str) -> bool:
    """Whether an item can be what the interval is of."""
    if (
        not prose.usable(value)
        or prose.token(value).kind == "param"
        or prose.token(value).cmp not in ("=", "~")
    ):
        return False
    before = prose.before(value)
    if _OF.fullmatch(prose.gap(value)) and prose.usable(value - 1):
        return False
    if _OTHER.search(before) or _COMPARED.search(before):
        return False
    context = before + prose.header(value)
    if _QUARTILES.search(label) or _QUARTILES.search(context):
        return re.search(r"\bmedian", context, re.IGNORECASE) is not None and "mean" not in context
    return not _RANGE.search(label) or _MIDDLE.search(context) is not None
