"""How often patterns occur in a stream, line by line and exact over the whole of it, however it is cut up."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchctl.workspace.search_time import SearchTime

__all__ = ["PatternCounts"]

_PIECE_BYTES = 1 << 20
"""An unfinished line that is longer than this is searched in pieces."""

_OVERLAP_BYTES = 1 << 16
"""What two pieces have in common: no match of a long line may be longer."""

_LOOKS_AROUND = re.compile(r"\(\?<?[=!]|\\[AZ]")


@dataclass
class _Search:
    pattern: re.Pattern[bytes]
    by_line: bool
    """Whether what stands in another line could decide about a match."""
    start: int = 0
    count: int = 0


class PatternCounts:
    """Counts matches of regular expressions in a stream of bytes while it comes.

    Every line is searched by itself, without its newline; matches do not overlap, and an empty match is none.
    The patterns are matched against UTF-8, so a letter outside of ASCII may stand in them, but in no set.
    In a line longer than a mebibyte a match longer than 64 KiB may be missed or counted twice.
    Searching has its time: `too_slow` names the pattern for which that was up, and then nothing is counted any
    more and there are no counts. Raises re.error for what is no pattern.
    """

    def __init__(self, patterns: Mapping[str, str]) -> None:
        self._searches = {
            name: _Search(re.compile(pattern.encode(), re.MULTILINE), bool(_LOOKS_AROUND.search(pattern)))
            for name, pattern in patterns.items()
        }
        self._rest = bytearray()
        self._time = SearchTime()
        self._searched = ""
        self.too_slow: str | None = None

    @property
    def counts(self) -> dict[str, int]:
        """Return how often each pattern occurred in the lines that are complete."""
        if self.too_slow is not None:
            return {}
        return {name: search.count for name, search in self._searches.items()}

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        if not self._searches or self.too_slow is not None:
            return
        self._time.add(len(data))
        self._within_time(lambda: self._feed(data))

    def _within_time(self, search: Callable[[], None]) -> None:
        if not self._time.enough_for(search):
            self.too_slow = self._searched
            self._rest.clear()

    def _feed(self, data: bytes) -> None:
        end = data.rfind(b"\n") + 1
        if end:
            self._lines(bytes(self._rest + data[:end]) if self._rest else data[:end])
            self._rest = bytearray(data[end:])
        else:
            self._rest += data
        if len(self._rest) > _PIECE_BYTES + 2 * _OVERLAP_BYTES:
            self._piece()

    def close(self) -> None:
        """Count in the last line, which has no newline; nothing may be fed afterwards."""
        if self._searches and self.too_slow is None:
            self._within_time(lambda: self._lines(bytes(self._rest)))
        self._rest.clear()

    def _lines(self, block: bytes) -> None:
        for name, search in self._searches.items():
            self._searched = name
            found = None if search.by_line else _count(search.pattern, block, search.start)
            if found is None:
                found = sum(
                    _count(search.pattern, block, start, end) or 0
                    for start, end in _bounds(block, search.start)
                )
            search.count += found
            search.start = 0

    def _piece(self) -> None:
        """Count in a line that does not end, all but its last bytes, which are searched with what follows."""
        sure = len(self._rest) - _OVERLAP_BYTES
        for name, search in self._searches.items():
            self._searched = name
            for match in search.pattern.finditer(self._rest, search.start):
                if match.start() >= sure:
                    break
                search.start = match.end()
                search.count += match.end() > match.start()
            search.start = max(search.start, sure)
        # The bytes before stay, so that no pattern takes the cut for the start of a line.
        cut = min(search.start for search in self._searches.values()) - _OVERLAP_BYTES
        del self._rest[:cut]
        for search in self._searches.values():
            search.start -= cut


def _count(pattern: re.Pattern[bytes], block: bytes, start: int, end: int | None = None) -> int | None:
    """Return the number of matches; None where one of them holds a newline, so that lines must be searched."""
    count = 0
    for match in pattern.finditer(block, start, len(block) if end is None else end):
        here = match[0]
        if b"\n" in here:
            return None
        count += bool(here)
    return count


def _bounds(block: bytes, start: int) -> list[tuple[int, int]]:
    bounds = []
    while (end := block.find(b"\n", start)) >= 0:
        bounds.append((start, end))
        start = end + 1
    return [*bounds, (start, len(block))] if start < len(block) else bounds
