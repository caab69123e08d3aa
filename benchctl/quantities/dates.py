"""Dates, times of day and years: digits that say when, and count nothing."""

from __future__ import annotations

import re

__all__ = ["date_end", "is_year_end"]

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_DATE = re.compile(
    r"[0-9]{4}-[01][0-9]-[0-3][0-9](?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?: ?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2}))?)?(?![0-9])"
    r"|(?:19|20)[0-9]{2}[./][01]?[0-9][./][0-3]?[0-9](?![0-9])|[0-3]?[0-9]([./-])[0-3]?[0-9]\1(?:19|20)[0-9]{2}(?![0-9])"
    rf"|(?:19|20)[0-9]{{2}}-(?:[01][0-9]|W[0-5][0-9](?:-[1-7])?)(?![0-9-])|[0-3]?[0-9](?:st|nd|rd|th)? {_MONTH}(?:,? (?:19|20)[0-9]{{2}})?(?![A-Za-z0-9])"
    r"|(?:19|20)[0-9]{2} ?[\u5e74\ub144](?: ?[01]?[0-9] ?[\u6708\uc6d4](?: ?[0-3]?[0-9] ?[\u65e5\uc77c])?)?"
    r"|[01]?[0-9](?:\u6708[0-3]?[0-9]\u65e5|\uc6d4 ?[0-3]?[0-9]\uc77c)"
)
_MAYBE = re.compile(
    r"[0-9]{4}[-./ :\u2013Tts\u00a0\u5e74\ub144]|[0-9]{1,2}(?:[-./:][0-9]| ?[apAP]|(?:st|nd|rd|th)? [A-Z]|[\u6708\uc6d4])"
)
"""How every form below begins: most numbers do not, and one question settles them."""
_TIME = re.compile(
    r"[0-2]?[0-9](?::[0-5][0-9]){1,2}(?: ?(?:[ap]\.?m\b|[AP]\.?M\b|UTC|GMT|Z\b|CES?T|E[SD]T|P[SD]T))|[0-1]?[0-9] ?(?:[ap]m\b|[AP]M\b|[ap]\.m\.|[AP]\.M\.)"
)
_SHORT_DATE = re.compile(r"(?:[01]?[0-9]/[0-3]?[0-9]|[0-3]?[0-9]/[01]?[0-9])/[0-3][0-9](?![0-9/])")
_DATED = re.compile(r"(?<![A-Za-z])(?:on|updated|since|until|from|by|of|dated|released)[ ]\Z", re.IGNORECASE)
_YEARS = re.compile(
    r"(?P<first>(?:19|20)[0-9]{2})[ \u00a0]?[-\u2013][ \u00a0]?(?P<last>(?:19|20)[0-9]{2})(?![\w\u2013-])"
)
_SEASON = re.compile(r"(?:19|20)(?P<first>[0-9]{2})[-\u2013/](?P<last>[0-9]{2})(?![\w%.,\u2013/-]?[\w%])")
_DECADE = re.compile(r"(?:19|20)[0-9]0s(?![\w])")
_OF_DECADE = re.compile(r"(?<![A-Za-z])(?:the|early|late|mid)[ -]\Z", re.IGNORECASE)
_AROUND_THE_CLOCK = re.compile(r"24/7(?![\w/.,]?[\w/])")
_AFTER_YEAR = re.compile(
    r"[.,;:)\]!?|*_]|[ \t\r]*(?:\Z|[\n\u2029])|[ ](?:and|or|to|by|the|we|it|was|is|are|when|as|on|at|for|with|but|they|this|that|edition"
    r"|[A-Z][a-z]+)(?![a-z])"
)


def date_end(flat: str, at: int, end: int) -> int:
    """Return the end of the date, time, decade, span of years or `24/7` at `at`; `at` where none stands."""
    if _MAYBE.match(flat, at, end) is None:
        return at
    for pattern in (_DATE, _TIME, _AROUND_THE_CLOCK):
        match = pattern.match(flat, at, end)
        if match:
            return match.end()
    return _told_by_its_neighbours(flat, at, end)


def _told_by_its_neighbours(flat: str, at: int, end: int) -> int:
    years = _YEARS.match(flat, at, end)
    if years and years["first"] < years["last"] and is_year_end(flat, years.end(), end):
        return years.end()
    season = _SEASON.match(flat, at, end)
    if season and int(season["last"]) == int(season["first"]) + 1:
        return season.end()
    for pattern, before in ((_DECADE, _OF_DECADE), (_SHORT_DATE, _DATED)):
        match = pattern.match(flat, at, end)
        if match and before.search(flat, max(0, at - 10), at):
            return match.end()
    return at


def is_year_end(flat: str, at: int, end: int) -> bool:
    """Say whether what follows a year at `at` leaves it one: no noun that it would count."""
    return _AFTER_YEAR.match(flat, at, end) is not None
