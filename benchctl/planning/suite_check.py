"""What is wrong with a suite beyond its own format: what only its agents, its graders and its expressions can say."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from benchctl.agents.base import Agent
from benchctl.planning.goals import goal_mistakes
from benchctl.schema.placeholders import mistakes
from benchctl.schema.source import TomlPath
from benchctl.schema.suite import Suite

__all__ = ["GOLD_PLACEHOLDERS", "suite_mistakes"]

GOLD_PLACEHOLDERS = ("gold", "python", "target", "tree")
"""What the argv of a gold method may hold."""


def suite_mistakes(
    suite: Suite, agents: Mapping[str, Agent], graders: Collection[str]
) -> Iterator[tuple[TomlPath, str]]:
    """Yield (path in the file, message) of each mistake; `agents` by kind, `graders` by name."""
    for name, spec in suite.agents.items():
        path: TomlPath = ("agents", name)
        if spec.kind in agents:
            yield from (((*path, "argv"), mistake) for mistake in agents[spec.kind].mistakes(spec))
        else:
            known = ", ".join(sorted(agents))
            yield (*path, "kind"), f"no adapter for agents of kind {spec.kind!r}; there is {known}"
    for index, method in enumerate(suite.gold_methods):
        for word in method.argv:
            for mistake in mistakes(word, GOLD_PLACEHOLDERS):
                yield ("gold_methods", index, "argv"), mistake
    yield from _questions(suite, graders)
    yield from goal_mistakes(suite)


def _questions(suite: Suite, graders: Collection[str]) -> Iterator[tuple[TomlPath, str]]:
    for index, question in enumerate(suite.questions):
        path: TomlPath = ("questions", index)
        if question.grader not in graders:
            yield (*path, "grader"), f"no grader {question.grader!r}; there are {', '.join(sorted(graders))}"
        items = question.gold.items if question.gold else None
        for item in items or ():
            # Of whole words only: a gold item `a` does not stand in the word `function`.
            if re.search(rf"(?<!\w){re.escape(item.strip())}(?!\w)", question.prompt):
                yield (
                    (*path, "gold"),
                    f"the prompt quotes the gold item {item!r}, so repeating it would score",
                )
