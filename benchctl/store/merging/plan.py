"""Runs of other stores put into this one: planned whole, and only then written.

A run is merged by what it is, never by when it was written. What is not here is added; what is here
with fewer generations gets the further ones; shards of one open run are united; a run that is here
already stays as it is. Everything else under the same id is refused, and then nothing of any run
is written. What a cut merge has left is swept by the next one.
"""

from __future__ import annotations

import fcntl
import os
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Final, Literal

from benchctl.errors import (
    BenchctlError,
    RunBusyError,
    RunDiffersError,
    RunOpenError,
    StoreDamagedError,
    Where,
)
from benchctl.store.checking.verify import verify_run
from benchctl.store.disk.entries import file_entry
from benchctl.store.disk.layout import FOLDED, JOURNAL, RunLayout
from benchctl.store.disk.record import read_record
from benchctl.store.disk.verified_file import trusted
from benchctl.store.disk.walk import listed_files
from benchctl.store.journals.lock import read_collector
from benchctl.store.journals.state import standing
from benchctl.store.merging.chains import chain, further, refuse_unless_contained
from benchctl.store.merging.shards import read_shards, united
from benchctl.store.merging.sources import Found, same_folder
from benchctl.store.merging.swap import refuse_sparse
from benchctl.store.remote.remote_store import RemoteStore, at_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchctl.store.reader import Store

__all__ = ["Action", "Step", "plan_merge"]

Action = Literal["added", "extended", "united", "closed", "present", "refused"]

_OPEN_FILES: Final = {"run.json", "evidence/suite.toml"}


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done with one run: `best` is the closed run to take, `shards` the open ones to unite.

    `closed` replaces the target's own shard by the closed run that holds all of it. `error` says why a run
    is refused, `places` where it was found.
    """

    run: str
    action: Action
    places: tuple[str, ...]
    best: RunLayout | None = None
    shards: tuple[RunLayout, ...] = ()
    error: BenchctlError | None = None


def plan_merge(target: Store, found: Sequence[Found], held: ExitStack) -> list[Step]:
    """Return what is to be done with each run, by id; nothing is written.

    `held` keeps open runs of the sources from being written to until it is closed. A run that cannot be
    merged is a step with its error.
    """
    by_run: dict[str, list[Found]] = defaultdict(list)
    for each in found:
        by_run[each.run].append(each)
    steps = []
    for run, places in sorted(by_run.items()):
        names = tuple(place.place for place in places)
        try:
            if step := _step(target, run, places, held):
                steps.append(replace(step, places=names))
        except BenchctlError as error:
            for place in places:
                at_url(error, place.layout)
            steps.append(Step(run, "refused", names, error=error))
        except OSError as error:
            damaged = StoreDamagedError(f"cannot be read: {error.strerror}", where=Where(str(error.filename)))
            steps.append(Step(run, "refused", names, error=damaged))
    return steps


def _step(target: Store, run: str, places: Sequence[Found], held: ExitStack) -> Step | None:
    """Return what is to be done with one run; None where no place has it after all."""
    if broken := next((place.error for place in places if place.error), None):
        raise broken
    here, home = target.find(run), target.layout(run)
    closed, shards = _others(places, home)
    for shard in shards:
        if isinstance(target, RemoteStore):
            raise _open_run(run, shard, target)
        held.enter_context(_unwritten(shard))
        _refuse_strange(shard)
    if here is None and not closed and not shards:
        return None
    if here is not None and here.state == "closed":
        closed = (home, *closed)
    if closed:
        return _closed_step(run, home, closed, shards, here.state if here else None)
    return _open_step(run, home if here else None, shards)


def _others(places: Sequence[Found], home: RunLayout) -> tuple[tuple[RunLayout, ...], tuple[RunLayout, ...]]:
    """Return the closed and the open runs of the places that are not the target's own."""
    layouts = [place.layout for place in places if not same_folder(place.layout, home)]
    states = [(standing(layout).state, layout) for layout in layouts]
    return tuple(each for state, each in states if state == "closed"), tuple(
        each for state, each in states if state == "open"
    )


def _closed_step(
    run: str,
    home: RunLayout,
    closed: Sequence[RunLayout],
    shards: Sequence[RunLayout],
    here: Literal["open", "closed"] | None,
) -> Step:
    """Return the step for a run that is closed somewhere; `here` is what the target's own is, None where it has none."""
    best = reduce(further, closed)
    for shard in shards:
        refuse_unless_contained(shard, best)
    if best is home:
        return Step(run, "present", (), best)
    _refuse_damaged(best)
    if here == "open":
        with _unwritten(home):
            refuse_unless_contained(home, best)
    actions: dict[str | None, Action] = {None: "added", "closed": "extended", "open": "closed"}
    return Step(run, actions[here], (), best)


