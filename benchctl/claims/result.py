"""What verifying pages gives: one report a page, and whether all is well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchctl.claims.finding import Finding

__all__ = ["ClaimsReport", "PageReport"]


@dataclass(frozen=True, slots=True)
class PageReport:
    """One page. `numbers` = `bound` + `generated` + `exempt` + `unbound`; `kinds` counts the not-claims.

    `run` and `data` are the page's own, None where it declares none; `runs` every declared run's data digest,
    None for a run that is open or unknown. `excluded` is the reason of `benchctl: none`, None elsewhere.
    `max_unbound` is the page's ratchet, None for none; `values` are the project's named values that it uses.
    `is_page` is False for a file that pages are checked by, such as benchctl.toml: it has findings and no number.
    """

    path: str
    run: str | None
    data: str | None
    runs: Mapping[str, str | None]
    numbers: int
    bound: int
    generated: int
    exempt: int
    unbound: int
    kinds: Mapping[str, int]
    findings: tuple[Finding, ...]
    excluded: str | None = None
    max_unbound: int | None = None
    values: tuple[str, ...] = ()
    is_page: bool = True

    @property
    def not_claims(self) -> int:
        """Return how many tokens are no claims by their kind."""
        return sum(self.kinds.values())

    @property
    def ok(self) -> bool:
        """Whether nothing on the page is an error."""
        return all(finding.severity != "error" for finding in self.findings)

    @property
    def acceptable(self) -> bool:
        """Whether all that is wrong with the page is that its data moved, which a new pin settles."""
        return all(item.severity != "error" or item.verdict == "stale-data" for item in self.findings)


@dataclass(frozen=True, slots=True)
class ClaimsReport:
    """All pages of one call. `undeclared` are pages that a glob found and that declare nothing."""

    pages: tuple[PageReport, ...]
    undeclared: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing on any page is an error."""
        return all(page.ok for page in self.pages)

    @property
    def pins(self) -> dict[str, dict[str, str]]:
        """Return what claims.lock would say of these pages: a pin means that the page was true of those data."""
        return {
            page.path: {run: digest for run, digest in page.runs.items() if digest}
            for page in self.pages
            if page.run and page.acceptable
        }

    @property
    def ratchets(self) -> dict[str, int]:
        """Return how many unbound numbers claims.lock would allow these pages, 0 where a page has no ratchet."""
        return {page.path: page.max_unbound or 0 for page in self.pages if page.run and page.acceptable}
