"""The git command line, with an environment that cannot lie.

Left out of it: every GIT_* of the caller (with GIT_DIR set, `git -C here` answers for another
repository), the user's and the system's configuration (hooks, autocrlf), replaced objects, and
fetching what is missing.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchctl.errors import CorpusChangedError, PreflightRefusedError

__all__ = [
    "Entry",
    "algorithm_of",
    "ask",
    "blobs",
    "command",
    "entries",
    "git_environment",
    "head",
    "object_name",
    "resolve_commit",
    "trees",
]

_OPTIONS = ("-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a commit's tree: mode (`100644`, `100755`, `120000`, `160000`), object, path as stored."""

    mode: str
    oid: str
    path: bytes


def git_environment() -> dict[str, str]:
    """Return the caller's environment without anything that could change what git says."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return kept | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


def command(root: Path, *words: str) -> list[str]:
    """Return the command line of a git command at `root`, for `git_environment`."""
    return ["git", *_OPTIONS, "-C", str(root), *words]


def ask(root: Path, *words: str) -> bytes | None:
    """Return what a git command printed; None where it failed or git is not there."""
    try:
        done = subprocess.run(
            command(root, *words),
            env=git_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def head(root: Path, *, ignore: Sequence[str] = ()) -> tuple[str | None, bool | None]:
    """Return (commit, whether the files under `root` differ from it); None where it cannot be known.

    `ignore` names paths below `root` that do not count, such as the store that a run is about to grow.
    """
    commit = ask(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if commit is None:
        return None, None
    excluded = [f":(exclude){path}" for path in ignore]
    status = ask(root, "status", "--porcelain", "--untracked-files=normal", "--", ".", *excluded)
    return commit.decode().strip(), None if status is None else bool(status.strip())


def resolve_commit(root: Path, commit: str) -> str:
    """Return the full commit if the repository at `root` has it. Raises PreflightRefusedError otherwise."""
    found = ask(root, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    if found is not None and found.decode().strip() != commit:
        raise PreflightRefusedError(
            f"{commit} names no commit of the git repository {root}, but a tag of one",
            expected="the full hash of the commit itself",
            next_step=f"write commit = {found.decode().strip()!r}",
        )
    if found is None:
        raise PreflightRefusedError(
            f"commit {commit} is not in the git repository {root}",
            expected="a path to a repository that holds the commit, named by its full hash",
            next_step=f"git -C {root} fetch --all, or correct `source` and `commit`",
        )
    return commit


def entries(root: Path, commit: str) -> list[Entry]:
    """Return every file, symlink and submodule of a commit, in git's order."""
    listing = ask(root, "ls-tree", "-r", "-z", "--full-tree", commit)
    if listing is None:
        raise _unreadable(root, commit)
    found = []
    for line in listing.split(b"\0")[:-1]:
        meta, _, path = line.partition(b"\t")
        mode, _kind, oid = meta.decode().split(" ")
        found.append(Entry(mode, oid, path))
    return found


def algorithm_of(name: str) -> str:
    """Return the algorithm that an object's name was made with: sha1, or sha256 for a long one."""
    return "sha256" if len(name) == 64 else "sha1"


def object_name(data: bytes, algorithm: str, kind: bytes = b"blob") -> str:
    """Return git's name of a file's content, or of an object of another kind."""
    return hashlib.new(algorithm, b"%s %d\0" % (kind, len(data)) + data, usedforsecurity=False).hexdigest()


def trees(root: Path, commit: str) -> list[str]:
    """Return the names of a commit's trees, its root first. Raises CorpusChangedError where they cannot be read."""
    top = ask(root, "rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}")
    listing = ask(root, "ls-tree", "-r", "-d", "-z", "--full-tree", commit)
    if top is None or listing is None:
        raise _unreadable(root, commit)
    found = (line.partition(b"\t")[0].decode().split(" ") for line in listing.split(b"\0")[:-1])
    return list(dict.fromkeys([top.decode().strip(), *(oid for _, kind, oid in found if kind == "tree")]))


def _unreadable(root: Path, commit: str) -> CorpusChangedError:
    return CorpusChangedError(
        f"the tree of commit {commit} cannot be read from {root}", next_step=f"git -C {root} fsck"
    )


def blobs(root: Path, oids: Sequence[str]) -> Iterator[bytes]:
    """Yield the bytes of each object, in the order asked: no filters, no attributes, no checkout. Trees are objects too.

    Raises CorpusChangedError where an object is missing, as in a partial clone, or is not what its name says:
    git itself does not look when it reads.
    """
    with tempfile.TemporaryFile() as wanted:
        # A file and no pipe: git may fill its output before it has read all of its input.
        wanted.write("".join(f"{oid}\n" for oid in oids).encode())
        wanted.seek(0)
        process = subprocess.Popen(
            command(root, "cat-file", "--batch", "--buffer"),
            env=git_environment(),
            stdin=wanted,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        with process:
            assert process.stdout is not None  # noqa: S101 - it was asked for one line above
            try:
                for oid in oids:
                    header = process.stdout.readline().split()
                    if len(header) != 3 or header[0].decode() != oid:
                        raise CorpusChangedError(
                            f"object {oid} is missing from the git repository {root}",
                            expected="a clone that holds every object of the commit",
                            next_step=f"git -C {root} fetch --refetch",
                        )
                    data = process.stdout.read(int(header[2]))
                    process.stdout.read(1)
                    if object_name(data, algorithm_of(oid), header[1]) != oid:
                        raise CorpusChangedError(
                            f"object {oid} of the git repository {root} is damaged",
                            next_step=f"git -C {root} fsck, and clone it anew",
                        )
                    yield data
            finally:
                process.kill()
