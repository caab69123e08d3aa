"""The questions of a run that exists, recovered as they were asked, or a refusal that says why they cannot be.

The run's own copy of its suite says what was asked; the project's suite says what is asked
today. An answer is graded only where the two are one question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchctl.errors import (
    BenchctlError,
    OptionInvalidError,
    PromptChangedError,
    QuestionsLostError,
    Where,
)
from benchctl.expressions import near
from benchctl.schema.canonical import digest
from benchctl.schema.suite import parse_suite
from benchctl.store.disk.untrusted import read_regular
from benchctl.store.disk.verified_file import trusted
from benchctl.store.project import SUITE_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from benchctl.schema.suite import Question, Suite
    from benchctl.store.project import Project
    from benchctl.store.reader import StoredRun

__all__ = ["asked_questions", "present_suite", "refuse_unasked"]

_SUITE = "evidence/suite.toml"


def asked_questions(project: Project, run: StoredRun, wanted: Iterable[str]) -> dict[str, Question]:
    """Return the wanted questions of a closed run by their ids, as they were asked.

    Raises QuestionsLostError where one of them is in no suite that is left, PromptChangedError, with
    all of them, where the project's suite asks one otherwise today.
    """
    names = tuple(dict.fromkeys(wanted))
    own, present = _own_suite(run), present_suite(project, run.record.suite)
    today = _by_id(present[0]) if present else {}
    kept = _by_id(own) if own else today
    if lost := [name for name in names if name not in kept]:
        raise _lost(run, lost)
    recorded = {name: run.record.prompts.get(name) or digest(kept[name].prompt) for name in names}
    changed = [
        name
        for name in names
        for question in (kept[name], today.get(name))
        if question is not None and digest(question.prompt) != recorded[name]
    ]
    if changed:
        raise _changed(run, dict.fromkeys(changed), names, present[1] if present else None)
    return {name: kept[name] for name in names}


def refuse_unasked(run: str, option: str, wanted: Iterable[str], asked: Iterable[str]) -> None:
    """Raise OptionInvalidError, with near names, for a question that an option names and the run did not ask."""
    known = tuple(dict.fromkeys(asked))
    for name in wanted:
        if name not in known:
            raise OptionInvalidError(
                f"{option}: run {run} asked no question {name!r}",
                expected=near(name, known) or ", ".join(sorted(known)),
                next_step=f"`benchctl show {run}` lists its cells by question; nothing was changed",
            )


def present_suite(project: Project, name: str) -> tuple[Suite, Path] | None:
    """Return the project's suite of that name and its file; None where it is gone. Raises SuiteInvalidError."""
    file = project.suites_dir / name / SUITE_FILE
    return project.read_suite(file) if file.is_file() else None


def _own_suite(run: StoredRun) -> Suite | None:
    """Return the suite that the run kept; None for one that kept none. Raises QuestionsLostError for one that is none."""
    name = run.manifest.current(_SUITE) if run.manifest else None
    if run.manifest is None or name is None:
        return None
    path = trusted(run.layout, run.manifest, name)
    try:
        return parse_suite(read_regular(path).decode("utf-8-sig"), str(path))
    except (BenchctlError, UnicodeDecodeError) as error:
        raise QuestionsLostError(
            f"the suite that run {run.id} kept cannot be read: {error}",
            where=Where(str(path)),
            next_step="regrade it with the benchctl that collected it; the run itself is sound",
        ) from error


def _by_id(suite: Suite) -> Mapping[str, Question]:
    return {question.id: question for question in suite.questions}


def _lost(run: StoredRun, lost: list[str]) -> QuestionsLostError:
    return QuestionsLostError(
        f"run {run.id} asked {', '.join(lost)}, and neither the run nor suite {run.record.suite} says what that was",
        where=Where(str(run.layout.suite)),
        next_step=f"restore the suite {run.record.suite} as it was when the run was collected",
    )


def _changed(
    run: StoredRun, changed: Iterable[str], names: tuple[str, ...], file: Path | None
) -> PromptChangedError:
    left = [name for name in names if name not in set(changed)]
    others = f"`benchctl regrade {run.id} --only {','.join(left)}` grades the others" if left else None
    return PromptChangedError(
        f"the prompt of {', '.join(changed)} is not the one that run {run.id} was asked; nothing was graded",
        where=Where(str(file or run.layout.suite)),
        next_step=others or "collect a new run: the old answers answer another question",
    )
