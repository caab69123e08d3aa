"""Path patterns as suite files write them: `*` inside one folder, `**` over any number of them."""

from __future__ import annotations

import functools
import re

__all__ = ["matches"]


def matches(path: str, pattern: str) -> bool:
    """Say whether a slash-separated relative path fits a pattern. `a/**` is everything below `a`."""
    return _compiled(pattern).fullmatch(path) is not None


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    out = []
    for piece in re.split(r"(\*\*/|\*\*|\*|\?)", pattern):
        match piece:
            case "**/":
                out.append("(?:[^/]+/)*")
            case "**":
                out.append(".*")
            case "*":
                out.append("[^/]*")
            case "?":
                out.append("[^/]")
            case _:
                out.append(re.escape(piece))
    return re.compile("".join(out), re.DOTALL)
