"""A page as it reads, with the way back: markup taken out, entities decoded, blocks walled off.

Every character of the reading comes from somewhere on the raw page: kept text character by
character, a replacement from the stretch that it replaces.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from benchctl.quantities.fold import WALL

__all__ = ["OBJECT", "Edit", "Reading", "read"]

OBJECT = "\ufffc"
"""What stands for code and addresses: something that a reader sees and that is no text of ours."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Instead of the raw stretch `start` to `end`: its parts, in order.

    A text of ours comes from the whole stretch, an edit from a stretch inside it, and a pair of
    offsets is kept as it stands.
    """

    start: int
    end: int
    parts: tuple[str | tuple[int, int] | Edit, ...] = ()

    def pieces(self, text: str) -> Iterator[tuple[int, int, str, bool]]:
        """Yield (raw start, raw end, what is read, whether it is kept text)."""
        for part in self.parts:
            if isinstance(part, Edit):
                yield from part.pieces(text)
            elif isinstance(part, str):
                yield self.start, self.end, part, False
            else:
                yield *part, text[slice(*part)].replace(WALL, " "), True


@dataclass(slots=True)
class Reading:
    """The text as it reads. Offsets into it are `visible`, those of the page `raw`."""

    text: str = ""
    _visible: list[int] = field(default_factory=list)
    _raw: list[int] = field(default_factory=list)
    _ends: list[int] = field(default_factory=list)
    _kept: list[bool] = field(default_factory=list)

    def add(self, visible: int, raw: int, end: int, *, kept: bool) -> None:
        """Note that the piece that begins at `visible` comes from `raw` to `end`."""
        self._visible.append(visible)
        self._raw.append(raw)
        self._ends.append(end)
        self._kept.append(kept)

    def raw(self, visible: int) -> int:
        """Return where the character at `visible` comes from."""
        index = bisect_right(self._visible, visible) - 1
        return self._raw[index] + (visible - self._visible[index]) * self._kept[index]

    def behind(self, visible: int) -> int:
        """Return the raw offset behind what the character before `visible` comes from."""
        index = bisect_right(self._visible, visible - 1) - 1
        if self._kept[index]:
            return self._raw[index] + visible - self._visible[index]
        return self._ends[index]

    def seen(self, raw: int) -> int:
        """Return where a raw offset stands in the reading; inside what is not read, where that stood."""
        index = bisect_right(self._raw, raw) - 1
        following = self._visible[index + 1] if index + 1 < len(self._visible) else len(self.text)
        if self._kept[index]:
            return min(self._visible[index] + raw - self._raw[index], following)
        return self._visible[index] if raw == self._raw[index] else following


def read(text: str, edits: Iterable[Edit]) -> Reading:
    """Return the reading of a page. Edits come in any order; of two that overlap the first counts."""
    reading = Reading()
    parts: list[str] = []
    position = length = 0
    for edit in [*sorted(edits, key=lambda item: (item.start, item.end)), Edit(len(text), len(text))]:
        if edit.start < position:
            continue
        for start, end, piece, kept in Edit(
            edit.start, edit.end, ((position, edit.start), *edit.parts)
        ).pieces(text):
            if piece:
                reading.add(length, start, end, kept=kept)
                parts.append(piece)
                length += len(piece)
        position = edit.end
    reading.add(length, position, position, kept=True)
    reading.text = "".join(parts)
    return reading
