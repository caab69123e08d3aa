"""What a report's slugs mean, for formats that bring their own manual along: every finding, and the errors that occur."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from benchctl.claims.finding import Severity
from benchctl.claims.result import ClaimsReport
from benchctl.claims.verdict import FINDINGS
from benchctl.errors import BenchctlError

__all__ = ["Rule", "manual", "rules"]

_ERRORS_PAGE = "reference/errors/"


@dataclass(frozen=True, slots=True)
class Rule:
    """One slug: what it means and what clears it, a sentence each, and how grave it is unless a policy says otherwise."""

    slug: str
    meaning: str
    next_step: str
    severity: Severity


def rules(report: ClaimsReport) -> tuple[Rule, ...]:
    """Return every kind of finding in the manual's order, then the errors among the findings, by slug."""
    known = [Rule(kind.slug, kind.meaning, kind.next_step, kind.severity) for kind in FINDINGS]
    said = {finding.slug for page in report.pages for finding in page.findings}
    others = sorted(said - {rule.slug for rule in known})
    meanings = {leaf.slug: leaf for leaf in _leaves(BenchctlError)}
    return (*known, *(_of_error(slug, meanings.get(slug)) for slug in others))


def _of_error(slug: str, leaf: type[BenchctlError] | None) -> Rule:
    meaning = " ".join(((inspect.getdoc(leaf) if leaf else None) or slug).split())
    return Rule(slug, meaning, "correct the expression, or what it names", "error")


def _leaves(base: type[BenchctlError]) -> Iterator[type[BenchctlError]]:
    below = base.__subclasses__()
    for child in below:
        yield from _leaves(child)
    if not below:
        yield base


@cache
def manual(slug: str = "") -> str | None:
    """Return the address of the published manual, or of a slug in it; None where the package names none."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        addresses = metadata("benchctl").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    for entry in addresses:
        label, _, address = str(entry).partition(", ")
        if label.casefold() == "documentation":
            return f"{address.rstrip('/')}/{_ERRORS_PAGE}#{slug}" if slug else address
    return None
