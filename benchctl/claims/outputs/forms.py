"""The forms of `--format`, by name, and where and when a report was made."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from benchctl.claims.outputs.document import to_document
from benchctl.claims.outputs.github import failed_github, to_github
from benchctl.claims.outputs.junit import failed_junit, to_junit
from benchctl.claims.outputs.places import Places
from benchctl.claims.outputs.sarif import failed_sarif, to_sarif
from benchctl.claims.outputs.text import to_text
from benchctl.claims.result import ClaimsReport
from benchctl.errors import BenchctlError
from benchctl.report.escaping import as_json

__all__ = ["FORMS", "Form", "Setting"]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a form needs beside the report: the places, when the pages were verified (UTC), the job's summary file."""

    places: Places
    at: datetime
    summary: Path | None = None

    @classmethod
    def of(cls, project: Path, at: datetime) -> Setting:
        """Return the setting of a project's folder in this process' environment."""
        named = os.environ.get("GITHUB_STEP_SUMMARY", "")
        return cls(Places.of(project), at, Path(named) if named else None)


@dataclass(frozen=True, slots=True)
class Form:
    """How a report is written, and how the error that kept one from being made; None where it only goes to stderr."""

    write: Callable[[ClaimsReport, Setting], str]
    fail: Callable[[BenchctlError, Setting], str] | None = None


FORMS: dict[str, Form] = {
    "text": Form(lambda report, _: to_text(report)),
    "json": Form(lambda report, _: as_json(to_document(report))),
    "github": Form(
        lambda report, setting: to_github(report, setting.places, summary=setting.summary is not None),
        lambda error, _: failed_github(error),
    ),
    "sarif": Form(
        lambda report, setting: to_sarif(report, setting.places),
        lambda error, setting: failed_sarif(error, setting.places),
    ),
    "junit": Form(
        lambda report, setting: to_junit(report, setting.places, setting.at),
        lambda error, setting: failed_junit(error, setting.at),
    ),
}
"""Name -> form, the default first."""
