"""What was asked in a run: the suite as the run kept it, which may differ from today's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchctl.schema.suite import Suite, parse_suite
from benchctl.store.trust import trusted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchctl.store.reader import StoredRun

__all__ = ["reading_order", "suite_of"]

_SUITE = "evidence/suite.toml"


def suite_of(run: StoredRun) -> Suite | None:
    """Return the suite of a run; None for a run that kept none, such as an imported one.

    Raises StoreDamagedError where the copy is not what the manifest says.
    """
    if not run.layout.suite.is_file():
        return None
    file = trusted(run.layout, run.manifest, _SUITE) if run.manifest else run.layout.suite
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
