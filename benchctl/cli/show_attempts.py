"""What happened in the attempts of a cell, and what each of them wrote, for `benchctl show`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchctl.cli.console import put, tell
from benchctl.errors import OptionInvalidError
from benchctl.quantities.format import counted
from benchctl.report.escaping import visible

if TYPE_CHECKING:
    from benchctl.store.reader import StoredRun

__all__ = ["attempt_lines", "put_stream"]

_Row = dict[str, Any]


def attempt_lines(attempts: Sequence[_Row], transcripts: Sequence[_Row]) -> Iterator[str]:
    """Yield for each attempt what its table does not say: caps, parts, session, what was refused and taken out, its streams."""
    for attempt in attempts:
        number = attempt["attempt"]
        streams = [
            f"{each['stream']} {each['total_bytes']:,} B" + (" (cut)" if each["dropped_bytes"] else "")
            for each in transcripts
            if each["attempt"] == number and each["total_bytes"]
        ]
        facts = [*_facts(attempt), *([f"streams: {', '.join(streams)}"] if streams else [])]
        if facts:
            yield "\n    ".join([f"  attempt {number}", *(visible(fact) for fact in facts)])


def put_stream(run: StoredRun, cell: str, stream: str, attempt: int | None) -> None:
    """Print one stream of a cell as it was kept, of the last attempt that has it. Raises OptionInvalidError where none has."""
    rows = run.transcripts(cell)
    found = [
        row for row in rows if row["stream"] == stream and (attempt is None or row["attempt"] == attempt)
    ]
    if not found:
        of = "" if attempt is None else f" in attempt {attempt}"
        there = ", ".join(f"{row['stream']} (attempt {row['attempt']})" for row in rows if row["total_bytes"])
        raise OptionInvalidError(
            f"cell {cell} has no stream {stream!r}{of}", expected=f"one of {there}" if there else None
        )
    row = max(found, key=lambda each: each["attempt"])
    put(row["text"], end="", exact=True)
    if row["dropped_bytes"]:
        tell(f"{row['dropped_bytes']:,} of {row['total_bytes']:,} bytes were not kept")


def _facts(attempt: _Row) -> Iterator[str]:
    from benchctl.store.disk.untrusted import parse_json

    if attempt["cap"]:
        yield f"ended by caps.{attempt['cap']}"
    if attempt["parts"] is not None and attempt["parts"] != 1:
        turns = counted(max(0, attempt["parts"] - 1), "continuation")
        yield f"{turns} of its session" if attempt["parts"] else "the agent was not started"
    if attempt["session"]:
        yield f"session {attempt['session']}"
    if attempt["network_refused"] is not None:
        yield f"{counted(attempt['network_refused'], 'connection')} refused by its proxy"
    if attempt["redactions"] is not None:
        taken = parse_json(attempt["redactions"])
        each = ", ".join(f"{name} {times} ×" for name, times in sorted(taken.items()))
        yield f"taken out of what it wrote: {each or 'nothing'}"
    if attempt["stragglers"]:
        yield f"{counted(attempt['stragglers'], 'straggler')} ended after it"
