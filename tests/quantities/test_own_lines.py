"""Our own labelled lines: each literal with its exact span, value, unit and comparator, each digit in one token.

The labels say what a careful reader says; a line that the scanner reads otherwise is printed with both readings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from benchctl.quantities.numerals import Token, scan

from .test_scores import code_regions, in_code, show

LINES = Path(__file__).parents[1] / "vectors" / "numerals_own.jsonl"


def read_lines() -> list[dict]:
    return [json.loads(line) for line in LINES.read_text(encoding="utf-8").splitlines()]


def decimal_of(value: float | str) -> Decimal:
    """A label's value: a number, or a fraction without a finite decimal as "1/3"."""
    if isinstance(value, str):
        whole, part = value.split("/")
        return Decimal(whole) / Decimal(part)
    return Decimal(repr(value))


def differences(case: dict) -> Iterator[str]:
    line = case["line"]
    tokens, code = scan(line), code_regions(line)
    labelled: set[Token] = set()
    for label in case["claims"]:
        inside = within(tokens, label)
        labelled |= set(inside)
        if [reading(token) for token in inside] != [expected(label)]:
            yield f"claim {label['text']!r} {label['values']} [{label['unit']}] {label['cmp']}, read as {show(inside)}"
    for label in case["not_claims"]:
        inside = within(tokens, label)
        labelled |= set(inside)
        end = label["start"] + len(label["text"])
        silent = not any(char.isdigit() for char in label["text"])
        unread = not inside and not silent
        if not in_code(label["start"], end, code) and (unread or any(token.is_claim for token in inside)):
            yield f"{label['kind']} {label['text']!r}, read as {show(inside)}"
    for token in tokens:
        if token.is_claim and token not in labelled and not in_code(token.start, token.end, code):
            yield f"nothing labelled, read as {show([token])}"
    covered = {place for token in tokens for place in range(token.start, token.end)}
    yield from (
        f"digit at {at} in no token" for at, char in enumerate(line) if char.isdigit() and at not in covered
    )


def within(tokens: list[Token], label: dict) -> list[Token]:
    end = label["start"] + len(label["text"])
    return [token for token in tokens if token.start < end and token.end > label["start"]]


def reading(token: Token) -> tuple:
    return token.start, token.text, token.is_claim, token.value, token.unit, token.cmp


def expected(label: dict) -> tuple:
    (value,) = label["values"]
    return label["start"], label["text"], True, decimal_of(value), label["unit"], label["cmp"]


def test_every_line_is_read_as_its_labels_say():
    table = [f"{case['line']}\n    {difference}" for case in read_lines() for difference in differences(case)]
    assert not table, "\n" + "\n".join(table)


def test_the_lines_are_three_times_as_many_as_the_public_ones_and_all_different():
    lines = [case["line"] for case in read_lines()]
    public = LINES.with_name("numerals.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(set(lines)) >= 3 * len(public)
    assert not set(lines) & {json.loads(line)["line"] for line in public}
    assert all(
        case["line"][label["start"] :].startswith(label["text"])
        for case in read_lines()
        for label in case["claims"] + case["not_claims"]
    )
