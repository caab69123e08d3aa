"""The level that is written beside an interval of the run: `99 % CI` before the ends of a 95 % one."""

from __future__ import annotations

import re
from decimal import Decimal

from benchctl.claims.attaching.headers import cell_label
from benchctl.claims.judging.intervals import LEVEL
from benchctl.claims.sheet import Claim, Sheet
from benchctl.expressions import Node, Probe
from benchctl.expressions.tree import Bound, children

__all__ = ["check"]

_NAMED = (
    r"(?:(?:bootstrap(?:ped)?|Wilson|exact|clustered|percentile|profile|Bayesian|equal-tailed|two-sided|one-sided)[\s-]+)*"
    r"(?:CIs?\b|C\.I\.|CrI\b|HDI\b|confidence\b|credible\b|prediction\b|intervals?\b|limits?\b|Konfidenz\w*)"
)
_PERCENT = r"(?P<{}>\d{{2}}(?:[.,]\d+)?)[\s\u00a0-]*(?:%|percent\b|per cent\b|\\%)"
_LEVEL = re.compile(
    rf"{_PERCENT.format('level')}[\s\u00a0-]*{_NAMED}"
    rf"|\b(?:CIs?|(?:confidence|credible)(?:\s+(?:intervals?|level|limits?))?)[\s:,(\[]*(?:at|of|level)?\s*{_PERCENT.format('behind')}"
    r"|\bCI_?\{?(?P<glued>\d{2}(?:\.\d+)?)\b",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?](?=\s+[A-Z])|\n[ \t\r>]*\n|[|\u2029]")
_AFTER, _BEFORE = 60, 120


def check(sheet: Sheet) -> None:
    """Find the ends of an interval that stand beside another level than theirs, each interval once."""
    said: set[tuple[int, str]] = set()
    for claim in sheet.claims:
        if claim.atom is None or not _is_end(claim.expression.node):
            continue
        place, level = _level_of(sheet, claim)
        if not level or Decimal(level) == Decimal(str(LEVEL * 100)) or (place, level) in said:
            continue
        said.add((place, level))
        message = (
            f"`{level} %` stands beside it, and {claim.text} is an end of the {LEVEL * 100:.0f} % interval"
        )
        sheet.record.find("interval-level", claim.start, claim.end, message, claim=claim.text)


def _is_end(node: Node) -> bool:
    if isinstance(node, Bound) or (
        isinstance(node, Probe) and len(node.name) > 1 and node.name[-1] in ("lo", "hi")
    ):
        return True
    return any(map(_is_end, children(node)))


def _level_of(sheet: Sheet, claim: Claim) -> tuple[int, str]:
    """Return where the level beside a number stands and what it is: before it, else behind, else over its column."""
    visible, token = sheet.page.visible, claim.atom.token if claim.atom else None
    if token is None:
        return 0, ""
    start = max(0, token.start - _BEFORE)
    before = visible[start : token.start]
    ends = [found.end() for found in _END.finditer(before)]
    start, before = start + (ends[-1] if ends else 0), before[ends[-1] if ends else 0 :]
    found = [(start + each.start(), _figures(each)) for each in _LEVEL.finditer(before)]
    if found:
        return found[-1]
    behind = visible[token.end : token.end + _AFTER]
    end = _END.search(behind)
    match = _LEVEL.search(behind[: end.start()] if end else behind)
    if match and not re.match(r"\W{0,12}\d", behind[match.end() :]):
        return token.end + match.start(), _figures(match)
    place = sheet.page.cell_at(claim.start)
    if place is None:
        return 0, ""
    table, row, _, index = place
    cells = [*table.header.cells[index : index + 1], *row.cells[:1]]
    headed = next((each for cell in cells if (each := _LEVEL.search(cell_label(sheet.page, cell)))), None)
    return (row.cells[index].start, _figures(headed)) if headed else (0, "")


def _figures(match: re.Match[str]) -> str:
    return (match["level"] or match["behind"] or match["glued"]).replace(",", ".")
