"""The answer key as the project's suite gives it today: written down, or derived anew for the tree that was asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchctl.errors import KeyMissingError, Where
from benchctl.planning.questions import GoldOutcome, written_gold
from benchctl.runner.gold import derive_gold
from benchctl.runner.questions import present_suite
from benchctl.workspace.cells import cell_root
from benchctl.workspace.corpus import resolve_corpus
from benchctl.workspace.tree import write_base

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from benchctl.schema.suite import Question, Suite
    from benchctl.store.project import Project
    from benchctl.store.reader import StoredRun

__all__ = ["present_key"]


def present_key(
    project: Project, run: StoredRun, wanted: Iterable[str]
) -> tuple[dict[str, Question], dict[str, tuple[str, ...]]]:
    """Return the wanted questions as the suite has them today, and the items of each one's key.

    A key that methods derive is derived for the present corpus, which must be the tree that the run was
    asked about. Raises KeyMissingError where the suite or a question of it is gone, the tree is another, or
    a method refuses.
    """
    found = present_suite(project, run.record.suite)
    names = tuple(dict.fromkeys(wanted))
    if found is None:
        raise KeyMissingError(
            f"the project has no suite {run.record.suite}",
            where=Where(str(project.suites_dir)),
            next_step="leave `--gold suite` out: the run keeps the key it was collected with",
        )
    suite, file = found
    questions = {question.id: question for question in suite.questions if question.id in names}
    if gone := [name for name in names if name not in questions]:
        raise KeyMissingError(f"suite {suite.name} has no question {', '.join(gone)}", where=Where(str(file)))
    written = written_gold(suite)
    derived = _derived(project, run, suite, file, [questions[n] for n in names if n not in written])
    outcomes = {name: written.get(name) or derived[name] for name in names}
    if refused := [outcome for outcome in outcomes.values() if outcome.refused]:
        reasons = "; ".join(f"{outcome.question}: {outcome.refused}" for outcome in refused)
        raise KeyMissingError(f"the suite has no usable key: {reasons}", where=Where(str(file)))
    return questions, {name: outcome.items for name, outcome in outcomes.items()}


def _derived(
    project: Project, run: StoredRun, suite: Suite, file: Path, questions: list[Question]
) -> dict[str, GoldOutcome]:
    """Return the outcome of each question's methods, over trees that are those of the run."""
    if not questions:
        return {}
    recorded = {corpus.repo: corpus.tree_digest for corpus in run.record.corpora}
    with cell_root(outside=(project.root,)) as root:
        trees = {}
        for repo in dict.fromkeys(question.repo for question in questions):
            corpus = resolve_corpus(repo, suite.repos[repo], file.parent)
            if corpus.tree_digest != recorded.get(repo):
                raise KeyMissingError(
                    f"the tree of {repo} is {corpus.tree_digest}, and run {run.id} was asked about another",
                    where=Where(str(file)),
                    expected=recorded.get(repo),
                    next_step="install the version that the run was asked about, or leave `--gold suite` out",
                )
            trees[repo] = write_base(corpus, root / repo).root
        scratch = root / "gold"
        scratch.mkdir()
        return derive_gold(suite, file.parent, questions, trees, scratch)
