"""A bound number against its evidence; on a false one, whose value it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from benchctl.claims.answers.bounds import is_end, why_unclear
from benchctl.claims.answers.printed import Judgement, in_printed_unit, is_no_rate, judge
from benchctl.claims.judging.elsewhere import helped, stale_runs
from benchctl.claims.judging.hidden import say_hidden
from benchctl.claims.judging.hints import hints_for
from benchctl.claims.judging.intervals import Range, ranges
from benchctl.claims.judging.moved import values_before
from benchctl.claims.judging.slips import NAME_IT
from benchctl.claims.sheet import Claim, Judged, Sheet
from benchctl.claims.wording.changes import is_unsigned
from benchctl.errors import NoRowsError, NullResultError
from benchctl.expressions import Value
from benchctl.quantities.format import format_number
from benchctl.quantities.rounding import agreement, as_decimal, exact_context
from benchctl.quantities.tokens import Token
from benchctl.quantities.units import is_rate, normalise_unit

__all__ = ["check"]

_PREPOSITION = re.compile(
    r"\b(?:over|under|above|below)\b[^\w.!?]*(?:(?:all|the|its|of)\s+)*[^\w.!?]*$", re.IGNORECASE
)
_PER = re.compile(
    r"(?:\s+[a-z]+)?\s*(?:\b(?:per|each|every)\s+|/\s?)(?:(?:milli|micro)?seconds?|sec|minutes?|min|hours?|days?|weeks?|[KMG]i?B|(?:kilo|mega|giga)?bytes?"
    r"|dollar|USD|tokens?|s|h|ms)\b",
    re.IGNORECASE,
)
_MOST_PLACES, _ALL_PLACES = 12, 24
_GIVE_IT_A_UNIT = 'write `100 * (\u2026)`, or name it under [values] with `unit = "fraction"`'
_MOST_HINTS = 500
_UNSOUGHT = "no hint was sought: so many numbers of the page are false that the first of them alone get one"
_NOTHING = frozenset({"\u2013", "\u2014", "-", "\u2212", "n/a"})


def check(sheet: Sheet) -> None:
    """Judge every claim whose run can be asked."""
    say_hidden(sheet)
    for claim in sheet.claims:
        if claim.scope.run not in sheet.unusable and claim.row not in sheet.unknown_rows:
            _claim(sheet, claim)
    help_ = Help.of(sheet, [item for item in sheet.judged if item.judgement.word == "false"])
    for item in sheet.judged:
        _say(sheet, item, help_)


@dataclass(frozen=True, slots=True)
class Help:
    """What is known of the false numbers of a page, each by id.

    `before` is the value before the run's data moved, where the number is true of that; `runs` are the other runs
    of which it is true, and then a hint and the interval. `unsought` are those beyond the first
    of so many that no help was sought for them.
    """

    before: Mapping[int, Value]
    runs: Mapping[int, Sequence[str]]
    hints: Mapping[int, str]
    ranges: Mapping[int, Range]
    unsought: frozenset[int] = frozenset()

    @classmethod
    def of(cls, sheet: Sheet, false: Sequence[Judged]) -> Help:
        """Return the help of false numbers: a question of this run is asked of those that no other run explains."""
        if sheet.terse:
            return cls({}, {}, {}, {})
        scopes = helped(item.claim.scope for item in false)
        unsought = frozenset(id(item) for item in false if item.claim.scope not in scopes)
        false = [item for item in false if id(item) not in unsought]
        before = values_before(sheet, false)
        runs = stale_runs(sheet, [item for item in false if id(item) not in before])
        rest = [item for item in false if id(item) not in before and id(item) not in runs]
        unsought |= {id(item) for item in rest[_MOST_HINTS:]}
        return cls(before, runs, hints_for(sheet, rest[:_MOST_HINTS]), ranges(sheet, false), unsought)

    def hint(self, item: Judged) -> str:
        """Return what is said of a false number."""
        if id(item) in self.unsought:
            return _UNSOUGHT
        if id(item) in self.before:
            return (
                f"the data moved since the page was accepted: it was {_shown_as(item, self.before[id(item)])}"
            )
        runs = self.runs.get(id(item))
        if not runs:
            return self.hints.get(id(item), "")
        more = f", and {len(runs) - 1} more" if len(runs) > 1 else ""
        return f"equals {runs[0]}{more}"


def _claim(sheet: Sheet, claim: Claim) -> None:
    answer = sheet.lookup.answer(claim.expression, claim.scope.run)
    text = sheet.page.text[claim.start : claim.end]
    if claim.atom is None:
        if isinstance(answer.error, NullResultError | NoRowsError) and text.strip("*_ ") in _NOTHING:
            return
        message = f"the cell prints `{text}`, no number"
        value = answer.value
        if isinstance(value, int | float):
            message += f", and {claim.text} is {format_number(value)}"
        sheet.record.find(
            "table-cell-empty", claim.start, max(claim.end, claim.start + 1), message, claim=claim.text
        )
        return
    if answer.error is not None or answer.value is None:
        sheet.record.fail(
            answer.error or NullResultError("no value"), claim.start, claim.end, claim=claim.text
        )
        return
    judgement = _judgement(sheet, claim, claim.atom.token, answer.value)
    unclear = why_unclear(claim.atom.token, claim.expression, judgement.actual)
    if unclear:
        sheet.record.find("bound-unclear", claim.start, claim.end, unclear, claim=claim.text)
        return
    sheet.judged.append(Judged(claim, answer, judgement))


def _judgement(sheet: Sheet, claim: Claim, token: Token, value: Value) -> Judgement:
    """Return how a print stands to its value, what its words say counted in."""
    nature, visible = claim.expression.nature, sheet.page.visible
    judgement = judge(token, value, nature, sheet.about)
    if judgement.word != "kind" and is_no_rate(nature) and _PER.match(visible, token.end):
        return Judgement("unit")  # "62,109 tokens per second"
    if judgement.word == "false" and isinstance(value, int | float) and is_unsigned(sheet, claim, value):
        # "51.6 % faster" of -51.6
        judgement = judge(token, abs(value), nature, sheet.about)
    if judgement.actual is None or judgement.actual != token.value:
        return judgement
    before = visible[max(0, token.start - 24) : token.start]
    at_its_end = judgement.word == "false" and token.cmp in ("<", ">") and _PREPOSITION.search(before)
    # "12 questions over 3 repositories" is no bound to its reader.
    return replace(judgement, word="end") if at_its_end or is_end(token, nature) else judgement


def _say(sheet: Sheet, item: Judged, known: Help) -> None:
    claim, answer, judgement = item.claim, item.answer, item.judgement
    false = judgement.word == "false"
    slug = _SLUGS.get(judgement.word, "number-true")
    if false and id(item) in known.runs:
        slug = "number-stale-run"
    if slug == "number-true" and judgement.saturated:
        slug = "printed-saturated"
    if slug == "number-true" and not sheet.show_all:
        return
    interval = known.ranges.get(id(item))
    hint = known.hint(item) if false else ""
    sheet.record.find(
        slug,
        claim.start,
        claim.end,
        _message(item, interval),
        claim=claim.text,
        actual=None if judgement.actual is None else float(judgement.actual),
        n=answer.n,
        hint=hint,
        next_step=_GIVE_IT_A_UNIT if hint == NAME_IT else None,
        interval=(float(interval.lo), float(interval.hi), interval.level) if interval else None,
    )


def _message(item: Judged, interval: Range | None) -> str:
    claim, judgement, name = item.claim, item.judgement, item.claim.text
    if judgement.word == "kind":
        return f"{name} is {item.answer.value!r}, no number"
    token = claim.atom.token if claim.atom else None
    if judgement.word == "unit" and token:
        unit = normalise_unit(token.unit)
        return f"printed {f'in {unit}' if unit and not is_rate(unit) else 'as a rate'}, and {name} is {_in_its_unit(claim)}"
    behind = [f"n={item.answer.n}"] if item.answer.n is not None else []
    if interval:
        ends = " to ".join(_number(item, end) for end in (interval.lo, interval.hi))
        behind.append(f"{interval.level:.0%} CI {ends}".replace("%", " %", 1))
    literal = claim.atom.literal if claim.atom else ""
    bound = f"{_BOUNDS[token.cmp]} " if token and token.cmp in _BOUNDS else ""
    around = f" ({', '.join(behind)})" if behind else ""
    return f"printed {bound}{literal}, and {name} is {_shown(item)}{around}"


_BOUNDS = {">": "over", ">=": "at least", "<": "under", "<=": "at most", "~": "about"}


def _in_its_unit(claim: Claim) -> str:
    return f"in {claim.expression.nature.unit}" if claim.expression.nature.unit else "a number of things"


_SLUGS = {
    "end": "bound-at-its-end",
    "tie": "number-tie",
    "false": "number-false",
    "slack": "bound-slack",
    "unit": "unit-mismatch",
    "kind": "value-no-number",
}


def _shown(item: Judged) -> str:
    """Return the true value with enough digits to see the difference, in the printed unit."""
    actual = item.judgement.actual
    return str(item.answer.value) if actual is None else _number(item, actual)


def _shown_as(item: Judged, value: Value) -> str:
    """Return another value of a claim as its own is shown."""
    token = item.claim.atom.token if item.claim.atom else None
    if isinstance(value, bool | str):
        return str(value)
    unit = normalise_unit(token.unit) if token else ""
    actual = in_printed_unit(as_decimal(value), item.claim.expression.nature.unit, unit)
    return _number(item, as_decimal(value) if actual is None else actual)


def _number(item: Judged, actual: Decimal) -> str:
    """Return a value with as many digits as decide; a percent sign only where the value is known to be a share."""
    token = item.claim.atom.token if item.claim.atom else None
    if token is None or token.place is None or token.value is None:
        return format_number(actual)
    exponent = token.place.as_tuple().exponent
    places = (
        max(0, -exponent) + (2 if item.judgement.word != "true" else 0) if isinstance(exponent, int) else 2
    )
    if actual == actual.to_integral_value():
        places = 0 if token.place >= 1 else max(0, places - 2)
    places = min(places, _MOST_PLACES)
    if item.judgement.word != "true":
        while places < _ALL_PLACES and _reads_otherwise(token, actual, places):
            places += 1
    bare = token.unit == "%" and not item.claim.expression.nature.unit
    return format_number(actual, unit=None if bare else token.unit or None, places=places)


def _reads_otherwise(token: Token, actual: Decimal, places: int) -> bool:
    """Whether a value, shown to so many places, would lie otherwise to the printed number than it does."""
    printed, place = token.value or Decimal(0), token.place or Decimal(1)
    shown = actual.quantize(Decimal(1).scaleb(-places), context=exact_context(actual, place))
    if (shown > printed, shown < printed) != (actual > printed, actual < printed):
        return True
    return agreement(shown, printed, place) != agreement(actual, printed, place)
