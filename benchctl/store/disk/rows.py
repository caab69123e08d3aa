"""Evidence and grades as stored rows: pure, so that a run folds to the same rows wherever it is folded.

Every row has the columns of `schema.result.TABLES` in that order and their types. A row's
digest is over its canonical JSON, which is also what the run's data digest is made of.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from benchctl.schema.canonical import canonical_json, digest
from benchctl.schema.evidence import AGAIN_OUTCOMES, FINAL_FAILURES, VOID_OUTCOMES, Evidence
from benchctl.schema.grade import Grade
from benchctl.schema.result import SCHEMA_VERSION, TABLES, Column
from benchctl.schema.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchctl.schema.evidence import Stream
    from benchctl.schema.run import PlannedCell

__all__ = [
    "Row",
    "attempt_row",
    "canonical_row",
    "cell_row",
    "columns_of",
    "evidence_json",
    "grade_json",
    "grade_row",
    "interrupted_row",
    "signed_row",
    "sound",
    "streams_of",
    "transcript_rows",
]

Row = dict[str, Any]

_PYTHON = {"VARCHAR": str, "BIGINT": int, "DOUBLE": float, "BOOLEAN": bool}


def _names(kind: type, *apart: str) -> tuple[str, ...]:
    """Return the fields of a dataclass that are kept as they are: a new one is kept from its first day."""
    return tuple(each.name for each in fields(kind) if each.name not in apart)


_EVIDENCE_FIELDS = _names(Evidence, "usage", "stdout", "stderr", "least_cost_usd", "redactions", "kept")
_USAGE_FIELDS = _names(Usage, "source", "cost_source")
_GRADE_FIELDS = _names(Grade, "score", "facts")


def columns_of(table: str, version: int = SCHEMA_VERSION) -> tuple[Column, ...]:
    """Return a table's columns as of a schema version, in stored order."""
    return tuple(column for column in TABLES[table] if column.since <= version)


def sound(value: object) -> object:
    """Return a JSON value whose text UTF-8 can say: a lone surrogate, which an agent may print, becomes U+FFFD."""
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def evidence_json(evidence: Evidence, *, texts: bool = True) -> Row:
    """Return evidence as the journal keeps it: flat, with both streams, and with what they say unless `texts` is false."""
    usage = evidence.usage
    return {
        **{name: sound(getattr(evidence, name)) for name in _EVIDENCE_FIELDS},
        **{name: getattr(usage, name) for name in _USAGE_FIELDS},
        "token_source": usage.source,
        "cost_source": usage.cost_source,
        **({} if evidence.least_cost_usd is None else {"least_cost_usd": evidence.least_cost_usd}),
        "redactions": None if evidence.redactions is None else dict(sorted(evidence.redactions.items())),
        "streams": {
            name: {
                **({"text": sound(stream.text)} if texts else {}),
                "total_bytes": stream.total_bytes,
                "dropped_bytes": stream.dropped_bytes,
                "sha256": stream.sha256,
            }
            for name, stream in streams_of(evidence).items()
        },
    }


def streams_of(evidence: Evidence) -> dict[str, Stream]:
    """Return all that is kept of what an attempt wrote, by name."""
    return {"stdout": evidence.stdout, "stderr": evidence.stderr, **evidence.kept}


def grade_json(grade: Grade) -> Row:
    """Return a grade as the journal keeps it."""
    facts = [{"id": sound(f.id), "state": f.state, "note": sound(f.note)} for f in grade.facts]
    return {
        **{name: sound(getattr(grade, name)) for name in _GRADE_FIELDS},
        "score": grade.score,
        "facts": facts,
    }


def signed_row(table: str, values: Mapping[str, object]) -> Row:
    """Return the row of a table, typed column by column, with its digest where the table has one."""
    row: Row = {}
    for column in TABLES[table]:
        value = values.get(column.name)
        row[column.name] = None if value is None else _PYTHON[column.type](value)
    if "row_digest" in row:
        row["row_digest"] = digest({name: value for name, value in row.items() if name != "row_digest"})
    return row


def canonical_row(row: Mapping[str, object]) -> bytes:
    """Return a row as one line of canonical JSON."""
    return canonical_json(row) + b"\n"


def _total(ended: Sequence[Row], name: str) -> int | float | None:
    """Return a sum over attempts; None where any of them was not measured, for a part is not the whole."""
    values = [attempt[name] for attempt in ended]
    return None if not values or None in values else sum(values)


def _known_total(ended: Sequence[Row], name: str) -> int | float | None:
    """Return a sum over the attempts of which it is known; None where it is known of none."""
    values = [value for attempt in ended if (value := attempt.get(name)) is not None]
    return sum(values) if values else None


