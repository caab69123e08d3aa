"""Goals are rules fixed before the first cell; one that cannot be read is a mistake now, not after the money is spent."""

from __future__ import annotations

from collections.abc import Iterator

from benchctl.errors import ExpressionInvalidError
from benchctl.expressions import calls_in, is_vacuous, parse
from benchctl.schema.source import TomlPath
from benchctl.schema.suite import Suite

__all__ = ["goal_mistakes"]


def goal_mistakes(suite: Suite) -> Iterator[tuple[TomlPath, str]]:
    """Yield (path in the file, message) of each goal that does not parse, or that no result could ever decide."""
    for index, goal in enumerate(suite.goals):
        path: TomlPath = ("goals", index, "assertion")
        try:
            node = parse(goal.assertion)
        except ExpressionInvalidError as error:
            expected = f", expected {error.expected}" if error.expected else ""
            yield path, f"goal {goal.id!r}: {error.what}{expected}"
            continue
        if called := sorted(calls_in(node)):
            names = ", ".join(f"`{name}`" for name in called)
            why = "a goal is kept with its run and stands for itself, so write out what a named value says"
            yield path, f"goal {goal.id!r} calls {names}: {why}"
        elif is_vacuous(node):
            yield path, f"goal {goal.id!r} is the same whatever the run says; let it refer to a column"
