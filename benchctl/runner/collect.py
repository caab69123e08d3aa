"""From options to a closed run: preflight, the run opened or found, its missing cells executed."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.errors import (
    BenchctlError,
    PlanDiffersError,
    RunBusyError,
    RunClosedError,
    RunStoppedError,
    RunUnknownError,
    StoreExistsError,
    Where,
)
from benchctl.runner.execute import RunSummary, execute, run_marker
from benchctl.runner.interrupts import Interrupts
from benchctl.runner.preflight import prepared
from benchctl.runner.same_terms import moved_terms
from benchctl.store.writing.writer import RunWriter
from benchctl.workspace.machine_lock import machine_lock
from benchctl.workspace.stragglers import end_marked

if TYPE_CHECKING:
    from benchctl.runner.options import RunOptions
    from benchctl.runner.progress import Progress
    from benchctl.runner.ready import Ready
    from benchctl.schema.suite import Suite
    from benchctl.store.project import Project
    from benchctl.store.reader import Store
    from benchctl.workspace.machine_lock import Holder

__all__ = ["collect"]

_ANOTHERS_TURN = "another process is at a cell of a run of this name; waiting for the end of that"


def collect(
    project: Project, suite: Suite, file: Path, options: RunOptions, progress: Progress
) -> RunSummary:
    """Collect a run, or what is missing of one with this id, and return what came of it.

    A run that is complete already is left alone: its summary has `collected` 0. Raises what preflight
    refuses, PlanDiffersError where the id belongs to another plan, RunBusyError where somebody collects
    it, MachineBusyError where another run is collected on this machine, and CollectionInterruptedError
    when told to stop.
    """
    store = project.store
    _refuse_collected(store, options)
    machine = machine_lock(
        options.run_id,
        project.runs_dir / options.run_id,
        wait=options.wait,
        waiting=lambda holder: progress.note(_waiting(holder)),
    )
    with Interrupts() as interrupts, machine as lock, ExitStack() as stack:
        with lock.turn(lambda: progress.note(_ANOTHERS_TURN)):  # what preflight does would slow its cell down
            ready = stack.enter_context(prepared(project, suite, file, options, progress))
        while True:
            if complete := _complete(store, ready):
                return complete
            with suppress(RunClosedError):  # by the last of those who share it, since the line above
                writer = _writer(store, ready)
                break
        with writer:
            for question in {cell.question: None for cell in ready.record.cells}:
                writer.gold(question, ready.gold[question].items)
            try:
                return execute(ready, writer, progress, interrupts, lock.turn)
            except BenchctlError as error:
                if not isinstance(error, RunStoppedError):  # it has said so itself
                    with suppress(BenchctlError):
                        writer.stop(error.what)
                raise


def _refuse_collected(store: Store, options: RunOptions) -> None:
    """Raise RunBusyError at once for a run that others collect and that is not to be shared, and not after preflight."""
    if options.shard is not None or options.run_id not in store.names():
        return
    run = store.run(options.run_id)
    if run.state == "open" and (living := run.progress().collectors):
        raise RunBusyError(
            f"run {options.run_id} is being collected by process {living[0].pid}",
            where=Where(str(run.layout.lock)),
            next_step="wait for it, or end that process; `benchctl status` shows how far it is",
        )


def _waiting(holder: Holder | None) -> str:
    by = f"run {holder.run} by process {holder.process.pid}" if holder else "another run"
    return f"this machine is collecting {by}; waiting for its end"


def _complete(store: Store, ready: Ready) -> RunSummary | None:
    """Return the summary of a closed run of this id and plan; None where there is something to do."""
    run_id = ready.record.run
    if run_id not in store.names() or (run := store.run(run_id)).state != "closed":
        return None
    if imported := run.record.imported:
        raise PlanDiffersError(
            f"run {run_id} was imported from {imported.file}, and nothing is collected into an import",
            next_step="choose another run id",
        )
    if run.record.plan_digest != ready.record.plan_digest:
        raise PlanDiffersError(
            f"run {run_id} is complete, and was planned as {run.record.plan_digest}, not as {ready.record.plan_digest}",
            next_step="choose another run id, or repeat the command that collected it",
        )
    if run.layout.journal.is_dir():
        with suppress(RunClosedError):  # sweeps what a collector has left that died while it closed the run
            RunWriter.resume(store, run_id)
    return RunSummary(run_id, 0, Counter(run.progress().outcomes.values()), str(run.data_digest))


def _writer(store: Store, ready: Ready) -> RunWriter:
    """Return the writer of the run, begun now or gone on with; what a dead one's attempts have left is ended."""
    writer = _joined(store, ready)
    if moved := tuple(moved_terms(writer.record, ready.record)):
        with writer:
            raise PlanDiffersError(
                f"run {ready.record.run} cannot go on as it was begun: {'; '.join(moved)}",
                next_step="run it where and as it was begun, or choose another run id",
            )
    for journal in writer.dead:
        end_marked(run_marker(journal))
    return writer


def _joined(store: Store, ready: Ready) -> RunWriter:
    record, shared = ready.record, ready.shard is not None
    while True:
        try:
            return RunWriter.resume(store, record.run, plan_digest=record.plan_digest, shared=shared)
        except RunUnknownError:
            with suppress(StoreExistsError):  # begun by another shard since the line above
                return RunWriter.create(store, record, suite_text=ready.suite_text, shared=shared)
