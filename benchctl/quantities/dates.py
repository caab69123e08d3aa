"""Dates, times of day and years: digits that say when, and count nothing."""

from __future__ import annotations

import re

__all__ = ["date_end", "is_year_end"]

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)[a-z]{0,6}\.?"
_DATE = re.compile(
    r"[0-9]{4}-[01][0-9]-[0-3][0-9](?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?: ?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2}))?)?(?![0-9])"
    r"|(?:19|20)[0-9]{2}[./][01]?[0-9][./][0-3]?[0-9](?![0-9])|[0-3]?[0-9]([./-])[0-3]?[0-9]\1(?:19|20)[0-9]{2}(?![0-9])"
    rf"|(?:19|20)[0-9]{{2}}-[01][0-9](?![0-9-])|[0-3]?[0-9](?:st|nd|rd|th)? {_MONTH}(?:,? (?:19|20)[0-9]{{2}})?(?![A-Za-z0-9])"
)
_TIME = re.compile(
    r"[0-2]?[0-9](?::[0-5][0-9]){1,2}(?: ?(?:[ap]\.?m\b|UTC|GMT|Z\b|CES?T|E[SD]T|P[SD]T))|[0-1]?[0-9] ?(?:[ap]m\b|[ap]\.m\.)"
)
_YEARS = re.compile(
    r"(?P<first>(?:19|20)[0-9]{2})[ \u00a0]?[-\u2013][ \u00a0]?(?P<last>(?:19|20)[0-9]{2})(?![\w\u2013-])"
)
_AROUND_THE_CLOCK = re.compile(r"24/7(?![\w/.,]?[\w/])")
_AFTER_YEAR = re.compile(
    r"[.,;:)\]!?|*_]|\s*\Z|\s*\n|[ ](?:and|or|to|by|the|we|it|was|is|are|when|as|on|at|for|with|but|they|this|that|edition"
    r"|[A-Z][a-z]+)(?![a-z])"
)


def date_end(flat: str, at: int, end: int) -> int:
    """Return the end of the date, time, span of years or `24/7` at `at`; `at` where none stands."""
    for pattern in (_DATE, _TIME):
        match = pattern.match(flat, at, end)
        if match:
            return match.end()
    years = _YEARS.match(flat, at, end)
    if years and years["first"] < years["last"] and is_year_end(flat, years.end(), end):
        return years.end()
    clock = _AROUND_THE_CLOCK.match(flat, at, end)
    return clock.end() if clock else at


def is_year_end(flat: str, at: int, end: int) -> bool:
    """Say whether what follows a year at `at` leaves it one: no noun that it would count."""
    return _AFTER_YEAR.match(flat, at, end) is not None
