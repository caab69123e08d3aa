"""What a plan needs to know of this machine and these trees; looking starts nothing and writes nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from benchctl.agents import AGENTS
from benchctl.errors import BenchctlError, PreflightRefusedError, Where
from benchctl.planning.selection import Selection
from benchctl.planning.world import Reason, World, commands_of, variables_of
from benchctl.runner.agent_files import agent_digests
from benchctl.runner.indexes import index_digests
from benchctl.runner.leak_check import gold_in_corpora
from benchctl.runner.suite_problems import check_suite
from benchctl.schema.placeholders import names
from benchctl.schema.run import CorpusRecord
from benchctl.schema.source import TomlLines
from benchctl.schema.suite import Arm, Repo, SandboxLevel, Suite
from benchctl.workspace.corpus import Corpus, resolve_corpus
from benchctl.workspace.globs import matches
from benchctl.workspace.interpreter import search_path
from benchctl.workspace.upstream import sendable

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

    def after(
        self,
        sandbox: SandboxLevel,
        failed_arms: Mapping[str, Reason],
        failed_agents: Mapping[tuple[str, str | None], Reason],
    ) -> World:
        """Return the world with a proven sandbox level, and what was tried under it in vain."""
        failed_agents = {**self.world.failed_agents, **failed_agents}
        return replace(self.under(sandbox), failed_arms=failed_arms, failed_agents=failed_agents)


def survey(
    suite: Suite, file: Path, selection: Selection, *, fetching: Callable[[str, Repo], None] | None = None
) -> Survey:
    """Return what there is for the suite of `file`: commands, agent files, and the corpora it is asked about.

    `fetching` brings a repository here that is named by URL; without it one is looked for on this disk alone.
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
                if fetching:
                    fetching(name, suite.repos[name])
                corpora[name] = resolve_corpus(name, suite.repos[name], folder)
            except BenchctlError as problem:
                problems.append(problem)
    problems += gold_in_corpora(suite, folder, corpora)
    problems += lost_evidence(suite, file, corpora)
    problems += _idle_patterns(suite, file, corpora)
    found = {
        command: path
        for command in sorted(commands_of(suite))
        if (path := shutil.which(command, path=search_path()))
    }
    world = World(
        commands=frozenset(found),
        corpora={name: corpus_record(suite, corpus) for name, corpus in corpora.items()},
        agent_files=agent_digests(suite, folder),
        index_files=index_digests(suite, folder),
        variables=frozenset(name for name in variables_of(suite) if os.environ.get(name, "").strip()),
        unable=_unable(suite),
        failed_agents=_unsendable(suite),
        capabilities={name: AGENTS[spec.kind].capabilities(spec) for name, spec in suite.agents.items()},
    )
    return Survey(world, corpora, found, tuple(problems))


def _unsendable(suite: Suite) -> dict[tuple[str, str | None], Reason]:
    """Return the agents whose key the proxy could not put into a header; one without a value is refused as such."""
    return {
        (name, None): Reason(
            f"the key {each.secret} cannot stand in a header",
            f"set {each.secret} to the key alone: one line of printable ASCII, no space around it",
        )
        for name, agent in suite.agents.items()
        for each in agent.inject.values()
        if (value := os.environ.get(each.secret)) and not sendable(each, value)
    }


def lost_evidence(suite: Suite, file: Path, corpora: Mapping[str, Corpus]) -> Iterator[BenchctlError]:
    """Yield each file that an answer rests on and that the tree of its question does not hold."""
    held = {name: {each.path for each in corpus.files} for name, corpus in corpora.items()}
    for question in suite.questions:
        if question.repo not in held:
            continue
        for path in question.evidence:
            if path not in held[question.repo]:
                patterns = [each for each in suite.repos[question.repo].exclude if matches(path, each)]
                why = f"; {', '.join(map(repr, patterns))} takes it out" if patterns else ""
                yield PreflightRefusedError(
                    f"question {question.id}: the tree of {question.repo} does not hold its evidence {path}{why}",
                    where=Where(str(file)),
                    next_step="correct `evidence`, or include the file: without it nobody can answer",
                )


def _idle_patterns(suite: Suite, file: Path, corpora: Mapping[str, Corpus]) -> Iterator[BenchctlError]:
    """Yield each pattern of `include` and `exclude` that matches no file of its tree, with its line."""
    if not any(corpus.unmatched for corpus in corpora.values()):
        return
    places = TomlLines(file.read_text(encoding="utf-8-sig"))
    for name, corpus in corpora.items():
        for pattern in corpus.unmatched:
            field = "exclude" if pattern in suite.repos[name].exclude else "include"
            yield PreflightRefusedError(
                f"repos.{name}: pattern {pattern!r} matches no file",
                where=Where(str(file), *places.place_of(("repos", name, field), pattern)),
                next_step=f"correct it, or leave it out of `{field}`; patterns are matched against whole paths below the tree",
            )


def _unable(suite: Suite) -> dict[tuple[str, str], Reason]:
    """Return why an agent cannot take an arm, for each pair where it cannot be told what the arm gives."""
    found: dict[tuple[str, str], Reason] = {}
    for agent, spec in suite.agents.items():
        for name, arm in suite.arms.items():
            why = AGENTS[spec.kind].unable(spec, arm)
            if spec.files is None and (lost := _of_agent_files(arm)):
                why = (*why, f"servers: {', '.join(lost)} starts from {{agent}}, and the agent has no files")
            if why:
                found[name, agent] = Reason(
                    f"the agent cannot be given all of the arm: {'; '.join(why)}",
                    f"mend agents.{agent}, or keep it to other arms by `arms`",
                )
    return found


def _of_agent_files(arm: Arm) -> tuple[str, ...]:
    """Return the servers of an arm that are started from the agent's files."""
    return tuple(
        name
        for name, server in arm.servers.items()
        if any("agent" in names(word) for word in (*server.argv, *server.env.values()))
    )


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
