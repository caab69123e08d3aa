"""Whether a column's figures may be added up at all, and what of them may be left out of a sum."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from benchctl.claims.sheet import Sheet
from benchctl.claims.tables.grid import Column, Grid, GridRow
from benchctl.claims.tables.topics import is_share, singular, words_of

__all__ = ["Kind", "counts_things", "is_partial", "kind_of", "leaves_rest", "unites"]

Kind = Literal["count", "amount", "average", "neither"]

_NEITHER = frozenset(
    {"rank", "place", "position", "id", "year", "version", "port", "line", "p", "pvalue", "sd", "std", "stdev", "se", "stderr",
     "ci", "z", "t", "d", "effect", "weight", "delta", "diff", "difference", "change", "gain", "loss", "vs", "corr", "correlation",
     "auc", "kappa", "mcc", "rho", "tau", "r2", "bleu", "iqr", "variance", "interval", "range", "min", "max", "maximum", "minimum",
     "cap", "limit", "lo", "hi", "low", "high", "peak", "elo", "date", "commit", "issue", "power", "alpha", "baseline"}
)  # fmt: skip
"""What may well lie outside its rows, or is no amount of anything."""
_AVERAGES = frozenset(
    {
        "mean",
        "median",
        "avg",
        "average",
        "geomean",
        "per",
        "ratio",
        "speedup",
        "relative",
        "p50",
        "each",
        "score",
        "typical",
        "index",
    }
)
_COUNTS = frozenset(
    {"n", "count", "cell", "run", "trial", "attempt", "answered", "failed", "ok", "passed", "skipped", "error", "timeout", "test",
     "question", "task", "case", "item", "hit", "win", "loss", "tie", "call", "void", "refusal", "refused", "solved", "resolved",
     "row", "number", "issue", "fail", "pass", "correct", "wrong", "miss", "abstained", "escape"}
)  # fmt: skip
_UNITED = frozenset(
    {"file", "repo", "repository", "user", "language", "author", "contributor", "people", "package", "unique", "distinct",
     "model", "tool", "agent", "arm", "wall", "elapsed", "real", "latency", "server", "directory", "project", "symbol"}
)  # fmt: skip
"""Things that two rows may share, and times that may overlap: together they can be less than their sum."""
_PHASES = frozenset(
    {"setup", "parse", "parsing", "compile", "build", "install", "init", "startup", "load", "loading", "index", "indexing", "query",
     "user", "sys", "system", "real", "import", "link", "teardown", "warmup", "download", "overhead", "network", "cpu", "gpu", "io",
     "phase", "stage", "step"}
)  # fmt: skip
_QUANTILE = re.compile(r"p\d{1,2}")
_PARTS = (
    "of which",
    "thereof",
    "incl",
    "\u2514",
    "\u21b3",
    "\u2022",
    "\u2013 ",
    "- ",
    "...",
    "\u2026",
    "any ",
    "with ",
    "at least",
)
_PARTIAL = re.compile(
    r"\b(?:top\s+(?:\d+|\w+)|selected|selection|excerpt|subset|extract|abridged|shortened|omitted|not\s+shown|left\s+out|some\s+of"
    r"|part\s+of|examples?|(?:\d+|few|two|three|four|five|six|eight|ten)\s+(?:hardest|easiest|largest|slowest|fastest|biggest|worst|best)"
    r"|(?:hardest|easiest|largest|slowest|fastest|biggest|worst|best)\s+(?:questions|queries|cases|files|tests|tasks|repositories|issues))\b",
    re.IGNORECASE,
)
_REACH = 300


def kind_of(column: Column) -> Kind:
    """Return whether a column counts things, holds amounts that add up, averages, or nothing of the kind."""
    words = set(column.words)
    marks = any(mark in column.header for mark in "\u0394\u00b1\u03c3")
    if (
        marks
        or words & _NEITHER
        or column.header.strip() in ("#", "No.", "Nr.")
        or any(map(_QUANTILE.fullmatch, words))
    ):
        return "neither"
    if (
        words & _AVERAGES
        or is_share(column.header)
        or column.topic in ("score", "rate")
        or "\u00d7" in column.header
    ):
        return "average"
    return "count" if words & _COUNTS and not column.unit else "amount"


def counts_things(column: Column) -> bool:
    """Say whether a column's bare integers are numbers of things, exact: of a kind known here, or of some plural noun.

    `callers` are counted, `input` may well be measured and rounded.
    """
    nouns = re.findall(r"[^\W\d_]+", column.header)
    plural = bool(nouns) and nouns[-1].casefold() != singular(nouns[-1].casefold())
    kind = kind_of(column)
    return kind == "count" or (kind == "amount" and column.topic is None and plural)


def unites(column: Column) -> bool:
    """Say whether what two rows hold may be one and the same, so that a total may be less than their sum."""
    return bool(_UNITED.intersection(column.words))


def leaves_rest(rows: Iterable[GridRow]) -> bool:
    """Say whether the rows are phases of one thing, of which some may not be listed."""
    return any(_PHASES.intersection(words_of(row.label)) for row in rows)


def is_partial(sheet: Sheet, grid: Grid) -> bool:
    """Say whether a table shows a part of what it sums up, or weighs it: rows within rows, weights, a selection."""
    if any("weight" in column.words for column in grid.columns) or any(
        row.label.casefold().lstrip("\u00a0 ").startswith(_PARTS) for row in grid.rows
    ):
        return True
    page = sheet.page
    heading = page.heading_before(grid.table.start)
    seen = page.seen(grid.table.start)
    begin = max(seen - _REACH, page.seen(heading.start) if heading else 0)
    return _PARTIAL.search(page.visible, begin, seen) is not None
