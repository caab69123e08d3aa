"""The one who writes a run: takes its lock, appends events to a journal, and closes the run into Parquet."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Self

from benchctl.errors import (
    CellsUnfinishedError,
    JournalOrderError,
    PlanDiffersError,
    RunClosedError,
    StoreDamagedError,
    StoreExistsError,
    Where,
)
from benchctl.schema.canonical import sha256_hex
from benchctl.store.durable import create_once, unwritable
from benchctl.store.fold import fold, sweep_journal, sweep_unfinished_fold
from benchctl.store.history import read_history, refuse_damage
from benchctl.store.journal import Journal
from benchctl.store.lock import RunLock
from benchctl.store.reader import read_record
from benchctl.store.rows import evidence_json, grade_json
from benchctl.store.state import standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType

    from benchctl.schema.evidence import Evidence
    from benchctl.schema.grade import Grade
    from benchctl.schema.run import RunRecord
    from benchctl.store.layout import RunLayout
    from benchctl.store.manifest import Manifest
    from benchctl.store.reader import Store

__all__ = ["RunWriter", "record_bytes"]


def record_bytes(record: RunRecord) -> bytes:
    """Return the bytes of run.json: sorted and indented, so that people and git can read it."""
    data = record.model_dump(mode="json", by_alias=True)
    return (json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


class RunWriter:
    """The collector of one open run; use it as a context manager, which gives the lock back.

    Leaving the context does not close the run: what was journalled stays, and `resume` goes on from there.
    """

    def __init__(self, layout: RunLayout, record: RunRecord, lock: RunLock) -> None:
        self._layout = layout
        self.record = record
        self._lock = lock
        self._planned = frozenset(cell.cell for cell in record.cells)
        self._history = read_history(layout.journal)
        written = sha256_hex(layout.record.read_bytes())
        if self._history.record_digests - {written}:
            raise StoreDamagedError(
                "the run record is not the one that the run was started with",
                where=Where(str(layout.record)),
                next_step="restore the file from a copy",
            )
        self._journal = Journal(layout.journal)
        self._append({"event": "open", "record": written, "collector": asdict(lock.collector)})

    @classmethod
    def create(cls, store: Store, record: RunRecord, *, suite_text: str | None = None) -> Self:
        """Start a new run: its record is on the disk before this returns. `suite_text` is kept as evidence.

        Raises StoreExistsError where the run exists with this plan (resume it), PlanDiffersError where it
        exists with another, RunBusyError where another process is collecting it.
        """
        layout = store.layout(record.run)
        _refuse_existing(layout, record)
        lock = RunLock(layout.lock, record.run)
        try:
            _refuse_existing(layout, record)
            _write_terms(layout, record, suite_text)
            return cls(layout, record, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def resume(cls, store: Store, run_id: str, *, plan_digest: str | None = None) -> Self:
        """Go on with an open run; with `plan_digest`, only if it was planned so.

        Attempts that a dead writer had started count as started and stay unended. Raises RunUnknownError,
        RunBusyError, PlanDiffersError, RunClosedError (after sweeping what a writer that died while
        closing has left), StoreDamagedError.
        """
        run = store.run(run_id)
        layout = run.layout
        if run.state == "closed" and not layout.journal.is_dir():
            raise _closed(layout)
        lock = RunLock(layout.lock, run_id)
        try:
            return cls(layout, _resumable(layout, plan_digest), lock)
        except BaseException:
            lock.release()
            raise

    @property
    def finished(self) -> frozenset[str]:
        """Return the cells that have a result, whichever writer journalled it."""
        return frozenset(self._history.finished)

    @property
    def outcomes(self) -> dict[str, str]:
        """Return the outcome of each finished cell."""
        return self._history.outcomes()

    @property
    def unfinished(self) -> tuple[str, ...]:
        """Return the planned cells without a result, in the recorded order."""
        ordered = sorted(self.record.cells, key=lambda cell: cell.order)
        return tuple(cell.cell for cell in ordered if cell.cell not in self._history.finished)

    def attempts(self, cell: str) -> int:
        """Return how many attempts of a cell were started, interrupted ones included."""
        return max(self._history.starts.get(cell, {0: ""}))

    def start(self, cell: str, attempt: int, started_at: str) -> None:
        """Record, before anything is spent, that an attempt starts; `attempt` is `attempts(cell) + 1`.

        Raises JournalOrderError where the cell is not planned, is finished, or the number is another.
        """
        if cell not in self._planned:
            raise JournalOrderError(f"cell {cell} is not planned", where=Where(str(self._layout.record)))
        if cell in self._history.finished:
            raise JournalOrderError(f"cell {cell} is already finished")
        if attempt != self.attempts(cell) + 1:
            raise JournalOrderError(
                f"attempt {attempt} of cell {cell} is to start", expected=f"attempt {self.attempts(cell) + 1}"
            )
        self._append({"event": "start", "cell": cell, "attempt": attempt, "started_at": started_at})

    def end(self, evidence: Evidence) -> None:
        """Record an attempt that ended and after which the cell will be tried again."""
        self._end(evidence, None)

    def finish(self, evidence: Evidence, grade: Grade) -> None:
        """Record a cell's last attempt and its grade; once this returns, the result cannot be lost.

        Raises JournalOrderError where that attempt did not start or has ended, or the cell is finished.
        """
        self._end(evidence, grade)

    def gold(self, question: str, items: Iterable[str]) -> None:
        """Record a question's answer key. The same key twice is fine; another is a JournalOrderError."""
        wanted = tuple(items)
        known = self._history.gold.get(question)
        if known is None:
            self._append({"event": "gold", "question": question, "items": list(wanted)})
        elif known != wanted:
            raise JournalOrderError(f"question {question} has another answer key already")

    def close(self, *, allow_unfinished: bool = False) -> Manifest:
        """Close the run for good and return its manifest; the writer is done then.

        Raises CellsUnfinishedError where planned cells have no result, unless `allow_unfinished`: a cell
        that was started then counts as `interrupted`, one that was not has no row and is named in
        `evidence/unstarted.json`.
        """
        if (left := self.unfinished) and not allow_unfinished:
            raise CellsUnfinishedError(
                f"{len(left)} of {len(self._planned)} planned cells of run {self.record.run} have no result,"
                f" the first is {left[0]}",
                next_step="resume the run, or close it as it is",
            )
        self._journal.close()
        manifest = fold(self._layout, self.record, self._history)
        self._lock.release()
        return manifest

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._journal.close()
        self._lock.release()

    def _end(self, evidence: Evidence, grade: Grade | None) -> None:
        started = self._history.starts.get(evidence.cell, {})
        if evidence.attempt not in started or evidence.attempt in self._history.ends.get(evidence.cell, {}):
            raise JournalOrderError(f"attempt {evidence.attempt} of cell {evidence.cell} is not running")
        if evidence.cell in self._history.finished:
            raise JournalOrderError(f"cell {evidence.cell} is already finished")
        graded = None if grade is None else grade_json(grade)
        self._append({"event": "end", "evidence": evidence_json(evidence), "grade": graded})

    def _append(self, event: Mapping[str, object]) -> None:
        self._history.apply(event, self._journal.append(event))


