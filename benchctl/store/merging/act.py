"""A merge as one act: planned, refused whole or carried out, and told run by run."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from benchctl.errors import BenchctlError, CellsUnfinishedError, StoreDamagedError
from benchctl.store.merging.carrying_out import Carried, carry_out
from benchctl.store.merging.plan import Action, Step, plan_merge
from benchctl.store.merging.sources import found_runs
from benchctl.store.merging.upload import refuse_other_objects, upload
from benchctl.store.remote.remote_store import RemoteStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchctl.store.reader import Store, StoredRun

__all__ = ["Merge", "MergedRun", "merge_runs", "refuse_refused"]


@dataclass(frozen=True, slots=True)
class MergedRun:
    """One run of a merge. `files` and `bytes` count what was written, 0 where nothing was.

    `state`, `generation` and `unfinished` (planned cells without a result, of an open run) say what the
    target's run is now; None where it is not there. `error` says why it was refused, or not closed.
    """

    run: str
    action: Action
    places: tuple[str, ...]
    files: int = 0
    bytes: int = 0
    state: Literal["open", "closed"] | None = None
    generation: int | None = None
    unfinished: int | None = None
    error: BenchctlError | None = None


@dataclass(frozen=True, slots=True)
class Merge:
    """What came of a merge: `written` is False where it was a dry run, or where a refusal kept everything out."""

    runs: tuple[MergedRun, ...]
    written: bool


def merge_runs(
    target: Store,
    sources: Iterable[str],
    *,
    dry_run: bool = False,
    close: bool = False,
    skip_damaged: bool = False,
) -> Merge:
    """Merge the runs of the sources (folders and URLs) into a store; return what was done with each, by id.

    Nothing is written where any run is refused; with `skip_damaged`, a damaged run is left out instead.
    With `close`, a run whose cells are all finished is closed afterwards. Raises MergeSourceError, and
    StoreUnwritableError, RunBusyError or RemoteUnreachableError from the middle of writing.
    """
    with ExitStack() as held:
        steps = _refusing(target, plan_merge(target, found_runs(sources), held))
        in_the_way = [step for step in steps if step.error and not (skip_damaged and _is_damage(step.error))]
        if dry_run or in_the_way:
            return Merge(
                tuple(MergedRun(s.run, s.action, s.places, error=s.error) for s in steps), written=False
            )
        sound = [step for step in steps if step.error is None]
        act = upload(target, sound) if isinstance(target, RemoteStore) else carry_out(target, sound)
        done = {step.run: _told(target, step, written) for step, written in act}
    refused = {s.run: MergedRun(s.run, s.action, s.places, error=s.error) for s in steps if s.error}
    runs = [(done | refused)[step.run] for step in steps]
    return Merge(tuple(_closed(target, runs) if close else runs), written=True)


def _refusing(target: Store, steps: Sequence[Step]) -> list[Step]:
    """Return the steps, those refused that a store behind a URL has other objects in the way of."""
    if not isinstance(target, RemoteStore):
        return list(steps)
    checked = []
    for step in steps:
        try:
            refuse_other_objects(target, step)
            checked.append(step)
        except BenchctlError as error:
            checked.append(Step(step.run, "refused", step.places, error=error))
    return checked


def _is_damage(error: BenchctlError) -> bool:
    return isinstance(error, StoreDamagedError)


def _told(target: Store, step: Step, written: Carried) -> MergedRun:
    """Return what is to be said of a run that was merged."""
    run = target.find(step.run)
    told = MergedRun(step.run, step.action, step.places, written.files, written.bytes)
    return _standing(told, run) if run else told


def _standing(told: MergedRun, run: StoredRun) -> MergedRun:
    if run.manifest:
        return replace(told, state="closed", generation=run.manifest.generation, unfinished=None)
    progress = run.progress()
    return replace(told, state="open", unfinished=progress.planned - progress.finished)


def _closed(target: Store, runs: Sequence[MergedRun]) -> Iterator[MergedRun]:
    """Yield the runs, those that are open and whose cells are all finished closed now."""
    from benchctl.store.writing.writer import RunWriter

    for told in runs:
        if told.state != "open":
            yield told
            continue
        try:
            with RunWriter.resume(target, told.run) as writer:
                writer.close()
        except CellsUnfinishedError as error:
            yield replace(told, error=error)
        else:
            yield _standing(told, target.run(told.run))


def refuse_refused(merge: Merge, into: str) -> None:
    """Raise the error of the run that was refused; of several, one that names them all and what each says."""
    refused = [run for run in merge.runs if run.error]
    if not refused:
        return
    first = refused[0].error
    if len(refused) == 1 and first:
        raise first
    # the strongest exit code wins: what was refused needs a decision, what is damaged a copy
    worst = max((run.error for run in refused if run.error), key=lambda error: error.exit_code)
    names = ", ".join(run.run for run in refused)
    raise type(worst)(
        f"{len(refused)} of {len(merge.runs)} runs were not merged into {into}: {names}",
        next_step="do what is said of each"
        + ("; the others were merged" if merge.written else ", or leave them out; nothing was written"),
    )
