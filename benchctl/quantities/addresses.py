"""Digits in addresses: URLs, sites, digital identifiers of papers, hosts with ports, files with lines, paths."""

from __future__ import annotations

import re

from benchctl.quantities.tokens import Span

__all__ = ["read_doi", "read_path", "read_place", "read_port", "read_url"]

_URL = re.compile(r"[A-Za-z][A-Za-z0-9]{1,12}://[^\s<>\"`|]*+")
_SITE = re.compile(r"(?:[\w-]{1,60}\.){1,5}(?:com|org|io|net|dev|ai|edu|gov|co|app)/[^\s<>\"`|]*+")
_FILELINE = re.compile(
    r"(?P<file>[\w./@+~\\-]{1,300}+)(?::(?P<line>[0-9]++(?:[-\u2013:][0-9]++)*+)(?!\.?[0-9%]|,[0-9])|#L[0-9]++(?:-L?[0-9]++)?)"
)
_FILE = re.compile(r"(?:.*[/\\])?(?:[\w.@+~-]*\.[A-Za-z]\w{0,9}|Makefile|Dockerfile|LICENSE|README)")
_HOST = re.compile(r"(?:localhost|[0-9.]+|(?:[\w-]{1,60}\.)+(?:com|org|io|net|dev|ai|local|internal))")
_PATH = re.compile(r"[\w.@+-]{0,80}+(?:/[\w.@+-]{0,80}+){1,20}+")
_MEASURE = re.compile(r"[0-9][0-9.,]*(?:ms|s|%|x|[kMGT]i?B|min|h|pp)?")
_DOI = re.compile(r"10\.[0-9]{4,9}/[^\s<>\"`|]++")
_TRAILING = ".,;:!?*_'\"]"


def read_url(flat: str, at: int, end: int) -> int:
    """Return the end of the URL that starts at `at`, closing punctuation left out; `at` where there is none."""
    match = _URL.match(flat, at, end)
    return _trim(flat, at, match.end()) if match else at


def _trim(flat: str, start: int, end: int) -> int:
    unopened = flat.count(")", start, end) - flat.count("(", start, end)
    while end > start and (flat[end - 1] in _TRAILING or (flat[end - 1] == ")" and unopened > 0)):
        unopened -= flat[end - 1] == ")"
        end -= 1
    return end


def read_place(flat: str, start: int, at: int, end: int) -> Span | None:
    """Read the file with a line, the host with a port, or the site, that begins at `start` and holds the digit at `at`."""
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


def read_path(flat: str, start: int, at: int, end: int) -> Span | None:
    """Read the path that begins at `start` and holds the digit at `at`; a list of names before a measure is none."""
    match = _PATH.match(flat, start, end)
    if match is None or match.end() <= at:
        return None
    text = flat[start : match.end()]
    is_path = (
        text.startswith(("/", "./", "../"))
        or (text.count("/") > 1 and text[-1].isalpha())
        or _FILE.fullmatch(text)
    )
    is_measure = _MEASURE.fullmatch(text.rpartition("/")[2]) and text[0] not in "./"
    return (
        (start, match.end(), "ident") if is_path and not is_measure and any(map(str.isalpha, text)) else None
    )


def read_port(flat: str, at: int, end: int) -> Span | None:
    """Read the address of numbers with a port (`127.0.0.1:80`) that begins at `at`."""
    match = _FILELINE.match(flat, at, end)
    is_port = match is not None and match["line"] and _HOST.fullmatch(match["file"])
    return (at, match.end(), "port") if match and is_port else None


def read_doi(flat: str, at: int, end: int) -> Span | None:
    """Read the digital identifier of a paper (`10.1145/3183713.31`) that begins at `at`."""
    doi = _DOI.match(flat, at, end)
    return (at, _trim(flat, at, doi.end()), "url") if doi else None
