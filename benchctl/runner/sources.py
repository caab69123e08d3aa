"""What is made ready of a repository before the first cell: fetched if it is a URL, given a commit if an arm needs git."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchctl.quantities.format import listed
from benchctl.workspace.fetched_repo import fetch, is_url
from benchctl.workspace.orphan_commit import commit_layer
from benchctl.workspace.tree import Base, write_base

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from benchctl.planning.selection import Selection
    from benchctl.runner.progress import Progress
    from benchctl.schema.suite import Repo, Suite
    from benchctl.workspace.corpus import Corpus

__all__ = ["fetching", "ready_base"]


def fetching(progress: Progress) -> Callable[[str, Repo], None]:
    """Return a function that brings a repository here which the suite names by URL, and does nothing for others.

    It raises SourceRefusedError and SourceUnreachableError.
    """

    def bring(name: str, repo: Repo) -> None:
        if repo.kind == "git" and is_url(str(repo.source)):
            # Without the address: whether it may be shown is not known yet.
            progress.note(f"repos.{name}: looking for commit {str(repo.commit)[:12]}")
            fetch(str(repo.source), str(repo.commit))

    return bring


def ready_base(corpus: Corpus, into: Path, suite: Suite, selection: Selection, progress: Progress) -> Base:
    """Write the tree of a corpus and, where a selected arm is given git, its repository of one commit.

    Names that some file systems take for one are said: they are two files here. Raises what `write_base`
    and `commit_layer` raise.
    """
    if corpus.clashes:
        named = listed(corpus.clashes)
        progress.note(f"repos.{corpus.repo}: some file systems take these names for one: {named}")
    base = write_base(corpus, into)
    if any(suite.arms[name].git for name in selection.arms or suite.arms):
        commit_layer(base)
    return base
