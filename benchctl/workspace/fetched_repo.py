"""Repositories that a suite names by URL: fetched once, before anything is spent, and read from the disk ever after.

Kept as bare repositories below `$XDG_CACHE_HOME/benchctl/repos`, one for each URL. Only the pinned commit is
asked for; where a server gives single commits to nobody, everything is. What arrives is named by git after its
content, so a commit that is there is that commit.

Note: nobody is asked for a password, and no configuration of the user's is read: it could send the request
elsewhere. A repository that wants credentials is cloned by hand and named by its path.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from benchctl.errors import CorpusChangedError, SourceRefusedError, SourceUnreachableError
from benchctl.workspace import git
from benchctl.workspace.roots import remove_tree

__all__ = ["fetch", "fetched", "is_url"]

_SCHEMES: Final = ("https", "http", "ssh", "git", "file")
_CLONE_IT: Final = "clone it yourself, and name the clone's path as `source`"
_PATIENCE_S: Final = 1800
_LIKE_SSH: Final = re.compile(r"[\w.-]+@[\w.-]+:[^/].*")


def is_url(source: str) -> bool:
    """Return whether a git source is an address and no path."""
    return "://" in source or "::" in source or _LIKE_SSH.fullmatch(source) is not None


def fetched(source: str, commit: str) -> Path:
    """Return the repository with a commit that was fetched before; nothing is fetched here.

    Raises SourceRefusedError for an address that is never used, and SourceUnreachableError where `fetch` has
    not been called for it.
    """
    place = _place(source, commit)
    if not _has(place, commit):
        raise SourceUnreachableError(
            f"commit {commit} of {source} has not been fetched yet",
            next_step="`benchctl run --preflight-only` fetches it and spends nothing",
        )
    return place


def fetch(source: str, commit: str) -> Path:
    """Return the repository with a commit, fetched if it is not there or no longer whole.

    Processes that fetch from one URL at a time take turns. Raises SourceRefusedError and SourceUnreachableError.
    """
    place = _place(source, commit)
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _locked(place.with_suffix(".lock")):
        if place.exists() and _damaged(place, commit):
            remove_tree(place)  # nothing that is in it can be relied on
        if not place.exists():
            _create(place, source, commit)
        if not _has(place, commit):
            _get(place, source, commit)
    return place


def _place(source: str, commit: str) -> Path:
    """Return where a repository is kept: one for each URL, and for each algorithm that names its objects."""
    _check(source)
    named = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(named) if os.path.isabs(named) else Path.home() / ".cache"  # noqa: PTH117 - a string
    name = re.sub(r"[^\w.-]", "-", urlsplit(source).path.rstrip("/").rpartition("/")[2].removesuffix(".git"))
    more = "" if git.algorithm_of(commit) == "sha1" else f"-{git.algorithm_of(commit)}"
    name = f"{name[:40]}-{hashlib.sha256(source.encode()).hexdigest()[:16]}{more}.git"
    return cache / "benchctl" / "repos" / name


def _check(source: str) -> None:
    """Raise SourceRefusedError for an address with a secret in it, or one that git would take for more than an address."""
    try:
        parts = urlsplit(source)
        user, password = parts.username, parts.password
    except ValueError as error:
        raise SourceRefusedError("a git source is no URL", next_step="correct `source`") from error
    if parts.scheme not in _SCHEMES or "::" in source or not source.isprintable():
        raise SourceRefusedError(
            f"the git source {source!r} is not fetched",
            expected=f"a URL that begins with {', '.join(f'{scheme}://' for scheme in _SCHEMES)}",
            next_step=_CLONE_IT,
        )
    secret = password is not None or (user is not None and parts.scheme != "ssh")
    if secret or parts.query or parts.fragment:
        shown = f"{parts.scheme}://{parts.hostname}{parts.path}"
        raise SourceRefusedError(
            f"the address of the git source {shown} holds credentials or a query, and a suite is public",
            next_step=_CLONE_IT,
        )
    if (parts.hostname or "").startswith("-") or (user or "").startswith("-"):
        raise SourceRefusedError(f"the git source {source!r} begins like an option", next_step=_CLONE_IT)


@contextlib.contextmanager
def _locked(place: Path) -> Iterator[None]:
    fd = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _create(place: Path, source: str, commit: str) -> None:
    for stale in place.parent.glob(f"{place.stem}-new-*"):
        remove_tree(stale)
    making = Path(tempfile.mkdtemp(prefix=f"{place.stem}-new-", dir=place.parent))
    names = f"--object-format={git.algorithm_of(commit)}"
    for words in (("init", "--quiet", "--bare", "--template=", names, "."), ("config", "gc.auto", "0")):
        if git.ask(making, *words) is None:
            raise SourceUnreachableError(f"{source} cannot be fetched", next_step="install git 2.30 or later")
    making.rename(place)


def _get(place: Path, source: str, commit: str) -> None:
    """Fetch the one commit, or else everything."""
    keep = f"refs/benchctl/{commit}"
    said = _run(place, "fetch", "--quiet", "--no-tags", "--depth=1", "--", source, f"{commit}:{keep}")
    if not _has(place, commit):
        said = _run(place, "fetch", "--quiet", "--no-tags", "--", source, "+refs/*:refs/fetched/*")
    if not _has(place, commit):
        raise SourceUnreachableError(
            f"commit {commit} cannot be fetched from {source}: {_reason(said)}",
            next_step=f"check the address and the commit; where it wants credentials, {_CLONE_IT}",
        )
    git.ask(place, "update-ref", keep, commit)


def _reason(said: str | None) -> str:
    """Return git's own reason: its first fatal line, for what it says behind that one is of no use without it."""
    lines = [line for line in (said or "").splitlines() if line.strip()] or ["the server does not have it"]
    return next((line for line in lines if line.startswith("fatal:")), lines[-1])


def _run(place: Path, *words: str) -> str | None:
    """Run a git command that may reach the network; return what it complained of, None where it went well."""
    environment = git.git_environment() | {
        "GIT_ALLOW_PROTOCOL": ":".join(_SCHEMES),
        "GIT_ASKPASS": "true",
        "HOME": str(place),  # a ~/.netrc holds passwords; ssh finds its keys by the account
        "SSH_ASKPASS_REQUIRE": "never",
        "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
    }
    try:
        done = subprocess.run(
            git.command(place, *words),
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_PATIENCE_S,
        )
    except subprocess.TimeoutExpired:
        return f"nothing came of it within {_PATIENCE_S} s"
    return None if done.returncode == 0 else done.stderr.strip()


def _has(place: Path, commit: str) -> bool:
    return place.is_dir() and git.ask(place, "cat-file", "-e", f"{commit}^{{tree}}") is not None


def _damaged(place: Path, commit: str) -> bool:
    """Return whether this is no repository, or a file or folder of the commit is missing or not what its name says.

    A repository that does not have the commit at all is none the worse for it.
    """
    if not _has(place, commit):
        return git.ask(place, "rev-parse", "--is-bare-repository") != b"true\n"
    try:
        files = (entry.oid for entry in git.entries(place, commit) if entry.mode != "160000")
        for _ in git.blobs(place, [*git.trees(place, commit), *dict.fromkeys(files)]):
            pass
    except CorpusChangedError:
        return True
    return False
