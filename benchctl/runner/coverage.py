"""What an index says that it covers, held to the tree of the run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from benchctl.quantities.format import listed
from benchctl.schema.pointers import pointed_at
from benchctl.schema.suite import Index, Suite
from benchctl.workspace.globs import matches

if TYPE_CHECKING:
    from benchctl.workspace.corpus import Corpus

__all__ = ["Coverage", "IndexUnusableError", "covered"]

_LONGEST = 1 << 30
_LONGEST_KEY = 60
_SHA256 = re.compile(r"(?:sha256:)?([0-9a-fA-F]{64})")


class IndexUnusableError(Exception):
    """An index that cannot be had, or that is not of the run's tree; its text is the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of the tree's files an index says it covers, and the commit it was made at; None where it does not say."""

    files: int | None = None
    commit: str | None = None


def covered(suite: Suite, index: Index, folder: Path, corpus: Corpus, *, built_in: str = "") -> Coverage:
    """Return what the index in `folder` covers. Raises IndexUnusableError where that is not the tree of the run.

    `built_in` is the folder of the tree that it was built in: its paths may begin with that.

    What was built here has seen nothing but the tree. What is given has to prove that it has: by its list of
    files, or by the commit where the tree is that commit's as a whole.
    """
    facts = _facts(index, folder)
    commit = None if index.commit is None else _commit(index.commit, facts, corpus)
    if index.covers is not None:
        return Coverage(_held(suite, index, facts, corpus, built_in), commit)
    if index.files is None or (commit is not None and _whole(suite, index.repo)):
        return Coverage(None, commit)
    if commit is None:
        raise IndexUnusableError("it says nothing of the files it covers; name them by `facts` and `covers`")
    raise IndexUnusableError(
        f"commit {commit} holds files that the tree leaves out; say by `covers` that it does not cover them"
    )


def _facts(index: Index, folder: Path) -> Any:
    if index.facts is None:
        return None
    path = folder / index.facts
    if not path.resolve().is_relative_to(folder.resolve()):
        raise IndexUnusableError(f"its facts {index.facts} lie outside of it")
    try:
        if path.stat().st_size > _LONGEST:
            raise IndexUnusableError(f"its facts {index.facts} are longer than {_LONGEST} bytes")
        return json.loads(path.read_bytes(), object_pairs_hook=_object)
    except OSError as error:
        raise IndexUnusableError(f"its facts {index.facts} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise IndexUnusableError(f"its facts {index.facts} are no JSON") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of the facts. One with a key twice says two things, of which readers take either."""
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for place, (key, _) in enumerate(pairs) if key in dict(pairs[:place]))
        raise IndexUnusableError(f"its facts name {_shown(twice)} twice in one object")
    return found


def _shown(key: str) -> str:
    return ascii(key if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY]}…")


def _listed_at(facts: Any, pointer: str) -> Iterator[Any]:
    """Yield what a pointer leads to, and of a list at its end the elements."""
    for each in pointed_at(facts, pointer, star=True):
        yield from each if isinstance(each, list) else (each,)


def _commit(pointer: str, facts: Any, corpus: Corpus) -> str:
    found = list(_listed_at(facts, pointer))
    if len(found) != 1 or not isinstance(found[0], str):
        raise IndexUnusableError(f"`commit` {pointer} leads to no commit in its facts")
    if found[0] != corpus.version:
        tree = f"the tree is {corpus.version}" if corpus.version else "the tree has no commit"
        raise IndexUnusableError(f"it was made at {found[0]}, and {tree}")
    return found[0]


def _whole(suite: Suite, repo: str) -> bool:
    own = suite.repos[repo]
    return own.kind == "git" and own.include == ("**",) and not own.exclude


def _held(suite: Suite, index: Index, facts: Any, corpus: Corpus, built_in: str) -> int:
    """Return how many files the index covers, all of them of the tree, and none of those missing that it has to cover."""
    said = [path for path in _listed_at(facts, str(index.covers)) if path is not None]
    if not said or not all(isinstance(path, str) for path in said):
        raise IndexUnusableError(f"`covers` {index.covers} leads to no list of files in its facts")
    own = f"{built_in}/" if built_in else ""
    in_order = [PurePosixPath(path.removeprefix(own)).as_posix() for path in said]
    covers = set(in_order)
    tree = {file.path: file.size for file in corpus.files}
    if foreign := sorted(covers - set(tree)):
        raise IndexUnusableError(f"it covers {listed(foreign)}, which the tree does not hold")
    if index.digests is not None:
        _check_digests(index.digests, facts, in_order, corpus)
    if missing := sorted(set(_wanted(suite, index, tree, covers)) - covers):
        raise IndexUnusableError(f"it does not cover {listed(missing)} of the tree")
    return len(covers)


def _check_digests(pointer: str, facts: Any, covers: list[str], corpus: Corpus) -> None:
    """Raise where the digests at a pointer are not those of the files that the index covers, one for one."""
    said = [value for value in _listed_at(facts, pointer) if value is not None]
    found = [_SHA256.fullmatch(value) if isinstance(value, str) else None for value in said]
    if len(found) != len(covers) or None in found:
        raise IndexUnusableError(
            f"`digests` {pointer} leads to no sha256 for each of the {len(covers)} files that it covers"
        )
    tree = {file.path: file.sha256 for file in corpus.files}
    pairs = zip(covers, found, strict=True)
    if other := sorted({path for path, each in pairs if each and each[1].lower() != tree[path]}):
        raise IndexUnusableError(f"it was made of another content of {listed(other)}")


def _wanted(suite: Suite, index: Index, tree: dict[str, int], covers: set[str]) -> Iterator[str]:
    """Yield what the index has to cover: what `over` names, or all that ends like something it covers; and all evidence.

    An empty file holds nothing that an index could hold. Evidence that no pattern of `over` fits is not asked for.
    """
    suffixes = {PurePosixPath(path).suffix for path in covers}
    for path, size in tree.items():
        if index.over:
            if any(matches(path, pattern) for pattern in index.over):
                yield path
        elif size and PurePosixPath(path).suffix in suffixes:
            yield path
    if not index.over:
        for question in suite.questions:
            if question.repo == index.repo:
                yield from (path for path in question.evidence if path in tree)
