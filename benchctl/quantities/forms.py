"""Forms that begin with their digit and are no number: dates, versions, hashes, ordinals, parameters, expressions."""

from __future__ import annotations

import re

from benchctl.quantities.addresses import read_doi, read_port
from benchctl.quantities.dates import date_end
from benchctl.quantities.fold import SUBSCRIPTS, SUPERSCRIPTS
from benchctl.quantities.names import HASH, LETTER, SUFFIXED, UUID, WORDY
from benchctl.quantities.tokens import Span

__all__ = ["read_form", "read_suffixed"]

_WIRELESS = re.compile(r"802\.(?:1[15](?:a[cdxyz]|be|[abgn])|3[a-z]{1,2})(?![\w])")
_VERSION = re.compile(
    r"[0-9]++(?:\.[0-9]++){2,}+(?:-[0-9]++(?![.0-9]))?(?:[-+.]?[A-Za-z][\w.+-]*+)?|[0-9]++\.[0-9]++(?:a|b|rc|alpha|beta|dev|post)[0-9]++|[0-9]++(?:\.[0-9]++)?\.[x*](?![\w*])"
)
_THOUSANDS_BY_POINT = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3}){2,}")
_ORDINAL = re.compile(r"[0-9]++(?:,[0-9]{3})*+(?:st|nd|rd|th|\u1d57\u02b0)(?![A-Za-z0-9])")
_HEX = re.compile(r"0[xX][0-9a-fA-F_]++|0[bo][0-7_]++(?![\w])")
_METRIC_FORM = re.compile(r"[0-9]-[A-Za-z]{1,12}@[0-9]{1,4}")
_SLASHES = re.compile(r"[0-9]++(?:/[0-9]++){5,}+")
_NOTED = re.compile(r"[3-9][\u00b9\u00b2\u00b3](?![\w])")
_EXPR = re.compile(
    rf"(?:[2-9]|16)(?:\^\{{?-?[0-9]{{1,4}}\}}?|[\u207a\u207b]?[{SUPERSCRIPTS}]{{1,4}}|<sup>-?[0-9]{{1,4}}</sup>|\*\*[0-9]{{1,4}})(?:[-+][0-9]{{1,9}}(?!\.?[0-9]))?"
    r"|10\*\*[0-9]{1,4}"
)
_PARAM_NOUNS = (
    "bit|core|shot|turn|way|thread|threaded|fold(?=[ -](?:cross|CV))|step|hop|gram|layer|layered|dim|dimensional|stage|pass|level|digit|letter|phase"
    "|part|node|socket|column|point-scale|point(?=[ -](?:scale|Likert))|factor|sided|tailed|D|D-"
)
_PARAM = re.compile(
    rf"[0-9]{{1,4}}(?:\u2011|-)(?:{_PARAM_NOUNS})s?(?![A-Za-z0-9_-]*[0-9])(?![A-Za-z0-9_])|[0-9]{{1,3}} ?bit(?![A-Za-z0-9_])"
)
_ADDED = re.compile(rf"_*+[{LETTER}0-9{SUBSCRIPTS}]")
_PRODUCT = re.compile(r"x[0-9]{1,2}(?:x[0-9]{1,3})*+(?:\.[0-9]{1,2})?(?:[KMGT]i?B|ms|s)?(?![A-Za-z0-9_.])")
_CHIP = re.compile(r"[1-9][0-9]{3}[xX](?:3[dD])?(?![\w])")
_MAKER = re.compile(r"(?:[A-Za-z]|(?:Ryzen|Threadripper|EPYC|Core|i) ?[3579]) \Z")
_FASTER = re.compile(
    r"[ \n](?:faster|slower|more|less|fewer|speed|as|cheaper|higher|lower|smaller|bigger|larger|better|worse|than|the)"
)
_FORM = re.compile(
    "|".join(
        f"(?P<{kind}_{order}>{pattern.pattern})"
        for order, (pattern, kind) in enumerate(
            [
                (_ORDINAL, "ordinal"),
                (_HEX, "ident"),
                (_METRIC_FORM, "metric"),
                (_WIRELESS, "ident"),
                (_PARAM, "param"),
                (_SLASHES, "ident"),
                (UUID, "hash"),
                (_EXPR, "expr"),
            ]
        )
    )
)
_NO_FORM = re.compile(
    r"(?!(?:19|20)[0-9](?:0s|[0-9] ?\u2013))[0-9]++(?:[.,][0-9]++)?(?:%|\u00d7|[kKMGTsx]|ms|ns|min|[KMGT]i?B)?"
    r"(?=[|);\]\n\u2192\u00b1\u2013(\[{}=?!~$&\\'\"`]|[,:](?![0-9])|\.(?![\w*])|\Z"
    r"| (?![-\u2013\u5e74\ub144]|[ap]\.?m|[AP]\.?M|UTC|GMT|Z\b|CES?T|[EP][SD]T|bit\b|[DJFMASON][aepuco]))"
)
"""What may follow a number, or its unit, so that none of the forms below can be meant."""


def read_form(flat: str, at: int, end: int) -> Span | None:
    """Read a form that begins with the digit at `at` and is no number: a date, version, hash, ordinal, parameter."""
    if _NO_FORM.match(flat, at, end):
        return None
    date = date_end(flat, at, end)
    if date > at:
        return at, date, "datetime"
    if _NOTED.match(flat, at, end):
        return None  # 9\u00b2 in a table is a nine with a note as likely as a square: what may be a number is one
    form = _FORM.match(flat, at, end)
    if form and form.lastgroup:
        return at, form.end(), form.lastgroup.partition("_")[0]
    return read_doi(flat, at, end) or _host_or_version(flat, at, end) or _hash(flat, at, end)


def _host_or_version(flat: str, at: int, end: int) -> Span | None:
    version = _VERSION.match(flat, at, end)
    if version is None:
        return None
    if flat[version.end() : version.end() + 1] == ":":
        port = read_port(flat, at, end)
        if port:
            return port
    if not _THOUSANDS_BY_POINT.fullmatch(version[0]):
        return at, version.end(), "version"
    is_number = (
        flat[version.end() : version.end() + 1] == ","
        and flat[version.end() + 1 : version.end() + 2].isdigit()
    )
    return None if is_number else (at, version.end(), "unreadable")


def _hash(flat: str, at: int, end: int) -> Span | None:
    match = HASH.match(flat, at, end)
    if match is None or WORDY.match(flat[match.end() : match.end() + 1] or " "):
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
    if chip and _MAKER.search(flat, max(0, at - 16), at) and not _FASTER.match(flat, chip.end(), end):
        return at, chip.end(), "ident"
    if figure_end >= end or not _ADDED.match(flat, figure_end, end) or _PRODUCT.match(flat, figure_end, end):
        return None
    match = SUFFIXED.match(flat, at, end)
    return (at, match.end(), "ident") if match and match.end() > figure_end else None
