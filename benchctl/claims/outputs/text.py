"""A report as text for people."""

from __future__ import annotations

from benchctl.claims.finding import Finding
from benchctl.claims.result import ClaimsReport, PageReport
from benchctl.quantities.format import counted
from benchctl.report.escaping import inert, visible

__all__ = ["details", "page_line", "remarks", "sum_line", "to_text"]

_MOST_DRAFTED = 3


def to_text(report: ClaimsReport) -> str:
    """Return one paragraph a finding, one line a page and a last line that sums up; ends in a line end.

    Nothing of it is a command to a terminal or to a CI runner, whatever a page holds.
    """
    parts = [_finding(page, finding) for page in report.pages for finding in page.findings]
    lines = [*map(page_line, report.pages), *remarks(report), *_drafts(report), sum_line(report)]
    return inert("\n".join([*parts, *map(visible, lines)]) + "\n")


def _finding(page: PageReport, finding: Finding) -> str:
    place = f"{page.path}:{finding.line}:{finding.column}"
    words = dict.fromkeys((finding.severity, finding.verdict))  # an error that is just an error says so once
    first = f"{place}: {': '.join(words)}: {finding.message} [{finding.slug}]"
    more = [f"    {finding.sentence}"] if finding.sentence else []
    more += [f"    {finding.hint}"] if finding.hint else []
    return "\n".join(map(visible, [first, *more, f"  next: {finding.next_step}"])) + "\n"


def details(finding: Finding) -> list[str]:
    """Return what a finding says, a line each: its message, the sentence around it, the hint, the next step."""
    lines = (finding.message, finding.sentence, finding.hint, f"next: {finding.next_step}")
    return [visible(line) for line in lines if line]


def page_line(page: PageReport) -> str:
    """Return how a page's numbers stand, on one line that may hold whatever its path holds."""
    if page.excluded is not None:
        return f"{page.path}: not checked: {page.excluded}"
    if page.run is None:
        return f"{page.path}: {'not checked' if page.is_page else counted(len(page.findings), 'finding')}"
    counts = f"{page.bound} bound, {page.generated} generated, {page.exempt} exempt, {page.unbound} unbound"
    kinds = ", ".join(f"{count} {kind}" for kind, count in page.kinds.items())
    others = f"; {page.not_claims} not claims ({kinds})" if kinds else ""
    return f"{page.path}: run {page.run}: {counted(page.numbers, 'number')}: {counts}{others}"


def remarks(report: ClaimsReport) -> list[str]:
    """Return what is said of no place: the pages that declare nothing, and the notes."""
    undeclared = [f"{path}: declares no run, not checked" for path in report.undeclared]
    return [*undeclared, *(f"note: {note}" for note in report.notes)]


def _drafts(report: ClaimsReport) -> list[str]:
    """Return how to draft bindings, for the first pages that fail for want of some."""
    failing = [
        page.path
        for page in report.pages
        if any(each.slug == "number-unbound" and each.severity == "error" for each in page.findings)
    ]
    return [
        f"next: `benchctl claims suggest {path}` drafts bindings for what is unbound"
        for path in failing[:_MOST_DRAFTED]
    ]


def sum_line(report: ClaimsReport) -> str:
    """Return the last line: whether all is well, and how much was checked."""
    findings = [finding for page in report.pages for finding in page.findings]
    errors = sum(finding.severity == "error" for finding in findings)
    advice = len(findings) - errors
    checked = sum(page.run is not None for page in report.pages)
    numbers = sum(page.numbers for page in report.pages)
    verdict = "ok" if report.ok else counted(errors, "error")
    more = f", {advice} advisory" if advice else ""
    return f"{verdict}{more}: {counted(numbers, 'number')} on {counted(checked, 'page')}"