def _resumable(layout: RunLayout, plan_digest: str | None) -> RunRecord:
    """Return the record of a run that may go on, what a dead writer left half done swept away."""
    if standing(layout).state == "closed":
        sweep_journal(layout)
        raise _closed(layout)
    record = read_record(layout)
    if plan_digest not in (None, record.plan_digest):
        raise _differs(layout, record.plan_digest, str(plan_digest))
    refuse_damage(layout.journal)
    sweep_unfinished_fold(layout, read_history(layout.journal))
    return record


def _closed(layout: RunLayout) -> RunClosedError:
    return RunClosedError(f"run {layout.folder.name} is closed", next_step="`benchctl show` prints it")


def _differs(layout: RunLayout, recorded: str, wanted: str) -> PlanDiffersError:
    return PlanDiffersError(
        f"run {layout.folder.name} was planned as {recorded}, and this plan is {wanted}",
        where=Where(str(layout.record)),
        next_step="choose another run id, or repeat the command that started the run",
    )


def _refuse_existing(layout: RunLayout, record: RunRecord) -> None:
    """Raise where the folder is anything but no run; what is damaged is not begun anew."""
    if standing(layout).state != "absent":
        recorded = read_record(layout).plan_digest
        if recorded != record.plan_digest:
            raise _differs(layout, recorded, record.plan_digest)
        raise StoreExistsError(
            f"run {record.run} exists",
            where=Where(str(layout.record)),
            next_step="resume it, or choose another run id",
        )


def _write_terms(layout: RunLayout, record: RunRecord, suite_text: str | None) -> None:
    """Write the suite's copy, then the record: it is the record that makes the run exist."""
    with unwritable(layout.folder):
        layout.suite.unlink(missing_ok=True)  # of a start that was cut before its record
        for leftover in layout.journal.glob("*.tmp"):
            leftover.unlink()
    if suite_text is not None:
        create_once(layout.suite, suite_text.encode(), layout.journal)
    create_once(layout.record, record_bytes(record), layout.journal)
