"""Every measured number behind a claim or an assertion, moved until what the page says is false."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from benchctl.claims.answers.lookup import Expression
from benchctl.claims.mutation.claimed import literal_of, true_of
from benchctl.claims.mutation.mutant import Change, Mutant, Place
from benchctl.claims.mutation.places import Places
from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import Asserted, Judged, Sheet
from benchctl.errors import BenchctlError, EvaluationError
from benchctl.expressions import Measured, Probe, Value, evaluate
from benchctl.report.stamp import Block, body_digest, parse_blocks

__all__ = ["moved_sources"]

Move = Callable[[float], float]

_MOVES: tuple[Move, ...] = (
    lambda value: 3 * value + 7,
    lambda value: value / 3,
    lambda _: 0,
    lambda value: 1000 * value + 12345,
    lambda value: -value - 1,
    lambda value: value + 1,
)
"""Ways to move a number: one of them leaves every interval and turns every comparison that the number decides."""
_DIGIT = re.compile(r"\d(?=[^\d]*\|)")


def moved_sources(sheet: Sheet, places: Places) -> Iterator[Mutant]:
    """Yield a mutant for each answer behind each claim and assertion, as far as it alone can make it false.

    Where none alone can, all are moved together. What no move makes false is left out: the answer is not
    what decides it.
    """
    for item in sheet.judged:
        if atom := item.claim.atom:
            yield from _of_claim(sheet, places, item, atom)
    for asserted in sheet.assertions:
        yield from _of_assertion(sheet, asserted)
    for block in sheet.blocks:
        yield from _of_block(sheet, block)


def _of_claim(sheet: Sheet, places: Places, item: Judged, atom: Atom) -> Iterator[Mutant]:
    claim = item.claim
    says = literal_of(sheet, atom).says

    def false(value: Value | None) -> bool:
        return value is not None and not true_of(
            sheet, replace(item, answer=replace(item.answer, value=value)), says
        )

    for change, what in _changes(sheet, claim.expression, claim.scope.run, false):
        yield Mutant(
            kind="source",
            start=claim.start,
            end=claim.end,
            literal=atom.literal,
            changed_to=what,
            place=places.of_claim(claim),
            data=change,
            claim=claim.expression.text,
        )


def _of_assertion(sheet: Sheet, asserted: Asserted) -> Iterator[Mutant]:
    span = (asserted.start, asserted.end)
    expression = asserted.expression
    for change, what in _changes(sheet, expression, asserted.scope.run, lambda value: value is False):
        yield Mutant(
            kind="assertion",
            start=asserted.start,
            end=asserted.end,
            literal=expression.text,
            changed_to=what,
            place=Place((span,), (span,), frozenset()),
            data=change,
            claim=expression.text,
        )


def _changes(
    sheet: Sheet, expression: Expression, run: str, false: Callable[[Value | None], bool]
) -> Iterator[tuple[Change, str]]:
    """Yield, for each answer behind an expression, how it is moved so that `false` holds of the value, and to what."""
    known = sheet.lookup.measured(run)
    today = {probe: known[probe] for probe in expression.probes}
    found = False
    for probe, answer in today.items():
        for move in _MOVES:
            other = _moved(answer, move)
            if other != answer and false(_value(expression, {**today, probe: other})):
                found = True
                steady = frozenset((run, each) for each in today if each != probe)
                yield Change({(run, probe): other}, steady), _told(answer, other)
                break
    if found:
        return
    for move in _MOVES:
        others = {probe: _moved(answer, move, place) for place, (probe, answer) in enumerate(today.items())}
        if false(_value(expression, others)):
            yield (
                Change({(run, probe): other for probe, other in others.items()}),
                "everything behind it is moved",
            )
            return


def _told(answer: Measured, other: Measured) -> str:
    if answer.value is None:
        return "what it goes through is moved"
    return f"{answer.value} in the data is made {other.value}"


def _value(expression: Expression, answers: dict[Probe, Measured]) -> Value | None:
    try:
        return evaluate(expression.node, answers, filters=expression.filters)
    except (EvaluationError, OverflowError):
        return None


def _moved(answer: Measured, move: Move, place: int = 0) -> Measured:
    """Return an answer with its value, its interval and its groups moved; the further on by `place`."""

    def other(value: Value | None) -> Value | None:
        match value:
            case bool():
                return not value
            case int():
                return int(move(value)) + place
            case float():
                return move(value) + place
            case str():
                return f"{value}-{place}"
            case None:
                return None

    lo, hi = other(answer.lo), other(answer.hi)
    return replace(
        answer,
        value=other(answer.value),
        lo=lo if isinstance(lo, int | float) else None,
        hi=hi if isinstance(hi, int | float) else None,
        groups={name: _moved(group, move, place) for name, group in answer.groups.items()},
    )


def _of_block(sheet: Sheet, block: Block) -> Iterator[Mutant]:
    """Yield a block whose table would render with another last digit: every other one is compared the same way."""
    try:
        rendered = sheet.lookup.block(block.run, block.table, sheet.config)
    except BenchctlError:
        return
    body = parse_blocks(rendered)[0].body
    digit = _DIGIT.search(body)
    if digit is None:
        return
    other = body[: digit.start()] + str((int(digit[0]) + 1) % 10) + body[digit.end() :]
    anew = rendered.replace(body, other).replace(body_digest(body), body_digest(other))
    span = (block.start, block.end)
    yield Mutant(
        kind="source",
        start=block.start,
        end=block.body_start - 1,
        literal=f"table {block.table}",
        changed_to="one digit of it renders otherwise",
        place=Place((span,), (span,), frozenset({("block", block.start)})),
        data=Change(blocks={(block.run, block.table): anew}),
    )
