"""Pages that were found to be all right, remembered by everything that their verdict depends on.

An unchanged page then costs the hash of its text and of its runs' files, and DuckDB is not even loaded. A
page with an error is never remembered: what would help there depends on every run of the store.

What a page is remembered under is what it was examined with: bytes that were read once, and the runs as they
stood before the first of their values was asked for and still stand after the last.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchctl.claims.finding import Finding
from benchctl.claims.result import PageReport
from benchctl.errors import BenchctlError
from benchctl.schema.project import parse_project
from benchctl.store.disk.cache_file import read_cache, write_cache
from benchctl.store.disk.verified_file import trusted
from benchctl.store.project import PROJECT_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from benchctl.store.project import Project
    from benchctl.store.reader import StoredRun

__all__ = ["PageMemory", "Remembered"]

_FORM: Final = 2
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
    def of(cls, project: Project, *said: object) -> PageMemory | None:
        """Return the memory for a project's pages under the terms of one call: options, and whatever else is `said`.

        None where benchctl.toml is no longer the one that the project was read from.
        """
        try:
            own = (project.root / PROJECT_FILE).read_bytes()
            same = parse_project(own.decode("utf-8-sig"), PROJECT_FILE) == project.config
        except (OSError, ValueError, BenchctlError):
            return None
        return cls(project, _digest(_FORM, _code(), own, str(project.root), *said)) if same else None

    def key(self, path: str, *beside: object) -> str:
        """Return what a page's report depends on but for its runs: its path, its text and what stands `beside` it."""
        return _digest(self.terms, path, *beside)

    def recall(self, path: str, key: str) -> Remembered | None:
        """Return what a page was found to be under this key.

        None where it is not known, or where a run of it has other data now, or a file that is not as its manifest says.
        """
        entry: list[Any] = read_cache(_file(self.project, path))
        try:
            known, runs, report = entry
            if known != key or not isinstance(runs, dict) or runs != self.stand(runs):
                return None
            return Remembered(None if report is None else _report(report))
        except (TypeError, ValueError, KeyError, AttributeError):
            return None

    def stand(self, runs: Iterable[str]) -> dict[str, str] | None:
        """Return the digest of each run's manifest, its files hashed; None where one is missing or damaged."""
        try:
            return {run: _manifest_digest(self.project.store.run(run)) for run in sorted(runs)}
        except BenchctlError:
            return None

    def remember(self, path: str, key: str, report: PageReport | None, runs: dict[str, str] | None) -> None:
        """Keep the report of a page without an error; None: it says nothing of any run.

        `runs` is how the page's runs stood before it was examined; where they stand otherwise by now, nobody
        knows which of both was seen, and nothing is kept.
        """
        if (report is None or report.ok) and runs is not None and runs == self.stand(runs):
            written = None if report is None else asdict(report)
            write_cache(_file(self.project, path), [key, runs, written])


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
    """Return what judges: each line of this program, the DuckDB and the Python that it runs on."""
    return _digest(sys.version, *_duckdb(), *_stamps(Path(__file__).resolve().parents[1]))


def _duckdb() -> Iterator[object]:
    """Yield what tells one DuckDB from another, without loading it: where it is, its version's folder, its binary."""
    for name in ("duckdb", "_duckdb"):
        found = find_spec(name)
        if found and found.origin:
            file = Path(found.origin)
            site = file.parents[1] if found.submodule_search_locations else file.parent
            status = file.stat()
            yield file.as_posix(), status.st_size, status.st_mtime_ns
            yield sorted(each.name for each in site.glob("duckdb-*"))


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
