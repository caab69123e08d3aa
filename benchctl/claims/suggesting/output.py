"""Suggestions as text for people and as JSON for programs."""

from __future__ import annotations

from typing import Any

from benchctl.claims.suggesting.suggestion import Candidate, Suggestion, Suggestions, TableSuggestion
from benchctl.quantities.format import counted
from benchctl.report.escaping import visible

__all__ = ["SUGGESTIONS_SCHEMA", "to_json", "to_text"]

SUGGESTIONS_SCHEMA = "benchctl.suggestions/1"
_MOST_SHOWN = 3


def to_text(suggestions: Suggestions, drafted: int | None) -> str:
    """Return a paragraph for each table and number, and a last line that sums up.

    `drafted` is how many numbers have their draft in the page now, None where nothing was to be written.
    """
    parts = [_table(suggestions.path, table) for table in suggestions.tables]
    parts += [_number(suggestions.path, found) for found in suggestions.found]
    silent = sum(len(found.atoms) for found in suggestions.found if not found.candidates)
    last = f"{suggestions.path}: run {suggestions.run}: {counted(suggestions.numbers, 'unbound number')}"
    last += f", {silent} without a candidate" if silent else ""
    if drafted is not None:
        last += f"; {counted(drafted, 'draft')} written, which fail until their `?` is deleted"
    return "\n".join([*parts, visible(last)]) + "\n"


def _table(path: str, table: TableSuggestion) -> str:
    lines = [f"{path}:{table.line}: a table of {counted(table.cells, 'number')}", f"    {table.binding}"]
    return "\n".join(map(visible, [*lines, *(f"      {words}" for words in table.evidence)])) + "\n"


def _number(path: str, found: Suggestion) -> str:
    lines = [f"{path}:{found.line}:{found.column}: {found.literal}", f"    {found.sentence}"]
    for candidate in found.candidates[:_MOST_SHOWN]:
        lines.append(f"  {candidate.score:5.2f}  {'; '.join(candidate.expressions)}")
        lines.append(f"         {', '.join(candidate.evidence)}")
    if not found.candidates:
        why = found.conflict or "no word around it says what of the run it is and prints it"
        lines.append(f"  no candidate: {why}")
    return "\n".join(map(visible, lines)) + "\n"


def to_json(suggestions: Suggestions, drafted: int | None) -> dict[str, Any]:
    """Return the suggestions in the shape that `--format json` promises."""
    return {
        "schema": SUGGESTIONS_SCHEMA,
        "path": suggestions.path,
        "run": suggestions.run,
        "unbound": suggestions.numbers,
        "written": drafted,
        "tables": [
            {
                "line": table.line,
                "binding": table.binding,
                "numbers": table.cells,
                "evidence": list(table.evidence),
            }
            for table in suggestions.tables
        ],
        "numbers": [
            {
                "line": found.line,
                "column": found.column,
                "end_column": found.end_column,
                "literal": found.literal,
                "sentence": found.sentence,
                "candidates": [_candidate(each) for each in found.candidates],
                "conflict": found.conflict or None,
            }
            for found in suggestions.found
        ],
    }


def _candidate(each: Candidate) -> dict[str, Any]:
    return {
        "expressions": list(each.expressions),
        "binding": each.binding,
        "score": each.score,
        "evidence": list(each.evidence),
    }
