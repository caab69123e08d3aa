"""Digits with letters or joints glued to their left: identifiers, releases, hashes, metrics, issues, paths.

What is no name, though it looks like one, is a number: `sub-100ms`, `x2.1`, `failed.977`.
"""

from __future__ import annotations

import re

from benchctl.quantities.addresses import read_path, read_place
from benchctl.quantities.fold import SUBSCRIPTS, SUPERSCRIPTS, WALL
from benchctl.quantities.tokens import Span
from benchctl.quantities.vocabulary import ABBREVIATED

__all__ = ["HASH", "LETTER", "SUFFIXED", "UUID", "WORDY", "name_start", "read_name"]

LETTER = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u03ff\u0400-\u04ff"
W = LETTER + "0-9_" + SUPERSCRIPTS + SUBSCRIPTS
WORDY = re.compile(rf"[{W}]")
_JOINTS = frozenset("-./:@+#")
_OPENERS = frozenset(" \t\r\n([{|,;\"'*<>=`!\u00a0\u201c\u2018" + WALL)
_NAME = re.compile(rf"[CG]\+\+[0-9]++|[{LETTER}_][{W}]*+(?:(?:[-.+@#'/]|::?(?=[A-Za-z]))[{W}]++)*+")
_METRIC = re.compile(
    r"(?:[0-9]-)?[A-Za-z]{1,12}@[0-9]{1,4}|[Tt]op-?[0-9]{1,4}|[pPqQ][0-9]{1,2}(?:\.[0-9]{1,3})?|F[0-9](?:\.5)?|R[2\u00b2]"
    r"|(?:ROUGE|BLEU|Rouge|rouge|bleu)-?[0-9L]|[\u03c7]\u00b2?[0-9]?",
    re.ASCII,
)
_VERSION_NAME = re.compile(
    r"[vV][0-9]++(?:\.[0-9]++)*+(?:[-.+]?[\w.]++)*+|.+?@v?[0-9]+\.[0-9][\w.]*|[A-Za-z_-]+-[0-9]+\.[0-9]+\.[0-9][\w.]*"
)
HASH = re.compile(r"[0-9a-f]{7,64}")
UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![\w])")
_OFFSET = re.compile(r"(?:UTC|GMT)[-+][0-9]{1,2}(?::?[0-9]{2})?(?![\w])")
_PROTOCOL = re.compile(r"(?:HTTP|TLS|OS|PS|AS|IPv)/[0-9](?:\.[0-9])?(?![\w])")
_AFTER_STOP = re.compile(r"(?P<word>[A-Za-z]{2,})\.")
_PLAIN_FIGURE = re.compile(r"[0-9]++(?:\.[0-9]++)?%?(?![\w/.-]?\w)")
_GREEK = re.compile(r"[\u0370-\u03ff][-+]?")
_GREEK_FIGURE = re.compile(r"[0-9]*\.[0-9]++(?![\w])")
_ISSUE = re.compile(r"(?:GH-|PR-?)[0-9]+|.+#[0-9]+")
_NUMBER_SIGN = re.compile(r"#(?:(?P<issue>[0-9]++)(?![\w])|(?P<colour>[0-9a-fA-F]{3,8})(?![\w-])|[\w.-]++)")
SUFFIXED = re.compile(rf"[0-9][{W}]*+(?:[-.:][{W}]++)*+")
_TIMES = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6}(?![\w.])|(?=[ \n](?:faster|slower|more|less|fewer|speed)))")
_TIMES_OPENED = re.compile(r"[(|:~\u2248\u2192][ *_]{0,3}\Z")
_TIMES_ALONE = re.compile(r"(?!(?:32|64|86)(?![0-9]))[0-9]{1,4}(?=[ *_]{0,3}(?:[)|,;\n\u2029]|\Z))")
_JOINING = frozenset({"sub-", "of-", "to-", "in-", "vs-", "out-of-", "by-", "over-", "under-"})


