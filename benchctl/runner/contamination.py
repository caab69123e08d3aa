"""What an agent wrote, searched for the answer key: whoever shows the key has seen it."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.workspace.found_file import found_file
from benchctl.workspace.leaks import Needles, Search, examine

if TYPE_CHECKING:
    from benchctl.workspace.leaks import Verdict

__all__ = ["CANARY_COUNT", "canary_counts", "contaminated", "contaminated_files"]

CANARY_COUNT = "canary"
"""By this name the canary is counted while the agent runs, in what is not kept of a long output too."""

_MOST_FILES = 2_000
_MOST_BYTES = 256 << 20
_LARGEST = 64 << 20
_PLACE = "the place of the answer key"


def canary_counts(needles: Needles) -> dict[str, str]:
    """Return the pattern that counts the canary as it is written, by CANARY_COUNT; none without a canary."""
    return {CANARY_COUNT: re.escape(needles.canary)} if needles.canary else {}


def contaminated(
    streams: Mapping[str, str], needles: Needles, counts: Mapping[str, int] | None = None
) -> str | None:
    """Return why a cell counts as contaminated, None where it does not.

    `streams` are what the cell left, by the name that a reader knows them by ("standard output"). The canary
    decides, since every file of the key holds it and no tree does; so does the place of the key on this
    machine, which no cell is told. Prompts and items of answers do not: the agent was given the one and is
    asked for the other. `counts` are those of its standard output.
    """
    search = _search(needles.canary, needles.paths)
    for name, text in streams.items():
        seen = _seen(examine(text.encode(errors="replace"), search))
        if seen:
            return f"its {name} {seen}"
    if counts and counts.get(CANARY_COUNT):
        return "its standard output holds the canary of the answer key, in the part that is not kept"
    return None


def contaminated_files(tree: Path, files: Iterable[str], needles: Needles) -> str | None:
    """Return why a cell counts as contaminated by the files that its agent left in `tree`, None where it does not.

    Archives, binary files and long texts are read too, of which the difference says but their size: at most 2,000
    files of 64 MiB each, 256 MiB in all.
    """
    search, left = _search(needles.canary, needles.paths), _MOST_BYTES
    for name in itertools.islice(files, _MOST_FILES):
        found = found_file(tree, name, hashed_bytes=min(left, _LARGEST), kept_bytes=_LARGEST)
        if found is None or found.data is None:
            continue
        left -= len(found.data)
        named = examine(name.encode(errors="replace"), search)
        seen = _seen(examine(found.data, search)) or _seen(named)
        if seen:
            return f"its file {name} {seen}"
    return None


def _seen(verdict: Verdict) -> str:
    for trace in verdict.traces:
        inside = f" (in {trace.inside})" if trace.inside else ""
        if trace.canary:
            return f"holds the canary of the answer key{inside}"
        if trace.exact:
            return f"names {trace.question}{inside}"
    return ""


@functools.lru_cache(maxsize=8)
def _search(canary: str, paths: tuple[str, ...]) -> Search:
    return Search(Needles(canary=canary, gold={_PLACE: paths}))
