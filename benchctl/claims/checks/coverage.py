"""Every number of a page is bound, generated, exempt, or no claim by its kind; an old page may leave some, fewer each time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import Sheet
from benchctl.claims.values.ratchet import Ratchet, ratchet_of
from benchctl.quantities.format import counted

__all__ = ["check"]

_MANY = 3
_IN_CELL = "bind it in its cell (`87<!--= expr -->`), or map the row's label"
_IN_FRONT = (
    "no comment is one in front matter: say it without the number, and bind the number in the text below"
)
_TABLE = "`<!--claims:table by=arm header=expr -->`"


def check(sheet: Sheet) -> None:
    """Find the numbers that nothing binds, and those that cannot be read."""
    unbound = [atom for atom in sheet.numbers.atoms if atom.start not in sheet.standing and not atom.optional]
    ratchet = ratchet_of(sheet.page.path, sheet.beside, sheet.config)
    allowed = len(unbound) <= (ratchet.limit or 0)
    whole = dict(_by_table(sheet, unbound))
    for atom in unbound:
        why = _of_no_row(sheet, atom) if sheet.unbound_rows else ""
        sheet.record.find(
            "number-unbound",
            atom.start,
            atom.end,
            f"{atom.literal} is bound to nothing" + (f": {why}" if why else ""),
            severity="note" if allowed else None,
            hint=whole.get(atom.start, ""),
            next_step=_IN_FRONT if atom.start < sheet.page.front.end else _IN_CELL if why else None,
        )
    _ratchet(sheet, ratchet, len(unbound))
    for atom in sheet.numbers.unreadable:
        sheet.record.find(
            "number-unreadable", atom.start, atom.end, f"`{atom.literal}` cannot be read as a number"
        )


def _by_table(sheet: Sheet, unbound: Sequence[Atom]) -> Iterator[tuple[int, str]]:
    """Yield the start of the first number of each table that leaves several unbound, and how it is bound as a whole."""
    tables: dict[tuple[int, int], list[Atom]] = defaultdict(list)
    for atom in unbound:
        table = sheet.page.table_at(atom.start)
        if table:
            tables[table.start, table.end].append(atom)
    for atoms in tables.values():
        if len(atoms) >= _MANY:
            found = f"{len(atoms)} numbers of this table are unbound"
            yield atoms[0].start, f"{found}: a comment above it binds it as a whole ({_TABLE})"


def _of_no_row(sheet: Sheet, atom: Atom) -> str:
    """Return why a bound table leaves the row of a number to inline bindings; "" for a number of none such."""
    rows = ((row, why) for row, why in sheet.unbound_rows.items() if row.start <= atom.start < row.stop)
    return next((why for _, why in rows), "")


def _ratchet(sheet: Sheet, ratchet: Ratchet, found: int) -> None:
    """Find a ratchet that was raised, one that is broken, and one that could be lower."""
    limit, accepted = ratchet.limit, sheet.accepted_unbound
    place = (sheet.scopes.page.place, sheet.scopes.page.place_end) if sheet.scopes.page else (0, 0)
    raised = _lock_raised(sheet, place)
    if limit is None:
        return
    said = f"{ratchet.where}: max_unbound is {limit}"
    if not raised and accepted is not None and limit > accepted:
        raised = True
        message = f"{said}, and {accepted} was accepted"
        sheet.record.find(
            "ratchet-raised", *place, message, next_step=f"bind what is new, and let it be {accepted}"
        )
    message = f"{said}, and the page leaves {counted(found, 'number')} unbound"
    if found > limit:
        step = f"bind {found - limit} of them, generate or exempt them; the limit only falls"
        sheet.record.find("ratchet-broken", *place, message, next_step=step)
    elif found < limit and not raised:
        step = f"lower it to {found}" if found else "remove it"
        sheet.record.find("ratchet-loose", *place, message, next_step=step)


def _lock_raised(sheet: Sheet, place: tuple[int, int]) -> bool:
    """Find a limit that claims.lock no longer says, or says higher than at the base of `--changed`."""
    before, now = sheet.allowed_before, sheet.accepted_unbound
    if before is None or (now is not None and now <= before):
        return False
    became = "no limit is left there" if now is None else f"it is {now}"
    message = f"claims.lock: this page was allowed {counted(before, 'unbound number')}, and {became}"
    step = f'put `"{sheet.page.path}": {before}` back under `unbound` in claims.lock, and bind what is new'
    sheet.record.find("ratchet-raised", *place, message, next_step=step)
    return True