def name_start(flat: str, at: int, floor: int) -> int:
    """Return where the word that ends at `at` begins: letters, digits, and joints between them."""
    start = at
    while start > floor:
        char = flat[start - 1]
        if not (WORDY.match(char) or (char in _JOINTS and _joins(flat, start - 1, floor))):
            break
        start -= 1
    return start


def _joins(flat: str, at: int, floor: int) -> bool:
    """Say whether the joint at `at` ties what follows to a word, or opens a path or an issue number."""
    before = flat[at - 1] if at else " "
    if WORDY.match(before):
        return at > floor
    return (
        flat[at] in "#/."
        if before in _OPENERS
        else at > floor and before in ("+/." if flat[at] == "+" else "/.")
    )


def read_name(flat: str, start: int, at: int, end: int) -> Span | None:
    """Read the name of which the digit at `at` is a part and that begins at `start`, before it."""
    placed = read_place(flat, start, at, end)
    if placed:
        return placed
    lead = flat[start:at]
    if _is_beside_a_word(flat, lead, at, end):
        return None
    for pattern, kind in ((_OFFSET, "datetime"), (_PROTOCOL, "ident")):
        match = pattern.match(flat, start, end)
        if match and match.end() > at:
            return start, match.end(), kind
    if lead[-1] == "/" or "/" in lead:
        path = read_path(flat, start, at, end)
        if path:
            return path
    start = (
        max(start, *(start + lead.rfind(glyph) + 1 for glyph in "/:"))
        if lead[-1] in "/:" or "/" in lead or ":" in lead
        else start
    )
    while start < at and flat[start] in "_.":
        start += 1
    return _glued_name(flat, start, at, end) if start < at else None


def _is_beside_a_word(flat: str, lead: str, at: int, end: int) -> bool:
    """Tell a figure that only lacks a space (`failed.977`, `\u03940.03`) from a part of a name (`libc.so.6`, `\u03b22`)."""
    stopped = _AFTER_STOP.fullmatch(lead)
    if stopped and stopped["word"].lower() not in ABBREVIATED:
        return _PLAIN_FIGURE.match(flat, at, end) is not None
    return _GREEK.fullmatch(lead) is not None and _GREEK_FIGURE.match(flat, at, end) is not None


def _glued_name(flat: str, start: int, at: int, end: int) -> Span | None:
    first = flat[start]
    if first == "#":
        return _number_sign(flat, start, at, end)
    if first in "+-@" or (flat[at - 1] == "+" and flat[start : at - 1].isalpha()):
        return None
    lead = flat[start:at]
    if lead in _JOINING or (lead in ("x", "X") and _is_times(flat, start, at, end)):
        return None
    match = _NAME.match(flat, start, end) or SUFFIXED.match(flat, start, end)
    if match is None or match.end() <= at:
        return None
    if flat[match.end() : match.end() + 1] in ("%", "\u00d7") and flat[at - 1] == "-":
        return None
    return start, match.end(), _kind_of_name(match[0].strip("_"))


def _is_times(flat: str, start: int, at: int, end: int) -> bool:
    """Tell the multiple of `x2.1`, `x3 faster`, `(x3)` from the name x3."""
    if _TIMES.match(flat, at, end):
        return True
    opened = _TIMES_OPENED.search(flat, max(0, start - 4), start)
    return opened is not None and _TIMES_ALONE.match(flat, at, end) is not None


def _number_sign(flat: str, start: int, at: int, end: int) -> Span | None:
    match = _NUMBER_SIGN.match(flat, start, end)
    if match is None or match.end() <= at:
        return None
    if match["issue"]:
        return start, match.end(), "issue"
    return start, match.end(), "hash" if match["colour"] else "ident"


def _kind_of_name(name: str) -> str:
    if _METRIC.fullmatch(name):
        return "metric"
    if _VERSION_NAME.fullmatch(name):
        return "version"
    if HASH.fullmatch(name) or UUID.fullmatch(name):
        return "hash"
    if _ISSUE.fullmatch(name):
        return "issue"
    return "expr" if name[-1] in SUPERSCRIPTS else "ident"
