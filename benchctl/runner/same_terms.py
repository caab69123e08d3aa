"""Whether this machine still gives a run what it gave when it was begun: the terms that no plan digest holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchctl.schema.run import ProgramRecord, RunRecord

__all__ = ["moved_terms"]


def moved_terms(begun: RunRecord, now: RunRecord) -> Iterator[str]:
    """Yield what of the terms of a run that was begun is otherwise now, each as a sentence without its full stop.

    An index that is built anew may hold another time or another order, so its bytes are not compared.
    """
    if begun.sandbox != now.sandbox:
        yield f"it was begun under sandbox {begun.sandbox}, and this machine now gives {now.sandbox}"
    yield from _moved_suite(begun, now)
    if begun.schema_version < now.schema_version:
        return  # an earlier version wrote nothing of what follows
    if begun.leak_terms != now.leak_terms:
        yield "the `leak_terms` of its questions were others when it was begun"
    if begun.comparability.get("servers") != now.comparability.get("servers"):
        yield "its servers of tools described the granted tools otherwise when it was begun"
    before = {each.name: each for each in begun.programs}
    for program in now.programs:
        known = before.get(program.name)
        if known is not None and (moved := _moved(known, program)):
            yield moved


def _moved_suite(begun: RunRecord, now: RunRecord) -> Iterator[str]:
    """Yield what its suite says otherwise now, without making another plan of it."""
    if begun.canary != now.canary:
        yield f"its canary was {begun.canary}, and is {now.canary}"
    if begun.seed != now.seed:
        yield f"its seed was {begun.seed}, and is {now.seed}"
    classes = {cell.question: cell.question_class for cell in begun.cells}
    for question, is_now in {cell.question: cell.question_class for cell in now.cells}.items():
        if (was := classes.get(question)) not in (None, is_now):
            yield f"the class of {question} was {was}, and is {is_now}"
    for name, arm in now.arms.items():
        if name in begun.arms and bool(begun.arms[name].get("first")) != bool(arm.get("first")):
            yield f"`first` of arm {name} was {str(not arm.get('first')).lower()} when it was begun"


def _moved(known: ProgramRecord, program: ProgramRecord) -> str | None:
    """Return how a program is another one: by what it says of itself, or by its bytes where it says nothing."""
    if known.version != program.version:
        was, is_now = (each.version or "a program without a version" for each in (known, program))
        return f"{program.name} was {was} when it was begun, and is {is_now}"
    if program.version is None and known.sha256 != program.sha256:
        return f"{program.name} is another file than when it was begun"
    return None
