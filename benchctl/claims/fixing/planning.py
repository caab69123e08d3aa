"""What would be written for each false number of an examined page, and which of them must be left to a person."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

from benchctl.claims.answers.printed import judge
from benchctl.claims.fixing.beside import torn
from benchctl.claims.fixing.change import Change
from benchctl.claims.fixing.direction import turned
from benchctl.claims.fixing.durations import duration_with_value
from benchctl.claims.fixing.figures import with_value
from benchctl.claims.fixing.placed import loses_its_place
from benchctl.claims.fixing.places import Rewrite, figures_place, heading_note, listed_place
from benchctl.claims.fixing.reasons import Refused
from benchctl.claims.fixing.separators import separator_of
from benchctl.claims.fixing.wholes import some_become_all
from benchctl.claims.fixing.wording import words_against
from benchctl.claims.numbers import Atom
from benchctl.claims.reading.sentences import sentence_at
from benchctl.claims.sheet import Judged, Sheet
from benchctl.quantities.numerals import Token
from benchctl.quantities.rounding import exact_context

__all__ = ["Planned", "plan"]

_AROUND = 40
_FAR = 100
"""How many times more or less a value may be than what is printed: 62 for 62,109 lacks a `k`, or has another unit."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A false number of the page: what to write for it, or why not."""

    item: Judged
    outcome: Rewrite | Refused


def plan(sheet: Sheet) -> list[Planned]:
    """Return every false number of an examined page, in page order, with what is to become of it."""
    false = [item for item in sheet.judged if item.judgement.word == "false" and item.claim.atom]
    if not false:
        return []
    claims = Counter(claim.start for claim in sheet.claims)
    separator = separator_of(sheet.page.visible, sheet.numbers.atoms)
    outcomes = {id(item): _alone(sheet, item, claims, separator) for item in false}
    _together(sheet, false, outcomes)
    return [Planned(item, outcomes[id(item)]) for item in sorted(false, key=lambda item: item.claim.start)]


def _alone(sheet: Sheet, item: Judged, claims: Counter[int], separator: str) -> Rewrite | Refused:
    """Return what a number would become by itself, whatever stands in its sentence."""
    atom, actual = item.claim.atom, item.judgement.actual
    if atom is None or actual is None:
        return Refused("empty")
    token = atom.token
    place = figures_place(sheet.page, token)
    figures = sheet.page.visible[slice(*token.digits)]
    for reason, applies in (
        ("draft", sheet.standing.get(atom.start) == "draft"),
        ("bound-twice", claims[item.claim.start] > 1),
        ("word", token.word),
        ("bound", token.cmp != "="),
    ):
        if applies:
            return Refused(reason)
    if isinstance(place, Refused):
        return place
    new = with_value(figures, token, actual, separator=separator)
    if isinstance(new, Refused) and new.reason == "form":
        new = duration_with_value(figures, token, actual)
    against = new if isinstance(new, Refused) else _against(sheet, item, figures, new)
    if isinstance(new, Refused) or against:
        return against or Refused("form")
    places = [place]
    if item.claim.listed:
        listed = listed_place(item.claim.listed, figures)
        if isinstance(listed, Refused):
            return listed
        places.append(listed)
    return _rewrite(sheet, item, tuple(places), new)


def _rewrite(sheet: Sheet, item: Judged, places: tuple[tuple[int, int], ...], new: str) -> Rewrite | Refused:
    claim, atom, actual = item.claim, item.claim.atom, item.judgement.actual
    if atom is None or actual is None:
        return Refused("empty")
    page, token = sheet.page, atom.token
    before, behind = (
        page.visible[token.start : token.digits[0]],
        page.visible[token.digits[1] : token.end],
    )
    line, column = page.place(places[0][0])
    return Rewrite(
        places=places,
        figures=new,
        old=page.visible[token.start : token.end],
        new=f"{before}{new}{behind}",
        claim=claim.text,
        actual=float(actual),
        n=item.answer.n,
        line=line,
        column=column,
        end_column=column + places[0][1] - places[0][0],
        note=heading_note(page, atom.start),
    )


def _new_value(token: Token, actual: Decimal) -> Decimal:
    """Return the value rounded half-even to the token's last place."""
    place = token.place or Decimal(1)
    with localcontext(exact_context(actual, place)) as context:
        context.prec += 28
        return (actual / place).quantize(Decimal(1), rounding=ROUND_HALF_EVEN) * place


