"""Whoever writes a run: takes its lock, appends events to a journal, and closes the run into Parquet."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Self

from benchctl.errors import (
    CellsUnfinishedError,
    JournalOrderError,
    RunBusyError,
    StoreDamagedError,
    Where,
)
from benchctl.schema.canonical import sha256_hex
from benchctl.schema.spent import Spent
from benchctl.store.disk.rows import evidence_json, grade_json, streams_of
from benchctl.store.journals.fellow_writers import Fellows, joining
from benchctl.store.journals.fold import fold
from benchctl.store.journals.journal import JOURNAL_SCHEMA, Journal
from benchctl.store.journals.lock import RunLock
from benchctl.store.writing.starting import closed, refuse_existing, resumable, withdraw, write_terms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path
    from types import TracebackType

    from benchctl.schema.evidence import Evidence
    from benchctl.schema.grade import Grade
    from benchctl.schema.run import RunRecord
    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.manifest import Manifest
    from benchctl.store.disk.rows import Row
    from benchctl.store.reader import Store

__all__ = ["RunWriter"]


class RunWriter:
    """A collector of an open run; use it as a context manager, which gives the lock back.

    It is the only one, unless it was made `shared`: then any number of processes may collect the run, each
    with a journal of its own, and take cells by `claim`. Leaving the context does not close the run: what
    was journalled stays, and `resume` goes on from there.
    """

    def __init__(self, layout: RunLayout, record: RunRecord, lock: RunLock, *, shared: bool = False) -> None:
        self._layout = layout
        self.record = record
        self._lock = lock
        self._planned = frozenset(cell.cell for cell in record.cells)
        self._paying: tuple[frozenset[str], frozenset[str]] | None = None
        self._fellows = Fellows(layout, shared=shared)
        written = sha256_hex(layout.record.read_bytes())
        if self._fellows.known.record_digests - {written}:
            raise StoreDamagedError(
                "the run record is not the one that the run was started with",
                where=Where(str(layout.record)),
                next_step="restore the file from a copy",
            )
        self._journal = Journal(layout.journal)
        self._fellows.join(self._journal.path)
        opening = {"event": "open", "record": written, "collector": asdict(lock.collector)}
        self._append({**opening, "journal": JOURNAL_SCHEMA})

    @classmethod
    def create(
        cls, store: Store, record: RunRecord, *, suite_text: str | None = None, shared: bool = False
    ) -> Self:
        """Start a new run: its record is on the disk before this returns. `suite_text` is kept as evidence.

        Raises StoreExistsError where the run exists with this plan (resume it), PlanDiffersError where it
        exists with another, RunBusyError where another process is collecting it.
        """
        layout = store.layout(record.run)
        layout.refuse_remote()
        refuse_existing(layout, record)
        with joining(layout, shared=shared):
            lock = RunLock(layout.lock, record.run, shared=shared)
            try:
                refuse_existing(layout, record)
                write_terms(layout, record, suite_text)
                return cls._joined(layout, record, lock, shared=shared)
            except BaseException:
                withdraw(layout)
                lock.release()
                raise

    @classmethod
    def resume(
        cls, store: Store, run_id: str, *, plan_digest: str | None = None, shared: bool = False
    ) -> Self:
        """Go on with an open run; with `plan_digest`, only if it was planned so.

        Attempts that a dead writer had started count as started and stay unended. Raises RunUnknownError,
        RunBusyError (where another process collects it and does not share it, or this one would not),
        PlanDiffersError, RunClosedError (after sweeping what a writer that died while closing has left),
        StoreDamagedError.
        """
        run = store.run(run_id)
        layout = run.layout
        layout.refuse_remote()
        if run.state == "closed" and not layout.journal.is_dir():
            raise closed(layout)
        with joining(layout, shared=shared):
            lock = RunLock(layout.lock, run_id, shared=shared)
            try:
                record = resumable(layout, plan_digest, alone=lock.alone)
                return cls._joined(layout, record, lock, shared=shared)
            except BaseException:
                lock.release()
                raise

    @classmethod
    def _joined(cls, layout: RunLayout, record: RunRecord, lock: RunLock, *, shared: bool) -> Self:
        writer = cls(layout, record, lock, shared=shared)
        if shared:
            lock.share()
        return writer

    @property
    def journal(self) -> Path:
        """Return this writer's journal, whose name tells it from all others that ever wrote the run."""
        return self._journal.path

    @property
    def dead(self) -> tuple[Path, ...]:
        """Return the journals of the writers that were dead when somebody looked last."""
        return self._fellows.dead

    @property
    def finished(self) -> frozenset[str]:
        """Return the cells that have a result, whichever writer journalled it."""
        return frozenset(self._fellows.history.finished)

    @property
    def outcomes(self) -> dict[str, str]:
        """Return the outcome of each finished cell."""
        return self._fellows.history.outcomes()

    def spent(self, paying: Collection[str]) -> Spent | None:
        """Return what the run has cost, other writers' attempts and empty runs included.

        `paying` are the agents that report costs: an attempt of theirs that did not is charged for.
        """
        if self._paying is None or self._paying[0] != frozenset(paying):
            cells = frozenset(cell.cell for cell in self.record.cells if cell.agent in paying)
            self._paying = frozenset(paying), cells
        history, cells = self._fellows.history, self._paying[1]
        most = max(self.record.caps.get("cost_usd") or 0.0, history.least_usd)
        return Spent.of(history.costs(cells, self._paying[0]), most, history.silent(cells, self._paying[0]))

    @property
    def unfinished(self) -> tuple[str, ...]:
        """Return the planned cells without a result, in the recorded order; others may be at some of them."""
        ordered, finished = sorted(self.record.cells, key=lambda cell: cell.order), self.finished
        return tuple(cell.cell for cell in ordered if cell.cell not in finished)

    def claim(self, cell: str, started_at: str) -> int | None:
        """Record, before anything is spent, that the next attempt of a cell starts, and return its number.

        It counts on after those of dead writers. None where nobody is to run the cell: it is finished, or
        another living writer is at it. Raises JournalOrderError where it is not planned.
        """
        with self._fellows.turn() as history:
            if self._taken(cell):
                return None
            attempt = max(history.starts.get(cell, {0: ""})) + 1
            self._append({"event": "start", "cell": cell, "attempt": attempt, "started_at": started_at})
            return attempt

    def end(self, evidence: Evidence) -> None:
        """Record an attempt that ended and after which the cell will be tried again."""
        self._end(evidence, None)

    def finish(self, evidence: Evidence, grade: Grade) -> None:
        """Record a cell's last attempt and its grade; once this returns, the result cannot be lost.

        Raises JournalOrderError where that attempt was not started by this writer or has ended, or the cell
        is finished.
        """
        self._end(evidence, grade)

    def gold(self, question: str, items: Iterable[str]) -> None:
        """Record a question's answer key. The same key twice is fine; another is a JournalOrderError."""
        wanted = tuple(items)
        with self._fellows.turn() as history:
            known = history.gold.get(question)
            if known is None:
                self._append({"event": "gold", "question": question, "items": list(wanted)})
            elif known != wanted:
                raise JournalOrderError(f"question {question} has another answer key already")

    def stop(self, why: str) -> None:
        """Record why this writer leaves the run although it is open, for whoever finds it so; empty is "my part is done"."""
        self._append({"event": "stop", "why": why})

    def begin_probe(self, probe: str, agent: str, started_at: str) -> None:
        """Record, before anything is spent, that an empty run of this name is tried."""
        self._append({"event": "probe", "cell": probe, "agent": agent, "started_at": started_at})

    def void_probe(self, probe: str, cost_usd: float | None) -> None:
        """Record what a try cost that was begun and that the machine undid."""
        self._append({"event": "probe_void", "cell": probe, "cost_usd": cost_usd})

    def baseline(self, probe: Mapping[str, object]) -> None:
        """Record an empty run: the columns of `baselines` but its generation, `post_hoc` and digest.

        A probe that was recorded under this name stays as it is.
        """
        with self._fellows.turn() as history:
            if probe["cell"] not in history.baselines:
                self._append({"event": "baseline", "probe": dict(probe)})

    @property
    def baselines(self) -> dict[str, Row]:
        """Return the probes that were recorded, by their names."""
        return dict(self._fellows.history.baselines)

    def close(self, *, allow_unfinished: bool = False) -> Manifest:
        """Close the run for good and return its manifest; the writer is done then.

        Raises CellsUnfinishedError where planned cells have no result, unless `allow_unfinished`: a cell
        that was started then counts as `interrupted`, one that was not has no row and is named in
        `evidence/unstarted.json`. Raises RunBusyError where other writers share the run.
        """
        with self._fellows.turn():
            if self._fellows.alive():
                raise RunBusyError(
                    f"run {self.record.run} is still being collected by other processes",
                    next_step="the last of them closes it; `benchctl status` shows how far it is",
                )
            if (left := self.unfinished) and not allow_unfinished:
                raise CellsUnfinishedError(
                    f"{len(left)} of {len(self._planned)} planned cells of run {self.record.run} have no result,"
                    f" the first is {left[0]}",
                    next_step="resume the run, or close it as it is",
                )
            return self._fold()

    def leave(self) -> Manifest | None:
        """Be done with the run. The last writer closes it where nothing is unfinished; else None, and it stays open.

        Whoever is not the last is gone before another one looks, so that one of them is.
        """
        with self._fellows.turn():
            if not self._fellows.alive() and not self.unfinished:
                return self._fold()
            self.stop("")
            self._give_back()
            return None

    def _fold(self) -> Manifest:
        """Close the run; it is our turn, so nobody comes before that is done."""
        self._lock.take_alone()
        self._journal.close()
        manifest = fold(self._layout, self.record, self._fellows.known)
        self._lock.release()
        return manifest

    def _give_back(self) -> None:
        self._journal.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._give_back()

    def _taken(self, cell: str) -> str | None:
        """Return why a cell is not to be run, None where it is. Raises JournalOrderError where it is not planned."""
        if cell not in self._planned:
            raise JournalOrderError(f"cell {cell} is not planned", where=Where(str(self._layout.record)))
        if cell in self._fellows.known.finished:
            return "already finished"
        return "being run by another writer" if self._fellows.has(cell) else None

    def _end(self, evidence: Evidence, grade: Grade | None) -> None:
        known, cell, attempt = self._fellows.known, evidence.cell, evidence.attempt
        if attempt not in known.starts.get(cell, {}) or attempt in known.ends.get(cell, {}):
            raise JournalOrderError(f"attempt {attempt} of cell {cell} is not running")
        if taken := self._taken(cell):
            raise JournalOrderError(f"cell {cell} is {taken}")
        told = evidence_json(evidence, texts=False)
        graded = None if grade is None else grade_json(grade)
        texts = {name: stream.text for name, stream in streams_of(evidence).items()}
        self._append({"event": "end", "ended": told, "grade": graded}, texts)

    def _append(self, event: Mapping[str, object], texts: Mapping[str, str] | None = None) -> None:
        self._fellows.known.apply(event, self._journal.append(event, texts))
