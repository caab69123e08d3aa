"""A report as JUnit XML: a suite a page, a case a finding, and a case for the page as a whole.

Only errors fail. Both schemas in common use accept it: the one of Ant's reports, which wants a time and
a host of every suite and knows no file of a case, and the one of Jenkins' xUnit plugin. Times are 0,
since nothing of this kind is timed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from benchctl.claims.finding import Finding
from benchctl.claims.outputs.places import Places
from benchctl.claims.outputs.text import details, page_line, sum_line
from benchctl.claims.result import ClaimsReport, PageReport
from benchctl.errors import BenchctlError
from benchctl.quantities.format import counted
from benchctl.report.escaping import visible

__all__ = ["failed_junit", "to_junit"]

_COMMAND = "benchctl verify-claims"
_SIGNS = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;"}
_SIGN = re.compile('[&<>"\t]')
_LINE_COMMAND = re.compile(r"^(\s*)::", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Case:
    """One case: it passes, or is a `failure`, an `error` or `skipped`, `kind` and `message` saying why."""

    name: str
    outcome: str = ""
    kind: str = ""
    message: str = ""
    text: str = ""


def to_junit(report: ClaimsReport, places: Places, at: datetime) -> str:
    """Return the XML document; `at`, in UTC, is when the pages were verified. Ends in a line end."""
    suites = [_page(page, places) for page in report.pages]
    suites += [
        (places.path(path), [_Case("the page", "skipped", text="declares no run, not checked")], [])
        for path in report.undeclared
    ]
    checked = _Case(counted(len(report.pages), "page"), "" if report.pages else "skipped")
    suites.append((_COMMAND, [checked], [*report.notes, sum_line(report)]))
    return _document(suites, at)


def failed_junit(error: BenchctlError, at: datetime) -> str:
    """Return the document of a verification that could not take place."""
    case = _Case("the verification", "error", error.slug, error.what, str(error))
    return _document([(_COMMAND, [case], [])], at)


_Suite = tuple[str, Sequence[_Case], Sequence[str]]


def _page(page: PageReport, places: Places) -> _Suite:
    line = page_line(page)
    if page.excluded is not None and not page.findings:
        whole = _Case("the page", "skipped", text=line)
    else:
        whole = _Case(f"the page: {counted(page.numbers, 'number')}")
    path = places.path(page.path)
    advice = [
        f"{path}:{finding.line}:{finding.column}: {part}"
        for finding in page.findings
        if finding.severity != "error"
        for part in details(finding)
    ]
    return path, [whole, *(_case(path, finding) for finding in page.findings)], [line, *advice]


def _case(path: str, finding: Finding) -> _Case:
    name = " ".join(f"{finding.line}:{finding.column} {finding.slug} {finding.literal}".split())
    if finding.severity != "error":
        return _Case(name)
    place = f"{path}:{finding.line}:{finding.column}"
    return _Case(name, "failure", finding.slug, finding.message, "\n".join([place, *details(finding)]))


def _document(suites: Iterable[_Suite], at: datetime) -> str:
    parts = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>"]
    for number, suite in enumerate(suites):
        parts += _suite(number, suite, at)
    return "\n".join([*parts, "</testsuites>"]) + "\n"


def _suite(number: int, suite: _Suite, at: datetime) -> list[str]:
    name, cases, said = suite
    outcomes = Counter(case.outcome for case in cases)
    attributes = {
        "name": name,
        "package": "benchctl",
        "id": str(number),
        "timestamp": at.strftime("%Y-%m-%dT%H:%M:%S"),
        "hostname": "localhost",
        "tests": str(len(cases)),
        "failures": str(outcomes["failure"]),
        "errors": str(outcomes["error"]),
        "skipped": str(outcomes["skipped"]),
        "time": "0",
    }
    names: Counter[str] = Counter()
    lines = [f"<testsuite{_attributes(attributes)}>", "<properties/>"]
    for case in cases:
        names[case.name] += 1
        again = f" ({names[case.name]})" if names[case.name] > 1 else ""
        lines += _xml(case, name, case.name + again)
    return [*lines, f"<system-out>{_text(chr(10).join(said))}</system-out>", "<system-err/>", "</testsuite>"]


def _xml(case: _Case, suite: str, name: str) -> list[str]:
    head = f"<testcase{_attributes({'name': name, 'classname': suite, 'time': '0'})}"
    if not case.outcome:
        return [f"{head}/>"]
    why = {} if case.outcome == "skipped" else {"type": case.kind, "message": case.message}
    return [
        f"{head}>",
        f"<{case.outcome}{_attributes(why)}>{_text(case.text)}</{case.outcome}>",
        "</testcase>",
    ]


def _attributes(attributes: dict[str, str]) -> str:
    return "".join(
        f' {name}="{_text(value).replace(chr(10), "&#10;")}"' for name, value in attributes.items()
    )


def _text(text: str) -> str:
    """Return text of XML 1.0 without a character it cannot hold, and without a command to a CI runner."""
    escaped = _SIGN.sub(lambda found: _SIGNS[found[0]], visible(text, keep="\n\t"))
    return _LINE_COMMAND.sub(r"\1&#58;:", escaped.replace("##", "#&#35;"))
