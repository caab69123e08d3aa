"""A report as text for people and as JSON for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from benchctl.claims.finding import Finding
from benchctl.claims.result import ClaimsReport, PageReport
from benchctl.quantities.format import counted
from benchctl.report.escaping import visible

__all__ = ["CLAIMS_SCHEMA", "to_json", "to_text"]

CLAIMS_SCHEMA = "benchctl.claims/1"


def to_text(report: ClaimsReport) -> str:
    """Return one paragraph a finding, one line a page and a last line that sums up; ends in a line end."""
    parts = [_finding(page, finding) for page in report.pages for finding in page.findings]
    lines = [_page(page) for page in report.pages]
    lines += [f"{path}: declares no run, not checked" for path in report.undeclared]
    lines += [f"note: {note}" for note in report.notes]
    return "\n".join([*parts, *map(visible, lines), _sum(report)]) + "\n"


def _finding(page: PageReport, finding: Finding) -> str:
    place = f"{page.path}:{finding.line}:{finding.column}"
    words = dict.fromkeys((finding.severity, finding.verdict))  # an error that is just an error says so once
    lines = [f"{place}: {': '.join(words)}: {finding.message} [{finding.slug}]"]
    if finding.sentence:
        lines.append(f"    {finding.sentence}")
    if finding.hint:
        lines.append(f"    {finding.hint}")
    lines.append(f"  next: {finding.next_step}")
    return "\n".join(map(visible, lines)) + "\n"


def _page(page: PageReport) -> str:
    if page.excluded is not None:
        return f"{page.path}: not checked: {page.excluded}"
    if page.run is None:
        return f"{page.path}: not checked"
    counts = f"{page.bound} bound, {page.generated} generated, {page.exempt} exempt, {page.unbound} unbound"
    kinds = ", ".join(f"{count} {kind}" for kind, count in page.kinds.items())
    others = f"; {page.not_claims} not claims ({kinds})" if kinds else ""
    return f"{page.path}: run {page.run}: {counted(page.numbers, 'number')}: {counts}{others}"


def _sum(report: ClaimsReport) -> str:
    findings = [finding for page in report.pages for finding in page.findings]
    errors = sum(finding.severity == "error" for finding in findings)
    advice = len(findings) - errors
    checked = sum(page.run is not None for page in report.pages)
    numbers = sum(page.numbers for page in report.pages)
    verdict = "ok" if report.ok else counted(errors, "error")
    more = f", {advice} advisory" if advice else ""
    return f"{verdict}{more}: {counted(numbers, 'number')} on {counted(checked, 'page')}"


def to_json(report: ClaimsReport) -> dict[str, Any]:
    """Return the report in the shape that `--format json` promises."""
    return {
        "schema": CLAIMS_SCHEMA,
        "ok": report.ok,
        "pages": [_page_json(page) for page in report.pages],
        "undeclared": list(report.undeclared),
        "notes": list(report.notes),
    }


def _page_json(page: PageReport) -> dict[str, Any]:
    return {
        "path": page.path,
        "run": page.run,
        "data": page.data,
        "runs": dict(page.runs),
        "excluded": page.excluded,
        "numbers": page.numbers,
        "bound": page.bound,
        "generated": page.generated,
        "exempt": page.exempt,
        "not_claims": page.not_claims,
        "unbound": page.unbound,
        "kinds": dict(page.kinds),
        "findings": [asdict(finding) for finding in page.findings],
    }
