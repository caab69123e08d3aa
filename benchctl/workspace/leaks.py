"""Is the answer key in a tree that a cell would see: the suite's canary, and its prompts in any usual disguise.

A canary is exact: whatever holds it was written by this suite. A prompt is looked for as five windows of
words spread over it; three of them in one file decide, fewer are weak. Both are compared after
normalisation, so that wrapping, comment signs, quoting, case, width, zero-width letters, JSON and HTML
escapes do not hide them. Left out here: archives and base64.
"""

from __future__ import annotations

import functools
import html
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchctl.schema.names import CANARY_PATTERN

__all__ = ["DECISIVE_WINDOWS", "Hit", "normalise", "scan_text", "scan_tree", "windows"]

DECISIVE_WINDOWS = 3

_WINDOWS = 5
_WINDOW_WORDS = 6

_MAX_BYTES = 64 * 1024 * 1024
_CANARY = re.compile(CANARY_PATTERN)
_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|[ntrbf\"'/])")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Hit:
    """One needle in one file. `kind` "unreadable" is a file that could not be searched, and says nothing else.

    `windows` is how many of a prompt's windows were found (1 for a canary, 0 for an unreadable file).
    A decisive hit makes the tree unusable; a weak one is printed.
    """

    path: str
    needle: str
    kind: Literal["canary", "prompt", "unreadable"]
    windows: int
    decisive: bool


def normalise(text: str) -> str:
    """Return the words of a text, folded and parted by one space, with a space at either end.

    What a writer or a format adds around words is gone: decoration, quotes, line breaks, escapes.
    """
    if "\\" in text:
        text = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)
    if "&" in text:
        text = html.unescape(text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = _invisible().sub("", text)
    return f" {' '.join(_WORD.findall(text.casefold()))} "


@functools.cache
def _invisible() -> re.Pattern[str]:
    """Return what fits the letters without a shape (category Cf): zero-width, direction, soft hyphen, tags."""
    planes = (range(0x10000), range(0xE0000, 0xE1000))
    letters = [chr(code) for plane in planes for code in plane if unicodedata.category(chr(code)) == "Cf"]
    return re.compile(f"[{''.join(letters)}]+")


def windows(prompt: str) -> tuple[str, ...]:
    """Return up to five windows of six words, spread evenly from the first word to the last."""
    words = normalise(prompt).split()
    last = max(0, len(words) - _WINDOW_WORDS)
    starts = sorted({round(last * part / (_WINDOWS - 1)) for part in range(_WINDOWS)})
    return tuple(f" {' '.join(words[start : start + _WINDOW_WORDS])} " for start in starts if words)


def scan_tree(root: Path, needles: Mapping[str, str]) -> list[Hit]:
    """Return what of `needles` (name -> canary or prompt) is in the files below `root`, sorted by path.

    Hidden, ignored and binary files are read as well; symbolic links are not followed. A prompt without a
    word can be found nowhere and is ignored.
    """
    sought = _Sought.of(needles)
    hits: list[Hit] = []
    for path in _files(root):
        name = path.relative_to(root).as_posix()
        text = _text(path)
        if text is None:
            hits.append(Hit(name, "", "unreadable", 0, decisive=False))
        else:
            hits += sought.hits(name, f"{name}\n{text}")
    return hits


def scan_text(name: str, text: str, needles: Mapping[str, str]) -> list[Hit]:
    """Return what of `needles` is in one text, such as a transcript."""
    return _Sought.of(needles).hits(name, text)


@dataclass(frozen=True, slots=True)
class _Sought:
    canaries: Mapping[str, str]
    prompts: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, needles: Mapping[str, str]) -> _Sought:
        canaries = {name: normalise(text) for name, text in needles.items() if _CANARY.fullmatch(text)}
        prompts = {name: windows(text) for name, text in needles.items() if name not in canaries}
        return cls(canaries, prompts)

    def hits(self, path: str, text: str) -> list[Hit]:
        plain = normalise(text)
        found = [
            Hit(path, name, "canary", 1, decisive=True)
            for name, canary in self.canaries.items()
            # Without its spaces too: a line may be broken inside one of its groups.
            if canary in plain or canary.replace(" ", "") in plain.replace(" ", "")
        ]
        for name, parts in self.prompts.items():
            count = sum(part in plain for part in parts)
            if count:
                found.append(Hit(path, name, "prompt", count, decisive=count >= DECISIVE_WINDOWS))
        return found


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            if not path.is_symlink():
                yield path


def _text(path: Path) -> str | None:
    """Return a file's text, whatever its encoding; None where it cannot be read or is too big."""
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return None
        data = path.read_bytes()
    except OSError:
        return None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    if data[1:4000:2].count(0) > len(data[1:4000:2]) // 2:
        return data.decode("utf-16-le", errors="replace")
    if data[0:4000:2].count(0) > len(data[0:4000:2]) // 2:
        return data.decode("utf-16-be", errors="replace")
    return data.decode("utf-8", errors="replace")
