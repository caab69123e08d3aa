"""Pages that were found to be all right, remembered by everything that their verdict depends on.

An unchanged page then costs the hash of its text and of its runs' files, and DuckDB is not even loaded. A
page with an error is never remembered: what would help there depends on every run of the store.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchctl.claims.finding import Finding
from benchctl.claims.result import PageReport
from benchctl.errors import BenchctlError
from benchctl.store.disk.cache_file import read_cache, write_cache
from benchctl.store.disk.verified_file import trusted
from benchctl.store.project import PROJECT_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchctl.store.project import Project
    from benchctl.store.reader import StoredRun

__all__ = ["PageMemory", "Remembered"]

_FORM: Final = 1
_READ: Final = ("rows/", "grades/", "tables/")
"""Folders of a run whose files a page's numbers come from; the record is verified whenever it is read."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a page was found to be: its report, None for a page that says nothing of any run."""

    report: PageReport | None


@dataclass(frozen=True, slots=True)
class PageMemory:
    """What one call may recall and remember; `terms` are what is the same for all of its pages."""

    project: Project
    terms: str

    @classmethod
    def of(cls, project: Project, *said: object) -> PageMemory:
        """Return the memory for a project's pages under the terms of one call: options, and whatever else is `said`."""
        own = (project.root / PROJECT_FILE).read_bytes()
        return cls(project, _digest(_FORM, _code(), own, str(project.root), *said))

    def recall(self, path: str, *beside: object) -> Remembered | None:
        """Return what a page was found to be while its path, its text and what stands `beside` it were these.

        None where it is not known, or where a run of it has other data now, or a file that is not as its manifest says.
        """
        key = self._key(path, beside)
        entry: list[Any] = read_cache(_file(self.project, path))
        try:
            known, runs, report = entry
            if known != key or not isinstance(runs, dict) or runs != self._stand(runs):
                return None
            return Remembered(None if report is None else _report(report))
        except (TypeError, ValueError, KeyError, AttributeError, BenchctlError):
            return None

    def remember(self, path: str, report: PageReport | None, *beside: object) -> None:
        """Keep the report of a page without an error, until one of these changes; None: it says nothing of any run."""
        if report is not None and not report.ok:
            return
        with suppress(BenchctlError):  # a file that the page does not need may be damaged
            runs = self._stand(report.runs if report else {})
            written = None if report is None else asdict(report)
            write_cache(_file(self.project, path), [self._key(path, beside), runs, written])

    def _key(self, path: str, beside: tuple[object, ...]) -> str:
        return _digest(self.terms, path, *beside)

    def _stand(self, runs: Mapping[str, Any]) -> dict[str, str]:
        """Return the digest of each run's manifest, its files hashed. Raises what a damaged run raises."""
        return {run: _manifest_digest(self.project.store.run(run)) for run in sorted(runs)}


def _manifest_digest(run: StoredRun) -> str:
    if run.manifest is None:
        return "open"
    for name in run.manifest.files:
        if name.startswith(_READ):
            trusted(run.layout, run.manifest, name)
    trusted(run.layout, run.manifest, run.manifest.record)
    return hashlib.sha256(run.manifest.to_bytes()).hexdigest()


def _file(project: Project, path: str) -> str:
    return f"page-{_digest(str(project.root), path)[:32]}.json"


def _digest(*parts: object) -> str:
    said = json.dumps([part if isinstance(part, str) else repr(part) for part in parts])
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=1)
def _code() -> str:
    """Return what this program is made of: a changed line of it may judge a page in another way."""
    return _digest(*_stamps(Path(__file__).resolve().parents[1]))


def _stamps(folder: Path) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda item: item.name):
            if entry.is_dir() and entry.name != "__pycache__":
                yield from _stamps(Path(entry.path))
            elif entry.name.endswith((".py", ".so")):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns


def _report(written: dict[str, Any]) -> PageReport:
    findings = tuple(Finding(**finding) for finding in written["findings"])
    listed = {name: tuple(value) for name, value in written.items() if isinstance(value, list)}
    if set(written) != {each.name for each in fields(PageReport)}:
        raise ValueError("a report of another form")
    return PageReport(**{**written, **listed, "findings": findings})
