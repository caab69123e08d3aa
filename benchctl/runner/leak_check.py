"""Nothing that a cell can read may hold the answer key, and the whole key must be known by its canary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.errors import BenchctlError, LeakFoundError, PreflightRefusedError
from benchctl.quantities.format import counted, listed
from benchctl.runner.agent_files import folder_files
from benchctl.schema.fields import GOLD_FOLDER
from benchctl.workspace import git
from benchctl.workspace.globs import matches
from benchctl.workspace.leaks import (
    Needles,
    VerdictCache,
    cache_folder,
    scan_objects,
    scan_text,
    scan_tree,
)
from benchctl.workspace.orphan_commit import commit_layer, objects_of

if TYPE_CHECKING:
    from benchctl.planning.questions import GoldOutcome
    from benchctl.runner.progress import Progress
    from benchctl.schema.run import ServerRecord
    from benchctl.schema.suite import Suite
    from benchctl.workspace.corpus import Corpus
    from benchctl.workspace.leaks import Hit
    from benchctl.workspace.tree import Base

__all__ = [
    "agent_leaks",
    "git_leaks",
    "given_leaks",
    "gold_in_corpora",
    "gold_leaks",
    "index_leaks",
    "tree_leaks",
    "unmarked_gold",
]

_LOOKED_AT = 8192
"""A file with a NUL in so many first bytes is no text, and cannot be asked to hold a line of it."""


_EXCLUDE = "exclude the file in the suite's [repos] entry"


def tree_leaks(suite: Suite, repo: str, base: Base, progress: Progress) -> Iterator[BenchctlError]:
    """Yield each file of a tree that holds the canary, a prompt or a leak term.

    Said are weak matches, what could not be searched, and a pattern for the benchmark's own source that fits no
    file. What is known of unchanged files is taken from the user's cache.
    """
    what, needles = f"repos.{repo}", Needles.of(suite)
    harness = suite.repos[repo].harness
    for pattern in harness:
        if not any(matches(file.path, pattern) for file in base.files):
            progress.note(f"{what}: the harness pattern {pattern!r} matches no file")
    yield from _told(what, _scanned(base, needles, harness), _EXCLUDE, progress)


def gold_leaks(
    suite: Suite, bases: Mapping[str, Base], gold: Mapping[str, GoldOutcome], progress: Progress
) -> Iterator[BenchctlError]:
    """Yield each file of a tree that holds items of an answer in a form that the tree itself has no reason for."""
    for repo, base in bases.items():
        items = {name: outcome.items for name, outcome in gold.items() if outcome.items}
        whole = Needles.of(suite, repo=repo, gold=items)
        needles = Needles(gold=whole.gold, evidence=whole.evidence)
        if needles.gold:
            step = f"{_EXCLUDE}, or name it in the question's `evidence` where the answer rests on it"
            yield from _told(
                f"repos.{repo}",
                _scanned(base, needles, suite.repos[repo].harness),
                step,
                progress,
                searched_before=True,
            )


def git_leaks(suite: Suite, bases: Mapping[str, Base], progress: Progress) -> Iterator[BenchctlError]:
    """Yield each object of the repositories made for arms that are given git, and that hold part of the key.

    Contents that are files of the tree were judged with it, by their paths. Call it only where an arm has git.
    A repository that cannot be made, or whose objects cannot be listed, is an error too: nothing was searched.
    """
    for repo, base in bases.items():
        known = {file.sha256 for file in base.files}
        try:
            hits = scan_objects(_objects(commit_layer(base)), Needles.of(suite), known=known)
        except PreflightRefusedError as problem:
            yield problem
            continue
        yield from _told(
            f"repos.{repo}", hits, "report it: a repository of one commit holds no more", progress
        )


def index_leaks(suite: Suite, what: str, root: Path, progress: Progress) -> Iterator[BenchctlError]:
    """Yield each answer in an index; `what` names it. An index of a tree holds what the tree holds, and maybe more."""
    hits = scan_tree(root, Needles.of(suite))
    yield from _told(what, hits, "build it over the tree of the run alone", progress)


def agent_leaks(suite: Suite, folders: Mapping[str, Path], progress: Progress) -> Iterator[BenchctlError]:
    """Yield each file an agent ships with that holds the canary or a leak term."""
    whole = Needles.of(suite)
    needles = Needles(canary=whole.canary, terms=whole.terms)
    for name, folder in folders.items():
        hits = scan_tree(folder, needles)
        yield from _told(f"agents.{name}.files", hits, "take the file out of the folder", progress)


def given_leaks(
    suite: Suite,
    gold: Mapping[str, GoldOutcome],
    *,
    agents: Mapping[str, Path],
    indexes: Mapping[tuple[str, str], Path],
    servers: Iterable[ServerRecord],
    progress: Progress,
) -> Iterator[BenchctlError]:
    """Yield each place in what arms and agents are given where an answer stands.

    In an agent's files that is an answer beside its question, by wording or id: a scripted agent may hold the one
    or the other. An index, whose work it is to hold names with their files, decides where items stand beside a
    question's id. Of an arm's wording and of what a server tells of its tools whatever decides in a tree does.
    """
    items = {name: outcome.items for name, outcome in gold.items() if outcome.items}
    whole = Needles.of(suite, gold=items)
    for name, folder in agents.items():
        hits = scan_tree(folder, Needles(prompts=whole.prompts, gold=whole.gold))
        asked = {(hit.path, hit.needle) for hit in hits if hit.kind == "prompt" and hit.decisive}
        told = (hit for hit in hits if hit.beside or (hit.kind == "gold" and (hit.path, hit.needle) in asked))
        yield from _told(f"agents.{name}.files", _decisive(told), "take the answer out of the file", progress)
    for (arm, repo), folder in indexes.items():
        own = Needles(gold=Needles.of(suite, repo=repo, gold=items).gold)
        hits = [hit for hit in scan_tree(folder, own) if hit.beside] if own.gold else []
        step = "build it over the tree of the run alone"
        yield from _told(f"arms.{arm}.indexes", _decisive(hits), step, progress)
    needles = Needles(canary=whole.canary, terms=whole.terms, gold=whole.gold)
    for name, arm_told in suite.arms.items():
        for key, text in (("prompt", arm_told.prompt), ("instructions", arm_told.instructions)):
            hits = scan_text(f"the text of `{key}`", text, needles)
            yield from _told(f"arms.{name}", _decisive(hits), "take the answer out of it", progress)
    needles = Needles(canary=whole.canary, prompts=whole.prompts, terms=whole.terms, gold=whole.gold)
    for server in servers:
        text = "\n".join((server.name, *(f"{tool.name}\n{tool.description}" for tool in server.tools)))
        hits = scan_text("what it tells of its tools", text, needles)
        what = f"arms.{server.arm}.servers.{server.server}"
        yield from _told(what, _decisive(hits), "take the answer out of the server", progress)


def _decisive(hits: Iterable[Hit]) -> Iterator[Hit]:
    return (hit for hit in hits if hit.decisive)


def _scanned(base: Base, needles: Needles, harness: tuple[str, ...]) -> list[Hit]:
    digests = {file.path: file.sha256 for file in base.files}
    with VerdictCache(cache_folder(), needles.digest) as cache:
        return scan_tree(base.root, needles, digests=digests, harness=harness, cache=cache)


def _objects(layer: Path) -> Iterator[tuple[str, bytes]]:
    names = sorted(name.decode() for name in objects_of(layer))
    return zip((f"git object {name}" for name in names), git.blobs(layer, names), strict=True)


def _told(
    what: str, hits: Iterable[Hit], next_step: str, progress: Progress, *, searched_before: bool = False
) -> Iterator[BenchctlError]:
    """Yield an error for each file and kind of a decisive hit; say the weak ones, and in one line what stayed closed."""
    alike: dict[tuple[str, str], list[Hit]] = {}
    closed: dict[str, str] = {}
    for hit in hits:
        if hit.kind == "unreadable":
            closed[hit.path] = hit.detail
        else:
            alike.setdefault((hit.path, hit.kind), []).append(hit)
    for found in alike.values():
        first, *rest = sorted(found, key=lambda hit: not hit.decisive)
        more = f" (and of {len(rest)} more)" if rest else ""
        if first.decisive:
            yield LeakFoundError(f"{what}: {first}{more}", next_step=next_step)
        else:
            progress.note(f"{what}: {first}{more}: weak")
    if closed and not searched_before:
        named = listed([f"{path} {why}" for path, why in closed.items()], apart="; ")
        count = counted(len(closed), "file")
        progress.note(f"{what}: {count} could not be searched for answers: {named}")


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
