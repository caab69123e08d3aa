"""A report as SARIF 2.1.0, the format of code scanning; sections named below are those of the standard.

No clock and no dice: the same report gives the same bytes. An alert keeps its identity when lines above
it come or go, since its fingerprint knows no line.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

from benchctl import __version__
from benchctl.claims.finding import Finding
from benchctl.claims.outputs.places import Places
from benchctl.claims.outputs.rules import Rule, manual, rules
from benchctl.claims.outputs.text import details, page_line
from benchctl.claims.result import ClaimsReport
from benchctl.errors import BenchctlError
from benchctl.report.escaping import as_json, visible

__all__ = ["failed_sarif", "to_sarif"]

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_FINGERPRINT = "benchctlFinding/v1"


def to_sarif(report: ClaimsReport, places: Places) -> str:
    """Return the whole log as one run; ends in a line end."""
    known = rules(report)
    fingerprints = _Fingerprints()
    index = {rule.slug: number for number, rule in enumerate(known)}
    results: list[dict[str, Any]] = []
    artifacts: dict[str, dict[str, Any]] = {}
    for page in report.pages:
        address = _address(page.path, places)
        artifacts[address["uri"]] = {"location": address, "roles": ["analysisTarget"]}
        for finding in page.findings:
            where = {
                "ruleIndex": index[finding.slug],
                "partialFingerprints": fingerprints.of(address, finding),
            }
            results.append(_result(finding, address) | where)
    notifications = [
        *(_notification(page_line(page), places, page.path) for page in report.pages if page.run is None),
        *(_notification("declares no run, not checked", places, path) for path in report.undeclared),
        *(_notification(note, places) for note in report.notes),
    ]
    invocation = {"executionSuccessful": True, "toolExecutionNotifications": notifications}
    return _log(known, invocation, list(artifacts.values()), results)


def failed_sarif(error: BenchctlError, places: Places) -> str:
    """Return the log of a verification that could not take place: no result, and why."""
    notification = _notification(str(error), places) | {"level": "error", "descriptor": {"id": error.slug}}
    invocation = {
        "executionSuccessful": False,
        "exitCode": error.exit_code,
        "toolExecutionNotifications": [notification],
    }
    return _log((), invocation, [], [])


def _log(
    known: tuple[Rule, ...],
    invocation: dict[str, Any],
    pages: list[dict[str, Any]],
    results: list[dict[str, Any]],
) -> str:
    driver: dict[str, Any] = {
        "name": "benchctl",
        "version": __version__,
        "rules": [_rule(rule) for rule in known],
    }
    if address := manual():
        driver["informationUri"] = address
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "artifacts": pages,
        "results": results,
    }
    return as_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: Rule) -> dict[str, Any]:
    address = manual(rule.slug)
    where = address or f"the manual's page on errors and findings, #{rule.slug}"
    described: dict[str, Any] = {
        "id": rule.slug,
        "shortDescription": {"text": _message(rule.meaning)},
        "help": {"text": _message(f"{rule.meaning}\nNext: {rule.next_step}\nSee {where}")},
        "defaultConfiguration": {"level": rule.severity},
    }
    return described | ({"helpUri": address} if address else {})


class _Fingerprints:
    """What a result is known by while lines above it come and go: page, kind, claim, and the how-manieth of these."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, ...]] = Counter()

    def of(self, address: dict[str, str], finding: Finding) -> dict[str, str]:
        """Return the next result's fingerprint."""
        key = (address["uri"], finding.slug, finding.claim or finding.literal)
        self._seen[key] += 1
        parts = "\0".join((*key, str(self._seen[key])))
        return {_FINGERPRINT: hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()}


def _result(finding: Finding, address: dict[str, str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.slug,
        "level": finding.severity,
        "message": {"text": _message("\n".join(details(finding)))},
        "locations": [_location(address, _region(finding))],
        "properties": {
            "verdict": finding.verdict,
            "literal": finding.literal,
            "claim": finding.claim,
            "actual": finding.actual,
            "n": finding.n,
        },
    }
    if finding.verdict == "true" and finding.severity == "note":
        result |= {"kind": "pass", "level": "none"}  # 3.27.10: only what fails has a level
    if finding.related not in (None, finding.line):
        result["relatedLocations"] = [_location(address, {"startLine": finding.related})]
    return result


def _region(finding: Finding) -> dict[str, int]:
    return {
        "startLine": max(finding.line, 1),
        "startColumn": max(finding.column, 1),
        "endColumn": max(finding.end_column, finding.column, 1),
    }


def _location(address: dict[str, str], region: dict[str, int]) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": address, "region": region}}


def _address(page: str, places: Places) -> dict[str, str]:
    uri, relative = places.uri(page)
    return {"uri": uri} | ({"uriBaseId": _ROOT} if relative else {})


def _notification(text: str, places: Places, page: str | None = None) -> dict[str, Any]:
    said: dict[str, Any] = {"level": "note", "message": {"text": _message(text)}}
    if page is not None:
        said["locations"] = [{"physicalLocation": {"artifactLocation": _address(page, places)}}]
    return said


def _message(text: str) -> str:
    """Return a plain message: braces doubled, for they name arguments (3.11.5), and no embedded link (3.11.6)."""
    shown = visible(text, keep="\n").replace("](", "] (")
    return shown.replace("{", "{{").replace("}", "}}")
