"""Which questions count: those with a usable gold, and of them the first few of each repository."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from benchctl.planning.selection import Selection
from benchctl.schema.canonical import digest
from benchctl.schema.run import GoldRecord, RefusalRecord
from benchctl.schema.suite import Question, Suite

__all__ = ["GoldOutcome", "Roll", "call_roll", "surplus_reason", "written_gold"]


@dataclass(frozen=True, slots=True)
class GoldOutcome:
    """What became of one question's gold.

    `items` are the agreed (or hand-written) items; `refused` says why there is no gold to use, and is
    empty where there is. `failed` says that a method broke, which nobody meant to happen; a refusal by
    the suite's own rules (the methods differ, too few items) is not one. `methods` names the independent
    methods that agreed; empty for a hand-written list.
    """

    question: str
    items: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    refused: str = ""
    failed: bool = False

    def record(self) -> GoldRecord:
        """Return what run.json says of it; the items themselves stand beside the evidence."""
        return GoldRecord(
            question=self.question,
            digest=digest(list(self.items)),
            items=len(self.items),
            methods=self.methods,
        )


@dataclass(frozen=True, slots=True)
class Roll:
    """The questions that run, in file order, and the refusals of the others.

    `before_gold` are those among them whose gold is not derived yet. `at_most` is how many of each repository
    can run in the end: below the number of its `questions` while it is open which of them survive.
    """

    questions: tuple[Question, ...]
    refusals: tuple[RefusalRecord, ...]
    before_gold: tuple[str, ...]
    at_most: Mapping[str, int]


def written_gold(suite: Suite) -> dict[str, GoldOutcome]:
    """Return the gold that needs no derivation: the items or expected strings that the suite itself holds."""
    found: dict[str, GoldOutcome] = {}
    for question in suite.questions:
        items = question.gold.items if question.gold else None
        if question.grader != "gold":
            items = question.expected
        if items is not None:
            found[question.id] = GoldOutcome(question.id, items)
    return found


def call_roll(suite: Suite, selection: Selection, gold: Mapping[str, GoldOutcome]) -> Roll:
    """Return which of the selected questions run.

    A refused gold leaves its question out; `questions_per_repo` then keeps the first ones of each
    repository (practice questions have no such limit, they never count). Both are rules of the suite's
    own method, so these refusals are printed and recorded and do not change the exit code. A gold method
    that broke is no rule, and its refusal does.
    """
    limit = None if selection.practice else suite.run.questions_per_repo
    kept: list[Question] = []
    refusals: list[RefusalRecord] = []
    surviving: Counter[str] = Counter()
    candidates: Counter[str] = Counter()
    for question in suite.questions:
        if not selection.takes_question(suite, question):
            continue
        outcome = gold.get(question.id)
        if outcome and outcome.refused:
            refusals.append(_refusal(question, outcome.refused, required=outcome.failed))
        elif limit is not None and surviving[question.repo] >= limit:
            refusals.append(_refusal(question, surplus_reason(limit, question.repo)))
        else:
            kept.append(question)
            candidates[question.repo] += 1
            surviving[question.repo] += outcome is not None
    at_most = {repo: count if limit is None else min(count, limit) for repo, count in candidates.items()}
    before_gold = tuple(question.id for question in kept if question.id not in gold)
    return Roll(tuple(kept), tuple(refusals), before_gold, at_most)


def surplus_reason(limit: int | None, repo: str) -> str:
    """Return why a usable question does not run: others of its repository come first."""
    return f"beyond the first {limit} usable questions of {repo}"


def _refusal(question: Question, reason: str, *, required: bool = False) -> RefusalRecord:
    return RefusalRecord(question=question.id, reason=reason, required=required)
