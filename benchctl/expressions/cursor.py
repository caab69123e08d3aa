"""A place in an expression's text: matching forward, and saying where and what was expected."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

from benchctl.errors import ExpressionInvalidError

__all__ = ["LONGEST", "NESTING", "Cursor", "quoted"]

LONGEST: Final = 50_000
"""How many characters one expression may have."""

NESTING: Final = 32
"""How deep parentheses, calls and signs may stand inside one another."""

_SPACE = re.compile(r"\s*")
_QUOTED = {mark: re.compile(f"{mark}((?:[^{mark}]|{mark}{mark})*){mark}") for mark in "\"'"}
_SHOWN_LENGTH = 20


class Cursor:
    """A text and a position in it. `parameters` are the names that may follow a `$`."""

    def __init__(self, text: str, parameters: Collection[str] = ()) -> None:
        self.text = text
        self.position = 0
        self.parameters = parameters
        self._depth = 0
        if len(text) > LONGEST:
            self.fail(f"at most {LONGEST:,} characters", what=f"this is {len(text):,} characters long")
        self.skip()

    def skip(self) -> None:
        """Move over white space."""
        self.position = self._end(_SPACE)

    def _end(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self.text, self.position)
        return match.end() if match else self.position

    @property
    def at_end(self) -> bool:
        """Whether nothing is left."""
        return self.position == len(self.text)

    def sees(self, pattern: re.Pattern[str]) -> bool:
        """Return whether `pattern` matches here, without moving."""
        return pattern.match(self.text, self.position) is not None

    def match(self, pattern: re.Pattern[str], *, tight: bool = False) -> str | None:
        """Return the text that `pattern` matches here and move behind it; `tight` keeps the space behind it."""
        match = pattern.match(self.text, self.position)
        if match is None:
            return None
        self.position = match.end()
        if not tight:
            self.skip()
        return match[0]

    def take(self, literal: str) -> bool:
        """Return whether `literal` stands here, and move behind it if so."""
        if not self.text.startswith(literal, self.position):
            return False
        self.position += len(literal)
        self.skip()
        return True

    def need(self, literal: str, expected: str) -> None:
        """Move behind `literal`, or fail."""
        if not self.take(literal):
            self.fail(expected)

    def string(self, mark: str, *, tight: bool = False) -> str | None:
        """Return the text between two `mark`s here, a doubled mark being one of it; None without a mark."""
        if not self.text.startswith(mark, self.position):
            return None
        found = self.match(_QUOTED[mark], tight=tight)
        if found is None:
            self.fail(f"a closing {mark}", what="this quote is never closed")
        return found[1:-1].replace(mark * 2, mark)

    def check_parameter(self, word: str, start: int) -> None:
        """Fail at `start` when `word` is a `$name` that nobody declared."""
        if word.startswith("$") and word[1:] not in self.parameters:
            known = ", ".join(f"${name}" for name in self.parameters)
            self.fail(
                known or "a name; `$` stands only in named values", what=f"no parameter {word}", at=start
            )

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Count one level of nesting while the block runs."""
        self._depth += 1
        if self._depth > NESTING:
            self.fail(f"at most {NESTING} levels", what="nested too deeply")
        yield
        self._depth -= 1

    def fail(self, expected: str, *, what: str | None = None, at: int | None = None) -> NoReturn:
        """Raise ExpressionInvalidError here, or at `at`; the position is always one of the text."""
        position = self.position if at is None else at
        raise ExpressionInvalidError(
            what or self._found(position),
            text=self.text,
            position=min(position, max(len(self.text) - 1, 0)),
            expected=expected,
        )

    def _found(self, position: int) -> str:
        if not self.text.strip():
            return "nothing is written"
        rest = self.text[position : position + _SHOWN_LENGTH].split()
        return f"unexpected `{rest[0]}`" if rest else "it ends too early"


def quoted(text: str, mark: str) -> str:
    """Return `text` between two `mark`s, as `Cursor.string` reads it."""
    return mark + text.replace(mark, mark * 2) + mark
