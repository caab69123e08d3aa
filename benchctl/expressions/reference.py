"""The parts of a reference: dotted names, filters and runs."""

from __future__ import annotations

import re
from typing import Final

from benchctl.expressions.cursor import Cursor, quoted
from benchctl.expressions.tree import Filter, Probe

__all__ = [
    "RESERVED",
    "parse_condition",
    "parse_dotted",
    "parse_filters",
    "parse_name",
    "parse_reference",
    "parse_value",
    "show_filters",
    "show_name",
    "show_reference",
    "show_value",
]

RESERVED: Final = frozenset({"all", "and", "any", "false", "none", "not", "or", "over", "true"})
"""Words of the language; a column of that name stands in quotes."""

_NAME = re.compile(r"\$?[^\W\d]\w*")
_PLAIN_NAME = re.compile(r"[^\W\d]\w*")
_OPERATOR = re.compile(r"!=|<=|>=|=|<|>|~")
_IN_BRACKETS = re.compile(r"""[^\s,\[\]"'=<>!~][^\s,\[\]"']*""")
_IN_PARENTHESES = re.compile(r"""[^\s,()\[\]"'=<>!~][^\s,()\[\]"']*""")
_RUNS = re.compile(r"[$A-Za-z0-9][A-Za-z0-9._-]*(?:\+[$A-Za-z0-9][A-Za-z0-9._-]*)*")
_PLAIN_VALUE = re.compile(r"[\w.*/:@+-]+")
_LONGEST_RUN = 100
_MOST_CONDITIONS = 200


def parse_name(cursor: Cursor, *, tight: bool = False) -> str | None:
    """Return the name here, bare or in double quotes; None when none stands here."""
    string = cursor.string('"', tight=tight)
    if string is not None:
        return string or cursor.fail("a name between the quotes", at=cursor.position - 1)
    start = cursor.position
    word = cursor.match(_NAME, tight=tight)
    if word is not None:
        cursor.check_parameter(word, start)
    return word


def parse_dotted(cursor: Cursor) -> tuple[str, ...] | None:
    """Return the parts of a dotted name; None when no name stands here. No space stands around a dot."""
    first = parse_name(cursor, tight=True)
    if first is None:
        return None
    parts = [first]
    while cursor.text.startswith(".", cursor.position):
        cursor.position += 1
        part = parse_name(cursor, tight=True)
        parts.append(part or cursor.fail("a statistic or a column behind the dot"))
    cursor.skip()
    return tuple(parts)


def parse_value(cursor: Cursor, *, brackets: bool) -> str:
    """Return the value here: bare, or in either kind of quotes."""
    for mark in "\"'":
        string = cursor.string(mark)
        if string is not None:
            return string
    start = cursor.position
    word = cursor.match(_IN_BRACKETS if brackets else _IN_PARENTHESES)
    if word is None:
        cursor.fail("a value, in quotes when it holds spaces")
    cursor.check_parameter(word, start)
    return word


def parse_condition(cursor: Cursor) -> Filter:
    """Return the filter here: `key op value`."""
    key = parse_dotted(cursor)
    if key is None:
        cursor.fail("a column name")
    op = cursor.match(_OPERATOR)
    if op is None:
        cursor.fail("one of = != < <= > >= ~")
    return Filter(".".join(key), op, parse_value(cursor, brackets=True))


def _parse_conditions(cursor: Cursor) -> tuple[Filter, ...]:
    conditions = [parse_condition(cursor)]
    while cursor.take(","):
        if len(conditions) == _MOST_CONDITIONS:
            cursor.fail(f"at most {_MOST_CONDITIONS} filters", what="too many filters")
        conditions.append(parse_condition(cursor))
    return tuple(conditions)


def parse_filters(text: str) -> tuple[Filter, ...]:
    """Return the filters of a `where`: `key op value`, parted by commas. Raises ExpressionInvalidError."""
    cursor = Cursor(text)
    conditions = _parse_conditions(cursor)
    if not cursor.at_end:
        cursor.fail("a comma or the end")
    return conditions


def parse_reference(cursor: Cursor, name: tuple[str, ...]) -> Probe:
    """Return the reference whose first name has just been read."""
    table = None
    if len(name) == 1 and cursor.take("::"):
        table = name[0]
        name = parse_dotted(cursor) or cursor.fail("a column of the table")
    filters: tuple[Filter, ...] = ()
    if cursor.take("["):
        filters = _parse_conditions(cursor)
        cursor.need("]", "a comma or ]")
    return Probe(name, filters, _parse_runs(cursor), table)


def _parse_runs(cursor: Cursor) -> str | None:
    if not cursor.take("@"):
        return None
    start = cursor.position
    runs = cursor.match(_RUNS)
    if runs is None:
        cursor.fail("a run id")
    for run in runs.split("+"):
        cursor.check_parameter(run, start)
        if len(run) > _LONGEST_RUN:
            cursor.fail(f"at most {_LONGEST_RUN} characters", what="a run id too long", at=start)
    return runs


def show_name(name: str) -> str:
    """Return `name` as `parse_name` reads it."""
    return name if _PLAIN_NAME.fullmatch(name) and name not in RESERVED else quoted(name, '"')


def show_value(value: str) -> str:
    """Return `value` as `parse_value` reads it."""
    return value if _PLAIN_VALUE.fullmatch(value) else quoted(value, '"')


def show_filters(filters: tuple[Filter, ...]) -> str:
    """Return the filters as `parse_filters` reads them."""
    return ", ".join(f"{show_name(item.column)}{item.op}{show_value(item.value)}" for item in filters)


def show_reference(probe: Probe) -> str:
    """Return the reference without its comparison."""
    table = f"{show_name(probe.table)}::" if probe.table else ""
    name = ".".join(show_name(part) for part in probe.name)
    filters = f"[{show_filters(probe.filters)}]" if probe.filters else ""
    return f"{table}{name}{filters}{f'@{probe.run}' if probe.run else ''}"
