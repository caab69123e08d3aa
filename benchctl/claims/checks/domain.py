"""Numbers that nothing of their kind can be: an accuracy of 104 %, a p-value of 1.3, a bound score above 1."""

from __future__ import annotations

import re
from fractions import Fraction

from benchctl.claims.prose.amounts import factor
from benchctl.claims.prose.prose import Prose, printed
from benchctl.claims.sheet import Claim, Sheet
from benchctl.expressions import Node, Probe
from benchctl.metrics import METRICS
from benchctl.quantities.units import normalise_unit

__all__ = ["check"]

_SHARE = (
    r"(?:accuracy|precision|recall|(?:pass|success|completion|answer|solve|failure|abstention|hit)[ -]rate|coverage|proportion|share"
    r"|probability|pass@\d+)"
)
_SAID_OF = re.compile(
    rf"\b{_SHARE}(?:\s+(?:of|is|was|at|reach(?:es|ed)|stands at))?\s*[:=]?\s*(?:about|around|roughly|nearly|almost|just|only|an?|exactly)?\s*\Z",
    re.IGNORECASE,
)
_HEADER = re.compile(
    rf"\s*[*_`]*(?:%\s+)?(?:mean |median |macro |micro |test |line |branch )?{_SHARE}s?[*_`]*\s*(?:[(\[]?%[)\]]?)?[*_`\s]*",
    re.IGNORECASE,
)
_SHARING = re.compile(
    r"\b(?:answer|pass|solv|complet|fail|cover|fix)(?:ed|es|s)?\s+(?:about |nearly |only |just )?\Z",
    re.IGNORECASE,
)
_OF_THINGS = re.compile(
    r"\s+of\s+(?:(?:all|the|its|their|these|those)\s+)*(?:questions|cells|tests|runs|tasks|issues|cases|files|lines|branches)(?=\s*(?:[.,;)]|\Z))"
)
_ENDS = re.compile(r"\s*(?:[.,;:)](?!\d)|\Z|\s(?:and|but|while|on|in|for|over|across)\s)")
_P_VALUE = re.compile(
    r"(?:(?<![A-Za-z\d_-])[pP]\s*[=<>\u2264\u2265]\s*|\b[pP][ -]values?\s*(?:of|is|was|=|:)?\s*)\Z"
)
_BOUNDED = frozenset({"mean", "median", "macro", "min", "max", "q1", "q3"})
_HUNDRED = 100


def check(sheet: Sheet) -> None:
    """Find shares above 100 % or below none, p-values outside of 0 to 1, and bound metrics outside of their domain."""
    prose = sheet.prose
    for index, item in enumerate(prose.items):
        if item.token.kind != "number" or not prose.usable(index):
            continue
        what = _share(prose, index) if item.token.unit == "%" else _probability(prose, index)
        if what:
            sheet.record.find("value-impossible", item.start, item.end, f"{item.literal} is no {what}")
    for claim in sheet.claims:
        _bound(sheet, claim)


def _share(prose: Prose, index: int) -> str:
    """Return what a percent is said to be, where it is outside of 0 to 100 and no comparison."""
    token = prose.token(index)
    if 0 <= (token.value or 0) <= _HUNDRED or not (
        printed(token).lo > _HUNDRED or (printed(token).hi < 0 and not _is_change(prose, index))
    ):
        return ""
    if token.text[:1] == "+":
        return ""
    before, after = prose.before(index, 60), prose.after(index)
    if _SAID_OF.search(before) and _ENDS.match(after):
        return "share: it lies between 0 and 100 %"
    if _SHARING.search(before) and _OF_THINGS.match(after):
        return "share: it lies between 0 and 100 %"
    if _HEADER.fullmatch(prose.header(index)) and not before.strip(" *_`") and not after.strip(" *_`"):
        return "share: it lies between 0 and 100 %"
    return ""


def _is_change(prose: Prose, index: int) -> bool:
    """Whether a negative percent may be a change: only `an accuracy of −3 %` is none."""
    return not re.search(r"\bof\s+\Z", prose.before(index, 60))


def _probability(prose: Prose, index: int) -> str:
    token = prose.token(index)
    if 0 <= (token.value or 0) <= 1 or token.unit or token.word or (token.place or 0) >= 1:
        return ""
    span = printed(token)
    outside = span.hi < 0 or (span.lo > 1 and token.cmp in ("=", "~", ">", ">="))
    return "p-value: it lies between 0 and 1" if outside and _P_VALUE.search(prose.before(index, 24)) else ""


def _bound(sheet: Sheet, claim: Claim) -> None:
    """Find a bound number outside of what its metric declares; the value itself is judged elsewhere."""
    domain = _domain(claim.expression.node)
    if claim.atom is None or domain is None or claim.atom.token.cmp not in ("=", "~"):
        return
    token, (least, most) = claim.atom.token, domain
    unit = normalise_unit(token.unit)
    if unit and claim.expression.nature.unit is None:
        return
    scale = factor(unit) if unit == "%" else Fraction(1)
    span = printed(token).times(scale)
    if span.hi < Fraction(least) or (most is not None and span.lo > Fraction(most)):
        ends = f"between {least:g} and {most:g}" if most is not None else f"at {least:g} or above"
        message = f"{claim.atom.literal} is no {claim.expression.text}: it lies {ends}"
        sheet.record.find("value-impossible", claim.start, claim.end, message, claim=claim.expression.text)


def _domain(node: Node) -> tuple[float, float | None] | None:
    """Return the domain that a metric declares, of its values and of what lies among them."""
    if not isinstance(node, Probe) or node.contrast or node.table or len(node.name) != 2:
        return None
    name, statistic = node.name
    metric = METRICS.get(name)
    if metric is None or not (statistic in _BOUNDED or re.fullmatch(r"p\d+", statistic)):
        return None
    return metric.domain
