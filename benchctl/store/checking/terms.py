"""The terms of a collected run, which run.json and the suite's copy both say, and run.json itself twice.

A goal, a title or a limit that was changed once the results were known would otherwise pass with a
manifest made anew. What a command line may set otherwise than the suite (repeats, the seed, the caps) is
held to the digests in `comparability` instead.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from benchctl.schema.canonical import digest
from benchctl.store.checking.damage import Damage
from benchctl.store.disk.layout import RECORD
from benchctl.store.disk.untrusted import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchctl.schema.run import RunRecord
    from benchctl.store.disk.layout import RunLayout

__all__ = ["SUITE", "changed_terms"]

SUITE = "evidence/suite.toml"


def changed_terms(layout: RunLayout, record: RunRecord) -> Iterator[Damage]:
    """Yield each term of run.json that the suite's copy, or run.json's own digests, say otherwise.

    A suite that is no TOML, or that says less than a suite does, is held to what it says. Both files are the
    ones that the run was started with: of a run where one of them was erased, do not ask.
    """
    if record.imported:
        return
    yield from _not_the_suite(record, _suite(layout))
    yield from _not_the_digests(record)


def _suite(layout: RunLayout) -> dict[str, Any]:
    try:
        return tomllib.loads(read_regular(layout.folder / SUITE).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):  # that it is the suite that was read, its own digest says
        return {}


def _not_the_suite(record: RunRecord, suite: dict[str, Any]) -> Iterator[Damage]:
    said = {"suite": record.suite, "suite_title": record.suite_title, "canary": record.canary}
    wanted = {name: suite.get(key) for name, key in zip(said, ("name", "title", "canary"), strict=True)}
    for name, value in wanted.items():
        if value is not None and value != said[name]:
            yield _differs(name, said[name], value)
    if suite and list(record.goals) != (goals := _tables(suite.get("goals"))):
        yield _differs("goals", [goal.get("id") for goal in record.goals], [goal.get("id") for goal in goals])
    for name, kept in (("arms", record.arms), ("agents", record.agents)):
        yield from _not_the_tables(name, kept, suite.get(name))
    for question in _tables(suite.get("questions")):
        known = record.prompts.get(str(question.get("id")))
        if known is not None and known != digest(question.get("prompt")):
            yield _differs(f"prompts.{question['id']}", known, digest(question.get("prompt")))


def _not_the_tables(name: str, kept: Mapping[str, dict[str, object]], said: object) -> Iterator[Damage]:
    """Yield the arms or agents that differ: those that only one of both has, and values that both say."""
    if not kept or not isinstance(said, dict):
        return
    if kept.keys() != said.keys():
        yield _differs(name, sorted(kept), sorted(said))
    for each in sorted(kept.keys() & said.keys()):
        own: Any = said[each]
        for key, value in own.items() if isinstance(own, dict) else ():
            if key in kept[each] and not _as_said(kept[each][key], value):
                yield _differs(f"{name}.{each}.{key}", kept[each][key], value)


def _as_said(kept: Any, said: Any) -> bool:
    """Return whether a value is what a suite says; a table may hold more, for the suite leaves defaults out."""
    if isinstance(kept, dict) and isinstance(said, dict):
        return all(key in kept and _as_said(kept[key], value) for key, value in said.items())
    if isinstance(kept, list) and isinstance(said, list):
        return len(kept) == len(said) and all(map(_as_said, kept, said))
    return bool(kept == said)


def _not_the_digests(record: RunRecord) -> Iterator[Damage]:
    wanted = {
        "prompts": digest(record.prompts),
        "gold": digest([[gold.question, gold.digest] for gold in record.gold]),
        "corpora": digest({corpus.repo: corpus.tree_digest for corpus in record.corpora}),
        "caps": digest(record.caps),
        "attempts": str(record.attempts),
        "sandbox": record.sandbox,
    }
    for name, value in wanted.items():
        if record.comparability.get(name, value) != value:
            yield Damage(
                RECORD, f"its {name} are {value}", f"{record.comparability[name]}, as its comparability says"
            )


def _tables(said: object) -> list[dict[str, Any]]:
    return [each for each in said if isinstance(each, dict)] if isinstance(said, list) else []


def _differs(name: str, found: object, wanted: object) -> Damage:
    return Damage(RECORD, f"its {name} is {found!r}", f"{wanted!r}, as {SUITE} says")
