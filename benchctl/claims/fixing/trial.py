"""The page as it would be, checked before anything is written: what a rewrite breaks is taken back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from benchctl.claims.finding import Finding
from benchctl.claims.fixing.places import Rewrite, applied
from benchctl.claims.sheet import Sheet

__all__ = ["proven"]

_NO_HARM = "printed-two-ways"
"""Advice that a rewrite may bring: both prints were wrong before it."""


def proven(
    sheet: Sheet, rewrites: Sequence[Rewrite], examine: Callable[[str], Sheet]
) -> tuple[list[Rewrite], dict[Rewrite, str]]:
    """Return the rewrites after which nothing new is wrong with the page, and what each other one would bring."""
    kept, broken = list(rewrites), dict[Rewrite, str]()
    while kept:
        after = examine(applied(sheet.page.text, kept))
        bad = dict(_broken(sheet, after, kept))
        if not bad:
            break
        broken |= bad
        kept = [rewrite for rewrite in kept if rewrite not in bad]
    return kept, broken


def _broken(before: Sheet, after: Sheet, kept: Sequence[Rewrite]) -> Iterator[tuple[Rewrite, str]]:
    for rewrite in kept:
        place = _moved(rewrite, kept)
        line, column = after.page.place(place)
        for finding in after.record.findings:
            inside = finding.column < column + len(rewrite.figures) and column < finding.end_column
            if finding.line == line and inside and _harms(finding):
                yield rewrite, finding.message
                break
    for finding in _new(before, after):
        blamed = [rewrite for rewrite in kept if _beside(before, rewrite, finding.line)]
        for rewrite in blamed or (kept if finding.severity == "error" else ()):
            yield rewrite, finding.message


def _harms(finding: Finding) -> bool:
    return finding.severity == "error" or (finding.severity == "warning" and finding.slug != _NO_HARM)


def _moved(rewrite: Rewrite, kept: Sequence[Rewrite]) -> int:
    """Return where a rewritten literal begins once all are done."""
    start = rewrite.places[0][0]
    places = ((place, each.figures) for each in kept for place in each.places)
    return start + sum(len(figures) - (end - begin) for (begin, end), figures in places if end <= start)


def _new(before: Sheet, after: Sheet) -> Iterator[Finding]:
    """Yield the findings that a line did not have before; no rewrite moves a line."""
    old = Counter((finding.slug, finding.line) for finding in before.record.findings)
    for finding in after.record.findings:
        key = (finding.slug, finding.line)
        old[key] -= 1
        if old[key] < 0 and _harms(finding):
            yield finding


def _beside(sheet: Sheet, rewrite: Rewrite, line: int) -> bool:
    """Whether a line lies in the paragraph or table of a rewritten literal, its list included."""
    page = sheet.page
    for start, _ in rewrite.places:
        around = page.table_at(start) or page.block_at(start)
        first, last = (around.start, around.end) if around else (start, start)
        if page.place(first)[0] <= line <= page.place(last)[0]:
            return True
    return False
