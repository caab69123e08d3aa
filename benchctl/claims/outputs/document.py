"""A report as the JSON document of `--format json`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from benchctl.claims.finding import Finding
from benchctl.claims.result import ClaimsReport, PageReport

__all__ = ["CLAIMS_SCHEMA", "finding_document", "to_document"]

CLAIMS_SCHEMA = "benchctl.claims/1"


def to_document(report: ClaimsReport) -> dict[str, Any]:
    """Return the report in the shape that `--format json` promises."""
    return {
        "schema": CLAIMS_SCHEMA,
        "ok": report.ok,
        "pages": [_page(page) for page in report.pages],
        "undeclared": list(report.undeclared),
        "notes": list(report.notes),
    }


def _page(page: PageReport) -> dict[str, Any]:
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
        "findings": [finding_document(finding) for finding in page.findings],
    }


def finding_document(finding: Finding) -> dict[str, Any]:
    """Return the one form of a finding in every JSON document: all but the block it is in, which only groups what is shown."""
    fields = asdict(finding)
    del fields["block"]
    return fields
