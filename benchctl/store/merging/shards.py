"""The journals of one open run, collected in several places: united event by event, or refused with the reason.

Two copies of a journal are one: a longer copy of the same beginning holds all of the shorter. Events
are told apart by what they are about (the start or end of an attempt, a question's answer key); two
places that say something else of the same thing cannot both be right, and are not united.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchctl.errors import RunDiffersError, StoreDamagedError, Where
from benchctl.schema.canonical import canonical_json, sha256_hex
from benchctl.store.journals.following import read_history, refuse_damage
from benchctl.store.journals.journal import journals
from benchctl.store.journals.lines import read_valid_prefix

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from benchctl.store.disk.layout import RunLayout

__all__ = ["Shard", "Shards", "read_shards", "united"]

Facts = dict[tuple[str, str, int], str]
"""(start, end, finish, baseline or gold; cell, probe or question; attempt or 0) -> what was said of it, as a digest or an instant."""

_BLOCK: Final = 1 << 20
_SAID: Final = {
    "start": "the start",
    "end": "the evidence",
    "gold": "the answer key",
    "baseline": "the empty run",
}


@dataclass(frozen=True, slots=True)
class Shard:
    """One journal: its whole lines are the first `size` bytes, with this sha256; `head` is its first line's."""

    path: Path
    size: int
    sha256: str
    head: str

    def holds(self, other: Shard) -> bool:
        """Return whether this journal begins with all of another, or is it."""
        if self.head != other.head or self.size < other.size:
            return False
        return self.sha256 == other.sha256 if self.size == other.size else self._begins(other)

    def _begins(self, other: Shard) -> bool:
        left, sha256 = other.size, hashlib.sha256()
        with self.path.open("rb") as file:
            while left and (block := file.read(min(_BLOCK, left))):
                sha256.update(block)
                left -= len(block)
        return sha256.hexdigest() == other.sha256


@dataclass(frozen=True, slots=True)
class Shards:
    """What one place has of an open run: its journals that say anything, and the facts in them."""

    layout: RunLayout
    journals: tuple[Shard, ...]
    facts: Mapping[tuple[str, str, int], str]


def read_shards(layout: RunLayout) -> Shards:
    """Return the shards of an open run's folder. Raises StoreDamagedError for a journal that is not one of this record."""
    refuse_damage(layout.journal)
    read_history(
        layout.journal
    )  # says what no run of ours can say: an event that is none, a journal that is missing
    record = sha256_hex(layout.record.read_bytes())
    facts: Facts = {}
    found = [_shard(path, record, facts) for path in journals(layout.journal)]
    return Shards(layout, tuple(shard for shard in found if shard.size), facts)


def _shard(path: Path, record: str, facts: Facts) -> Shard:
    """Return a journal up to the end of its last whole event, the texts beside events included."""
    sha256, size, head = hashlib.sha256(), 0, ""
    with path.open("rb") as file:
        for line in read_valid_prefix(path):
            content = file.read(line.place.end - size)
            sha256.update(content)
            size += len(content)
            head = head or sha256_hex(content)
            _note(line.event, record, facts, path)
    return Shard(path, size, sha256.hexdigest(), head)


def _note(event: Mapping[str, object], record: str, facts: Facts, path: Path) -> None:
    for key, said in _facts_of(event).items():
        if key[0] == "open" and said != record:
            raise StoreDamagedError(
                "the journal is of another run record",
                where=Where(str(path)),
                expected=f"run.json of sha256 {said}",
                next_step="restore run.json from a copy; nothing was merged of this run",
            )
        if facts.setdefault(key, said) != said:
            raise StoreDamagedError(
                f"its journals contradict each other: {_subject(key)}",
                where=Where(str(path)),
                next_step="restore the journals from a copy, or leave the run out; nothing was merged of it",
            )


def _facts_of(event: Mapping[str, object]) -> Facts:
    """Return what one event says; nothing for kinds of a later version."""
    match event:
        case {"event": "open", "record": record}:
            return {("open", "", 0): str(record)}
        case {"event": "start", "cell": str(cell), "attempt": int(attempt), "started_at": at}:
            return {("start", cell, attempt): str(at)}
        case {"event": "gold", "question": str(question), "items": items}:
            return {("gold", question, 0): sha256_hex(canonical_json(items))}
        case {"event": "baseline", "probe": {"cell": str(cell)} as probe}:
            return {("baseline", cell, 0): sha256_hex(canonical_json(probe))}
        case {
            "event": "end",
            "evidence": {"cell": str(cell), "attempt": int(attempt)},  # as journals of schema 1 say it
            "grade": grade,
        } | {"event": "end", "ended": {"cell": str(cell), "attempt": int(attempt)}, "grade": grade}:
            # where a text stands in its journal is not part of what was found; its own sha256 is in the evidence
            said = sha256_hex(canonical_json({**event, "beside": None}))
            found: Facts = {("end", cell, attempt): said}
            return found if grade is None else {**found, ("finish", cell, 0): str(attempt)}
        case {"event": "open" | "start" | "gold" | "end" | "baseline"}:
            raise TypeError("an event without its fields")
        case _:
            return {}


def united(run: str, places: Iterable[Shards]) -> list[Shard]:
    """Return the journals that hold all that several places say of a run, each once.

    Raises RunDiffersError, naming the first cell that two places tell otherwise.
    """
    facts: Facts = {}
    origin: dict[tuple[str, str, int], Shards] = {}
    kept: list[Shard] = []
    for place in places:
        for key, said in place.facts.items():
            if facts.setdefault(key, said) != said:
                raise _differs(run, key, origin[key], place)
            origin.setdefault(key, place)
        for shard in place.journals:
            if not any(each.holds(shard) for each in kept):
                kept = [*(each for each in kept if not shard.holds(each)), shard]
    for kind, cell, attempt in facts:
        finished = facts.get(("finish", cell, 0))
        if kind == "start" and finished is not None and attempt > int(finished):
            raise _differs(
                run, ("start", cell, attempt), origin["finish", cell, 0], origin["start", cell, attempt]
            )
    return kept


def _differs(run: str, key: tuple[str, str, int], first: Shards, second: Shards) -> RunDiffersError:
    return RunDiffersError(
        f"run {run}: {_subject(key)} is one thing in {first.layout.folder} and another in {second.layout.folder}",
        expected="each cell collected in one place, as `benchctl run --shard I/N` divides them",
        next_step="merge one of the two and leave the other out; nothing was merged",
    )


def _subject(key: tuple[str, str, int]) -> str:
    kind, name, attempt = key
    if kind == "finish":
        return f"the result of cell {name}"
    noun = "question" if kind == "gold" else "cell"
    return f"{_SAID.get(kind, kind)} of {noun} {name}" + (f", attempt {attempt}" if attempt else "")
