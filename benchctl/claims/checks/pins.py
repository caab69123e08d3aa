"""The data of a declared run are those that claims.lock pins."""

from __future__ import annotations

from benchctl.claims.sheet import Sheet

__all__ = ["check"]


def check(sheet: Sheet) -> None:
    """Compare the digest of every run that the page declares with its pin, where there is a lock."""
    seen: set[str] = set()
    for scope in sheet.scopes.all:
        for run in sorted(scope.declared - seen):
            seen.add(run)
            pinned, stored = (sheet.pins or {}).get(run), sheet.lookup.runs.get(run)
            if pinned and stored and stored.data_digest != pinned:
                message = f"run {run} holds other data than claims.lock pins for this page"
                sheet.record.find("data-moved", scope.place, scope.place_end, message)
