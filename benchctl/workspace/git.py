"""The git command line, with an environment that cannot lie.

Left out of it: every GIT_* of the caller (with GIT_DIR set, `git -C here` answers for another
repository), the user's and the system's configuration (hooks, autocrlf), replaced objects, and
fetching what is missing.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchctl.errors import CorpusChangedError, PreflightRefusedError

__all__ = ["Entry", "ask", "blobs", "entries", "git_environment", "head", "resolve_commit"]

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


def ask(root: Path, *words: str) -> bytes | None:
    """Return what a git command printed; None where it failed or git is not there."""
    try:
        done = subprocess.run(
            ["git", *_OPTIONS, "-C", str(root), *words],
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
    if found is None or found.decode().strip() != commit:
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
        raise CorpusChangedError(
            f"the tree of commit {commit} cannot be read from {root}", next_step=f"git -C {root} fsck"
        )
    found = []
    for line in listing.split(b"\0")[:-1]:
        meta, _, path = line.partition(b"\t")
        mode, _kind, oid = meta.decode().split(" ")
        found.append(Entry(mode, oid, path))
    return found


def blobs(root: Path, oids: Sequence[str]) -> Iterator[bytes]:
    """Yield the bytes of each object, in the order asked: no filters, no attributes, no checkout.

    Raises CorpusChangedError where an object is missing, as in a partial clone.
    """
    with tempfile.TemporaryFile() as wanted:
        # A file and no pipe: git may fill its output before it has read all of its input.
        wanted.write("".join(f"{oid}\n" for oid in oids).encode())
        wanted.seek(0)
        process = subprocess.Popen(
            ["git", *_OPTIONS, "-C", str(root), "cat-file", "--batch", "--buffer"],
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
                    yield data
            finally:
                process.kill()
