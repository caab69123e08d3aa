"""Where pages are as CI counts it: from the root of the repository, which a project may be only a folder of."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

__all__ = ["Places"]


@dataclass(frozen=True, slots=True)
class Places:
    """A project's folder and the repository around it, both absolute; the same folder where there is no repository."""

    project: Path
    repository: Path

    @classmethod
    def of(cls, project: Path) -> Places:
        """Return the places of a project: its git work tree, else the workspace of the CI job, else itself."""
        for folder in (project, *project.parents):
            if (folder / ".git").exists():
                return cls(project, folder)
        workspace = os.environ.get("GITHUB_WORKSPACE", "")
        inside = workspace and project.is_relative_to(workspace)
        return cls(project, Path(workspace) if inside else project)

    def path(self, page: str) -> str:
        """Return a report's path of a page from the repository's root; outside of it the absolute one."""
        file = self._file(page)
        return (file.relative_to(self.repository) if self._inside(file) else file).as_posix()

    def uri(self, page: str) -> tuple[str, bool]:
        """Return a page's URI, and whether it is relative to the repository's root."""
        file = self._file(page)
        if self._inside(file):
            # A first segment with a colon would read as a scheme (RFC 3986, section 4.2): `quote` writes it as %3A.
            return quote(os.fsencode(file.relative_to(self.repository).as_posix())), True
        return f"file://{quote(os.fsencode(file))}", False

    def _file(self, page: str) -> Path:
        """Return a page's file. A report names it from the project, and one outside of it as the caller did."""
        named = Path(os.path.normpath(self.project / page))
        if named.exists() or not Path(page).exists():
            return named
        return Path(os.path.normpath(Path(page).absolute()))

    def _inside(self, file: Path) -> bool:
        return file.is_relative_to(self.repository)
