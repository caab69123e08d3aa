"""An explanation as text for people and as JSON for programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from benchctl.claims.explaining.explanation import Asked, Explanation
from benchctl.claims.explaining.wrapping import wrapped
from benchctl.claims.outputs.document import finding_document
from benchctl.quantities.format import counted, format_number
from benchctl.report.escaping import visible
from benchctl.report.terminal import aligned

__all__ = ["EXPLAIN_SCHEMA", "to_json", "to_text"]

EXPLAIN_SCHEMA = "benchctl.explain/1"
_NONE = "\N{EN DASH}"


def to_text(explanations: Sequence[Explanation]) -> str:
    """Return a paragraph of lines for each claim, a blank line between them; ends in a line end."""
    return "\n\n".join("\n".join(_lines(each)) for each in explanations) + "\n"


def _lines(said: Explanation) -> Iterator[str]:
    if said.kind == "expression":
        yield visible(f"{said.path}: no page binds it: {said.literal}")
    else:
        yield visible(f"{said.path}:{said.line}:{said.column}: {said.verdict}: {said.literal}")
    if said.sentence:
        yield visible(f"    {said.sentence}")
    yield from _named("written", said.written)
    if said.claim != said.written:
        yield from _named("claim", said.claim)
    yield from _named("run", f"{said.run}, {said.data or 'still open'}")
    if said.filters:
        yield from _named("filters", said.filters)
    yield from _named("value", _value(said))
    if said.low is not None or said.high is not None:
        yield from _named("print", _print(said))
    for finding in said.findings:
        parts = [finding.message, *([finding.hint] if finding.hint else [])]
        yield from _named(finding.verdict, "; ".join(parts))
    for number, asked in enumerate(said.asked, start=1):
        yield ""
        yield from _question(number, asked)


def _named(name: str, text: str) -> Iterator[str]:
    yield visible(f"  {name:<9} {text}")


def _value(said: Explanation) -> str:
    if said.value is None:
        return "none"
    shown = str(said.value).lower() if isinstance(said.value, bool) else str(said.value)
    unit = f" {said.unit}" if said.unit else ""
    return f"{shown}{unit}{f' (n={said.n})' if said.n is not None else ''}"


def _print(said: Explanation) -> str:
    if said.low is None:
        return f"{said.literal} allows at most {said.high}"
    if said.high is None:
        return f"{said.literal} allows at least {said.low}"
    return f"{said.literal} allows {said.low}" + ("" if said.low == said.high else f" to {said.high}")


def _question(number: int, asked: Asked) -> Iterator[str]:
    yield visible(f"  asks {number}    {asked.reference}")
    yield visible(f"    {asked.words}")
    groups = f", in {counted(asked.groups, 'group')}" if asked.groups else ""
    yield visible(
        f"    {counted(asked.count, 'row')}{groups}: {format_number(asked.n)} measured and not void,"
        f" {format_number(asked.failed)} failed, {format_number(asked.void)} void"
    )
    if asked.error:
        yield visible(f"    no value: {asked.error}")
    if asked.value is not None:
        yield visible(f"    gives {asked.value}")
    for run, digest in asked.runs.items():
        yield visible(f"    of run {run}, {digest or 'still open'}")
    if asked.sql:
        yield from (visible(f"    {line}") for line in wrapped(asked.sql))
        yield visible(f"    with {', '.join(map(repr, asked.parameters)) or 'no parameter'}")
    yield from _rows(asked)


def _rows(asked: Asked) -> Iterator[str]:
    if not asked.rows:
        return
    cells = [[_NONE if value is None else visible(str(value)) for value in row] for row in asked.rows]
    table = aligned([[visible(name) for name in asked.columns], *cells], [True] * len(asked.columns))
    yield from (f"      {line}" for line in table)
    left = asked.count - len(asked.rows)
    if left > 0:
        yield f"      and {counted(left, 'more row')}"


def to_json(explanations: Sequence[Explanation]) -> dict[str, Any]:
    """Return the explanations in the shape that `--format json` promises."""
    return {"schema": EXPLAIN_SCHEMA, "claims": [_claim(each) for each in explanations]}


def _claim(said: Explanation) -> dict[str, Any]:
    return {
        **asdict(said),
        "asked": [_asked(each) for each in said.asked],
        "findings": [finding_document(each) for each in said.findings],
        "verdict": said.verdict,
    }


def _asked(asked: Asked) -> dict[str, Any]:
    rows = [dict(zip(asked.columns, map(_plain, row), strict=True)) for row in asked.rows]
    return {**asdict(asked), "parameters": [_plain(each) for each in asked.parameters], "rows": rows}


def _plain(value: object) -> object:
    """Return a value as JSON has it; what it has no word for, such as infinity, as a text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else str(value)
