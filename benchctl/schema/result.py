"""The stored rows: every column with its type, its unit, who reports it and what null means.

SCHEMA_VERSION and its history:

1. 2026-11: the first schema.
2. 2026-12: `voids` and `backfills`, the files of later generations; imported runs, in which every
   standard column that no source column was mapped to is null.
3. 2026-12: of a cell its continuations, its preparation and its check; of an attempt its parts, the cap that
   ended it, what the host and the network did meanwhile, what was redacted, and the streams kept beside;
   `baselines`, the empty runs from which a floor of tokens is taken.

Columns are only ever appended; a file written before a column existed reads as that
column's declared default. `tests/schema/` holds the list of each version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["SCHEMA_VERSION", "TABLES", "VIEWS", "Column", "ColumnType"]

SCHEMA_VERSION = 3

ColumnType = Literal["VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `unit` is None for a name, a flag or a count; `null` says what null means (empty: never null).

    `default` is what a file from before `since` reads as, as a SQL literal.
    """

    name: str
    type: ColumnType
    meaning: str
    unit: str | None = None
    null: str = ""
    since: int = 1
    default: str = "NULL"


_IDENTITY = (Column("cell", "VARCHAR", "The cell's name inside its run: question/arm/agent/model/rep."),)

_CELLS = (
    *_IDENTITY,
    Column("key", "VARCHAR", "Digest of everything whose change would make this another cell."),
    Column("question", "VARCHAR", "The question's id."),
    Column("class", "VARCHAR", "The question's class."),
    Column("repo", "VARCHAR", "The repository the question is asked about."),
    Column("arm", "VARCHAR", "The way of answering."),
    Column("agent", "VARCHAR", "The agent's id in the suite."),
    Column("model", "VARCHAR", "The model asked for; `none` where there is none."),
    Column("rep", "BIGINT", "The repetition, from 1."),
    Column("order", "BIGINT", "The cell's place in the recorded order, from 0."),
    Column("outcome", "VARCHAR", "How the last attempt ended; the words are in the guide."),
    Column("failed", "BOOLEAN", "Whether the outcome counts against the arm."),
    Column("void", "BOOLEAN", "Whether the cell says nothing about the arm and leaves every denominator."),
    Column("attempts", "BIGINT", "How many attempts were started, interrupted ones included."),
    Column(
        "wall_s",
        "DOUBLE",
        "Seconds from start to exit, summed over its attempts without those that the machine ended.",
        "s",
    ),
    Column("cpu_s", "DOUBLE", "Processor seconds of the same.", "s", "the system did not say"),
    Column("input_tokens", "BIGINT", "Input tokens, cache reads included.", "tokens", "nobody reported them"),
    Column("output_tokens", "BIGINT", "Output tokens.", "tokens", "nobody reported them"),
    Column("total_tokens", "BIGINT", "Input and output tokens.", "tokens", "nobody reported them"),
    Column("cost_usd", "DOUBLE", "Dollars, as the agent reports them.", "USD", "nobody reported them"),
    Column("token_source", "VARCHAR", "Who reported the tokens.", None, "nobody"),
    Column("cost_source", "VARCHAR", "Who reported the dollars.", None, "nobody"),
    Column("tool_calls", "BIGINT", "Tool calls the agent made.", None, "the agent does not say"),
    Column("changed_files", "BIGINT", "Files of the tree that differ after the cell.", None, "not compared"),
    Column("answer", "VARCHAR", "The answer as given.", None, "no answer"),
    Column("stdout_bytes", "BIGINT", "Bytes the last attempt wrote to standard output.", "B"),
    Column("stderr_bytes", "BIGINT", "Bytes the last attempt wrote to standard error.", "B"),
    Column("sandbox", "VARCHAR", "The containment level the cell ran under."),
    Column("row_digest", "VARCHAR", "sha256 of the row's canonical form without this column."),
    Column(
        "continuations",
        "BIGINT",
        "How many more turns its sessions got, in the same attempts.",
        None,
        "not recorded",
        since=3,
    ),
    Column(
        "prepare_s",
        "DOUBLE",
        "Seconds its preparation took, outside of its clock, in the same attempts.",
        "s",
        "nothing was to be prepared",
        since=3,
    ),
    Column(
        "check_failed",
        "BOOLEAN",
        "Whether the suite's check of the last attempt failed.",
        None,
        "there was none",
        since=3,
    ),
)

_LOST = "it was interrupted with the program, or not recorded"
_UNSAID = "the system did not say"

