"""Where the outcome of `verify-claims` goes: one form to standard output, any number of forms into files.

What stops the command goes there as well, even where its own words could not be read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchctl.cli.console import put, tell
from benchctl.cli.failures import as_ours
from benchctl.errors import OptionInvalidError
from benchctl.report.whole_file import replace_file

if TYPE_CHECKING:
    from benchctl.claims.outputs.forms import Setting
    from benchctl.claims.result import ClaimsReport
    from benchctl.errors import BenchctlError

__all__ = ["FORM_NAMES", "Output", "ReportingCommand"]

FORM_NAMES = ("text", "json", "github", "sarif", "junit")
"""What `outputs.forms.FORMS` holds, known without loading it."""

_COMMANDS_FORM = "github"
"""The form that is commands to a runner, and the one whose step has a summary."""

_DECLARES = re.compile(rb"(?m)^(?:[ \t]*<!--[ \t]*benchctl[ \t]*:|benchctl[ \t]*:)")
_MOST_BYTES = 1 << 20


class ReportingCommand(click.Command):
    """A command whose unreadable options are said in the forms that it was asked for, as far as these can be read."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the words of the command line. Raises what click raises, and OptionInvalidError."""
        given = list(args)
        try:
            return super().make_context(info_name, args, parent, **extra)
        except Exception as error:
            if said := as_ours(error):
                output, folder = self._asked(given)
                output.failure(said, folder)
            raise

    def _asked(self, args: list[str]) -> tuple[Output, Path]:
        """Return the output and the project's folder as click reads them where it forgives all else."""
        lenient = click.Context(self, resilient_parsing=True, ignore_unknown_options=True)
        options, _, _ = self.make_parser(lenient).parse_args(args=args)
        form, folder = options.get("form"), Path(options.get("project_dir") or "")
        output = Output.of(form if form in FORM_NAMES else FORM_NAMES[0], options.get("writes") or ())
        return output, folder if folder.is_dir() else Path()


@dataclass(frozen=True, slots=True)
class Output:
    """The form for standard output, and file -> form for `--write`; `problem` is what cannot be used of that."""

    form: str
    files: dict[Path, str]
    quiet: bool = False
    problem: OptionInvalidError | None = None

    @classmethod
    def of(cls, form: str, writes: Sequence[str], *, quiet: bool = False) -> Output:
        """Return the output that the options describe, as far as they can be used."""
        files: dict[Path, str] = {}
        problems: list[OptionInvalidError] = []
        for write in writes:
            name, _, place = write.partition("=")
            if problem := _unusable(write, name, place, files):
                problems.append(problem)
            else:
                files[Path(place)] = name
        return cls(form, files, quiet, next(iter(problems), None))

    def check(self) -> None:
        """Raise OptionInvalidError where a `--write` cannot be used."""
        if self.problem:
            raise self.problem

    def write(self, report: ClaimsReport, project: Path) -> None:
        """Write a report into the files; `project` is the project's folder. Raises OSError."""
        from benchctl.claims.outputs.forms import FORMS

        setting = _setting(project)
        for file, form in self.files.items():
            replace_file(file, FORMS[form].write(report, setting).encode())

    def show(self, report: ClaimsReport, project: Path) -> None:
        """Print a report, and put it into the summary of the CI step."""
        from benchctl.claims.outputs.forms import FORMS
        from benchctl.claims.outputs.summary import to_summary

        setting = _setting(project)
        if self.form != "text" or not self.quiet or not report.ok:
            self._put(FORMS[self.form].write(report, setting))
        self._summarise(setting, lambda room: to_summary(report, setting.places, room))

    def failure(self, error: BenchctlError, folder: Path) -> None:
        """Say in each form that can what kept the pages from being verified; a file in another form goes.

        What an earlier call wrote must not be taken for the outcome of this one.
        """
        from benchctl.claims.outputs.forms import FORMS
        from benchctl.claims.outputs.summary import failed_summary

        setting = _setting(folder)
        for file, form in self.files.items():
            fail = FORMS[form].fail
            try:
                if fail:
                    replace_file(file, fail(error, setting).encode())
                else:
                    file.unlink(missing_ok=True)
            except OSError as failed:
                tell(f"{file} cannot be written: {failed.strerror}")
        if fail := FORMS[self.form].fail:
            self._put(fail(error, setting))
        self._summarise(setting, lambda _: failed_summary(error))

    def _put(self, text: str) -> None:
        put(text, end="", commands=self.form == _COMMANDS_FORM)

    def _summarise(self, setting: Setting, text: Callable[[int], str]) -> None:
        """Append to the summary of the CI step; one that cannot be written is no reason to fail."""
        from benchctl.claims.outputs.summary import LIMIT

        if self.form != _COMMANDS_FORM or setting.summary is None:
            return
        try:
            with setting.summary.open("ab") as file:
                file.write(text(LIMIT - file.tell()).encode())
        except OSError as error:
            tell(f"the summary of this step cannot be written: {setting.summary}: {error.strerror}")


def _unusable(write: str, name: str, place: str, files: dict[Path, str]) -> OptionInvalidError | None:
    if name not in FORM_NAMES or not place:
        return OptionInvalidError(
            f"--write {write}: no form and file",
            expected=f"FORMAT=FILE, FORMAT one of {', '.join(FORM_NAMES)}",
        )
    if Path(place).is_dir() or Path(place) in files:
        why = "is a folder" if Path(place).is_dir() else "is named twice"
        return OptionInvalidError(f"--write {write}: {place} {why}", expected="a file for each form")
    if _is_page(Path(place)):
        return OptionInvalidError(
            f"--write {write}: {place} is a page", expected="a file that may be written over"
        )
    return None


def _is_page(file: Path) -> bool:
    """Whether a file that is there declares a run as a page does: one slip, and the report would stand in its place."""
    try:
        with file.open("rb") as opened:
            return _DECLARES.search(opened.read(_MOST_BYTES)) is not None
    except OSError:
        return False


def _setting(folder: Path) -> Setting:
    from benchctl.claims.outputs.forms import Setting

    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    at = datetime.fromtimestamp(int(given), UTC) if given.isdecimal() else datetime.now(UTC)
    return Setting.of(folder.absolute(), at)
