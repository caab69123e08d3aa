"""What a plan needs to know of this machine and these trees; looking starts nothing and writes nothing."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from benchctl.errors import BenchctlError
from benchctl.planning.selection import Selection
from benchctl.planning.world import World, commands_of
from benchctl.runner.agent_files import agent_digests
from benchctl.runner.leak_check import gold_in_corpora
from benchctl.runner.suite_problems import check_suite
from benchctl.schema.run import CorpusRecord
from benchctl.schema.suite import SandboxLevel, Suite
from benchctl.workspace.corpus import Corpus, resolve_corpus
from benchctl.workspace.interpreter import search_path

__all__ = ["Survey", "survey"]


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found. `commands` maps a name to its path; `problems` are those that stop a run."""

    world: World
    corpora: dict[str, Corpus]
    commands: dict[str, str]
    problems: tuple[BenchctlError, ...]

    def under(self, sandbox: SandboxLevel) -> World:
        """Return the world with a proven sandbox level."""
        return replace(self.world, sandbox=sandbox)


def survey(suite: Suite, file: Path, selection: Selection) -> Survey:
    """Return what there is for the suite of `file`: commands, agent files, and the corpora it is asked about.

    Raises SuiteInvalidError for mistakes of the file itself, so that a plan and a run say the same of it.
    """
    check_suite(suite, file, selection)
    folder = file.parent
    problems: list[BenchctlError] = []
    corpora: dict[str, Corpus] = {}
    asked = {question.repo for question in suite.questions if selection.takes_question(suite, question)}
    for name in suite.repos:
        if name in asked:
            try:
                corpora[name] = resolve_corpus(name, suite.repos[name], folder)
            except BenchctlError as problem:
                problems.append(problem)
    problems += gold_in_corpora(suite, folder, corpora)
    found = {
        command: path
        for command in sorted(commands_of(suite))
        if (path := shutil.which(command, path=search_path()))
    }
    world = World(
        commands=frozenset(found),
        corpora={name: corpus_record(suite, corpus) for name, corpus in corpora.items()},
        agent_files=agent_digests(suite, folder),
    )
    return Survey(world, corpora, found, tuple(problems))


def corpus_record(suite: Suite, corpus: Corpus) -> CorpusRecord:
    """Return what run.json says of a corpus."""
    repo = suite.repos[corpus.repo]
    return CorpusRecord(
        repo=corpus.repo,
        kind=repo.kind,
        version=corpus.version,
        tree_digest=corpus.tree_digest,
        files=len(corpus.files),
        bytes=corpus.bytes,
        practice=repo.practice,
    )