_ATTEMPTS = (
    *_IDENTITY,
    Column("attempt", "BIGINT", "The attempt, from 1."),
    Column("outcome", "VARCHAR", "How it ended."),
    Column("started_at", "VARCHAR", "When it started, UTC, ISO 8601."),
    Column(
        "ended_at", "VARCHAR", "When it ended, UTC, ISO 8601.", None, "it was interrupted with the program"
    ),
    Column("wall_s", "DOUBLE", "Seconds from start to exit.", "s", "it was interrupted with the program"),
    Column("cpu_s", "DOUBLE", "Processor seconds.", "s", "not measured"),
    Column(
        "exit_code",
        "BIGINT",
        "The exit status; 128 + its number for a signal.",
        None,
        "it did not exit by itself",
    ),
    Column("input_tokens", "BIGINT", "Input tokens.", "tokens", "nobody reported them"),
    Column("output_tokens", "BIGINT", "Output tokens.", "tokens", "nobody reported them"),
    Column("cost_usd", "DOUBLE", "Dollars.", "USD", "nobody reported them"),
    Column(
        "stragglers", "BIGINT", "Processes that were still alive when the agent had exited, and were ended."
    ),
    Column("stdout_sha256", "VARCHAR", "sha256 of every byte of standard output.", None, "interrupted"),
    Column("stderr_sha256", "VARCHAR", "sha256 of every byte of standard error.", None, "interrupted"),
    Column("detail", "VARCHAR", "What else is known about how it ended."),
    Column("row_digest", "VARCHAR", "sha256 of the row's canonical form without this column."),
    Column(
        "parts",
        "BIGINT",
        "How often the agent was started in it: once, and its continuations.",
        None,
        _LOST,
        since=3,
    ),
    Column(
        "total_s",
        "DOUBLE",
        "Seconds from its claim to its end, all that was outside of its clock included.",
        "s",
        _LOST,
        since=3,
    ),
    Column("cap", "VARCHAR", "The cap that ended it.", None, "none did", since=3),
    Column(
        "tool_calls", "BIGINT", "Tool calls the agent made in it.", None, "the agent does not say", since=3
    ),
    Column(
        "events",
        "BIGINT",
        "Events of its output, as its suite tells them.",
        None,
        "nothing counted them",
        since=3,
    ),
    Column("session", "VARCHAR", "The agent's own name for the session.", None, "it names none", since=3),
    Column(
        "pipes_held", "BOOLEAN", "Whether its output was still open when it had exited.", None, _LOST, since=3
    ),
    Column("max_gap_s", "DOUBLE", "The longest time its supervisor was late.", "s", _LOST, since=3),
    Column("suspended_s", "DOUBLE", "How long the machine slept meanwhile.", "s", _UNSAID, since=3),
    Column("clock_drift_s", "DOUBLE", "How far the wall clock was set meanwhile.", "s", _LOST, since=3),
    Column(
        "stalled_cpu_s",
        "DOUBLE",
        "How long some process of the machine waited for a processor meanwhile.",
        "s",
        _UNSAID,
        since=3,
    ),
    Column("stalled_io_s", "DOUBLE", "The same for input and output.", "s", _UNSAID, since=3),
    Column("stalled_memory_s", "DOUBLE", "The same for memory.", "s", _UNSAID, since=3),
    Column(
        "network_refused", "BIGINT", "Connections that its proxy refused.", None, "it had no proxy", since=3
    ),
    Column(
        "redactions",
        "VARCHAR",
        "JSON object: how often each secret was taken out of what it wrote, by variable.",
        None,
        "there was no secret to look for",
        since=3,
    ),
    Column(
        "kept",
        "VARCHAR",
        "JSON object: sha256 of each further stream that is kept of it, by name.",
        None,
        "none is",
        since=3,
    ),
)

_GRADES = (
    *_IDENTITY,
    Column("generation", "BIGINT", "The grading generation, from 1; the newest is the default."),
    Column("grader", "VARCHAR", "The grader's name."),
    Column("score", "DOUBLE", "The score, from 0 to 1; 0 for a failed cell.", "fraction"),
    Column("answered", "BOOLEAN", "Whether there was an answer that could be read."),
    Column(
        "precision", "DOUBLE", "Share of answered items that are gold.", "fraction", "nothing was answered"
    ),
    Column(
        "recall",
        "DOUBLE",
        "Share of gold items that were answered.",
        "fraction",
        "the grader has no gold list",
    ),
    Column("answer_items", "BIGINT", "Distinct items answered.", None, "the grader counts no items"),
    Column("gold_items", "BIGINT", "Items of the gold list.", None, "the grader counts no items"),
    Column("hit_items", "BIGINT", "Answered items that are gold.", None, "the grader counts no items"),
    Column("facts", "VARCHAR", "JSON list of {id, state, note}: what was looked for or found."),
    Column("note", "VARCHAR", "The grader's own words."),
    Column("row_digest", "VARCHAR", "sha256 of the row's canonical form without this column."),
)

_TRANSCRIPTS = (
    *_IDENTITY,
    Column("attempt", "BIGINT", "The attempt."),
    Column(
        "stream",
        "VARCHAR",
        "`stdout`, `stderr`, or what else is kept: `diff`, `network`, `prepare`, `check`.",
    ),
    Column("text", "VARCHAR", "What was kept: head and tail where the caps cut it."),
    Column("total_bytes", "BIGINT", "Bytes written.", "B"),
    Column("dropped_bytes", "BIGINT", "Bytes not kept.", "B"),
    Column("sha256", "VARCHAR", "sha256 of every byte written."),
)

