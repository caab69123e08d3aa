"""What an agent did to its tree: which files differ from the base, and how.

The difference is kept as git would print it, so that `git apply` and every viewer can read it: lines for
text, and for anything else a line of its own with sizes and digests. It is bounded in what is read and in
what is kept, since an agent decides how much there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from benchctl.schema.evidence import Stream
from benchctl.workspace.capture import Capture
from benchctl.workspace.found_file import TEXT_BYTES, FoundFile, found_file
from benchctl.workspace.line_diff import hunks

if TYPE_CHECKING:
    from pathlib import Path

    from benchctl.workspace.redaction import Redactor
    from benchctl.workspace.source_file import SourceFile
    from benchctl.workspace.tree import Base, State

__all__ = ["DIFF_BYTES", "Changes", "Mark", "changes_of", "mark_of"]

DIFF_BYTES: Final = 4 << 20
"""How much of a difference is kept unless somebody says otherwise."""

_MOST_FILES: Final = 2_000
_MOST_BYTES: Final = 32 << 20
_HASHED_BYTES: Final = 64 << 20
"""How many files, and how much of them, are shown line by line; of the others there is a line each."""


Mark: TypeAlias = "Mapping[str, State | None]"
"""What differed from the base at some moment, by path: the state of each file, None where no file stood there."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The paths that were added, altered or removed, sorted, and the difference as text, bounded."""

    files: tuple[str, ...] = ()
    diff: Stream = field(default_factory=Stream)


def changes_of(
    base: Base,
    tree: Path,
    candidates: Iterable[str],
    *,
    since: Mark | None = None,
    keep_bytes: int = DIFF_BYTES,
    redactor: Redactor | None = None,
) -> Changes:
    """Return which of the candidate paths of `tree` are not as they are in `base`, and how they differ.

    What the mark `since` holds is a change where its state has moved, be it back to that of the base. `redactor`
    takes secrets out before anything is kept.
    """
    marked = since or {}
    paths = sorted({*candidates, *marked})
    if not paths:
        return Changes()
    known = {file.path: file for file in base.files}
    capture = Capture(keep_bytes, redactor=redactor)
    lines, changed = _Lines(base.root), []
    for path in paths:
        before = known.get(path)
        # A file that is as long as it was must be read, whatever is left: it may be as it was.
        after = found_file(tree, path, hashed_bytes=max(lines.readable, before.size if before else 0))
        same = _same(before, after)
        if _state(after) != marked[path] if path in marked else not same:
            changed.append(path)
            told = _put_back(path, after) if same else lines.of(path, before, after)
            for line in told:
                capture.add(line.encode("utf-8", "surrogateescape"))
    return Changes(tuple(changed), capture.stream())


def mark_of(base: Base, tree: Path, candidates: Iterable[str]) -> Mark:
    """Return the state of each candidate path of `tree` that is not as it is in `base`."""
    known = {file.path: file for file in base.files}
    mark: dict[str, State | None] = {}
    for path in set(candidates):
        before = known.get(path)
        after = found_file(tree, path, hashed_bytes=before.size if before else 0)
        if not _same(before, after):
            mark[path] = _state(after)
    return mark


def _state(file: FoundFile | None) -> State | None:
    return file.state if file else None


def _put_back(path: str, file: FoundFile | None) -> Iterator[str]:
    """Yield the line of a file that is as in the base again: what it was at the mark is not kept."""
    yield f"# {_quoted(path)}: changed before -> {_told(file)}, as at first\n"


def _same(before: SourceFile | None, after: FoundFile | None) -> bool:
    if before is None or after is None:
        return before is None and after is None
    return (before.mode, before.size, before.sha256) == (after.kind, after.size, after.sha256)


class _Lines:
    """The text of a difference, file by file, while there is something left of what it may cost."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._files, self._bytes = _MOST_FILES, _MOST_BYTES

    @property
    def readable(self) -> int:
        """How many bytes a file may have that is read for its lines and its digest."""
        return _HASHED_BYTES if self._left else 0

    @property
    def _left(self) -> bool:
        return self._files > 0 and self._bytes > 0

    def of(self, path: str, before: SourceFile | None, after: FoundFile | None) -> Iterator[str]:
        """Yield the lines of one changed file."""
        old, new = self._before(path, before), after
        texts = _text(old), _text(new)
        if None in texts or not self._left:
            yield f"# {_quoted(path)}: {_told(old)} -> {_told(new)}\n"
            return
        self._files -= 1
        self._bytes -= sum(len(text or "") for text in texts)
        if old and new and (old.kind == "120000") != (new.kind == "120000"):
            yield from _patch(path, old, None)  # git cannot turn a file into a link in one step
            yield from _patch(path, None, new)
        else:
            yield from _patch(path, old, new)

    def _before(self, path: str, file: SourceFile | None) -> FoundFile | None:
        if file is None:
            return None
        found = None
        if file.size <= TEXT_BYTES and self._left:
            found = found_file(self._base, path)
        return FoundFile(file.mode, file.size, file.sha256, found.data if found else None)


def _text(file: FoundFile | None) -> str | None:
    """Return a file as text, "" where there is none; None where it is not text, or too much of it."""
    if file is None:
        return ""
    if file.data is None or b"\0" in file.data:
        return None
    try:
        return file.data.decode()
    except UnicodeDecodeError:
        return None


def _patch(path: str, old: FoundFile | None, new: FoundFile | None) -> Iterator[str]:
    yield f"diff --git {_quoted(f'a/{path}')} {_quoted(f'b/{path}')}\n"
    if old is None and new is not None:
        yield f"new file mode {new.kind}\n"
    elif new is None and old is not None:
        yield f"deleted file mode {old.kind}\n"
    elif old is not None and new is not None and old.kind != new.kind:
        yield f"old mode {old.kind}\nnew mode {new.kind}\n"
    lines = list(hunks(_text(old) or "", _text(new) or ""))
    if lines:
        yield f"--- {_quoted(f'a/{path}') if old else '/dev/null'}{_end(path)}\n"
        yield f"+++ {_quoted(f'b/{path}') if new else '/dev/null'}{_end(path)}\n"
        yield from lines


def _end(path: str) -> str:
    """Return what keeps a name with a space from being read as a name and a date."""
    return "\t" if " " in path and _quoted(path) == path else ""


def _told(file: FoundFile | None) -> str:
    if file is None:
        return "nothing"
    if not file.kind.isdigit():
        return file.kind
    digest = f" sha256:{file.sha256}" if file.sha256 else ""
    return f"{file.kind} {file.size} bytes{digest}"


def _quoted(path: str) -> str:
    """Return a path as git prints it: in quotation marks, with escapes, where it holds anything but plain letters."""
    raw = path.encode("utf-8", "surrogateescape")
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in raw):
        return path
    return '"' + "".join(_escaped(byte) for byte in raw) + '"'


def _escaped(byte: int) -> str:
    named = {0x22: '\\"', 0x5C: "\\\\", 0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"}
    return named.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}")
