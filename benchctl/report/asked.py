"""What was asked in a run: the suite as the run kept it, which may differ from today's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchctl.errors import SuiteInvalidError
from benchctl.schema.suite import Suite, parse_suite
from benchctl.store.disk.verified_file import trusted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchctl.store.reader import StoredRun

__all__ = ["reading_order", "suite_of", "unread_suite"]

_SUITE = "evidence/suite.toml"


def suite_of(run: StoredRun) -> Suite | None:
    """Return the suite of a run; None for a run that kept none, such as an imported one, or one that nobody can read.

    Its copy is as it was written, but another version may have written it, and a run is shown for ever:
    `unread_suite` says that it is not read. Raises StoreDamagedError where it is not what the manifest says.
    """
    try:
        return _parsed(run)
    except SuiteInvalidError:
        return None


def unread_suite(run: StoredRun) -> str:
    """Return the note that says that a run's suite cannot be read, and what that changes; empty where it can."""
    try:
        _parsed(run)
    except SuiteInvalidError:
        return "The suite that the run keeps is none that this version reads: rows are in the order of their names."
    return ""


def _parsed(run: StoredRun) -> Suite | None:
    name = run.manifest.current(_SUITE) if run.manifest else None
    if name is None if run.manifest else not run.layout.suite.is_file():
        return None
    file = trusted(run.layout, run.manifest, name) if run.manifest and name else run.layout.suite
    return parse_suite(file.read_text(encoding="utf-8"), str(file))


def reading_order(suite: Suite | None) -> dict[str, Sequence[str]]:
    """Return the order in which the author wrote each axis, by column; a column that is left out has none."""
    if suite is None:
        return {}
    return {
        "arm": list(suite.arms),
        "agent": list(suite.agents),
        "repo": list(suite.repos),
        "question": [question.id for question in suite.questions],
        "class": list(dict.fromkeys(question.question_class for question in suite.questions)),
    }
