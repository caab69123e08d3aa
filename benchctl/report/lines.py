"""Lines of a markdown page that are not code: a manual may show a marker without meaning one."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["in_code_span", "lines_outside_code"]

_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)")


def in_code_span(line: str, position: int) -> bool:
    """Return whether an odd number of backticks stands before `position`, so that a code span is open there."""
    return line[:position].count("`") % 2 == 1


def lines_outside_code(text: str) -> Iterator[tuple[int, int, str, int]]:
    """Yield (number, offset, line without its end, offset of the next line) of each line outside fenced code."""
    fence = ""
    offset = 0
    for number, raw in enumerate(re.findall(r"[^\n]*\n|[^\n]+$", text), start=1):
        line = raw.removesuffix("\n").removesuffix("\r")
        found = _FENCE.match(line)
        if fence:
            if found and found["fence"].startswith(fence) and not found["info"].strip():
                fence = ""
        elif found and not (found["fence"][0] == "`" and "`" in found["info"]):
            fence = found["fence"]
        else:
            yield number, offset, line, offset + len(raw)
        offset += len(raw)
