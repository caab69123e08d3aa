"""Goals are rules fixed before the first cell; one that cannot be read is a mistake now, not after the money is spent."""

from __future__ import annotations

from benchctl.errors import ExpressionInvalidError, SuiteInvalidError
from benchctl.expressions import is_vacuous, parse
from benchctl.schema.suite import Suite

__all__ = ["check_goals"]


def check_goals(suite: Suite) -> None:
    """Raise SuiteInvalidError for a goal that does not parse, or that no result could ever decide."""
    for goal in suite.goals:
        try:
            vacuous = is_vacuous(parse(goal.assertion))
        except ExpressionInvalidError as error:
            raise SuiteInvalidError(
                f"goal {goal.id!r}: {error.what}", expected=error.expected, next_step="correct `assertion`"
            ) from error
        if vacuous:
            raise SuiteInvalidError(
                f"goal {goal.id!r} is the same whatever the run says", next_step="let it refer to a column"
            )
