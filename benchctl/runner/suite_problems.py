"""The last word on a suite file: what its own folder, its agents and its graders make of it, each with its line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchctl.agents import AGENTS
from benchctl.errors import SuiteInvalidError
from benchctl.grading import GRADERS
from benchctl.planning.questions import written_gold
from benchctl.planning.selection import Selection
from benchctl.planning.suite_check import suite_mistakes
from benchctl.runner.agent_files import folder_mistakes
from benchctl.runner.gradable import ungradable
from benchctl.schema.source import TomlPath, problems_of
from benchctl.schema.suite import SUITE_NEXT_STEP, Suite
from benchctl.store.project import SUITE_FILE
from benchctl.workspace.fetched_repo import is_url
from benchctl.workspace.leaks import scan_text

__all__ = ["check_suite"]


def check_suite(suite: Suite, file: Path, selection: Selection) -> None:
    """Raise SuiteInvalidError with every mistake of the suite in `file`.

    A source is looked for only where a question of the selection is asked about it.
    """
    mistakes = [
        *suite_mistakes(suite, AGENTS, GRADERS),
        *_names(suite, file),
        *_sources(suite, file.parent, selection),
        *_canaries(suite),
    ]
    # A grader is asked only where the suite names one that there is.
    mistakes += [] if mistakes else _ungradable(suite)
    if mistakes:
        text = file.read_text(encoding="utf-8-sig")
        raise problems_of(text, str(file), mistakes, SuiteInvalidError, SUITE_NEXT_STEP)


def _names(suite: Suite, file: Path) -> Iterator[tuple[TomlPath, str]]:
    folder = file.absolute().parent
    if file.name == SUITE_FILE and suite.name != folder.name:
        yield ("name",), f"the suite calls itself {suite.name!r} and its folder {folder.name!r}"
    given: list[tuple[TomlPath, str | None]] = [
        (("agents", name, "files"), agent.files) for name, agent in suite.agents.items()
    ]
    for name, arm in suite.arms.items():
        given += [
            (("arms", name, "indexes", each, "files"), index.files) for each, index in arm.indexes.items()
        ]
    for path, files in given:
        if files is not None:
            for mistake in folder_mistakes(folder, files):
                yield path, mistake


def _ungradable(suite: Suite) -> Iterator[tuple[TomlPath, str]]:
    """Yield each question whose written key does not get 1 by its own grader."""
    written = written_gold(suite)
    for index, question in enumerate(suite.questions):
        if question.id in written and (why := ungradable(question, written[question.id].items)):
            yield ("questions", index), f"question {question.id!r} cannot be graded: {why}"


def _sources(suite: Suite, folder: Path, selection: Selection) -> Iterator[tuple[TomlPath, str]]:
    asked = {question.repo for question in suite.questions if selection.takes_question(suite, question)}
    for name, repo in suite.repos.items():
        if name not in asked or not repo.source or (repo.kind == "git" and is_url(repo.source)):
            continue
        if "://" not in repo.source and not (folder / repo.source).is_dir():
            yield ("repos", name, "source"), f"there is no folder {folder / repo.source}"


def _canaries(suite: Suite) -> Iterator[tuple[TomlPath, str]]:
    """Yield where the suite itself hands its canary to an agent: whoever holds it counts as one that saw the key."""
    told: list[tuple[TomlPath, str]] = [
        *((("arms", name, "prompt"), arm.prompt) for name, arm in suite.arms.items()),
        *(
            (("arms", name, "instructions"), "\n".join([arm.instructions, arm.effort, *arm.tools]))
            for name, arm in suite.arms.items()
        ),
        *(
            (("arms", name, "servers", each), "\n".join([*server.argv, *server.env.values()]))
            for name, arm in suite.arms.items()
            for each, server in arm.servers.items()
        ),
        *((("agents", name, "argv"), "\n".join(agent.argv)) for name, agent in suite.agents.items()),
        *(
            (("agents", name, "continue_argv"), "\n".join(agent.continue_argv))
            for name, agent in suite.agents.items()
        ),
        *((("questions", index, "prompt"), asked.prompt) for index, asked in enumerate(suite.questions)),
    ]
    for path, text in told:
        if scan_text("", text, {"canary": suite.canary}):
            yield path, "holds the canary, which only the answer key may"
