"""The reason that a person gives for a correction or a removal: one rule, wherever it is given."""

from __future__ import annotations

import unicodedata
from typing import Final

from benchctl.errors import OptionInvalidError

__all__ = ["LONGEST_REASON", "checked_reason", "reason_problem"]

LONGEST_REASON: Final = 1000
"""Characters of a reason at most: every report and page prints it."""

_NOT_SEEN: Final = frozenset("CZ")
"""The Unicode categories (by their first letter) of what leaves no mark: controls, formats, separators."""

_NO_SIGNS: Final = frozenset(("Cc", "Cs", "Zl", "Zp"))
_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols by category that are drawn as nothing."""


def reason_problem(why: str) -> str | None:
    """Return what is wrong with a reason; None where it can be kept: it is visible, one line, and not a book."""
    if not any(
        unicodedata.category(each)[0] not in _NOT_SEEN | {"M"} and each not in _BLANK_LETTERS for each in why
    ):
        return "says nothing"
    if any(unicodedata.category(each) in _NO_SIGNS for each in why):
        return "holds a line end or another control character"
    if len(why) > LONGEST_REASON:
        return f"is longer than {LONGEST_REASON} characters"
    return None


def checked_reason(why: str) -> str:
    """Return a reason without the blanks around it. Raises OptionInvalidError for one that says nothing, or too much."""
    why = why.strip()
    if problem := reason_problem(why):
        raise OptionInvalidError(
            f"--why {problem}",
            expected=f"the reason in one line, at most {LONGEST_REASON} characters, as reports print it",
        )
    return why