def _measured(ended: Sequence[Row], outcome: str) -> list[Row]:
    """Return the attempts that a cell's measures are over: not those that gave its agent no fair chance.

    What the machine cut off is no part of what the arm took, and nobody knows what it cost; the attempts have
    it. A cell that itself ended so has nothing else, and is measured by all that is known of it.
    """
    if outcome in AGAIN_OUTCOMES:
        return list(ended)
    return [attempt for attempt in ended if attempt["outcome"] not in AGAIN_OUTCOMES]


def _tokens(attempt: Row) -> int | None:
    if attempt["total_tokens"] is not None:
        return int(attempt["total_tokens"])
    parts = (attempt["input_tokens"], attempt["output_tokens"])
    return None if None in parts else sum(parts)


def _more(attempt: Row) -> int | None:
    """Return the continuations of an attempt; None in a journal that was written before they were counted."""
    parts = attempt.get("parts")
    return None if parts is None else max(0, int(parts) - 1)


def _sources(ended: Sequence[Row], name: str) -> str | None:
    return "+".join(sorted({attempt[name] for attempt in ended} - {None})) or None


def cell_row(
    planned: PlannedCell, ended: Sequence[Row], started: int, sandbox: str | None, *, finished: bool
) -> Row:
    """Return a cell's row from its ended attempts (as `evidence_json`), in order; see `_measured` for its measures.

    `started` counts the interrupted ones too. A cell that never finished is `interrupted`; `sandbox`
    is then the run's.
    """
    last: Row = ended[-1] if ended and finished else {}
    streams = last.get("streams", {})
    outcome = last.get("outcome", "interrupted")
    measured = _measured(ended, outcome)
    total = _known_total if outcome in AGAIN_OUTCOMES else _total
    return signed_row(
        "cells",
        {
            **{
                name: getattr(planned, name)
                for name in ("cell", "key", "question", "repo", "arm", "agent", "model")
            },
            "class": planned.question_class,
            "rep": planned.rep,
            "order": planned.order,
            "outcome": outcome,
            "failed": outcome in FINAL_FAILURES,
            "void": outcome in VOID_OUTCOMES,
            "attempts": started,
            "wall_s": sum(attempt["wall_s"] for attempt in measured),
            **{
                name: total(measured, name)
                for name in ("cpu_s", "input_tokens", "output_tokens", "cost_usd", "tool_calls")
            },
            "total_tokens": total([{"tokens": _tokens(attempt)} for attempt in measured], "tokens"),
            "token_source": _sources(measured, "token_source"),
            "cost_source": _sources(measured, "cost_source"),
            "changed_files": last.get("changed_files"),
            "answer": last.get("answer"),
            "stdout_bytes": streams.get("stdout", {}).get("total_bytes", 0),
            "stderr_bytes": streams.get("stderr", {}).get("total_bytes", 0),
            "sandbox": last.get("sandbox", sandbox),
            "continuations": total([{"more": _more(attempt)} for attempt in measured], "more"),
            "prepare_s": _known_total(measured, "prepare_s"),
            "check_failed": last.get("check_failed"),
        },
    )


def attempt_row(evidence: Row) -> Row:
    """Return the row of an attempt that ended."""
    digests = {name: stream["sha256"] for name, stream in evidence["streams"].items()}
    own = {f"{name}_sha256": digests.pop(name) for name in ("stdout", "stderr")}
    redactions = evidence.get("redactions")
    further = {
        "kept": canonical_json(digests).decode() if digests else None,
        "redactions": None if redactions is None else canonical_json(redactions).decode(),
    }
    return signed_row("attempts", {**evidence, **own, **further})


def interrupted_row(cell: str, attempt: int, started_at: str) -> Row:
    """Return the row of an attempt whose writer died before it ended: what it cost is unknown, not zero."""
    return signed_row(
        "attempts",
        {
            "cell": cell,
            "attempt": attempt,
            "outcome": "interrupted",
            "started_at": started_at,
            "stragglers": 0,
            "detail": "the program ended before the attempt did",
        },
    )


def grade_row(evidence: Row, grade: Row, generation: int = 1) -> Row:
    """Return the row of a grade. A failed cell scores 0 whatever its answer would have got; the facts stay."""
    score = 0.0 if evidence["outcome"] in FINAL_FAILURES else grade["score"]
    facts = json.dumps(grade["facts"], ensure_ascii=False, separators=(",", ":"))
    return signed_row(
        "grades",
        {**grade, "cell": evidence["cell"], "generation": generation, "score": score, "facts": facts},
    )


def transcript_rows(evidence: Row) -> tuple[Row, ...]:
    """Return what an attempt wrote: one row a stream."""
    key = {"cell": evidence["cell"], "attempt": evidence["attempt"]}
    return tuple(
        signed_row("transcripts", {**key, "stream": name, **stream})
        for name, stream in sorted(evidence["streams"].items())
    )
