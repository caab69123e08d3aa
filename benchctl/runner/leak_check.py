"""Nothing that a cell can read may hold the answer key, and the whole key must be known by its canary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.errors import BenchctlError, LeakFoundError, PreflightRefusedError
from benchctl.runner.agent_files import folder_files
from benchctl.schema.fields import GOLD_FOLDER
from benchctl.workspace.leaks import scan_text, scan_tree

if TYPE_CHECKING:
    from benchctl.runner.progress import Progress
    from benchctl.schema.suite import Suite
    from benchctl.workspace.corpus import Corpus

__all__ = ["agent_leaks", "gold_in_corpora", "tree_leaks", "unmarked_gold"]

_LOOKED_AT = 8192
"""A file with a NUL in so many first bytes is no text, and cannot be asked to hold a line of it."""


def tree_leaks(suite: Suite, repo: str, root: Path, progress: Progress) -> Iterator[BenchctlError]:
    """Yield each answer in a tree; say what is only a weak match, and what could not be searched."""
    prompts = {f"the prompt of {question.id}": question.prompt for question in suite.questions}
    needles = {"the canary": suite.canary, **prompts}
    yield from _leaks(
        f"repos.{repo}", root, needles, "exclude the file in the suite's [repos] entry", progress
    )


def agent_leaks(suite: Suite, folders: Mapping[str, Path], progress: Progress) -> Iterator[BenchctlError]:
    """Yield each file an agent ships with that holds the canary."""
    for name, folder in folders.items():
        needles = {"the canary": suite.canary}
        yield from _leaks(
            f"agents.{name}.files", folder, needles, "take the file out of the folder", progress
        )


def _leaks(
    what: str, root: Path, needles: Mapping[str, str], next_step: str, progress: Progress
) -> Iterator[BenchctlError]:
    for hit in scan_tree(root, needles):
        if hit.decisive:
            yield LeakFoundError(f"{what}: {hit.path} holds {hit.needle}", next_step=next_step)
        elif hit.kind == "unreadable":
            progress.note(f"{what}: {hit.path} could not be searched for answers")
        else:
            progress.note(f"{what}: {hit.path} holds {hit.windows} of the windows of {hit.needle}: weak")


def unmarked_gold(suite: Suite, folder: Path) -> Iterator[BenchctlError]:
    """Yield each text of the suite's gold folder without the canary: a copy of it in a tree would go unseen."""
    for path in folder_files(folder / GOLD_FOLDER):
        data = path.read_bytes()
        if b"\0" in data[:_LOOKED_AT] or not data.strip():
            continue
        if not scan_text(path.name, data.decode(errors="replace"), {"the canary": suite.canary}):
            yield PreflightRefusedError(
                f"{path} does not hold the suite's canary",
                next_step=f"write {suite.canary} into it, where it can stand as a comment",
            )


def gold_in_corpora(suite: Suite, folder: Path, corpora: Mapping[str, Corpus]) -> Iterator[BenchctlError]:
    """Yield each directory corpus of which a file lies in the suite's own gold folder."""
    gold = (folder / GOLD_FOLDER).resolve()
    for name, corpus in corpora.items():
        repo = suite.repos[name]
        if repo.kind != "directory":
            continue
        root = (folder / str(repo.source)).resolve()
        inside = (
            f"{gold.relative_to(root).as_posix()}/" if gold.is_relative_to(root) and gold != root else None
        )
        if root.is_relative_to(gold) or (
            inside and any(file.path.startswith(inside) for file in corpus.files)
        ):
            yield LeakFoundError(
                f"repos.{name}: {root} holds files of the suite's {GOLD_FOLDER} folder",
                next_step="name another source, or exclude them in the suite's [repos] entry",
            )