def _against(sheet: Sheet, item: Judged, old: str, new: str) -> Refused | None:
    """Return why the new figures may not stand there: what they say, or the words right beside them."""
    atom, actual, value = item.claim.atom, item.judgement.actual, item.answer.value
    if atom is None or actual is None or value is None:
        return Refused("expression")
    token, printed = atom.token, atom.token.value or Decimal(0)
    number = _new_value(token, actual)
    would = f"{old} would become {new}"
    reason = _against_value(sheet, item, number) or (
        "zero" if (number == 0) != (printed == 0) and sheet.page.cell_at(atom.start) is None else ""
    )
    if reason:
        return Refused(reason, would)
    visible = sheet.page.visible
    before = visible[max(0, token.start - _AROUND) : token.start]
    behind = visible[token.digits[1] : token.digits[1] + _AROUND]
    reason = words_against(before, behind, printed, number, (old, new))
    return Refused(reason, would) if reason else None


def _against_value(sheet: Sheet, item: Judged, number: Decimal) -> str:
    """Return the reason why `number` may not stand for the value of an item, whatever the words around it; else ""."""
    atom, actual, value = item.claim.atom, item.judgement.actual, item.answer.value
    if atom is None or actual is None or value is None:
        return "expression"
    printed = atom.token.value or Decimal(0)
    judgement = judge(replace(atom.token, value=number), value, item.claim.expression.nature, sheet.about)
    far = bool(printed and number) and not Decimal(1) / _FAR < abs(number / printed) < _FAR
    for reason, applies in (
        ("precision", not judgement.holds),
        ("saturated", judgement.saturated or (number == 0 and actual != 0)),
        ("magnitude", far),
        ("order", loses_its_place(sheet, item, actual)),
    ):
        if applies:
            return reason
    return ""


def _together(sheet: Sheet, false: Sequence[Judged], outcomes: dict[int, Rewrite | Refused]) -> None:
    """Refuse what would turn a word of its sentence, or part a percent from its counts.

    Where one number of a sentence must be left for its word, all are: half of a comparison says nothing.
    """
    sentences = {id(item): _sentence(sheet, item) for item in false}
    beside = _by_sentence(sheet, set(sentences.values()))
    for span in beside:
        own = [item for item in false if sentences[id(item)] == span]
        others = [_change(other, outcomes) for other in beside[span]]
        for check in (turned, torn, some_become_all):
            why = next(filter(None, (_why(sheet, item, others, outcomes, check) for item in own)), None)
            for item in own:
                outcome = outcomes[id(item)]
                if why and isinstance(outcome, Rewrite):
                    would = f"{outcome.old} would become {outcome.new}"
                    outcomes[id(item)] = replace(why, detail=would + why.detail)


def _why(
    sheet: Sheet,
    item: Judged,
    others: Sequence[Change],
    outcomes: dict[int, Rewrite | Refused],
    check: Callable[[Sheet, Change, Sequence[Change]], str | bool],
) -> Refused | None:
    """Return why a number to be rewritten must be left, as `check` sees it beside the `others`."""
    if isinstance(outcomes[id(item)], Refused):
        return None
    found = check(sheet, _change(item, outcomes), others)
    if isinstance(found, str):
        return Refused("direction", f" beside `{found}`") if found else None
    return Refused("beside" if check is torn else "all") if found else None


def _sentence(sheet: Sheet, item: Judged) -> tuple[int, int]:
    atom: Atom | None = item.claim.atom
    return sentence_at(sheet.page, atom.token.start if atom else sheet.page.seen(item.claim.start))


def _by_sentence(sheet: Sheet, spans: set[tuple[int, int]]) -> dict[tuple[int, int], list[Judged]]:
    """Return the judged numbers of each sentence."""
    found: dict[tuple[int, int], list[Judged]] = {span: [] for span in spans}
    ordered = sorted(spans)
    for item in sheet.judged:
        atom = item.claim.atom
        index = bisect_right(ordered, (atom.token.start, len(sheet.page.visible))) - 1 if atom else -1
        if atom and index >= 0 and atom.token.start < ordered[index][1] and atom.token.value is not None:
            found[ordered[index]].append(item)
    return found


def _change(item: Judged, outcomes: dict[int, Rewrite | Refused]) -> Change:
    atom, actual = item.claim.atom, item.judgement.actual
    old = atom.token.value if atom and atom.token.value is not None else Decimal(0)
    rewritten = isinstance(outcomes.get(id(item)), Rewrite)
    new = _new_value(atom.token, actual) if rewritten and atom and actual is not None else old
    return Change(item, old, new)
