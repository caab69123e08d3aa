"""All cells of a closed run graded anew, alike, from what the run kept: what moves is listed, the old grades stay.

Nothing is started and no tree is needed: an answer, its question and its key are all in the run.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from benchctl.errors import EvidenceMissingError, KeyMissingError, Where
from benchctl.grading import READ_TRANSCRIPTS
from benchctl.runner.grade import grade_answer, trees_in
from benchctl.runner.present_key import present_key
from benchctl.runner.questions import asked_questions, refuse_unasked
from benchctl.schema.canonical import canonical_json, digest
from benchctl.schema.result import TABLES
from benchctl.store.disk.rows import grade_json, grade_row
from benchctl.store.writing.corrections import GRADES, Corrected, correct

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from benchctl.schema.suite import Question
    from benchctl.store.disk.rows import Row
    from benchctl.store.project import Project
    from benchctl.store.reader import StoredRun

__all__ = ["FactMove", "GradeMove", "Regrading", "regrade", "regrading"]

_SAID = tuple(column.name for column in TABLES["grades"] if column.name not in {"generation", "row_digest"})
"""The columns of a grade that are the grader's; the others differ between generations whatever it says."""


@dataclass(frozen=True, slots=True)
class FactMove:
    """A fact that another grade states otherwise; None is not stated."""

    id: str
    was: str | None
    now: str | None


@dataclass(frozen=True, slots=True)
class GradeMove:
    """A cell whose grade changes. `was` is its score so far, None where it had no grade; `facts` is what differs."""

    cell: str
    question: str
    was: float | None
    now: float
    facts: tuple[FactMove, ...]


@dataclass(frozen=True, slots=True)
class Regrading:
    """What grading a run anew would write. `keys` is the digest of each question's key, by question.

    `rows` is one grade for each finished cell, `generation` theirs; where `moves` is empty there is
    nothing to write.
    """

    gold: Literal["run", "suite"]
    keys: Mapping[str, str]
    generation: int
    rows: tuple[Row, ...]
    moves: tuple[GradeMove, ...]

    @property
    def stay(self) -> int:
        """Return how many cells keep the grade that they have."""
        return len(self.rows) - len(self.moves)


def regrade(
    project: Project,
    run: StoredRun,
    *,
    only: Sequence[str] | None = None,
    gold: Literal["run", "suite"] = "run",
    dry_run: bool = False,
) -> Corrected[Regrading]:
    """Append a closed run's new grades as a generation of their own, if any moves, and return them.

    Raises what `regrading` raises.
    """

    def decide(now: StoredRun) -> tuple[Regrading, tuple[Row, ...]]:
        found = regrading(project, now, only=only, gold=gold)
        return found, found.rows if found.moves else ()

    return correct(run, GRADES, decide, dry_run=dry_run)


def regrading(
    project: Project,
    run: StoredRun,
    *,
    only: Sequence[str] | None = None,
    gold: Literal["run", "suite"] = "run",
) -> Regrading:
    """Return the grades that today's graders give a closed run's cells, or those of the questions `only`.

    Cells that never finished have no grade and get none. Raises OptionInvalidError for a question that the
    run did not ask, EvidenceMissingError, QuestionsLostError, PromptChangedError, KeyMissingError.
    """
    cells = _wanted(run, only)
    names = dict.fromkeys(str(row["question"]) for row in cells)
    questions = asked_questions(project, run, names)
    own = run.gold()
    keys: Mapping[str, Sequence[str]] = own
    if gold == "suite":
        questions, keys = present_key(project, run, names)
    _refuse_missing(run, questions.values(), keys)
    _refuse_erased(run, cells, keys if gold == "run" else {})
    newest = _newest(run)
    generation = max((row["generation"] for row in newest.values()), default=0) + 1
    digests = {name: digest(list(keys[name])) for name in names}
    other = {name for name in names if name not in own or digest(list(own[name])) != digests[name]}
    rows = tuple(
        _graded(
            row,
            questions[name],
            keys[name],
            generation,
            f"key {digests[name]}" if name in other else "",
        )
        for row in cells
        if row["outcome"] != "interrupted" or row["cell"] in newest
        for name in (str(row["question"]),)
    )
    asked = {str(row["cell"]): str(row["question"]) for row in cells}
    moves = tuple(
        _move(asked[row["cell"]], newest.get(row["cell"]), row)
        for row in rows
        if _content(row) != _content(newest.get(row["cell"], {}))
    )
    return Regrading(gold, digests, generation, rows, moves)


