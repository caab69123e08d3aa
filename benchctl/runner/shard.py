"""A part of a run's cells, for processes that share the run: every N-th cell of the recorded order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from benchctl.errors import OptionInvalidError

if TYPE_CHECKING:
    from benchctl.schema.run import PlannedCell

__all__ = ["Shard"]

_WRITTEN = re.compile(r"([1-9]\d{0,5})/([1-9]\d{0,5})")


@dataclass(frozen=True, slots=True)
class Shard:
    """The `part`-th of `parts` shards, counted from 1. Neighbours in the order go to different shards."""

    part: int
    parts: int

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the shard that is written as `1/2`. Raises OptionInvalidError."""
        written = _WRITTEN.fullmatch(text)
        if written is None or int(written[1]) > int(written[2]):
            raise OptionInvalidError(
                f"--shard: {text!r} is no shard", expected="I/N with I from 1 to N, such as 1/2"
            )
        return cls(int(written[1]), int(written[2]))

    def takes(self, cell: PlannedCell) -> bool:
        """Return whether a cell is one of this shard's."""
        return cell.order % self.parts == self.part - 1

    def __str__(self) -> str:
        """Return it as `read` takes it."""
        return f"{self.part}/{self.parts}"
