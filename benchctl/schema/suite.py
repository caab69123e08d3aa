"""The TOML file a benchmark author writes: what is asked, of whom, over which trees.

Strict on purpose: a misspelt key that is ignored is a run that measured something
else. Every problem of a file is reported at once, each with its line.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from benchctl.errors import SuiteInvalidError
from benchctl.schema.fields import AgentFolder, SchemaVersion, Seconds, Spoken, Strict, Word
from benchctl.schema.names import CANARY_PATTERN, Name
from benchctl.schema.sandbox import SandboxLevel
from benchctl.schema.source import TomlPath, parse_toml, problems_of

__all__ = [
    "SUITE_NEXT_STEP",
    "AgentSpec",
    "Arm",
    "Caps",
    "Goal",
    "GoldMethod",
    "Question",
    "QuestionGold",
    "Repo",
    "RunDefaults",
    "SandboxLevel",
    "Suite",
    "parse_suite",
]


SUITE_NEXT_STEP = "correct the file; `benchctl plan` shows it again without starting anything"

_Canary = Annotated[str, StringConstraints(pattern=f"^{CANARY_PATTERN}$")]
_Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class Repo(Strict):
    """A corpus: the tree a question is asked about.

    `package` is an installed distribution, checked against its RECORD; `git` a path or
    URL with a full commit; `directory` a tree with its digest. `practice` questions tune
    a set-up and never count.
    """

    kind: Literal["package", "git", "directory"]
    distribution: Spoken | None = None
    version: Spoken | None = None
    source: Spoken | None = None
    commit: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")] | None = None
    digest: Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")] | None = None
    include: tuple[Spoken, ...] = ("**",)
    exclude: tuple[Spoken, ...] = ()
    practice: bool = False

    @model_validator(mode="after")
    def _fields_of_kind(self) -> Self:
        needed = {"package": ("distribution",), "git": ("source", "commit"), "directory": ("source",)}[
            self.kind
        ]
        for field in needed:
            if getattr(self, field) is None:
                raise ValueError(f"a {self.kind} repository needs `{field}`")
        return self


class Arm(Strict):
    """One way of answering: what an agent is told and which commands it may use.

    `requires` names commands that must be on the PATH; where one is missing the arm is
    refused with `install` as the next step. An optional arm may be refused without
    changing the exit code.
    """

    title: str
    note: str = ""
    prompt: Spoken = "{prompt}"
    requires: tuple[Spoken, ...] = ()
    install: str = ""
    optional: bool = False
    sandbox: SandboxLevel | None = None


class AgentSpec(Strict):
    """An agent: an adapter by its kind, and what that adapter needs.

    `argv` may hold `{python}` (this interpreter), `{agent}` (the read-only folder with the
    suite's agent files), `{arm}`, `{model}`, `{question}`, `{tree}`, `{scratch}` (a folder the
    agent may write to), `{prompt_file}` and `{prompt}`.
    `env` names variables passed on from the caller's environment, by name alone.
    """

    kind: str = "command"
    title: str = ""
    argv: tuple[Word, ...] = ()
    files: AgentFolder | None = None
    models: Annotated[tuple[Spoken, ...], Field(min_length=1)] = ("none",)
    arms: Annotated[tuple[Name, ...], Field(min_length=1)] | None = None
    env: tuple[_Variable, ...] = ()
    optional: bool = False


class Caps(Strict):
    """The same limits for every cell. A cell that reaches `wall_s` is a did-not-finish."""

    wall_s: Seconds = 1200.0
    output_bytes: Annotated[int, Field(gt=0)] = 16 * 1024 * 1024


class RunDefaults(Strict):
    """How a run of this suite is collected unless its command says otherwise.

    `questions_per_repo` keeps the first usable questions of each repository, in file order; None keeps all.
    """

    reps: Annotated[int, Field(ge=1, le=1000)] = 1
    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)] = 0
    attempts: Annotated[int, Field(ge=1, le=10)] = 1
    allow_no_sandbox: bool = False
    questions_per_repo: Annotated[int, Field(ge=1)] | None = None


class GoldMethod(Strict):
    """One independent way of deriving a gold list: a command that prints a JSON list.

    `argv` may hold `{python}`, `{gold}` (the suite's gold folder), `{tree}` and `{target}`.
    """

    title: Spoken
    argv: Annotated[tuple[Word, ...], Field(min_length=1)]


class QuestionGold(Strict):
    """The answer key: items written down, or a target that every gold method derives for the tree at hand."""

    items: tuple[Spoken, ...] | None = None
    target: Spoken | None = None
    minimum: Annotated[int, Field(ge=1)] = 1

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
    repo: Name
    question_class: Annotated[Name, Field(alias="class")]
    title: str = ""
    prompt: Spoken
    grader: str = "gold"
    gold: QuestionGold | None = None
    expected: tuple[Spoken, ...] = ()


class Goal(Strict):
    """A rule written before the first cell: an assertion in the expression language."""

    id: Name
    title: str
    assertion: str


class Suite(Strict):
    """A whole suite file. Ids are unique, every reference resolves, every question can be graded."""

    schema_version: Annotated[SchemaVersion, Field(alias="schema")]
    name: Name
    title: str
    description: str = ""
    canary: _Canary
    repos: dict[Name, Repo]
    arms: dict[Name, Arm]
    agents: dict[Name, AgentSpec]
    caps: Caps = Caps()
    run: RunDefaults = RunDefaults()
    gold_methods: tuple[GoldMethod, ...] = ()
    questions: tuple[Question, ...]
    goals: tuple[Goal, ...] = ()

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
