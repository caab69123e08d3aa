"""Digits that name something: versions, dates, hashes, paths, identifiers, metrics, parameters.

Two doors: `read_name` for digits with letters or joints glued to their left,
`read_form` for a form that begins with its digit. Both return the span and the
kind of a literal that is no claim, or None, in which case it is a number.
"""

from __future__ import annotations

import re

from benchctl.quantities.dates import date_end
from benchctl.quantities.fold import SUBSCRIPTS, SUPERSCRIPTS, WALL

__all__ = [
    "LETTER",
    "Span",
    "name_start",
    "read_form",
    "read_name",
    "read_suffixed",
    "read_url",
]

Span = tuple[int, int, str]
"""Start, end, kind."""

LETTER = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u03ff\u0400-\u04ff"
_W = LETTER + "0-9_" + SUPERSCRIPTS + SUBSCRIPTS
_WORDY = re.compile(rf"[{_W}]")
_JOINTS = frozenset("-./:@+#")
_OPENERS = frozenset(" \t\r\n([{|,;\"'*<>=`!\u00a0\u201c\u2018" + WALL)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9]{1,12}://[^\s<>\"`|]*+")
_SITE = re.compile(r"(?:[\w-]{1,60}\.){1,5}(?:com|org|io|net|dev|ai|edu|gov|co|app)/[^\s<>\"`|]*+")
_FILELINE = re.compile(
    r"(?P<file>[\w./@+~\\-]{1,300}+)(?::(?P<line>[0-9]++(?:[-\u2013:][0-9]++)*+)|#L[0-9]++(?:-L?[0-9]++)?)"
)
_FILE = re.compile(r"(?:.*[/\\])?(?:[\w.@+~-]*\.[A-Za-z]\w{0,9}|Makefile|Dockerfile|LICENSE|README)")
_HOST = re.compile(r"(?:localhost|[0-9.]+|(?:[\w-]{1,60}\.)+(?:com|org|io|net|dev|ai|local|internal))")
_NAME = re.compile(rf"[CG]\+\+[0-9]++|[{LETTER}_][{_W}]*+(?:(?:[-.+@#'/]|::?(?=[A-Za-z]))[{_W}]++)*+")
_PATH = re.compile(r"[\w.@+-]{0,80}+(?:/[\w.@+-]{0,80}+){1,20}+")
_METRIC = re.compile(
    r"(?:[0-9]-)?[A-Za-z]{1,12}@[0-9]{1,4}|[Tt]op-?[0-9]{1,4}|[pPqQ][0-9]{1,2}(?:\.[0-9]{1,3})?|F[0-9](?:\.5)?|R[2\u00b2]"
    r"|(?:ROUGE|BLEU|Rouge|rouge|bleu)-?[0-9L]|[\u03c7]\u00b2?[0-9]?",
    re.ASCII,
)
_VERSION_NAME = re.compile(
    r"[vV][0-9]++(?:\.[0-9]++)*+(?:[-.+]?[\w.]++)*+|.+?@v?[0-9]+\.[0-9][\w.]*|[A-Za-z_-]+-[0-9]+\.[0-9]+\.[0-9][\w.]*"
)
_HASH = re.compile(r"[0-9a-f]{7,64}")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![\w])")
_ISSUE = re.compile(r"(?:GH-|PR-?)[0-9]+|.+#[0-9]+")
_NUMBER_SIGN = re.compile(r"#(?:(?P<issue>[0-9]++)(?![\w])|(?P<colour>[0-9a-fA-F]{3,8})(?![\w-])|[\w.-]++)")
_VERSION = re.compile(
    r"[0-9]++(?:\.[0-9]++){2,}+(?:-[0-9]++(?![.0-9]))?(?:[-+.]?[A-Za-z][\w.+-]*+)?|[0-9]++\.[0-9]++(?:a|b|rc|alpha|beta|dev|post)[0-9]++|[0-9]++(?:\.[0-9]++)?\.[x*](?![\w*])"
)
_THOUSANDS_BY_POINT = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3}){2,}")
_ORDINAL = re.compile(r"[0-9]++(?:,[0-9]{3})*+(?:st|nd|rd|th|\u1d57\u02b0)(?![A-Za-z0-9])")
_HEX = re.compile(r"0[xX][0-9a-fA-F_]++|0[bo][0-7_]++(?![\w])")
_METRIC_FORM = re.compile(r"[0-9]-[A-Za-z]{1,12}@[0-9]{1,4}")
_DOI = re.compile(r"10\.[0-9]{4,9}/[^\s<>\"`|]++")
_SLASHES = re.compile(r"[0-9]++(?:/[0-9]++){5,}+")
_EXPR = re.compile(
    rf"(?:[2-9]|16)(?:\^\{{?-?[0-9]{{1,4}}\}}?|[\u207a\u207b]?[{SUPERSCRIPTS}]{{1,4}}|<sup>-?[0-9]{{1,4}}</sup>|\*\*[0-9]{{1,4}})(?:[-+][0-9]{{1,9}}(?!\.?[0-9]))?"
    r"|10\*\*[0-9]{1,4}"
)
_PARAM_NOUNS = (
    "bit|core|shot|turn|way|thread|threaded|fold(?=[ -](?:cross|CV))|step|hop|gram|layer|layered|dim|dimensional|stage|pass|level|digit|letter|phase"
    "|part|node|socket|column|point-scale|factor|sided|tailed|D|D-"
)
_PARAM = re.compile(rf"[0-9]{{1,4}}(?:\u2011|-)(?:{_PARAM_NOUNS})s?(?![A-Za-z0-9_-]*[0-9])(?![A-Za-z0-9_])")
_SUFFIXED = re.compile(rf"[0-9][{_W}]*+(?:[-.:][{_W}]++)*+")
_ADDED = re.compile(rf"_*+[{LETTER}0-9{SUBSCRIPTS}]")
_PRODUCT = re.compile(r"x[0-9]{1,2}(?:x[0-9]{1,3})*+(?![A-Za-z0-9_.])")
_TIMES = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6}(?![\w.])|(?=\s(?:faster|slower|more|less|fewer|speed)))")
_CHIP = re.compile(r"[1-9][0-9]{3}[xX](?:3[dD])?(?![\w])")
_FASTER = re.compile(
    r"\s(?:faster|slower|more|less|fewer|speed|as|cheaper|higher|lower|smaller|bigger|larger|better|worse|than|the)"
)
_TRAILING = ".,;:!?*_'\""


