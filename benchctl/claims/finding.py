"""One finding at one place, and the words for what it says and how grave it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Finding", "FindingKind", "Severity", "Verdict"]

Verdict = Literal[
    "true", "tie", "false", "stale-run", "stale-data", "stale-block", "unbound", "impossible", "contradiction",
    "slack", "retracted-live", "dead-exemption", "vacuous", "error",
]  # fmt: skip
Severity = Literal["error", "warning", "note"]

_ADVISORY: dict[Verdict, Severity] = {
    "true": "note", "tie": "note", "slack": "note", "contradiction": "warning", "impossible": "warning",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FindingKind:
    """One kind of finding. `slug` is its anchor in the manual, `next_step` what clears it.

    `advice` is its severity where that is not its verdict's own.
    """

    slug: str
    verdict: Verdict
    meaning: str
    next_step: str
    advice: Severity | None = None

    @property
    def severity(self) -> Severity:
        """Return how grave it is where no policy says otherwise."""
        return self.advice or _ADVISORY.get(self.verdict, "error")


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding at one place. Lines and columns count code points from 1; `end_column` is exclusive.

    `literal` is what the page prints there, `claim` the expression that says what it should be,
    `actual` its value in the printed unit, `n` how many measured values stand behind it, `lo` and `hi` the
    interval around it that covers `level` (0.95), where its statistic has one. `sentence` is
    the text around it, `block` the line on which the table or paragraph around it begins, 0 where nobody
    said, `related` another line of the page that the message speaks of. Whatever does not apply is None or empty.
    """

    line: int
    column: int
    end_column: int
    verdict: Verdict
    severity: Severity
    slug: str
    message: str
    next_step: str
    literal: str = ""
    claim: str = ""
    actual: float | None = None
    n: int | None = None
    hint: str = ""
    sentence: str = ""
    lo: float | None = None
    hi: float | None = None
    level: float | None = None
    block: int = 0
    related: int | None = None
