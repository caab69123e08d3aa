"""An examined page as its report: the numbers counted by how they stand, the findings in order."""

from __future__ import annotations

from collections import Counter

from benchctl.claims.reading.page import Page
from benchctl.claims.recorder import Recorder
from benchctl.claims.result import PageReport
from benchctl.claims.sheet import Sheet
from benchctl.claims.values.beside import project_values
from benchctl.claims.values.ratchet import ratchet_of
from benchctl.errors import PageUnreadableError

__all__ = ["page_report", "unread_report"]


def page_report(sheet: Sheet) -> PageReport:
    """Return what an examined page comes to: how its numbers stand, and its findings in page order."""
    scope = sheet.scopes.page
    checked = scope is not None
    standings = Counter(sheet.standing.values())
    atoms = (
        [atom for atom in sheet.numbers.atoms if atom.start in sheet.standing or not atom.optional]
        if checked
        else []
    )
    ones = len(sheet.numbers.atoms) - len(atoms) if checked else 0
    kinds = sheet.numbers.kinds() if checked else {}
    declared = sorted({run for item in sheet.scopes.all for run in item.declared})
    stored = sheet.lookup.runs if declared else {}
    runs = {run: stored[run].data_digest if run in stored else None for run in declared}
    return PageReport(
        path=sheet.page.path,
        run=scope.run if scope else None,
        data=runs.get(scope.run) if scope else None,
        runs=runs,
        numbers=len(atoms),
        bound=standings["bound"],
        generated=standings["generated"],
        exempt=standings["exempt"],
        unbound=len(atoms) - sum(standings.values()) + standings["draft"],
        kinds=kinds | ({"word-one": ones} if ones else {}),
        findings=tuple(sorted(sheet.record.findings, key=lambda item: (item.line, item.column))),
        excluded=sheet.scopes.none,
        max_unbound=ratchet_of(sheet.page.path, sheet.beside, sheet.config).limit,
        values=tuple(sorted(project_values(sheet.lookup.used, sheet.beside))),
    )


def unread_report(path: str, error: PageUnreadableError) -> PageReport:
    """Return the report of a page that cannot be read: that it cannot."""
    nothing = Page(path, "")
    record = Recorder(nothing)
    record.fail(PageUnreadableError(error.what, next_step="save it as UTF-8 text where it is named"), 0, 0)
    return PageReport(
        path=path, run=None, data=None, runs={}, numbers=0, bound=0, generated=0, exempt=0, unbound=0,
        kinds={}, findings=tuple(record.findings),
    )  # fmt: skip