def name_start(flat: str, at: int, floor: int) -> int:
    """Return where the word that ends at `at` begins: letters, digits, and joints between them."""
    start = at
    while start > floor:
        char = flat[start - 1]
        if not (_WORDY.match(char) or (char in _JOINTS and _joins(flat, start - 1, floor))):
            break
        start -= 1
    return start


def _joins(flat: str, at: int, floor: int) -> bool:
    """Say whether the joint at `at` ties what follows to a word, or opens a path or an issue number."""
    before = flat[at - 1] if at else " "
    if _WORDY.match(before):
        return at > floor
    return (
        flat[at] in "#/."
        if before in _OPENERS
        else at > floor and before in ("+/." if flat[at] == "+" else "/.")
    )


def read_url(flat: str, at: int, end: int) -> int:
    """Return the end of the URL that starts at `at`, closing punctuation left out; `at` where there is none."""
    match = _URL.match(flat, at, end)
    return _trim(flat, at, match.end()) if match else at


def _trim(flat: str, start: int, end: int) -> int:
    while end > start and (
        flat[end - 1] in _TRAILING
        or (flat[end - 1] == ")" and flat.count("(", start, end) < flat.count(")", start, end))
        or flat[end - 1] == "]"
    ):
        end -= 1
    return end


def read_name(flat: str, start: int, at: int, end: int) -> Span | None:
    """Read the name of which the digit at `at` is a part and that begins at `start`, before it."""
    placed = _file_or_site(flat, start, at, end)
    if placed:
        return placed
    lead = flat[start:at]
    if lead[-1] == "/" or "/" in lead:
        path = _path(flat, start, at, end)
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


def _file_or_site(flat: str, start: int, at: int, end: int) -> Span | None:
    match = _FILELINE.match(flat, start, end)
    if match and match.end() > at:
        if match["line"] and _HOST.fullmatch(match["file"]):
            return start, match.end(), "port"
        if _FILE.fullmatch(match["file"]):
            return start, match.end(), "fileline"
    site = _SITE.match(flat, start, end)
    if site and site.end() > at:
        return start, max(at + 1, _trim(flat, start, site.end())), "url"
    return None


