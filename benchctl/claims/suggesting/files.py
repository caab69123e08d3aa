"""A page's file read for suggestions, and its drafts written into it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.claims.examine import Examiner
from benchctl.claims.files import read_page, shown_path
from benchctl.claims.markers.scope import Scope
from benchctl.claims.sheet import Sheet
from benchctl.claims.suggesting.insertion import insertions_of, written
from benchctl.claims.suggesting.page import suggest
from benchctl.claims.suggesting.suggestion import Suggestions
from benchctl.errors import PageChangedError, RunNotNamedError, Where
from benchctl.report.whole_file import rewrite_file

if TYPE_CHECKING:
    from benchctl.store.project import Project

__all__ = ["suggest_for"]

_SHOWN_RUNS = 5


def suggest_for(
    project: Project, file: Path, *, run: str | None = None, writing: bool = False
) -> tuple[Suggestions, int | None]:
    """Return the suggestions for a page, and how many numbers got a draft, None where none is to be written.

    `run` is the run of a page that declares none; `writing` then declares it, too. Raises PageUnreadableError,
    RunNotNamedError, RunUnknownError, PageChangedError, OSError, and what reading the project raises.
    """
    examiner, shown, text = Examiner.of(project), shown_path(project, file), read_page(file)
    sheet = examiner.read(shown, text)
    declares = sheet.scopes.page is not None
    _need_a_run(sheet, run)
    for scope in sheet.scopes.all:
        project.store.run(scope.run)
    suggestions = suggest(sheet)
    if not writing:
        return suggestions, None
    insertions = insertions_of(sheet.page, suggestions.tables, suggestions.found)
    drafted, kept = written(sheet, insertions, lambda new: examiner.read(shown, new))
    if kept:
        if read_page(file) != text:
            raise PageChangedError("the page changed while it was read", where=Where(str(file)))
        rewrite_file(file, (drafted if declares else _declared(sheet, drafted)).encode())
    return suggestions, sum(insertion.numbers for insertion in kept)


def _need_a_run(sheet: Sheet, run: str | None) -> None:
    """Take `run` for the page's where it declares none. Raises RunNotNamedError where nobody names one."""
    scopes, where = sheet.scopes, Where(sheet.page.path)
    if scopes.page is not None:
        if run not in (None, scopes.page.run):
            raise RunNotNamedError(f"the page declares {scopes.page.run}, not {run}", where=where)
        return
    if scopes.none is not None:
        raise RunNotNamedError(f"the page takes itself out: {scopes.none}", where=where)
    if run is None:
        raise RunNotNamedError("the page declares no run", where=where, next_step=_name_one(sheet))
    whole = Scope(run, frozenset({run}), (), 0, len(sheet.page.text) + 1, 0, 0)
    sheet.scopes = replace(scopes, page=whole)


def _name_one(sheet: Sheet) -> str:
    """Return the call that names a run: the only one of the store, or one of them."""
    runs = list(sheet.lookup.runs)
    call = f"`benchctl claims suggest {sheet.page.path} --run {runs[0] if len(runs) == 1 else 'ID'}`"
    return f"{call}; the store has {', '.join(runs[-_SHOWN_RUNS:])}" if len(runs) > 1 else call


def _declared(sheet: Sheet, text: str) -> str:
    """Return the page with its run declared in a comment, behind front matter that may be there."""
    at = sheet.page.front.end or text.startswith("\ufeff")
    line_end = "\r\n" if "\r\n" in text else "\n"
    run = sheet.scopes.page.run if sheet.scopes.page else ""
    return f"{text[:at]}<!-- benchctl: run={run} -->{2 * line_end}{text[at:]}"
