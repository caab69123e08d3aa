"""What a suite says that its agents report and that came in no cell: a pointer that nobody noticed to be mistaken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchctl.store.reader import StoredRun

__all__ = ["never_reported"]

_OF_CELLS = ("input_tokens", "output_tokens", "total_tokens", "cost_usd", "tool_calls")


def never_reported(run: StoredRun) -> tuple[str, ...]:
    """Return each figure and session that `reply` names and no cell has, by its place in the suite.

    Of an agent none of whose cells ended well nothing is said: nothing is expected of those that were ended.
    """
    cells = [row for row in run.cells() if row["outcome"] == "ok"]
    good = {row["cell"]: row["agent"] for row in cells}
    sessions = [
        {"agent": good[row["cell"]], "session": row["session"]}
        for row in run.rows("attempts")
        if row["cell"] in good
    ]
    return tuple(_lost(run.record.agents, cells, sessions))


def _lost(
    agents: Mapping[str, Mapping[str, Any]],
    cells: Iterable[Mapping[str, Any]],
    sessions: Iterable[Mapping[str, Any]],
) -> Iterator[str]:
    for name, spec in agents.items():
        reply = spec.get("reply") or {}
        for field in (*_OF_CELLS, "session"):
            rows = [row for row in (sessions if field == "session" else cells) if row["agent"] == name]
            if reply.get(field) is not None and rows and all(row[field] is None for row in rows):
                yield f"agents.{name}.reply.{field} = {reply[field]!r}"
