"""The gold of a run that exists: whoever continues it grades by the key it began with, and need not derive it again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.planning.questions import GoldOutcome, surplus_reason
from benchctl.runner.agent_files import folder_digest
from benchctl.schema.canonical import digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchctl.schema.run import CorpusRecord
    from benchctl.schema.suite import Suite
    from benchctl.store.reader import Store

__all__ = ["gold_method", "recorded_gold"]


def gold_method(suite: Suite, folder: Path) -> str:
    """Return the digest of how the gold is derived: methods, their files in `folder`, and every question's target."""
    targets = [
        [question.id, question.repo, question.gold.model_dump(mode="json") if question.gold else None]
        for question in suite.questions
    ]
    return digest(
        {
            "methods": [method.model_dump(mode="json") for method in suite.gold_methods],
            "files": folder_digest(folder),
            "questions": targets,
        }
    )


def recorded_gold(
    store: Store, run_id: str, suite: Suite, method: str, corpora: Mapping[str, CorpusRecord]
) -> dict[str, GoldOutcome]:
    """Return what the run `run_id` recorded of its gold; nothing where there is no such run or it derived otherwise.

    A question beyond the limit of its repository is known to be usable; its items are not known. That is
    enough to plan the same run again, and any other plan under this id is refused.
    """
    if run_id not in store.names():
        return {}
    run = store.run(run_id)
    record = run.record
    trees = {corpus.repo: corpus.tree_digest for corpus in record.corpora}
    same = trees == {name: corpus.tree_digest for name, corpus in corpora.items()}
    if not same or record.comparability.get("gold_method") != method:
        return {}
    items = run.gold()
    found = {
        gold.question: GoldOutcome(gold.question, items[gold.question], gold.methods)
        for gold in record.gold
        if gold.question in items
    }
    repos = {question.id: question.repo for question in suite.questions}
    limit = suite.run.questions_per_repo
    for refusal in record.refusals:
        if refusal.question is not None:
            surplus = refusal.reason == surplus_reason(limit, repos[refusal.question])
            found[refusal.question] = GoldOutcome(
                refusal.question, refused="" if surplus else refusal.reason, failed=refusal.required
            )
    return found
