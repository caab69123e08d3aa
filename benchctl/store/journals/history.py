"""What the journals of one run say: which attempts started and ended, which cells are finished.

Holds names and places only; transcripts and answers stay on the disk until a row is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchctl.errors import StoreDamagedError, StoreNewerError, Where
from benchctl.schema.evidence import AGAIN_OUTCOMES
from benchctl.store.disk.rows import (
    attempt_row,
    cell_row,
    grade_row,
    interrupted_row,
    signed_row,
    transcript_rows,
)
from benchctl.store.journals.journal import JOURNAL_SCHEMA, number_of
from benchctl.store.journals.lines import Line, Place, read_line, read_texts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from benchctl.schema.run import PlannedCell, RunRecord
    from benchctl.store.disk.rows import Row

__all__ = ["FOLDED_TABLES", "History"]

FOLDED_TABLES = ("cells", "attempts", "grades", "transcripts")
"""The tables whose rows the journals hold."""


@dataclass(slots=True)
class _Probed:
    """The tries of one empty run: how many were begun, and what those cost that the machine undid."""

    agent: str
    begun: int = 0
    void: list[float | None] = field(default_factory=list)


class History:
    """The state of a run as of its journals.

    `starts` is cell -> attempt -> instant; `ends` cell -> attempt -> where its evidence stands;
    `started_in` cell -> the journal of the last start that was read; `finished` cell -> where its last
    evidence and its grade stand; `gold` question -> items; `baselines` the probes by their names; `record_digests` what each journal says of
    run.json.
    """

    def __init__(self) -> None:
        self.starts: dict[str, dict[int, str]] = {}
        self.ends: dict[str, dict[int, Place]] = {}
        self.started_in: dict[str, Path] = {}
        self.finished: dict[str, Place] = {}
        self.gold: dict[str, tuple[str, ...]] = {}
        self.baselines: dict[str, Row] = {}
        self.record_digests: set[str] = set()
        self._words: dict[Path, str | None] = {}
        self._outcomes: dict[str, str] = {}
        self._costs: dict[str, dict[int, float]] = {}
        self._gapped: set[str] = set()
        self._silent: set[tuple[str, int]] = set()
        self._probes: dict[str, _Probed] = {}
        self.least_usd = 0.0

    def apply(self, event: Mapping[str, Any], place: Place) -> None:
        """Take in one event. Kinds of a later version are passed over, a journal of one is a StoreNewerError.

        Raises StoreDamagedError for an event that is none.
        """
        try:
            self._apply(event, place)
        except (KeyError, TypeError, AttributeError) as error:
            raise StoreDamagedError(
                f"the event at byte {place.offset} is not one that a writer notes",
                where=Where(str(place.path)),
                next_step="restore the file from a copy; nothing has been changed",
            ) from error

    def _apply(self, event: Mapping[str, Any], place: Place) -> None:
        match event["event"]:
            case "open":
                _refuse_newer(event, place)
                self.record_digests.add(event["record"])
                self._words[place.path] = None
            case "start":
                started = self.starts.setdefault(event["cell"], {})
                started[event["attempt"]] = event["started_at"]
                last = max(started)
                if event["attempt"] == last:
                    self.started_in[event["cell"]] = place.path
                # Kept as it goes: who shares a run asks for gaps at every claim.
                (self._gapped.discard if len(started) == last else self._gapped.add)(event["cell"])
            case "end":
                self._end(_evidence(event), place, finished=event["grade"] is not None)
            case "gold":
                self.gold[event["question"]] = tuple(event["items"])
            case "stop":
                self._words[place.path] = str(event["why"])
            case "probe":
                probed = self._probes.setdefault(event["cell"], _Probed(event["agent"]))
                probed.begun += 1
            case "probe_void":
                self._probes[event["cell"]].void.append(event["cost_usd"])
            case "baseline":
                self.baselines.setdefault(event["probe"]["cell"], event["probe"])

    def _end(self, evidence: Row, place: Place, *, finished: bool) -> None:
        cell = evidence["cell"]
        self.ends.setdefault(cell, {})[evidence["attempt"]] = place
        cost = evidence.get("cost_usd")
        if cost is not None:
            self._costs.setdefault(cell, {})[evidence["attempt"]] = float(cost)
        elif evidence["outcome"] not in AGAIN_OUTCOMES:
            self._silent.add((cell, evidence["attempt"]))
        self.least_usd = max(self.least_usd, evidence.get("least_cost_usd") or 0.0)
        if finished:
            self.finished[cell] = place
            self._outcomes[cell] = str(evidence["outcome"])

    def gaps(self) -> Iterator[tuple[str, int]]:
        """Yield (cell, attempt) of each attempt that no journal read so far has started, though later ones were."""
        for cell in sorted(self._gapped):
            yield cell, min(set(range(1, max(self.starts[cell]))) - self.starts[cell].keys())

    def running(self) -> Iterator[tuple[str, int, str]]:
        """Yield (cell, attempt, started_at) of each unfinished cell's last attempt that has not ended."""
        for cell, started in self.starts.items():
            attempt = max(started)
            if cell not in self.finished and attempt not in self.ends.get(cell, {}):
                yield cell, attempt, started[attempt]

    @property
    def stopped(self) -> str | None:
        """Return why the run was left, in the words of whoever left it last; None where that one said nothing.

        A writer that had no more to do says the empty word, and who came before it is asked.
        """
        words = [self._words[path] for path in sorted(self._words, key=number_of, reverse=True)]
        return next((word for word in words if word != ""), "" if words else None)

    def costs(self, cells: Collection[str], agents: Collection[str]) -> Iterator[float | None]:
        """Yield the dollars of each attempt that was begun, and of each empty run; see `Spent.of`.

        None is one of `cells`, or an empty run of one of `agents`, that did not say. Others that say nothing
        have no cost.
        """
        for cell, started in self.starts.items():
            known = self._costs.get(cell, {})
            for attempt in started:
                if attempt in known or cell in cells:
                    yield known.get(attempt)
        rows = {name: (probe["agent"], probe["cost_usd"]) for name, probe in self.baselines.items()}
        begun = {name: (probed.agent, *probed.void) for name, probed in self._probes.items()}
        for name in sorted({*rows, *begun}):
            agent, *ended = begun.get(name, rows.get(name, ("",))[:1])
            ended += rows.get(name, ())[1:]
            lost = max(0, self._probes[name].begun - len(ended)) if name in begun else 0
            yield from (cost for cost in (*ended, *[None] * lost) if cost is not None or agent in agents)

    def silent(self, cells: Collection[str], agents: Collection[str]) -> int:
        """Return how many attempts of `cells`, and empty runs of `agents`, are over and did not say what they cost.

        What the host ended is not among them: it may not have had the time.
        """
        probes = (probe for probe in self.baselines.values() if probe["cost_usd"] is None)
        return sum(cell in cells for cell, _ in self._silent) + sum(one["agent"] in agents for one in probes)

    def outcomes(self) -> dict[str, str]:
        """Return the outcome of each finished cell."""
        return dict(self._outcomes)

    def rows(
        self,
        record: RunRecord,
        *,
        closing: bool,
        tables: Collection[str] = FOLDED_TABLES,
        cell: str | None = None,
    ) -> Iterator[tuple[str, Row]]:
        """Yield (table, row) of the tables asked for, cell by cell in the recorded order; of one cell where it is named.

        While a run is open (`closing` false) an unfinished cell has no row, and its last attempt none
        until it has ended: it may be running. When the run closes, it is `interrupted`.
        """
        for planned in sorted(record.cells, key=lambda each: each.order):
            if planned.cell in self.starts and cell in (None, planned.cell):
                for table, row in self._rows_of(
                    planned, record.sandbox, closing=closing, texts="transcripts" in tables
                ):
                    if table in tables:
                        yield table, row
        if "baselines" in tables and cell is None:
            yield from (
                ("baselines", signed_row("baselines", {**row, "generation": 1, "post_hoc": self._late(row)}))
                for _, row in sorted(self.baselines.items())
            )

    def _late(self, probe: Row) -> bool:
        """Return whether an empty run was begun after the first cell was: its results may have been known by then."""
        begun = min((at for started in self.starts.values() for at in started.values()), default=None)
        return begun is not None and str(probe["started_at"]) > begun

    def _rows_of(
        self, planned: PlannedCell, sandbox: str | None, *, closing: bool, texts: bool
    ) -> Iterator[tuple[str, Row]]:
        cell, started = planned.cell, self.starts[planned.cell]
        finished, places = cell in self.finished, self.ends.get(planned.cell, {})
        ended: list[Row] = []
        for attempt in sorted(started):
            if attempt in places:
                line = Line(places[attempt], read_line(places[attempt]))
                evidence = _evidence(line.event)
                yield "attempts", attempt_row(evidence)
                if texts:
                    yield from (("transcripts", row) for row in transcript_rows(_with_texts(line)))
                if line.event["grade"] is not None:
                    yield "grades", grade_row(evidence, line.event["grade"])
                ended.append({**evidence, "streams": _without_text(evidence["streams"])})
            elif closing or finished or attempt < max(started):
                yield "attempts", interrupted_row(cell, attempt, started[attempt])
        if closing or finished:
            yield "cells", cell_row(planned, ended, len(started), sandbox, finished=finished)


def _refuse_newer(event: Mapping[str, Any], place: Place) -> None:
    if event.get("journal", 1) > JOURNAL_SCHEMA:
        raise StoreNewerError(
            f"a newer benchctl is collecting the run (journal schema {event['journal']})",
            where=Where(str(place.path)),
            expected=f"journals of schema {JOURNAL_SCHEMA} or older",
            next_step="update benchctl; nothing has been changed",
        )


def _evidence(event: Mapping[str, Any]) -> Row:
    """Return the evidence of an `end`: in a journal of schema 1 it holds the texts, and has another name."""
    evidence: Row = event["ended"] if "ended" in event else event["evidence"]
    return evidence


def _with_texts(line: Line) -> Row:
    evidence, texts = _evidence(line.event), read_texts(line)
    streams = {name: {**stream, "text": texts[name]} for name, stream in evidence["streams"].items() if texts}
    return {**evidence, "streams": streams or evidence["streams"]}


def _without_text(streams: Mapping[str, Row]) -> dict[str, Row]:
    return {
        name: {key: value for key, value in stream.items() if key != "text"}
        for name, stream in streams.items()
    }
