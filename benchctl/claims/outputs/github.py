"""A report as GitHub's workflow commands: an annotation a place, and lines for the log.

A step shows ten annotations of a kind and drops the rest without a word
(https://docs.github.com/en/rest/checks/runs, actions/toolkit docs/problem-matchers.md), so the gravest come
first, those of one table or paragraph are one, and the tenth says what is left out. Three kinds make thirty, below the
fifty of a job.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from benchctl.claims.finding import Finding, Severity, Verdict
from benchctl.claims.outputs.places import Places
from benchctl.claims.outputs.text import details, page_line, remarks, sum_line
from benchctl.claims.result import ClaimsReport
from benchctl.errors import BenchctlError
from benchctl.quantities.format import counted
from benchctl.report.escaping import inert, visible

__all__ = ["GRAVITY", "failed_github", "to_github"]

_MOST = 10
_KINDS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "notice"}
_SHOWN = 5

GRAVITY: tuple[Verdict, ...] = (
    "false", "stale-run", "retracted-live", "stale-data", "stale-block", "impossible", "contradiction", "error",
    "vacuous", "unbound", "dead-exemption", "slack", "tie", "true",
)  # fmt: skip
"""What a reader should see first: a false number before a hundred that nobody has bound."""


@dataclass(frozen=True, slots=True)
class _Spot:
    """A page and one finding on it."""

    page: str
    finding: Finding

    @property
    def order(self) -> tuple[int, str, int, int]:
        """Return what spots are sorted by: gravity, then place."""
        return GRAVITY.index(self.finding.verdict), self.page, self.finding.line, self.finding.column


_Group = tuple[_Spot, ...]


def to_github(report: ClaimsReport, places: Places, *, summary: bool = False) -> str:
    """Return the commands and, below them, a line a page and the sum; ends in a line end.

    `summary` says that the job's summary holds every finding. Nothing that a page holds becomes a command.
    """
    spots = [_Spot(places.path(page.path), finding) for page in report.pages for finding in page.findings]
    commands = [line for severity in _KINDS for line in _annotations(severity, spots, summary=summary)]
    plain = [*map(page_line, report.pages), *remarks(report), sum_line(report)]
    return "\n".join([*commands, *(inert(visible(line)) for line in plain)]) + "\n"


def failed_github(error: BenchctlError) -> str:
    """Return the annotation of a verification that could not take place."""
    return _command("error", {"title": f"verify-claims: {error.slug}"}, str(error)) + "\n"


def _annotations(severity: Severity, spots: Iterable[_Spot], *, summary: bool) -> list[str]:
    """Return at most ten commands of a kind."""
    chosen = sorted(
        (spot for spot in spots if spot.finding.severity == severity), key=lambda spot: spot.order
    )
    groups = _grouped(chosen, lambda spot: (spot.page, spot.finding.block or spot.finding.line))
    if len(groups) > _MOST:
        groups = _grouped(chosen, lambda spot: (spot.page, spot.finding.slug))
    kept = groups if len(groups) <= _MOST else groups[: _MOST - 1]
    kind = _KINDS[severity]
    lines = [_annotation(kind, group) for group in kept]
    if rest := [spot for group in groups[len(kept) :] for spot in group]:
        lines.append(_command(kind, {"title": f"{len(rest)} more"}, _left_out(kind, rest, summary=summary)))
    return lines


def _grouped(spots: Sequence[_Spot], key: Callable[[_Spot], object]) -> list[_Group]:
    groups: dict[object, list[_Spot]] = {}
    for spot in spots:
        groups.setdefault(key(spot), []).append(spot)
    return [tuple(group) for group in groups.values()]


def _annotation(kind: str, group: _Group) -> str:
    first, *others = group
    finding = first.finding
    last = max(spot.finding.line for spot in group)
    top = min(spot.finding.line for spot in group)
    properties = {"file": first.page, "line": str(top)}
    if top == last:
        ends = [spot.finding.end_column for spot in group]
        # GitHub takes columns only where an annotation stands on one line.
        properties["col"] = str(min(spot.finding.column for spot in group))
        properties["endColumn"] = str(max(ends))
    else:
        properties["endLine"] = str(last)
    slugs = ", ".join(dict.fromkeys(spot.finding.slug for spot in group))
    properties["title"] = slugs if not others else f"{counted(len(group), 'finding')}: {slugs}"
    lines = details(finding)
    lines += [f"line {spot.finding.line}: {visible(spot.finding.message)}" for spot in others[:_SHOWN]]
    if len(others) > _SHOWN:
        lines.append(f"and {len(others) - _SHOWN} more down to line {last}")
    return _command(kind, properties, "\n".join(lines))


def _left_out(kind: str, rest: Sequence[_Spot], *, summary: bool) -> str:
    pages = Counter(spot.page for spot in rest)
    where = [f"{visible(page)}: {count}" for page, count in pages.most_common(_SHOWN)]
    where += [f"and {len(pages) - _SHOWN} more pages"] if len(pages) > _SHOWN else []
    all_of_them = "the summary of this step lists them" if summary else "`--format text` lists them"
    findings = counted(len(rest), "finding")
    first = f"{findings} of kind {kind} not shown here, on {counted(len(pages), 'page')}; {all_of_them}"
    return "\n".join([first, *where])


def _command(kind: str, properties: dict[str, str], message: str) -> str:
    """Return one command on one line: what would end it, or begin another, is written as `%0A`."""
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{kind} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return inert(visible(text, keep="\n")).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