def _path(flat: str, start: int, at: int, end: int) -> Span | None:
    match = _PATH.match(flat, start, end)
    if match is None or match.end() <= at:
        return None
    text = flat[start : match.end()]
    is_path = (
        text.startswith(("/", "./", "../"))
        or (text.count("/") > 1 and text[-1].isalpha())
        or _FILE.fullmatch(text)
    )
    return (start, match.end(), "ident") if is_path and any(map(str.isalpha, text)) else None


def _glued_name(flat: str, start: int, at: int, end: int) -> Span | None:
    first = flat[start]
    if first == "#":
        return _number_sign(flat, start, at, end)
    if first in "+-@" or (flat[at - 1] == "+" and flat[start : at - 1].isalpha()):
        return None
    lead = flat[start:at]
    if lead == "sub-" or (lead == "x" and _TIMES.match(flat, at, end)):
        return None
    match = _NAME.match(flat, start, end) or _SUFFIXED.match(flat, start, end)
    if match is None or match.end() <= at:
        return None
    if flat[match.end() : match.end() + 1] in ("%", "\u00d7") and flat[at - 1] == "-":
        return None
    return start, match.end(), _kind_of_name(match[0].strip("_"))


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
    if _HASH.fullmatch(name) or _UUID.fullmatch(name):
        return "hash"
    if _ISSUE.fullmatch(name):
        return "issue"
    return "expr" if name[-1] in SUPERSCRIPTS else "ident"


_FORMS: tuple[tuple[re.Pattern[str], str], ...] = (
    (_ORDINAL, "ordinal"),
    (_HEX, "ident"),
    (_METRIC_FORM, "metric"),
    (_PARAM, "param"),
    (_SLASHES, "ident"),
    (_UUID, "hash"),
    (_EXPR, "expr"),
)


def read_form(flat: str, at: int, end: int) -> Span | None:
    """Read a form that begins with the digit at `at` and is no number: a date, version, hash, ordinal, parameter."""
    date = date_end(flat, at, end)
    if date > at:
        return at, date, "datetime"
    for pattern, kind in _FORMS:
        match = pattern.match(flat, at, end)
        if match:
            return at, match.end(), kind
    doi = _DOI.match(flat, at, end)
    if doi:
        return at, _trim(flat, at, doi.end()), "url"
    return _host_or_version(flat, at, end) or _hash(flat, at, end)


def _host_or_version(flat: str, at: int, end: int) -> Span | None:
    version = _VERSION.match(flat, at, end)
    if version is None:
        return None
    if flat[version.end() : version.end() + 1] == ":":
        port = _FILELINE.match(flat, at, end)
        if port and port["line"] and _HOST.fullmatch(port["file"]):
            return at, port.end(), "port"
    if not _THOUSANDS_BY_POINT.fullmatch(version[0]):
        return at, version.end(), "version"
    is_number = (
        flat[version.end() : version.end() + 1] == ","
        and flat[version.end() + 1 : version.end() + 2].isdigit()
    )
    return None if is_number else (at, version.end(), "unreadable")


def _hash(flat: str, at: int, end: int) -> Span | None:
    match = _HASH.match(flat, at, end)
    if match is None or _WORDY.match(flat[match.end() : match.end() + 1] or " "):
        return None
    digits = match[0]
    letters = sum(char.isalpha() for char in digits)
    is_power = letters == 1 and "e" in digits and digits.index("e") < 6
    is_measure = letters == 1 and digits[-1].isalpha()
    return None if letters == 0 or is_power or is_measure else (at, match.end(), "hash")


def read_suffixed(flat: str, at: int, figure_end: int, end: int) -> Span | None:
    """Read digits with foreign letters glued to their right (`4o`, `5950x`, `2xA100`) as an identifier.

    `figure_end` is where a number, with multiplier and unit, would end.
    """
    chip = _CHIP.match(flat, at, end)
    if (
        chip
        and flat[at - 2 : at - 1].isalpha()
        and flat[at - 1] == " "
        and not _FASTER.match(flat, chip.end(), end)
    ):
        return at, chip.end(), "ident"
    if figure_end >= end or not _ADDED.match(flat, figure_end, end) or _PRODUCT.match(flat, figure_end, end):
        return None
    match = _SUFFIXED.match(flat, at, end)
    return (at, match.end(), "ident") if match and match.end() > figure_end else None