def _wanted(run: StoredRun, only: Sequence[str] | None) -> list[Row]:
    """Return the cells to grade, in the recorded order."""
    cells = run.cells()
    if run.record.imported and all(row["answer"] is None for row in cells):
        raise EvidenceMissingError(
            f"run {run.id} was imported without answers, so there is nothing to grade",
            next_step="import the answers too (`--map SOURCE=answer`), under another run id",
        )
    refuse_unasked(run.id, "--only", only or (), (str(row["question"]) for row in cells))
    return [row for row in cells if only is None or row["question"] in only]


def _refuse_missing(run: StoredRun, questions: Iterable[Question], keys: Mapping[str, Sequence[str]]) -> None:
    """Raise where a question has no key, or its grader reads transcripts that are not there any more."""
    asked = list(questions)
    if unkeyed := [question.id for question in asked if question.id not in keys]:
        raise KeyMissingError(
            f"run {run.id} keeps no answer key of {', '.join(unkeyed)}",
            where=Where(str(run.layout.gold)),
            next_step="`--gold suite` grades by the key that the suite has today",
        )
    reading = [question.id for question in asked if question.grader in READ_TRANSCRIPTS]
    if reading and run.manifest and run.manifest.file_of("transcripts") is None:
        raise EvidenceMissingError(
            f"the transcripts of run {run.id} were dropped, and the grader of {', '.join(reading)} reads them",
            next_step="restore them from a copy, or grade the other questions with `--only`",
        )


def _refuse_erased(run: StoredRun, cells: Iterable[Row], own: Mapping[str, Sequence[str]]) -> None:
    """Raise where a text was erased that the grader saw: what is left of it would get another grade."""
    recorded = {each.question: each.digest for each in run.record.gold}
    if other := [
        name for name, items in own.items() if recorded.get(name, digest(list(items))) != digest(list(items))
    ]:
        raise KeyMissingError(
            f"the key of {', '.join(other)} that run {run.id} keeps is not the one that it was graded by",
            where=Where(str(run.layout.gold)),
            next_step="`--gold suite` grades by the key that the suite has today",
        )
    if run.manifest is None or not any(name.startswith("rows/cells") for name in run.manifest.removed):
        return
    if cut := [row for row in cells if "[erased: " in (row["answer"] or "")]:
        raise EvidenceMissingError(
            f"something was erased from the answer of cell {cut[0]['cell']}, and of {len(cut) - 1} more",
            next_step="grade the questions that it does not touch with `--only`; their grades so far stay",
        )


def _newest(run: StoredRun) -> dict[str, Row]:
    """Return each cell's newest grade."""
    return {str(row["cell"]): row for row in run.rows("grades", "ORDER BY generation")}


def _graded(cell: Row, question: Question, items: Sequence[str], generation: int, other_key: str) -> Row:
    grade = grade_answer(question, items, cell["answer"], trees_in(cell["answer"]))
    if other_key:  # a row that was graded by another key than its run's says by which
        grade = replace(grade, note="; ".join(filter(None, (grade.note, other_key))))
    kept = json.loads(canonical_json(grade_json(grade)))  # as it would have come out of a journal
    return grade_row({"cell": cell["cell"], "outcome": cell["outcome"]}, kept, generation)


def _content(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row.get(name) for name in _SAID}


def _move(question: str, old: Row | None, new: Row) -> GradeMove:
    was, now = _states(old), _states(new)
    facts = [
        FactMove(name, was.get(name), now.get(name))
        for name in sorted(was.keys() | now.keys())
        if was.get(name) != now.get(name)
    ]
    return GradeMove(new["cell"], question, old["score"] if old else None, new["score"], tuple(facts))


def _states(row: Row | None) -> dict[str, str]:
    """Return fact -> state of a grade."""
    return {} if row is None else {fact["id"]: fact["state"] for fact in json.loads(row["facts"])}
