"""What stands beside a page is used by it, and hides nothing of the project's unseen."""

from __future__ import annotations

import re
from dataclasses import replace

from benchctl.claims.sheet import Sheet
from benchctl.expressions import Definition, names_in

__all__ = ["check"]

_UNREAD = frozenset({"page-malformed", "marker-malformed"})


def check(sheet: Sheet) -> None:
    """Find the page's own named values that nobody uses, and those that say something else than the project's."""
    own = sheet.beside.definitions
    place = (sheet.scopes.page.place, sheet.scopes.page.place_end) if sheet.scopes.page else (0, 0)
    used = set(sheet.lookup.used).union(*(names_in(value.node) - {name} for name, value in own.items()))
    for name, value in own.items():
        if name not in used and not _may_be_meant(sheet, name):
            sheet.record.find("value-unused", *place, f"{value.where}: nothing on this page uses `{name}`")
        theirs = sheet.lookup.project_names.get(name)
        if theirs is not None and _plain(theirs) != _plain(value):
            message = f"{value.where}: `{name}` is another value here than {theirs.where} says"
            sheet.record.find("value-hidden", *place, message)


def _plain(value: Definition) -> Definition:
    return replace(value, note="")


def _may_be_meant(sheet: Sheet, name: str) -> bool:
    """Whether a part of the page that could not be read says the name."""
    unread = any(finding.slug in _UNREAD for finding in sheet.record.findings)
    return unread and re.search(rf"\b{re.escape(name)}\b", sheet.page.text) is not None
