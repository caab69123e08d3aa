"""Which pages what changed can have made untrue: those edited themselves, and those whose data, values or pins moved.

Files are compared as git keeps them: by the folder they really are in, and with every symbolic link on the way, so
that a page, its values, the lock or a run behind links changes when one of these does and when what they lead to does.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchctl.claims.files import MOST_BYTES, names_beside, read_page, shown_path
from benchctl.claims.lock import LOCK_FILE, said_by
from benchctl.errors import PageUnreadableError
from benchctl.quantities.format import counted
from benchctl.store.disk.untrusted import read_linked
from benchctl.store.project import PROJECT_FILE
from benchctl.store.remote.address import is_url
from benchctl.workspace.git_changes import content_at, differing, merge_base, work_tree
from benchctl.workspace.globs import matches
from benchctl.workspace.links import places_below, places_of

if TYPE_CHECKING:
    from benchctl.store.project import Project

__all__ = ["Changes", "changes_since", "changes_told"]

_TEMPLATES = "templates"
_ATTRIBUTES = ".gitattributes"


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed: `files` as absolute paths without a link on the way, `since` what messages call the base.

    `pins` is what claims.lock said before, {} where there was none, None where that is not known. `trusted` says
    that what changed may be trusted all the same. `top` is the work tree's real folder, None where that is not known.
    """

    files: frozenset[str]
    since: str
    pins: Mapping[str, Any] | None = None
    trusted: bool = False
    top: Path | None = None

    def affected(self, project: Project, pages: Sequence[Path]) -> tuple[Path, ...]:
        """Return those of `pages` that the changes can have made untrue, in their order."""
        above = _above(self.files)
        if (
            self._changed(project.root / PROJECT_FILE)
            or self._templates(project, above)
            or self._gone(project)
        ):
            return tuple(pages)
        moved = _Moved(self._attributes(), self._runs(project, above), self._pins(project))
        return tuple(page for page in pages if self._touches(project, page, moved))

    def untrusted(self, project: Project, pages: Sequence[Path]) -> frozenset[str] | None:
        """Return the changed ones of the pages and of the files they take values from, as paths inside the project.

        None where every file is trusted.
        """
        if self.trusted:
            return None
        own = [project.root / PROJECT_FILE, *(file for page in pages for file in _own_files(page))]
        return frozenset(shown_path(project, file) for file in own if self._changed(file))

    @property
    def allowed_before(self) -> dict[str, int]:
        """Return how many unbound numbers claims.lock let each page have before; none where that is not known."""
        said = {page: entry.get("unbound") for page, entry in (self.pins or {}).items()}
        return {page: limit for page, limit in said.items() if type(limit) is int}

    def note(self, checked: int, passed_over: int) -> str:
        """Return what a report says of the pages that were not checked."""
        over = f"{counted(passed_over, 'page')} passed over"
        if not checked:
            return f"no page is affected by what changed since {self.since}: {over}"
        return f"{counted(checked, 'page')} affected by what changed since {self.since}: {over}"

    def _gone(self, project: Project) -> bool:
        """Whether a page of the project is not there any more.

        What it used (a named value, a pin, the only match of a pattern) is then used by the others or by none.
        """
        root = os.path.realpath(project.root) + os.sep
        gone = [file for file in self.files if file.startswith(root) and not os.path.lexists(file)]
        inside = [file.removeprefix(root).replace(os.sep, "/") for file in gone]
        return any(matches(path, pattern) for path in inside for pattern in project.config.claims.pages)

    def _changed(self, file: Path) -> bool:
        """Whether a file, or a link on the way to it, is among the changed ones."""
        return not self.files.isdisjoint(map(str, places_of(file)))

    def _changed_below(self, project: Project, folder: Path, above: Container[str]) -> bool:
        """Whether anything that is read below a folder is among the changed files, links on the way included.

        `above` are the folders that the changed files are in.
        """
        within = self.top or Path(os.path.realpath(project.root))
        return any(place in self.files or place in above for place in map(str, places_below(folder, within)))

    def _touches(self, project: Project, page: Path, moved: _Moved) -> bool:
        if moved.pins is None or moved.runs is None or shown_path(project, page) in moved.pins:
            return True
        own = _own_files(page)
        if any(map(self._changed, own)) or not moved.folders.isdisjoint(_folders(own)):
            return True
        # A run's id that stands on the page for another reason costs a check too many, never one too few.
        return bool(moved.runs) and _mentions(page, moved.runs)

    def _templates(self, project: Project, above: Container[str]) -> bool:
        return self._changed_below(project, project.root / _TEMPLATES, above)

    def _attributes(self) -> frozenset[Path]:
        """Return the folders below which a checkout may write another text of the same commit's files."""
        return frozenset(Path(file).parent for file in self.files if file.endswith(f"{os.sep}{_ATTRIBUTES}"))

    def _runs(self, project: Project, above: Container[str]) -> frozenset[str] | None:
        """Return the ids of the runs whose files changed, None where that may be any.

        None changed where the store is not in the work tree.
        """
        if is_url(project.config.store):
            return frozenset()
        runs = project.data / "runs"
        if self._changed(runs):
            return None
        folder = os.path.realpath(runs) + os.sep
        inside = (file.removeprefix(folder) for file in self.files if file.startswith(folder))
        changed = {path.partition(os.sep)[0] for path in inside}
        there = {run.name for run in runs.iterdir()} if runs.is_dir() else set()
        linked = {run for run in there - changed if self._changed_below(project, runs / run, above)}
        return frozenset(changed | linked)

    def _pins(self, project: Project) -> frozenset[str] | None:
        """Return the pages of which claims.lock says something else than before; None where that may be any."""
        lock = project.root / LOCK_FILE
        if not self._changed(lock):
            return frozenset()
        if self.pins is None:
            return None
        try:
            now = _entries(read_linked(lock, MOST_BYTES))
        except OSError:
            now = {}
        return frozenset(page for page in {*now, *self.pins} if now.get(page) != self.pins.get(page))


