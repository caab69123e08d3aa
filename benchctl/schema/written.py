"""How a text has to be written, said in words: to whoever wrote it otherwise, and on the manual's page of the file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic_core import core_schema

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

__all__ = ["Written"]

_SHOWN = 60
"""How much of a wrong text its message repeats."""


@dataclass(frozen=True, slots=True)
class Written:
    """The mark of a text field: the whole of it fits `pattern`, which `words` say, as in `a name`."""

    pattern: str
    words: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        """Return the schema of the field with this check behind its own."""
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def check(self, text: str) -> str:
        """Return a text that fits. Raises ValueError, which says what it has to be."""
        if not re.fullmatch(self.pattern, text):
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
            raise ValueError(f"{shown!r} is not {self.words}")
        return text
