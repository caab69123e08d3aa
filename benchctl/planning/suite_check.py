"""What is wrong with a suite beyond its own format: what only its agents, its graders and its expressions can say."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from benchctl.agents.base import Agent
from benchctl.planning.goals import goal_mistakes
from benchctl.planning.invocations import prompt_text
from benchctl.schema import pointers
from benchctl.schema.placeholders import mistakes, names
from benchctl.schema.source import TomlPath
from benchctl.schema.suite import Arm, Index, Suite

__all__ = [
    "GOLD_PLACEHOLDERS",
    "INDEX_PLACEHOLDERS",
    "SERVER_PLACEHOLDERS",
    "STEP_PLACEHOLDERS",
    "suite_mistakes",
]

GOLD_PLACEHOLDERS = ("gold", "python", "target", "tree")
"""What the argv of a gold method may hold."""

SERVER_PLACEHOLDERS = ("agent", "indexes", "python", "scratch", "tree")
"""What the argv and the variables of a server of tools may hold."""

INDEX_PLACEHOLDERS = ("index", "python", "scratch", "tree")
"""What the argv of an index may hold; `{index}` is the new folder that it has to fill."""

STEP_PLACEHOLDERS = ("python", "question", "scratch", "tree")
"""What the argv of a step around a cell may hold."""

_LONGEST_PROMPT = 120 * 1024
"""In bytes: Linux takes words of a command line below 128 KiB, and beside the prompt there may stand a path or two."""


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
        for cap, pattern in spec.counts.items():
            if (mistake := _pattern_mistake(pattern)) is not None:
                yield (*path, "counts", cap), mistake
    for index, method in enumerate(suite.gold_methods):
        yield from _words(("gold_methods", index, "argv"), method.argv, GOLD_PLACEHOLDERS)
    for name, arm in suite.arms.items():
        yield from _given(suite, name, arm)
    for name, repo in suite.repos.items():
        for what, step in (("prepare", repo.prepare), ("check", repo.check)):
            if step is not None:
                yield from _words(("repos", name, what, "argv"), step.argv, STEP_PLACEHOLDERS)
    yield from _questions(suite, graders)
    yield from _long_prompts(suite)
    yield from goal_mistakes(suite)


def _words(
    path: TomlPath, words: Iterable[str], placeholders: Collection[str]
) -> Iterator[tuple[TomlPath, str]]:
    yield from ((path, mistake) for word in words for mistake in mistakes(word, placeholders))


def _pattern_mistake(pattern: str) -> str | None:
    try:
        found = re.compile(pattern.encode(), re.MULTILINE)  # as it is searched for, in UTF-8 and line by line
    except re.error as error:
        return f"{pattern!r} is no regular expression: {error}"
    if found.match(b"") is not None:
        return f"{pattern!r} fits nothing at all, so it would be counted between any two characters"
    return None


def _given(suite: Suite, name: str, arm: Arm) -> Iterator[tuple[TomlPath, str]]:
    """Yield what is wrong with what an arm gives: its tools, servers and indexes."""
    path: TomlPath = ("arms", name)
    for tool in arm.tools:
        server, dot, own = tool.partition(".")
        if dot and server not in arm.servers:
            yield (*path, "tools"), f"grants {tool!r}, and the arm has no server {server!r}"
        elif dot and own not in arm.servers[server].tools:
            yield (*path, "tools"), f"grants {tool!r}, which is none of the `tools` of the server {server!r}"
    for server, spec in arm.servers.items():
        place: TomlPath = (*path, "servers", server)
        yield from _words((*place, "argv"), spec.argv, SERVER_PLACEHOLDERS)
        yield from _words((*place, "env"), spec.env.values(), SERVER_PLACEHOLDERS)
        if len(set(spec.tools)) != len(spec.tools):
            yield (*place, "tools"), "names a tool twice"
    for each, index in arm.indexes.items():
        yield from _index(suite, (*path, "indexes", each), index)


def _index(suite: Suite, path: TomlPath, index: Index) -> Iterator[tuple[TomlPath, str]]:
    yield from _words((*path, "argv"), index.argv, INDEX_PLACEHOLDERS)
    if index.repo not in suite.repos:
        yield (*path, "repo"), f"no repository {index.repo!r} in [repos]"
    if index.argv and not any("index" in names(word) for word in index.argv):
        yield (*path, "argv"), "names no {index}, the folder that it has to fill"
    for field in ("covers", "digests", "commit"):
        pointer = getattr(index, field)
        if pointer is not None and (mistake := pointers.mistake(pointer)) is not None:
            yield (*path, field), mistake


def _long_prompts(suite: Suite) -> Iterator[tuple[TomlPath, str]]:
    """Yield each question whose prompt no command line can hold, where an agent takes it as a word of one."""
    ways = {
        name: agent
        for agent, spec in suite.agents.items()
        if any("prompt" in names(word) for word in spec.argv)
        for name in spec.arms or suite.arms
        if name in suite.arms
    }
    for index, question in enumerate(suite.questions):
        sizes = {name: len(prompt_text(question, suite.arms[name]).encode()) for name in ways}
        longest = max(sizes, key=sizes.__getitem__, default=None)
        if longest is not None and sizes[longest] > _LONGEST_PROMPT:
            place = f"arm {longest}, which agents.{ways[longest]} gets as a word of its command line"
            yield (
                ("questions", index, "prompt"),
                f"is {sizes[longest]:,} bytes in {place}; {_LONGEST_PROMPT:,} fit there: take {{prompt_file}}",
            )


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
