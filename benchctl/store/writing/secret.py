"""A text that must not be kept, in every form in which our files can hold it, and what stands in its place."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, quote_plus

from benchctl.errors import OptionInvalidError
from benchctl.grading import GRADERS
from benchctl.schema.evidence import OUTCOMES
from benchctl.schema.names import path_safe
from benchctl.schema.reason import checked_reason
from benchctl.schema.sandbox import SANDBOX_LEVELS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from mmap import mmap

__all__ = ["SHORTEST", "Secret"]

SHORTEST: Final = 6
"""A shorter text occurs by accident, and erasing it would erase what is none."""

_NESTED: Final = 3
"""How deep JSON in JSON is followed: a fact of a grade may quote a line of a transcript that is itself JSON."""

_ENCODINGS: Final = ("utf-8", "utf-16-le", "utf-16-be", "latin-1")
_OURS: Final = (*OUTCOMES, *SANDBOX_LEVELS, *GRADERS, "imported", "stdout", "stderr", "missed")
"""The words that columns of ours may hold: one that is erased would be a row that nobody can read."""

_NUMBER: Final = re.compile(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Secret:
    """A text to erase: `forms` is what to look for -> what to put there, the longest first.

    Looked for are the text itself, with either kind of line end, as JSON says it (JSON in JSON too), as CSV
    quotes it, as a cell's name says it, and as an address says it. Encodings that nobody can undo by looking
    (base64, compression) are not.
    """

    text: str
    why: str
    forms: Mapping[str, str]

    @classmethod
    def of(cls, text: str, why: str) -> Secret:
        """Return the secret of a file's text, one line end at its end left out. Raises OptionInvalidError."""
        text, why = text.removesuffix("\n").removesuffix("\r"), checked_reason(why)
        if len(text.strip()) < SHORTEST:
            raise OptionInvalidError(
                f"the text to erase is shorter than {SHORTEST} characters, and would be found by accident",
                expected="the secret alone, as it stands in the run",
            )
        if word := next((word for word in _OURS if text in word), None):
            raise OptionInvalidError(
                f"the text to erase stands in {word!r}, a word of benchctl's own that any run may hold",
                expected="the secret alone, as it stands in the run",
            )
        forms = _forms(text, f"[erased: {why}]")
        if any(form in stone for form in forms for stone in forms.values()):
            raise OptionInvalidError(
                "--why holds the text that is to be erased, and would keep it",
                next_step="say the reason without it",
            )
        return cls(text, why, dict(sorted(forms.items(), key=lambda pair: -len(pair[0]))))

    @property
    def is_number(self) -> bool:
        """Return whether a column of numbers could hold it."""
        return _NUMBER.fullmatch(self.text) is not None

    def replaced(self, text: str) -> str:
        """Return a text with every form of the secret replaced."""
        for form, stone in self.forms.items():
            text = text.replace(form, stone)
        return text

    def occurrences(self, text: str) -> int:
        """Return how often any form of the secret stands in a text."""
        found = 0
        for form in self.forms:
            found += text.count(form)
            text = text.replace(form, "")
        return found

    def replaced_json(self, value: Any) -> Any:
        """Return a JSON value with the secret replaced in every text of it, names included.

        Raises ValueError where two names of one object would be one.
        """
        if isinstance(value, str):
            return self.replaced(value)
        if isinstance(value, list):
            return [self.replaced_json(each) for each in value]
        if isinstance(value, dict):
            made = {self.replaced(name): self.replaced_json(each) for name, each in value.items()}
            if len(made) < len(value):
                raise ValueError("names that would be one without it")
            return made
        return value

    def is_in_bytes(self, content: bytes | mmap) -> bool:
        """Return whether a file of any text encoding holds the secret."""
        for encoding in _ENCODINGS:
            for form in self.forms:
                try:
                    if content.find(form.encode(encoding)) >= 0:
                        return True
                except UnicodeEncodeError:
                    continue
        return False


def _forms(text: str, tombstone: str) -> dict[str, str]:
    """Return each way to write a text -> the tombstone written the same way."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    forms: dict[str, str] = {}
    for said in dict.fromkeys((text, lines, lines.replace("\n", "\r\n"))):
        forms |= {
            said: tombstone,
            said.replace('"', '""'): tombstone.replace('"', '""'),
            path_safe(said): path_safe(tombstone),
            quote(said, safe=""): tombstone,
            quote_plus(said): tombstone,
        }
        forms[said] = tombstone
        for ascii_only in (False, True):
            form, stone = said, tombstone
            for _ in range(_NESTED):
                form, stone = (json.dumps(each, ensure_ascii=ascii_only)[1:-1] for each in (form, stone))
                forms.setdefault(form, stone)
    return forms
