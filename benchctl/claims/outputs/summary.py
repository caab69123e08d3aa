"""A report as markdown for the summary of a GitHub step: every page, and every finding in one table.

Whatever a page holds stands in code, as entities: GitHub makes no link, mention or issue number of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from benchctl.claims.finding import Finding
from benchctl.claims.outputs.places import Places
from benchctl.claims.outputs.text import page_line, remarks, sum_line
from benchctl.claims.result import ClaimsReport
from benchctl.errors import BenchctlError
from benchctl.quantities.format import counted
from benchctl.report.escaping import entities

__all__ = ["LIMIT", "failed_summary", "to_summary"]

LIMIT = 1024 * 1024
"""How many bytes the summary of a step may have; GitHub refuses a larger one whole."""

_HEAD = "| | place | printed | what is said | next |\n|---|---|---|---|---|\n"
_RESERVE = 400
"""Room for the sentence that says what was cut."""


def to_summary(report: ClaimsReport, places: Places, limit: int = LIMIT) -> str:
    """Return the markdown, at most `limit` bytes in UTF-8: what does not fit is cut, which the last sentence says."""
    pages = [f"- {_code(line)}\n" for line in (*map(page_line, report.pages), *remarks(report))]
    rows = [
        _row(places.path(page.path), finding)
        for severity in ("error", "warning", "note")
        for page in report.pages
        for finding in page.findings
        if finding.severity == severity
    ]
    whole = f"### verify-claims: {sum_line(report)}\n\n"
    room = limit - len(whole.encode()) - len(_HEAD) - _RESERVE
    kept, room = _fitting(rows, room)
    listed, room = _fitting(pages, room)
    if kept:
        whole += _HEAD + "".join(kept) + "\n"
    whole += "".join(listed)
    cut = [
        counted(len(all_of_them) - len(shown), noun)
        for noun, all_of_them, shown in (("finding", rows, kept), ("line", pages, listed))
        if len(shown) < len(all_of_them)
    ]
    if cut:
        whole += (
            f"\n**{' and '.join(cut)} left out:** a summary holds no more. `--format text` lists them all.\n"
        )
    return whole if len(whole.encode()) <= limit else ""


def _fitting(parts: Iterable[str], room: int) -> tuple[list[str], int]:
    """Return the first parts that fit in so many bytes, and the room that is left."""
    kept: list[str] = []
    for part in parts:
        room -= len(part)  # entities are ASCII
        if room < 0:
            return kept, 0
        kept.append(part)
    return kept, room


def _row(page: str, finding: Finding) -> str:
    hint = f"; {finding.hint}" if finding.hint else ""
    cells = (
        finding.verdict,
        _code(f"{page}:{finding.line}:{finding.column}"),
        _code(finding.literal),
        _code(f"{finding.message}{hint} [{finding.slug}]"),
        _code(finding.next_step),
    )
    return f"| {' | '.join(cells)} |\n"


def _code(text: str) -> str:
    """Return text as code whose spaces stay spaces, so that a long sentence wraps."""
    return f"<code>{' '.join(map(entities, text.split()))}</code>" if text else ""


def failed_summary(error: BenchctlError) -> str:
    """Return the markdown of a verification that could not take place."""
    lines = "".join(f"{_code(line)}<br>" for line in str(error).splitlines())
    return f"### verify-claims: not done\n\n{lines}\n"
