"""The TOML file a benchmark author writes: what is asked, of whom, over which trees.

Strict on purpose: a misspelt key that is ignored is a run that measured something
else. Every problem of a file is reported at once, each with its line.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from benchctl.errors import SuiteInvalidError
from benchctl.schema.agent_spec import AgentSpec, Injected, ReplyFields
from benchctl.schema.arm import Arm, Index, ToolServer
from benchctl.schema.caps import Caps, RunDefaults
from benchctl.schema.fields import SchemaVersion, Spoken, Strict, Word
from benchctl.schema.names import CANARY_PATTERN, Name
from benchctl.schema.repo import Repo, Step
from benchctl.schema.sandbox import SandboxLevel
from benchctl.schema.source import TomlPath, parse_toml, problems_of
from benchctl.schema.written import Written

__all__ = [
    "SUITE_NEXT_STEP",
    "AgentSpec",
    "Arm",
    "Caps",
    "Goal",
    "GoldMethod",
    "Index",
    "Injected",
    "Question",
    "QuestionGold",
    "ReplyFields",
    "Repo",
    "RunDefaults",
    "SandboxLevel",
    "Step",
    "Suite",
    "ToolServer",
    "parse_suite",
]


SUITE_NEXT_STEP = "correct the file; `benchctl plan` shows it again without starting anything"

_Canary = Annotated[
    str,
    Written(
        CANARY_PATTERN,
        "a canary: `benchctl-canary-` and a UUID, as `uuidgen` or `python -c 'import uuid; print(uuid.uuid4())'` prints one",
    ),
]


class GoldMethod(Strict):
    """One independent way of deriving a gold list: a command that prints a JSON list."""

    title: Spoken
    """How the method is called in pages and messages."""

    argv: Annotated[tuple[Word, ...], Field(min_length=1)]
    """The command. It may hold `{python}`, `{gold}` (the suite's gold folder), `{tree}` and `{target}`."""


class QuestionGold(Strict):
    """The answer key: items written down, or a target that every gold method derives for the tree at hand."""

    items: tuple[Spoken, ...] | None = None
    """The answer's items, written down."""

    target: Spoken | None = None
    """What each of the `gold_methods` derives the items from, for the tree at hand."""

    minimum: Annotated[int, Field(ge=1)] = 1
    """How many items there have to be at least; a question with fewer is left out."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.items is None) == (self.target is None):
            raise ValueError("gold needs either `items` or `target`")
        if self.items is not None and len(self.items) < self.minimum:
            raise ValueError(f"gold has {len(self.items)} items, fewer than its minimum {self.minimum}")
        if self.items is not None and len(set(self.items)) != len(self.items):
            raise ValueError("gold holds an item twice")
        return self


class Question(Strict):
    """One question about one repository, and how its answer is graded."""

    id: Name
    """Its name in rows, tables and expressions."""

    repo: Name
    """The repository that it is asked about, one of `[repos]`."""

    question_class: Annotated[Name, Field(alias="class")]
    """The kind of question, a column of every row."""

    title: str = ""
    """What a person reads in place of the id."""

    prompt: Spoken
    """The question as the agent gets it."""

    grader: str = "gold"
    """What compares an answer with the key: `gold` with its items, another one with `expected`."""

    gold: QuestionGold | None = None
    """The answer key of the grader `gold`."""

    expected: tuple[Spoken, ...] = ()
    """What the other graders look for in an answer."""

    evidence: tuple[Spoken, ...] = ()
    """Files of the tree that the answer rests on: a tree without one of them is refused."""

    leak_terms: tuple[Spoken, ...] = ()
    """Texts that nobody but the key's author would write, such as a sentence of the answer: a tree that
    holds one is refused."""


class Goal(Strict):
    """A rule written before the first cell: an assertion in the expression language."""

    id: Name
    """Its name."""

    title: str
    """What is aimed at, in words."""

    assertion: str
    """The rule in the expression language."""


class Suite(Strict):
    """A whole suite file. Ids are unique, every reference resolves, every question can be graded."""

    schema_version: Annotated[SchemaVersion, Field(alias="schema")]
    """The version of this format: 1."""

    name: Name
    """The suite's name, that of its folder."""

    title: str
    """What a person reads in place of the name."""

    description: str = ""
    """What the benchmark is about."""

    canary: _Canary
    """What the answer key is planted with: a tree or a transcript that holds it has seen the key."""

    repos: dict[Name, Repo]
    """The trees that questions are asked about, by name."""

    arms: dict[Name, Arm]
    """The ways of answering, by name."""

    agents: dict[Name, AgentSpec]
    """Who answers, by name."""

    caps: Caps = Caps()
    """The limits of every cell."""

    run: RunDefaults = RunDefaults()
    """How a run is collected unless its command says otherwise."""

    gold_methods: tuple[GoldMethod, ...] = ()
    """Independent ways of deriving the keys that name a `target`; at least two."""

    questions: tuple[Question, ...]
    """What is asked."""

    goals: tuple[Goal, ...] = ()
    """Rules that are fixed before the first cell, and judged at the end."""

    def practice(self, question: Question) -> bool:
        """Return whether a question is asked about a practice repository, and so never counts."""
        return self.repos[question.repo].practice


def _confusable(suite: Suite) -> list[tuple[TomlPath, str]]:
    """Return each name that is used twice, or that differs from another only by case: both would be one folder."""
    named: dict[str, list[tuple[TomlPath, str]]] = {
        "repository": [(("repos", name), name) for name in suite.repos],
        "arm": [(("arms", name), name) for name in suite.arms],
        "agent": [(("agents", name), name) for name in suite.agents],
        "question": [(("questions", index, "id"), asked.id) for index, asked in enumerate(suite.questions)],
        "goal": [(("goals", index, "id"), goal.id) for index, goal in enumerate(suite.goals)],
    }
    for name, agent in suite.agents.items():
        named[f"model of agent {name}"] = [(("agents", name, "models"), model) for model in agent.models]
    problems: list[tuple[TomlPath, str]] = []
    for noun, places in named.items():
        seen: dict[str, str] = {}
        for path, name in places:
            other = seen.get(name.casefold())
            if other is not None:
                how = "is used twice" if other == name else f"differs from {other!r} only by case"
                problems.append((path, f"{noun} {name!r} {how}"))
            seen[name.casefold()] = name
    return problems


def _dangling(suite: Suite) -> list[tuple[TomlPath, str]]:
    """Return what a field-by-field check cannot see: (path, message)."""
    problems = _confusable(suite)
    for index, question in enumerate(suite.questions):
        path: TomlPath = ("questions", index)
        if question.repo not in suite.repos:
            problems.append(((*path, "repo"), f"no repository {question.repo!r} in [repos]"))
        if question.grader == "gold" and question.gold is None:
            problems.append((path, f"question {question.id!r} has no gold, so nothing could grade it"))
        if question.grader != "gold" and not question.expected:
            problems.append((path, f"question {question.id!r} has no `expected`, so nothing could grade it"))
        if question.gold and question.gold.target is not None and len(suite.gold_methods) < 2:
            problems.append(
                ((*path, "gold", "target"), "a derived gold needs two independent [[gold_methods]]")
            )
    for name, agent in suite.agents.items():
        problems.extend(
            (("agents", name, "arms"), f"no arm {arm!r} in [arms]")
            for arm in agent.arms or ()
            if arm not in suite.arms
        )
    problems.extend(
        ((table,), f"[{table}] is empty: nothing would run")
        for table in ("repos", "arms", "agents", "questions")
        if not getattr(suite, table)
    )
    return problems


def parse_suite(text: str, file: str) -> Suite:
    """Return the suite of a TOML text. Raises SuiteInvalidError with every problem of the file, line by line."""
    suite = parse_toml(Suite, text, file, SuiteInvalidError, SUITE_NEXT_STEP)
    if problems := _dangling(suite):
        raise problems_of(text, file, problems, SuiteInvalidError, SUITE_NEXT_STEP)
    return suite
