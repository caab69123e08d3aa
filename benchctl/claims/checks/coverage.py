"""Every number of a page is bound, generated, exempt, or no claim by its kind."""

from __future__ import annotations

from benchctl.claims.sheet import Sheet

__all__ = ["check"]


def check(sheet: Sheet) -> None:
    """Find the numbers that nothing binds, and those that cannot be read."""
    for atom in sheet.numbers.atoms:
        if atom.start not in sheet.standing and not atom.optional:
            sheet.record.find("number-unbound", atom.start, atom.end, f"{atom.literal} is bound to nothing")
    for atom in sheet.numbers.unreadable:
        sheet.record.find(
            "number-unreadable", atom.start, atom.end, f"`{atom.literal}` cannot be read as a number"
        )
