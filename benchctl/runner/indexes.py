"""The indexes that arms read: built in a copy of the run's tree, or given with the suite, and held to that tree.

A search of a tree for answers says nothing of an index of another tree. So an index must be of this one: it
covers no file that the tree leaves out, and none of those that it is asked about is missing.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.agents.base import ServerCommand
from benchctl.planning.invocations import Places
from benchctl.planning.world import Reason, commands_of_arm, starts_with
from benchctl.runner.agent_files import copy_folder, folder_digest, folder_files
from benchctl.runner.coverage import Coverage, IndexUnusableError, covered
from benchctl.runner.grants import Grant, make_grant
from benchctl.runner.trials import ending
from benchctl.schema.canonical import digest
from benchctl.schema.placeholders import fill
from benchctl.schema.run import IndexRecord
from benchctl.schema.suite import Arm, Index, Suite

if TYPE_CHECKING:
    from benchctl.runner.trials import Trials
    from benchctl.workspace.corpus import Corpus
    from benchctl.workspace.tree import Base

__all__ = ["Indexes", "index_digests"]


def index_digests(suite: Suite, folder: Path) -> dict[tuple[str, str], str]:
    """Return the digest of each index that is given with the suite in `folder`, by arm and index."""
    return {
        (name, index_name): folder_digest(folder / index.files)
        for name, arm in suite.arms.items()
        for index_name, index in arm.indexes.items()
        if index.files is not None
    }


@dataclass(slots=True)
class Indexes:
    """The indexes of a run, below `root`, which no cell sees as a whole. `folders` has those of an arm in a repository.

    `commands` maps what was found on the PATH to its place. What builds an index is not granted to any cell by that.

    Two arms that build the same index with the same commands share the work, and each gets a copy.
    """

    suite: Suite
    suite_folder: Path
    root: Path
    trials: Trials
    commands: Mapping[str, str]
    folders: dict[tuple[str, str], Path] = field(default_factory=dict)
    _built: dict[str, tuple[Path, str]] = field(default_factory=dict)
    _count: Iterator[int] = field(default_factory=itertools.count)

    def make(
        self,
        name: str,
        arm: Arm,
        *,
        corpora: Mapping[str, Corpus],
        bases: Mapping[str, Base],
    ) -> tuple[tuple[IndexRecord, ...], Reason | None]:
        """Make or copy each index of the arm `name`, and return what run.json says of them.

        An index of a repository that nobody is asked about is left alone. The second value says why the arm cannot
        be used; None where it can.
        """
        records = []
        for index_name, index in arm.indexes.items():
            if index.repo not in bases:
                continue
            into = self.root / name / index.repo / index_name
            try:
                built_in = self._fill(arm, index, into, bases[index.repo])
                found = covered(self.suite, index, into, corpora[index.repo], built_in=built_in)
            except IndexUnusableError as error:
                return (), Reason(
                    f"its index {index_name} of {index.repo} is of no use: {error}",
                    "mend `indexes` of the arm, or build the index anew over this tree",
                )
            self.folders[name, index.repo] = into.parent
            records.append(_record(name, index_name, index, into, found))
        return tuple(records), None

    def _fill(self, arm: Arm, index: Index, into: Path, base: Base) -> str:
        """Fill the new folder `into` with an index, and return the folder of the tree that it was built in.

        Raises IndexUnusableError.
        """
        into.parent.mkdir(parents=True, exist_ok=True)
        built_in = ""
        if index.files is not None:
            copy_folder(self.suite_folder / index.files, into)
        else:
            work = digest([index.model_dump(mode="json"), list(commands_of_arm(arm)), arm.git])
            if work in self._built:
                known, built_in = self._built[work]
                shutil.copytree(known, into, symlinks=True)
            else:
                into.mkdir()
                built_in = self._build(arm, index, into, base)
                self._built[work] = into, built_in
        _refuse_links(into)
        return built_in

    def _build(self, arm: Arm, index: Index, into: Path, base: Base) -> str:
        names = dict.fromkeys([*commands_of_arm(arm), *starts_with(index.argv)])
        tools = self.root / f".builders-{next(self._count)}"
        ended = self.trials.run(
            partial(_command, index, into),
            wall_s=index.wall_s,
            grant=make_grant(tools, names, self.commands) if names else Grant(),
            base=base,
            git=arm.git,
            writes=[into],
        )
        if ended.result.outcome != "ok":
            raise IndexUnusableError(f"building it ended with {ending(ended)}")
        return ended.places.tree


def _command(index: Index, into: Path, places: Places) -> ServerCommand:
    values = {"index": str(into), "python": places.python, "scratch": places.scratch, "tree": places.tree}
    return ServerCommand(tuple(fill(word, values) for word in index.argv))


def _refuse_links(folder: Path) -> None:
    """Raise for an index without a file, and for a link: what it leads to is not what was looked at."""
    files = tuple(_files(folder))
    if not files:
        raise IndexUnusableError("it holds no file")
    for path in files:
        name = path.relative_to(folder)
        if path.is_symlink() or not path.is_file():
            raise IndexUnusableError(f"{name} is a link or no file")


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.is_dir() and not path.is_symlink():
            yield from _files(path)
        else:
            yield path


def _record(arm: str, name: str, index: Index, folder: Path, found: Coverage) -> IndexRecord:
    files = folder_files(folder)
    return IndexRecord(
        arm=arm,
        index=name,
        repo=index.repo,
        built=index.files is None,
        digest=folder_digest(folder),
        files=len(files),
        bytes=sum(path.stat().st_size for path in files),
        covers=found.files,
        commit=found.commit,
    )
