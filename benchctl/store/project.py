"""The project a command works in: benchctl.toml, found upwards, and the folders it names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.errors import (
    ProjectInvalidError,
    ProjectNotFoundError,
    SuiteInvalidError,
    SuiteNotFoundError,
    Where,
)
from benchctl.schema.project import ProjectFile, parse_project
from benchctl.schema.suite import Suite, parse_suite
from benchctl.store.remote.address import is_url

if TYPE_CHECKING:
    from benchctl.store.reader import Store

__all__ = ["PROJECT_FILE", "SUITE_FILE", "Project"]

PROJECT_FILE = "benchctl.toml"
SUITE_FILE = "suite.toml"
_DATA = "data"


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with a benchctl.toml; `root` is absolute, `config` what the file says."""

    root: Path
    config: ProjectFile

    @classmethod
    def find(cls, start: Path) -> Project:
        """Return the project that `start` stands in.

        Raises ProjectNotFoundError where neither `start` nor a folder above it has a benchctl.toml,
        ProjectInvalidError where that file cannot be read as one.
        """
        origin = start.absolute()
        for folder in (origin, *origin.parents):
            file = folder / PROJECT_FILE
            if file.is_file():
                return cls(folder, parse_project(_text(file, ProjectInvalidError), str(file)))
        raise ProjectNotFoundError(
            f"no {PROJECT_FILE} in {origin} or a folder above it",
            next_step="make an empty benchctl.toml in the project, or name its folder with --project",
        )

    @property
    def data(self) -> Path:
        """Return the folder of suites and, unless the store is behind a URL, of runs."""
        return self.root / (_DATA if is_url(self.config.store) else self.config.store)

    @property
    def runs_dir(self) -> Path:
        """Return the folder that holds one folder a run; of a store behind a URL, what was fetched of it."""
        return self.store.runs_dir

    @property
    def suites_dir(self) -> Path:
        """Return the folder that holds one folder a suite."""
        return self.data / "suites"

    @property
    def store(self) -> Store:
        """Return the project's store; it may not exist yet. Raises what `remote.open_store_at` raises for a URL."""
        from benchctl.store.remote.remote_store import open_store_at

        return open_store_at(self.config.store if is_url(self.config.store) else self.data)

    def refuse_remote(self) -> None:
        """Raise StoreReadOnlyError where the store is behind a URL, before anything is spent on a run for it."""
        if is_url(self.config.store) and (source := self.store.layout("run").source):
            source.refuse_writing("a run")

    def suite_names(self) -> tuple[str, ...]:
        """Return the names of the suites that exist, sorted."""
        return tuple(sorted(path.parent.name for path in self.suites_dir.glob(f"*/{SUITE_FILE}")))

    def suite_file(self, name_or_path: str | Path) -> Path:
        """Return the suite.toml of a suite's name, or of a path to that file or its folder.

        A name wins over a path of the same spelling. Raises SuiteNotFoundError with the names that exist.
        """
        named = self.suites_dir / name_or_path / SUITE_FILE
        path = Path(name_or_path)
        for candidate in (named, path / SUITE_FILE, path):
            if candidate.is_file():
                return candidate
        names = ", ".join(self.suite_names()) or "none"
        raise SuiteNotFoundError(
            f"no suite {str(name_or_path)!r}", expected=f"one of: {names}; or a path to a {SUITE_FILE}"
        )

    def read_suite(self, name_or_path: str | Path) -> tuple[Suite, Path]:
        """Return a suite and the path of its suite.toml. Raises SuiteNotFoundError or SuiteInvalidError."""
        file = self.suite_file(name_or_path)
        return parse_suite(_text(file, SuiteInvalidError), str(file)), file


def _text(file: Path, invalid: type[ProjectInvalidError | SuiteInvalidError]) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")  # editors on Windows begin a file with a byte order mark
    except UnicodeDecodeError as error:
        where = Where(str(file), error.object.count(b"\n", 0, error.start) + 1)
        raise invalid(f"not UTF-8: {error.reason} at byte {error.start + 1}", where=where) from error
    except OSError as error:
        raise invalid(f"cannot be read: {error.strerror}", where=Where(str(file))) from error
