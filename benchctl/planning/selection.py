"""What the caller wants of a suite: some questions, arms, agents and models, or all of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from benchctl.errors import OptionInvalidError
from benchctl.expressions.names import near
from benchctl.planning.matrix import Combination
from benchctl.schema.suite import Question, Suite

__all__ = ["Selection", "check_selection"]


@dataclass(frozen=True, slots=True)
class Selection:
    """Names to keep on each axis; None keeps all. `practice` takes the practice questions instead of the others."""

    questions: tuple[str, ...] | None = None
    arms: tuple[str, ...] | None = None
    agents: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    practice: bool = False

    def takes_question(self, suite: Suite, question: Question) -> bool:
        """Return whether a question is asked for; practice questions and the others never mix."""
        named = self.questions is None or question.id in self.questions
        return named and suite.practice(question) == self.practice

    def takes_way(self, way: Combination) -> bool:
        """Return whether a combination is asked for."""
        axes = ((self.arms, way.arm), (self.agents, way.agent), (self.models, way.model))
        return all(names is None or name in names for names, name in axes)


def check_selection(suite: Suite, selection: Selection) -> None:
    """Raise OptionInvalidError for a name that the suite does not have, with the near ones."""
    models = {model for agent in suite.agents.values() for model in agent.models}
    questions = [question.id for question in suite.questions]
    _known("--only", "question", selection.questions, questions)
    _known("--arms", "arm", selection.arms, suite.arms)
    _known("--agents", "agent", selection.agents, suite.agents)
    _known("--models", "model", selection.models, models)
    _some_of_this_sort(suite, selection)
    for question in suite.questions:
        if question.id in (selection.questions or ()) and suite.practice(question) != selection.practice:
            raise OptionInvalidError(
                f"question {question.id!r} of --only is {'a' if suite.practice(question) else 'no'} practice question",
                next_step="practice questions run alone, with `--practice`, and never count",
            )


def _some_of_this_sort(suite: Suite, selection: Selection) -> None:
    """Raise where a suite has no practice question and those are asked for, or has no other."""
    if any(suite.practice(question) == selection.practice for question in suite.questions):
        return
    if selection.practice:
        raise OptionInvalidError(
            "--practice: this suite has no practice question",
            next_step="mark a repository with `practice = true`, or leave --practice out",
        )
    raise OptionInvalidError(
        "every question of this suite is a practice question, and those never count",
        next_step="collect them with --practice",
    )


def _known(option: str, noun: str, names: Sequence[str] | None, known: Collection[str]) -> None:
    for name in names or ():
        if name in known:
            continue
        like = near(name, known)
        raise OptionInvalidError(
            f"{option}: no {noun} {name!r} in this suite",
            expected=f"one of {', '.join(sorted(known))}",
            next_step=f"did you mean {like}?" if like else None,
        )
