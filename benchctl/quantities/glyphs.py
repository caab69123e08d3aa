"""Digits that are drawn or raised: keycaps, superscripts, runs of fraction characters."""

from __future__ import annotations

import re

from benchctl.quantities.figures import FRACTION_GLYPHS
from benchctl.quantities.fold import SUBSCRIPTS, SUPERSCRIPTS
from benchctl.quantities.names import name_start, read_name
from benchctl.quantities.tokens import UNREADABLE, Span

__all__ = ["RAISED", "read_fractions", "read_keycap", "read_raised"]

RAISED = SUPERSCRIPTS + SUBSCRIPTS
_RUN = re.compile(rf"[{RAISED}]++")
_FRACTIONS = re.compile(rf"[{''.join(FRACTION_GLYPHS)}]{{2,}}+")
_KEYCAP = re.compile("\ufe0f?\u20e3")
_LONGEST_NOTE = 2
_INDENT = 40


def read_keycap(flat: str, at: int, line_start: int) -> Span | None:
    """Read the keycap whose digit stands at `at`; at the head of its line it counts the lines, else it is unreadable."""
    keycap = _KEYCAP.match(flat, at + 1)
    if keycap is None:
        return None
    heads = not flat[line_start:at].strip(" *>-") and at - line_start < _INDENT
    more = flat[keycap.end() : keycap.end() + 1].isdigit()
    return at, keycap.end(), "list" if heads and not more else UNREADABLE


def read_raised(flat: str, at: int, floor: int) -> Span:
    """Read the raised or lowered digits at `at`: part of a name (H₂O), a note of one or two digits, else unreadable."""
    run = _RUN.match(flat, at)
    stop = run.end() if run else at + 1
    start = name_start(flat, at, floor)
    span = read_name(flat, start, at, len(flat)) if start < at else None
    if span and span[0] >= floor:
        return span
    return at, stop, "footnote" if stop - at <= _LONGEST_NOTE else UNREADABLE


def read_fractions(flat: str, at: int) -> Span | None:
    """Read two fraction characters or more side by side, which say nothing together; None for one alone."""
    run = _FRACTIONS.match(flat, at)
    return (at, run.end(), UNREADABLE) if run else None