_TOOL_CALLS = (
    *_IDENTITY,
    Column("attempt", "BIGINT", "The attempt."),
    Column("index", "BIGINT", "The call's place in the attempt, from 0."),
    Column("tool", "VARCHAR", "The tool's name."),
    Column("ok", "BOOLEAN", "Whether it succeeded.", None, "the agent does not say"),
)

_GENERATION = Column("generation", "BIGINT", "The manifest generation that brought the row, from 2.", since=2)
_NOTED = (
    Column("why", "VARCHAR", "Why, in the words of whoever did it.", since=2),
    Column("noted_at", "VARCHAR", "When it was noted, UTC, ISO 8601.", since=2),
    Column("row_digest", "VARCHAR", "sha256 of the row's canonical form without this column.", since=2),
)

_VOIDS = (
    Column("cell", "VARCHAR", "The cell that is voided, or no longer.", since=2),
    _GENERATION,
    Column("void", "BOOLEAN", "Whether the cell is void from here on.", since=2),
    *_NOTED,
)

_BACKFILLS = (
    Column("cell", "VARCHAR", "The cell whose usage arrived late.", since=2),
    _GENERATION,
    Column("input_tokens", "BIGINT", "Input tokens.", "tokens", "nobody reported them", since=2),
    Column("output_tokens", "BIGINT", "Output tokens.", "tokens", "nobody reported them", since=2),
    Column("total_tokens", "BIGINT", "Input and output tokens.", "tokens", "nobody reported them", since=2),
    Column("cost_usd", "DOUBLE", "Dollars.", "USD", "nobody reported them", since=2),
    Column("token_source", "VARCHAR", "Who reported the tokens.", None, "nobody", since=2),
    Column("cost_source", "VARCHAR", "Who reported the dollars.", None, "nobody", since=2),
    *_NOTED,
)

_BASELINES = (
    Column("cell", "VARCHAR", "The probe's name: baseline/arm/agent/model/number.", since=3),
    Column("generation", "BIGINT", "The manifest generation that brought the row, from 1.", since=3),
    Column("arm", "VARCHAR", "The way of answering whose floor it measures.", since=3),
    Column("agent", "VARCHAR", "The agent's id in the suite.", since=3),
    Column("model", "VARCHAR", "The model asked for; `none` where there is none.", since=3),
    Column("probe", "BIGINT", "The probe's number among those of its way of answering, from 1.", since=3),
    Column("outcome", "VARCHAR", "How it ended; one that is not `ok` measures no floor.", since=3),
    Column("started_at", "VARCHAR", "When it started, UTC, ISO 8601.", since=3),
    Column("wall_s", "DOUBLE", "Seconds from start to exit.", "s", since=3),
    Column(
        "input_tokens",
        "BIGINT",
        "Input tokens of the empty question.",
        "tokens",
        "nobody reported them",
        since=3,
    ),
    Column("output_tokens", "BIGINT", "Output tokens.", "tokens", "nobody reported them", since=3),
    Column("total_tokens", "BIGINT", "Input and output tokens.", "tokens", "nobody reported them", since=3),
    Column("cost_usd", "DOUBLE", "Dollars.", "USD", "nobody reported them", since=3),
    Column("token_source", "VARCHAR", "Who reported the tokens.", None, "nobody", since=3),
    Column("cost_source", "VARCHAR", "Who reported the dollars.", None, "nobody", since=3),
    Column("post_hoc", "BOOLEAN", "Whether it was begun after the first cell was.", since=3),
    Column("row_digest", "VARCHAR", "sha256 of the row's canonical form without this column.", since=3),
)

TABLES: dict[str, tuple[Column, ...]] = {
    "cells": _CELLS,
    "attempts": _ATTEMPTS,
    "grades": _GRADES,
    "transcripts": _TRANSCRIPTS,
    "tool_calls": _TOOL_CALLS,
    "voids": _VOIDS,
    "backfills": _BACKFILLS,
    "baselines": _BASELINES,
}
"""What is stored, file by file."""

_OF_GRADE = ("score", "answered", "precision", "recall", "answer_items", "gold_items", "hit_items")

_OF_BASELINE = (
    Column(
        "floor_tokens",
        "DOUBLE",
        "Median input tokens of the empty runs of its way of answering.",
        "tokens",
        "none was measured by the source that counted the cell's",
        since=3,
    ),
    Column(
        "content_tokens",
        "DOUBLE",
        "Input tokens above the floor, and output tokens.",
        "tokens",
        "its tokens or its floor were not measured, or by different sources",
        since=3,
    ),
)

VIEWS: dict[str, tuple[Column, ...]] = {
    "cells": (
        Column("run", "VARCHAR", "The run's id."),
        *(column for column in _CELLS if column.name != "row_digest" and column.since < 3),
        *(column for column in _GRADES if column.name in _OF_GRADE),
        Column("void_why", "VARCHAR", "Why the cell was voided after the run.", None, "it was not", since=2),
        *(column for column in _CELLS if column.since >= 3),
        *_OF_BASELINE,
    ),
    **{
        name: (Column("run", "VARCHAR", "The run's id."), *columns)
        for name, columns in TABLES.items()
        if name != "cells"
    },
}
"""What a query sees: `cells` is one row a cell with its newest grade, voids and late usage counted in."""
