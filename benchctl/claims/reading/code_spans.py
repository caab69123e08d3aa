"""Which code spans of a paragraph surely are some: backticks that an earlier line or a comment left open close elsewhere."""

from __future__ import annotations

from benchctl.claims.reading.inline import InlineScan, Region
from benchctl.claims.reading.starts import BACKTICKS

__all__ = ["surely"]


def surely(
    text: str, scan: InlineScan, loose: frozenset[str], *, in_html: bool
) -> tuple[list[Region], frozenset[str]]:
    """Return the regions of a scan without the code spans that may be none, and the runs of backticks now open.

    `loose` are the runs that the paragraph left open before; inside an HTML block backticks are text on GitHub.
    """
    before = loose | _in_comments(text, scan)
    after = before | scan.loose
    longest = max(map(len, after), default=0)
    regions = []
    for region in scan.regions:
        runs = BACKTICKS.findall(text, region.start, region.end) if region.kind == "code" else ()
        # The site lets a part of a longer run open a span.
        if not runs or not (in_html or before.intersection(runs) or longest > len(runs[0])):
            regions.append(region)
    return regions, after


def _in_comments(text: str, scan: InlineScan) -> frozenset[str]:
    """Return the runs of backticks that a comment leaves open: the site pairs them before it seeks comments."""
    comments = (region for region in scan.regions if region.kind == "comment")
    found = (BACKTICKS.findall(text, region.start, region.end) for region in comments)
    return frozenset(run for runs in found for run in runs if runs.count(run) % 2)