@dataclass(frozen=True, slots=True)
class _Moved:
    """What else decides pages: folders with other attributes, runs with other files, pages with other pins (None: any)."""

    folders: frozenset[Path]
    runs: frozenset[str] | None
    pins: frozenset[str] | None


def changes_since(project: Project, base: str) -> Changes:
    """Return what differs between the commit where HEAD left `base` and the files as they are now.

    Raises ChangesUnknownError.
    """
    top = work_tree(project.root)
    commit = merge_base(top, base)
    root = Path(os.path.realpath(top))
    lock = content_at(top, commit, Path(_placed(project.root / LOCK_FILE)).relative_to(root).as_posix())
    files = frozenset(f"{root}{os.sep}{path}" for path in differing(top, commit))
    return Changes(files, base, _entries(lock) if lock is not None else {}, top=root)


def changes_told(files: Iterable[Path]) -> Changes:
    """Return the changes that a caller names, such as a hook before a commit."""
    return Changes(frozenset(map(_placed, files)), "the last commit", trusted=True)


def _placed(file: Path) -> str:
    """Return a file's absolute path, its folders without links: where git has it, a link being a file of its own."""
    return f"{os.path.realpath(file.parent)}{os.sep}{file.name}"


def _own_files(page: Path) -> tuple[Path, ...]:
    return page, *(page.with_name(name) for name in names_beside(page))


def _above(files: Iterable[str]) -> set[str]:
    """Return every folder that these files are in, up to the root."""
    found: set[str] = set()
    for file in files:
        folder = file.rpartition(os.sep)[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition(os.sep)[0]
    return found


def _folders(files: Iterable[Path]) -> frozenset[Path]:
    """Return every real folder that these files are in, and those of the links on the way."""
    return frozenset(folder for file in files for place in places_of(file) for folder in place.parents)


def _mentions(page: Path, runs: frozenset[str]) -> bool:
    try:
        text = read_page(page)
    except PageUnreadableError:
        return True
    head = text[: text.find("\n---", 3)] if text.lstrip("\ufeff").startswith("---") else ""
    return "\\" in head or any(run in text for run in runs)  # YAML may write a letter as an escape


def _entries(lock: bytes) -> dict[str, Any]:
    """Return what a lock says of each page, whatever the names of its tables; nothing where it cannot be read."""
    try:
        data = said_by(lock)
    except ValueError:
        return {}
    whole = data.items() if isinstance(data, dict) else ()
    tables = {name: table for name, table in whole if isinstance(table, dict)}
    pages = {page for table in tables.values() for page in table}
    return {page: {name: table.get(page) for name, table in tables.items()} for page in pages}
