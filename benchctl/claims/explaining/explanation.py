"""What there is to say of one claim, as data: the text and the JSON form are made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchctl.claims.finding import Finding
from benchctl.expressions import Value

__all__ = ["Asked", "Explanation"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that a claim asks of the store, and what it got.

    `reference` is how the language says it, `words` how a person would. `sql` has a `?` for each of
    `parameters`. `runs` maps each run to its data digest, None for an open run. `rows` are some of the `count`
    rows that match, under `columns`; `n` values went into `value`, of `failed` and `void` rows. `error` says
    why there is no value.
    """

    reference: str
    words: str
    runs: Mapping[str, str | None]
    sql: str
    parameters: tuple[object, ...]
    value: Value | None
    n: int
    count: int
    failed: int
    void: int
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    groups: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One claim of a page.

    `kind` is what binds: a number, a cell without one, an assertion, a retraction, or an expression that no page
    binds. `written` is the expression as the page writes it, `claim` the same with named values put in and the
    filters of scope and row in their places, `filters` those that hold for everything it asks: an own filter of a
    reference replaces that of its page or row on the same key. `value` is in `unit`; `low` and `high` are the ends that the
    printed number leaves it, None where it leaves one open. `findings` are what was found there, gravest first.
    """

    path: str
    line: int
    column: int
    end_column: int
    kind: str
    literal: str
    sentence: str
    written: str
    claim: str
    filters: str
    run: str
    data: str | None
    asked: tuple[Asked, ...]
    value: Value | None
    n: int | None
    unit: str | None
    low: str | None
    high: str | None
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> str:
        """Return the verdict: of the gravest finding; what no page binds has none but that."""
        if self.kind == "expression":
            return "unbound"
        return self.findings[0].verdict if self.findings else "true"
