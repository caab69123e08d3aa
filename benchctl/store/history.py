"""What the journals of one run say: which attempts started and ended, which cells are finished.

Holds names and places only; transcripts and answers stay on the disk until a row is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchctl.errors import StoreDamagedError, Where
from benchctl.store.journal import Place, journals, lines_after_damage, read_line, read_valid_prefix
from benchctl.store.rows import attempt_row, cell_row, grade_row, interrupted_row, transcript_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from benchctl.schema.run import PlannedCell, RunRecord
    from benchctl.store.rows import Row

__all__ = ["History", "read_history", "refuse_damage"]


class History:
    """The state of a run as of its journals.

    `starts` is cell -> attempt -> instant; `ends` cell -> attempt -> where its evidence stands;
    `finished` cell -> where its last evidence and its grade stand; `gold` question -> items;
    `record_digests` what each journal says of run.json.
    """

    def __init__(self) -> None:
        self.starts: dict[str, dict[int, str]] = {}
        self.ends: dict[str, dict[int, Place]] = {}
        self.finished: dict[str, Place] = {}
        self.gold: dict[str, tuple[str, ...]] = {}
        self.record_digests: set[str] = set()

    def apply(self, event: Mapping[str, Any], place: Place) -> None:
        """Take in one event. Kinds of a later version are passed over."""
        match event["event"]:
            case "open":
                self.record_digests.add(event["record"])
            case "start":
                self.starts.setdefault(event["cell"], {})[event["attempt"]] = event["started_at"]
            case "end":
                evidence = event["evidence"]
                self.ends.setdefault(evidence["cell"], {})[evidence["attempt"]] = place
                if event["grade"] is not None:
                    self.finished[evidence["cell"]] = place
            case "gold":
                self.gold[event["question"]] = tuple(event["items"])

    def running(self) -> Iterator[tuple[str, int, str]]:
        """Yield (cell, attempt, started_at) of each unfinished cell's last attempt that has not ended."""
        for cell, started in self.starts.items():
            attempt = max(started)
            if cell not in self.finished and attempt not in self.ends.get(cell, {}):
                yield cell, attempt, started[attempt]

    def rows(self, record: RunRecord, *, closing: bool) -> Iterator[tuple[str, Row]]:
        """Yield (table, row) cell by cell in the recorded order.

        While a run is open (`closing` false) an unfinished cell has no row, and its last attempt none
        until it has ended: it may be running. When the run closes, it is `interrupted`.
        """
        for planned in sorted(record.cells, key=lambda cell: cell.order):
            if planned.cell in self.starts:
                yield from self._rows_of(planned, record.sandbox, closing=closing)

    def _rows_of(self, planned: PlannedCell, sandbox: str, *, closing: bool) -> Iterator[tuple[str, Row]]:
        cell, started = planned.cell, self.starts[planned.cell]
        finished, places = cell in self.finished, self.ends.get(planned.cell, {})
        ended: list[Row] = []
        for attempt in sorted(started):
            if attempt in places:
                event = read_line(places[attempt])
                evidence = event["evidence"]
                yield "attempts", attempt_row(evidence)
                for row in transcript_rows(evidence):
                    yield "transcripts", row
                if event["grade"] is not None:
                    yield "grades", grade_row(evidence, event["grade"])
                ended.append({**evidence, "streams": _without_text(evidence["streams"])})
            elif closing or finished or attempt < max(started):
                yield "attempts", interrupted_row(cell, attempt, started[attempt])
        if closing or finished:
            yield "cells", cell_row(planned, ended, len(started), sandbox, finished=finished)

    def outcomes(self) -> dict[str, str]:
        """Return the outcome of each finished cell."""
        return {cell: str(read_line(place)["evidence"]["outcome"]) for cell, place in self.finished.items()}


def _without_text(streams: Mapping[str, Row]) -> dict[str, Row]:
    return {
        name: {key: value for key, value in stream.items() if key != "text"}
        for name, stream in streams.items()
    }


def read_history(folder: Path) -> History:
    """Return the history of a journal folder; of a living writer, as of now.

    Raises FileNotFoundError where the run is closed meanwhile, StoreDamagedError for an event that is none.
    """
    history = History()
    for path in journals(folder):
        for line in read_valid_prefix(path):
            try:
                history.apply(line.event, line.place)
            except (KeyError, TypeError, AttributeError) as error:
                raise StoreDamagedError(
                    f"the event at byte {line.place.offset} is not one that a writer notes",
                    where=Where(str(path)),
                    next_step="restore the file from a copy; nothing has been changed",
                ) from error
    return history


def refuse_damage(folder: Path) -> None:
    """Raise StoreDamagedError where a journal was damaged otherwise than by a writer's death.

    Dropping what stands behind such a line would lose acknowledged results without a word.
    """
    for path in journals(folder):
        damaged, following = lines_after_damage(path)
        if following:
            raise StoreDamagedError(
                f"line {damaged} fails its checksum and {following} sound lines follow it",
                where=Where(str(path), damaged),
                expected="at most the last line torn, as a dying process leaves it",
                next_step="restore the file from a copy; nothing has been changed",
            )
