"""Which files of a work tree differ from a commit: committed, staged, edited, or not in git at all.

Names only: nothing is compared by a program that a repository could name (text converters, external
diffs), and no hook runs.
"""

from __future__ import annotations

import os
import posixpath
from pathlib import Path
from typing import Final

from benchctl.errors import ChangesUnknownError
from benchctl.workspace.git import ask

__all__ = ["content_at", "differing", "merge_base", "work_tree"]

_LINK: Final = b"120000"
_MOST_LINKS: Final = 40
_WHOLE_HISTORY = "fetch the whole history (`fetch-depth: 0` of actions/checkout, `git fetch --unshallow`)"


def work_tree(folder: Path) -> Path:
    """Return the root of the work tree that a folder stands in. Raises ChangesUnknownError."""
    top = ask(folder, "rev-parse", "--show-toplevel")
    if top is None:
        raise ChangesUnknownError(
            f"{folder} is in no git work tree, or git is not there",
            next_step="check all pages, without --changed",
        )
    return Path(os.fsdecode(top).removesuffix("\n"))


def merge_base(top: Path, base: str) -> str:
    """Return the commit where HEAD left `base`, as a full hash.

    Raises ChangesUnknownError where `base` is no commit, begins like an option, or shares no history that is here.
    """
    if not base or base.startswith("-") or not base.isprintable():
        raise ChangesUnknownError(
            f"{base!r} names no commit", expected="a commit, a tag or a branch: origin/main"
        )
    commit = ask(top, "rev-parse", "--verify", "--quiet", f"{base}^{{commit}}")
    if commit is None:
        raise ChangesUnknownError(f"no commit {base} in this clone", next_step=_next_step(top, base))
    found = ask(top, "merge-base", commit.decode().strip(), "HEAD")
    if found is None:
        raise ChangesUnknownError(
            f"HEAD shares no commit with {base} in this clone",
            next_step=_WHOLE_HISTORY if _shallow(top) else "name a base of the same history",
        )
    return found.decode().strip()


def _next_step(top: Path, base: str) -> str:
    if ask(top, "rev-parse", "--verify", "--quiet", f"refs/remotes/origin/{base}") is not None:
        return f"name it `origin/{base}`"
    return _WHOLE_HISTORY if _shallow(top) else "`git fetch`, or name a commit that is here"


def _shallow(top: Path) -> bool:
    return (ask(top, "rev-parse", "--is-shallow-repository") or b"").strip() == b"true"


def differing(top: Path, commit: str) -> frozenset[str]:
    """Return the files that are not as they are in `commit`, as paths from the root of the work tree.

    A renamed file counts under both names. Files that git does not know count, ignored ones too, and so
    does everything below a repository inside this one: none of them is in the commit.
    """
    # What `.gitmodules` or a local configuration says must not hide anything.
    changed = ask(
        top, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv",
        "--ignore-submodules=none", commit, "--",
    )  # fmt: skip
    unknown = ask(top, "ls-files", "--others", "-z", "--")
    unwatched = ask(top, "ls-files", "-v", "-z", "--")
    if changed is None or unknown is None or unwatched is None:
        raise ChangesUnknownError(
            f"git cannot compare {top} with {commit}", next_step=f"`git -C {top} diff {commit}` says why"
        )
    names = [os.fsdecode(name) for name in (changed + unknown).split(b"\0") if name]
    names += _unwatched(top, unwatched)
    return frozenset(path for name in names for path in _below(top, name.rstrip("/")))


def _unwatched(top: Path, listing: bytes) -> list[str]:
    """Return the files of a listing that git was told not to look at, and that are there all the same."""
    flagged = (line for line in listing.split(b"\0") if line[:1].islower() or line[:1] == b"S")
    names = (os.fsdecode(line[2:]) for line in flagged)
    return [name for name in names if os.path.lexists(top / name)]


def _below(top: Path, name: str) -> list[str]:
    """Return a name, and where it is the folder of a repository inside this one, every file below it."""
    folder = top / name
    if folder.is_symlink() or not folder.is_dir():
        return [name]
    inside = [Path(parent, file) for parent, _, files in os.walk(folder) for file in files]
    return [name, *(file.relative_to(top).as_posix() for file in inside)]


def content_at(top: Path, commit: str, path: str) -> bytes | None:
    """Return a file's content in a commit; None where it has none, or the clone lacks it.

    What a link leads to inside of the commit is the content of the link.
    """
    for _ in range(_MOST_LINKS):
        content = ask(top, "cat-file", "blob", f"{commit}:{path}")
        listed = ask(top, "ls-tree", "-z", "--full-tree", commit, "--", f":(literal){path}")
        if content is None or not (listed or b"").startswith(_LINK):
            return content
        path = posixpath.normpath(posixpath.join(posixpath.dirname(path), os.fsdecode(content)))
    return None