def _open_step(run: str, home: RunLayout | None, shards: tuple[RunLayout, ...]) -> Step:
    """Return the step for a run that is open everywhere; `home` is the target's own shard."""
    if not shards:
        return Step(run, "present", ())
    layouts = (home, *shards) if home else shards
    for layout in layouts[1:]:
        _refuse_other_terms(run, layouts[0], layout)
    places = [read_shards(layout) for layout in layouts]
    kept = united(run, places)
    if home is None:
        return Step(run, "added", (), shards=shards)
    if set(kept) <= set(places[0].journals):
        return Step(run, "present", (), shards=shards)
    with _unwritten(home):
        return Step(run, "united", (), shards=shards)


def _refuse_other_terms(run: str, first: RunLayout, second: RunLayout) -> None:
    """Raise RunDiffersError where two open runs of one id are not shards of one plan."""
    pairs = [(first.record, second.record)]
    pairs += [(first.suite, second.suite)] if first.suite.exists() and second.suite.exists() else []
    for one, other in pairs:
        if file_entry(one) != file_entry(other):
            raise RunDiffersError(
                f"run {run}: {other.relative_to(second.folder)} in {second.folder} is another one than in {first.folder}",
                expected="the same bytes: shards of one collection are started from one plan",
                next_step="give one of them its own run id, or leave it out; nothing was merged",
            )


def _open_run(run: str, shard: RunLayout, target: Store) -> RunOpenError:
    return RunOpenError(
        f"run {run} is open, and an open run is not uploaded",
        where=Where(str(shard.folder)),
        expected=f"a closed run: what is in {target.place} is never rewritten",
        next_step="merge its shards into a folder with --close, then merge that",
    )


@contextmanager
def _unwritten(layout: RunLayout) -> Iterator[None]:
    """Keep an open run from being collected. Raises RunBusyError where somebody collects it."""
    try:
        descriptor = os.open(layout.lock, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        yield
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = read_collector(layout.lock)
            raise RunBusyError(
                f"run {layout.folder.name} is being collected by process {holder.pid if holder else 'unknown'}",
                where=Where(str(layout.lock)),
                next_step="wait for it, or end that process; what is not written yet cannot be merged",
            ) from error
        yield
    finally:
        os.close(descriptor)


def _refuse_strange(layout: RunLayout) -> None:
    """Raise StoreDamagedError for anything in an open run that its writer does not leave there, links and pipes included."""
    for name, path in listed_files(layout, 1).items():
        refuse_sparse(path)
        if name in FOLDED:
            raise StoreDamagedError(
                "left by a closing that was cut short",
                where=Where(str(path)),
                next_step=f"`benchctl run --resume --run-id {layout.folder.name}` where it was collected sweeps it",
            )
        if name not in _OPEN_FILES:
            raise StoreDamagedError(
                "no file of an open run", where=Where(str(path)), next_step="move it out of the run's folder"
            )
    for path in sorted((layout.folder / JOURNAL).iterdir()):
        refuse_sparse(path)
    suite, said = layout.suite, read_record(layout).suite_digest
    if suite.exists() and f"sha256:{file_entry(suite).sha256}" != said:
        raise StoreDamagedError(
            "not the suite that the run was started with", where=Where(str(suite)), expected=said
        )
    _refuse_found(layout)


def _refuse_damaged(layout: RunLayout) -> None:
    """Raise StoreDamagedError where anything of a closed run is not as its manifest and its rows say."""
    manifest = chain(layout)[-1]
    for name in manifest.files if layout.source else ():
        trusted(layout, manifest, name)
    for path in listed_files(layout, manifest.generation).values():
        refuse_sparse(path)
    for name, entry in manifest.files.items():
        path = layout.folder / name
        if path.exists() and (size := path.stat().st_size) != entry.bytes:  # not worth hashing
            raise StoreDamagedError(f"{size} bytes", where=Where(str(path)), expected=f"{entry.bytes} bytes")
    _refuse_found(layout)


def _refuse_found(layout: RunLayout) -> None:
    if found := verify_run(layout.folder):
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        raise StoreDamagedError(
            f"{found[0].what}{more}",
            where=Where(f"{layout.folder}/{found[0].path}"),
            expected=found[0].expected,
            next_step="restore the run from a copy; `benchctl verify-store` names every file",
        )
