"""Whether a word that says which way a number goes would still be true of another number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from benchctl.claims.answers.printed import in_printed_unit
from benchctl.claims.fixing import wording
from benchctl.claims.fixing.change import Change
from benchctl.claims.fixing.wholes import parts_of
from benchctl.claims.reading.sentences import sentence_at
from benchctl.claims.sheet import Judged, Sheet
from benchctl.expressions import Probe, scoped
from benchctl.quantities.rounding import as_decimal
from benchctl.quantities.units import family, normalise_unit

__all__ = ["Change", "turned"]

_MOST_APART = Decimal("0.1")
_HALF = Decimal("0.5")
_SHARES = ("%", "fraction")


def turned(sheet: Sheet, change: Change, others: Sequence[Change]) -> str:
    """Return the word that `change` would make false; else "".

    `others` are the numbers of its sentence with what each prints before and after.
    """
    atom = change.item.claim.atom
    if atom is None:
        return ""
    begin, end = sentence_at(sheet.page, atom.token.start)
    sentence = sheet.page.visible[begin:end]
    wider = f"{sentence} {_heading(sheet, atom.start)}"
    return (
        _crosses(change, wording.directed(wider))
        or _out_of_size(change, wording.hedged(sentence))
        or _out_of_size(change, wording.of_size(wider))
        or _other_half(change, wording.names_a_share(sentence))
        or _other_half_of(sheet, change, others, wording.names_a_share(sentence))
        or _order(change, others, wording.directed(sentence))
        or _passes(sheet, change, (begin, end))
        or _rank(sheet, change, sentence)
    )


def _heading(sheet: Sheet, offset: int) -> str:
    """Return the heading that a sentence stands under; a table's cell is read under its column alone."""
    heading = None if sheet.page.cell_at(offset) else sheet.page.heading_before(offset)
    return sheet.page.text[heading.start : heading.end] if heading else ""


def _crosses(change: Change, word: str) -> str:
    """Return `word` for a ratio that comes to lie on the other side of 1: every comparison turns round."""
    if not word or not _is_ratio(change.item):
        return ""
    return word if (change.old > 1) != (change.new > 1) or (change.old < 1) != (change.new < 1) else ""


def _is_ratio(item: Judged) -> bool:
    atom = item.claim.atom
    return item.claim.expression.nature.unit == "x" or (
        atom is not None and normalise_unit(atom.token.unit) == "x"
    )


def _out_of_size(change: Change, word: str) -> str:
    """Return `word` for a number of another size: `only 4` is not `only 40`."""
    if not word or not change.old:
        return ""
    return word if abs(change.new - change.old) > abs(change.old) * _MOST_APART else ""


def _other_half(change: Change, word: str) -> str:
    atom = change.item.claim.atom
    unit = normalise_unit(atom.token.unit) if atom else ""
    if not word or (unit not in _SHARES and change.item.claim.expression.nature.unit != "fraction"):
        return ""
    half = _HALF * 100 if unit == "%" else _HALF
    return word if (change.old > half) != (change.new > half) else ""


def _other_half_of(sheet: Sheet, change: Change, others: Sequence[Change], word: str) -> str:
    """Return `word` for a count of a whole that comes to lie on the other side of one half of it."""
    parts = parts_of(sheet, change, others) if word else None
    if parts is None:
        return ""
    old, new = ((some > whole * _HALF) - (some < whole * _HALF) for some, whole in parts)
    return word if old != new else ""


def _passes(sheet: Sheet, change: Change, span: tuple[int, int]) -> str:
    """Return the number of a sentence that nothing rewrites and that a changed one comes to lie on the other side of.

    A goal or a budget is exempt, and what the sentence says of it ("passes", "stays below") is of that order.
    """
    atom = change.item.claim.atom
    if atom is None or sheet.page.cell_at(atom.start):
        return ""
    judged = {claim.start for claim in sheet.claims}
    unit = normalise_unit(atom.token.unit)
    for other in sheet.numbers.atoms:
        value = other.token.value
        if not span[0] <= other.token.start < span[1] or other.start in judged or value is None:
            continue
        if normalise_unit(other.token.unit) == unit and _sign(change.old - value) != _sign(
            change.new - value
        ):
            return other.literal
    return ""


def _order(change: Change, others: Sequence[Change], word: str) -> str:
    """Return `word` where two numbers of the sentence change places."""
    if not word:
        return ""
    for other in others:
        if other.item is not change.item and _alike(change.item, other.item):
            before, after = _sign(change.old - other.old), _sign(change.new - other.new)
            if before != after:
                return word
    return ""


def _alike(left: Judged, right: Judged) -> bool:
    one, two = _unit(left), _unit(right)
    return one == two or (family(one) is not None and family(one) == family(two))


def _unit(item: Judged) -> str:
    """Return the unit that a number is printed in; of one without, its value's."""
    printed = normalise_unit(item.claim.atom.token.unit) if item.claim.atom else ""
    return printed or item.claim.expression.nature.unit or ""


def _sign(value: Decimal) -> int:
    return (value > 0) - (value < 0)


def _rank(sheet: Sheet, change: Change, sentence: str) -> str:
    """Return the word of a number that loses its place among the values that its sentence compares it with."""
    best = wording.extreme(sentence)
    word = best or wording.directed(sentence)
    if not word:
        return ""
    for own, values in _groups(sheet, change.item):
        compared = {
            name: value
            for name, value in values.items()
            if name != own and (best or (name and _named(name, sentence)))
        }
        low, high = sorted((change.old, change.new))
        if any(low <= value <= high for value in compared.values()):
            return word
        if best and compared and not _is_an_end(change.new, list(compared.values())):
            return best
    return ""


def _is_an_end(value: Decimal, others: list[Decimal]) -> bool:
    return value <= min(others) or value >= max(others)


def _named(name: str, sentence: str) -> bool:
    return f" {name.lower()} " in f" {_plain(sentence)} "


def _plain(sentence: str) -> str:
    return " ".join(
        "".join(char if char.isalnum() or char in "-_." else " " for char in sentence.lower()).split()
    )


def _groups(sheet: Sheet, item: Judged) -> Iterator[tuple[str, dict[str | None, Decimal]]]:
    """Yield, for each filter that names one value, the value, and what every value of its column measures."""
    claim, node = item.claim, item.claim.expression.node
    if not isinstance(node, Probe) or node.contrast or claim.atom is None:
        return
    probe = scoped(node, claim.expression.filters)
    asked: list[tuple[str, Probe]] = []
    for one in probe.filters:
        if one.op == "=":
            rest = tuple(each for each in probe.filters if each is not one)
            asked.append((one.value, replace(probe, filters=rest, group_by=one.column, outer=())))
    scope = claim.scope
    if not sheet.try_measure(scope, [each for _, each in asked]):
        return
    printed = normalise_unit(claim.atom.token.unit)
    for own, each in asked:
        values: dict[str | None, Decimal] = {}
        for name, answer in sheet.lookup.measured(scope.run)[each].groups.items():
            if isinstance(answer.value, int | float) and not isinstance(answer.value, bool):
                value = in_printed_unit(as_decimal(answer.value), claim.expression.nature.unit, printed)
                if value is not None:
                    values[name] = value
        yield own, values
