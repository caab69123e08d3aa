"""A statement asked of other data: one that answers the same of all of them says nothing of these.

A count that is rightly 0 today has something to count among rows made up of what the statement compares its
columns with. Where it compares what it makes of a column (`length(answer) > 1000`), nobody can make up such rows:
then the same statement without that condition has to move.

Note: an empty copy alone proves little. `select 2.0 from cells limit 1` has no value over it, and
`case when count(*) > 0 then 48 end` no other one over any run.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from benchctl.errors import QueryRefusedError
from benchctl.expressions import same_value
from benchctl.store.sql.guard import nodes_of, parse_sql, write_sql
from benchctl.store.sql.moved_tables import moved_tables
from benchctl.store.sql.one_value import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from benchctl.store.sql.guard import Checked
    from benchctl.store.sql.one_value import Tables

__all__ = ["compared", "loosened", "others", "told_elsewhere"]

_ENOUGH: Final = 3
"""How many different values tell that a statement moves, whichever of them is today's."""

_PREDICATES: Final = frozenset({
    "~~", "!~~", "~~*", "!~~*", "~~~", "contains", "starts_with", "prefix", "ends_with", "suffix", "instr", "strpos",
    "position", "regexp_matches", "regexp_full_match", "like_escape", "ilike_escape", "list_contains", "nullif",
})  # fmt: skip
_PLAIN: Final = frozenset({"COLUMN_REF", "VALUE_CONSTANT", "VALUE_PARAMETER", "OPERATOR_CAST"})
_TRUE: Final = {
    "class": "CONSTANT",
    "type": "VALUE_CONSTANT",
    "alias": "",
    "query_location": 0,
    "literal": {"kind": "BOOLEAN", "text": "true"},
}

Node = dict[str, Any]


def told_elsewhere(
    tables: Tables, checked: Checked, sql: str, arguments: Mapping[str, str]
) -> tuple[object, ...]:
    """Return the values that a checked statement has over other data; none where it has none over any of them."""
    columns = {name: _meant(tables.columns[name], checked) for name in checked.tables}
    constants = compared(sql, arguments)
    told = _told(tables, columns, constants, sql, arguments)
    looser = loosened(sql) if len(set(told)) == 1 else None
    if looser is not None:
        named = {str(node["identifier"]) for node in nodes_of(parse_sql(looser)) if "identifier" in node}
        left = {name: text for name, text in arguments.items() if name in named}
        told += _told(tables, columns, constants, looser, left)
    return tuple(told)


def _meant(columns: Mapping[str, str], checked: Checked) -> dict[str, str]:
    """Return the columns of a table that a statement may mean, its run and its cell always."""
    return {
        name: type_
        for name, type_ in columns.items()
        if checked.columns is None or name in checked.columns or name in ("run", "cell")
    }


def _told(
    tables: Tables,
    columns: Mapping[str, Mapping[str, str]],
    constants: Mapping[str, list[str]],
    sql: str,
    arguments: Mapping[str, str],
) -> list[object]:
    told: list[object] = []
    with tables.connection.cursor() as cursor:
        for variant in moved_tables(tables.connection, columns, constants):
            for statement, parameters in variant:
                cursor.execute(statement, parameters)
            try:
                rows = rows_of(cursor, sql, arguments)
            except QueryRefusedError:
                continue
            told += [rows[0][0]] if len(rows) == 1 and rows[0][0] is not None else []
            if len(set(told)) >= _ENOUGH:
                break
    return told


def others(told: Iterable[object], today: object) -> tuple[object, ...]:
    """Return the values of today's kind that are not today's, each once."""
    return tuple(
        dict.fromkeys(
            value for value in told if _kind(value) == _kind(today) and not same_value(value, today)
        )
    )


def _kind(value: object) -> str:
    return (
        "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__
    )


def compared(sql: str, arguments: Mapping[str, str]) -> dict[str, list[str]]:
    """Return lower-case column -> the constants, as texts, that a statement compares it with.

    A parameter counts as what it is bound to.
    """
    found: dict[str, list[str]] = defaultdict(list)
    bound = {name.lower(): text for name, text in arguments.items()}
    for node in nodes_of(parse_sql(sql)):
        if _compares(node):
            below = list(nodes_of(node))
            texts = [text for each in below if (text := _constant(each, bound)) is not None]
            for each in below:
                if each.get("type") == "COLUMN_REF":
                    found[str(each["column_names"][-1]).lower()] += texts
    return {column: list(dict.fromkeys(texts)) for column, texts in found.items()}


def _compares(node: Node) -> bool:
    kind, function = str(node.get("type", "")), str(node.get("function_name", "")).lower()
    return kind.startswith("COMPARE_") or function in _PREDICATES


def _constant(node: Node, bound: Mapping[str, str]) -> str | None:
    if node.get("type") == "VALUE_PARAMETER":
        return bound.get(str(node["identifier"]).lower())
    literal = node.get("literal") or {}
    return str(literal["text"]) if "text" in literal else None


def loosened(sql: str) -> str | None:
    """Return a statement without its conditions on what it makes of a column; None where it has none."""
    tree = parse_sql(sql)
    found = False
    for node in nodes_of(tree):
        for key, value in node.items():
            if isinstance(value, dict) and _is_made(value):
                node[key], found = dict(_TRUE), True
            elif isinstance(value, list) and any(isinstance(item, dict) and _is_made(item) for item in value):
                node[key] = [
                    dict(_TRUE) if isinstance(item, dict) and _is_made(item) else item for item in value
                ]
                found = True
    return write_sql(tree) if found else None


def _is_made(node: Node) -> bool:
    """Whether a node is a condition on something that is made of a column: no column itself, and no constant."""
    if not _compares(node):
        return False
    below = list(nodes_of(node))
    has_column = any(each.get("type") == "COLUMN_REF" for each in below)
    return has_column and any(
        "function_name" in each or str(each.get("type", "")) not in _PLAIN
        for each in below[1:]
        if "class" in each
    )
