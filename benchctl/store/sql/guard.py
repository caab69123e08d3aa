"""Which SQL of a person may run: one SELECT over the store's tables, of kinds and functions listed here.

DuckDB 2 calls a WITH that writes a file or a table a SELECT, so the statement's type proves
nothing. The statement is parsed on a connection of its own, without being run, and every node
of its tree must be on the list. The locked connection is the second wall, not the first.

Note: what is left out on purpose: recursion, which needs no data to fill a machine; whatever reads
a file, a setting, a variable or the clock; `query` and `query_table`, which run text; randomness, samples
and `approx_quantile`, because an answer must be the same twice, whatever the rows are read from. What
makes much of little has its limits in `amplifiers`.
"""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from benchctl.errors import QueryRefusedError
from benchctl.schema.result import VIEWS
from benchctl.store.disk.untrusted import parse_json
from benchctl.store.sql.allowed import FUNCTIONS, NO_COLUMNS, NODES, TABLE_FUNCTIONS
from benchctl.store.sql.amplifiers import LONGEST, MOST_NODES, amplified, function_of
from benchctl.store.sql.columns_meant import columns_meant

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import duckdb

__all__ = [
    "SQL_TABLES",
    "Checked",
    "check_sql",
    "nodes_of",
    "parse_sql",
    "refuse_doubtful",
    "said_by",
    "write_sql",
]

SQL_TABLES: Final = ("runs", *VIEWS)


@dataclass(frozen=True, slots=True)
class Checked:
    """A statement that may run: the store's tables it reads, or `listing` where it lists them and reads none.

    `columns` are the lower-case names that it may mean a column by; None where it may mean any of them.
    `doubtful` are names that must be columns of what it reads: `refuse_doubtful` says so of those that are not.
    """

    tables: tuple[str, ...]
    listing: bool = False
    columns: frozenset[str] | None = None
    doubtful: tuple[str, ...] = ()


_CONSTANTS: Final = {("VALUE_CONSTANT", "value"), ("VALUE_CONSTANT", "literal")}
_ADVICE: Final = re.compile(r"""\s*(?:You can )?[Uu]se "?SET .*$""")
_PER_PART: Final = 8
"""How many objects of a tree a part of a statement is at most, on average."""
_AGGREGATE: Final = "list_aggregate"
"""The one function allowed here that takes another one's name as a text."""

_PIVOT: Final = re.compile(r"\bpivot\b", re.IGNORECASE)


def _refused_pivot() -> QueryRefusedError:
    return _refused(
        "PIVOT and UNPIVOT are not allowed here: their columns follow from the data, so DuckDB runs them as several"
        " statements",
        "a column for each value, such as count(*) FILTER (WHERE arm = 'grep') AS grep",
    )


def _refused(what: str, expected: str | None = None) -> QueryRefusedError:
    return QueryRefusedError(what, expected=expected)


def check_sql(sql: str, further: Collection[str] = (), parameters: Collection[str] = ()) -> Checked:
    """Return what a statement reads, once every part of it is allowed. Raises QueryRefusedError.

    `further` are the lower-case names of the tables that this store has beside the standard ones,
    `parameters` those that may stand in it as `$name`, each to be bound to a text of at most 1,000 characters.
    """
    known = (*SQL_TABLES, *further)
    try:
        return _checked(parse_sql(sql), known, frozenset(name.lower() for name in parameters))
    except QueryRefusedError as error:
        error.next_step = f"write one SELECT over {', '.join(known)}"
        raise


def refuse_doubtful(checked: Checked, columns: Collection[str]) -> None:
    """Raise QueryRefusedError for a name of the clock or the like that is none of these lower-case columns."""
    for name in checked.doubtful:
        if name not in columns:
            raise _refused(
                f"`{name}` is no column here, and what the clock, the session or the storage says is not allowed",
                "a column"
                if name == "rowid"
                else f"a column; one of another query is named with it: q.{name}",
            )


def _checked(statement: dict[str, Any], known: tuple[str, ...], parameters: frozenset[str]) -> Checked:
    if _is_listing(statement["node"].get("from_table") or {}):
        return Checked(known, listing=True)
    nodes = list(islice(nodes_of(statement), MOST_NODES * _PER_PART))
    if sum(1 for node in nodes if _kind(node)) > MOST_NODES or len(nodes) == MOST_NODES * _PER_PART:
        raise _refused(f"more than {MOST_NODES:,} parts")
    named = {entry["key"].lower() for node in nodes for entry in node.get("cte_map", {}).get("map", ())}
    tables: dict[str, None] = {}
    for node in nodes:
        _check_node(node, known, parameters)
        if _kind(node) in {"BASE_TABLE", "SHOW_REF"} and node["table_name"]:
            name = _table_of(node)
            if node["schema_name"] or node["catalog_name"] or (name not in named and name not in known):
                raise _unknown_table(node, known)
            if name in known:
                tables[name] = None
    if reason := amplified(nodes):
        raise _refused(reason)
    return Checked(tuple(tables), columns=columns_meant(nodes), doubtful=tuple(_doubtful(nodes)))


def _doubtful(nodes: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the names in a tree that are the clock's, the session's or the storage's where no column has them."""
    for node in nodes:
        if _kind(node) == "COLUMN_REF":
            *place, name = (str(part).lower() for part in node["column_names"])
            if name in NO_COLUMNS and (name == "rowid" or not place):
                yield name
        elif "function_name" in node:  # `current_date.year()` is the function `year` of a schema
            yield from NO_COLUMNS & {str(node.get(key) or "").lower() for key in ("schema", "catalog")}


def _table_of(node: dict[str, Any]) -> str:
    """Return the lower-case table that a node names; DESCRIBE and SUMMARIZE keep the quotes around it."""
    name = str(node["table_name"]).lower()
    quoted = node["type"] == "SHOW_REF" and len(name) > 1 and name[0] == name[-1] == '"'
    return name[1:-1].replace('""', '"') if quoted else name


def said_by(error: Exception) -> str:
    """Return the first line of what DuckDB says, without its advice on settings, which are locked."""
    first = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return _ADVICE.sub("", first)


def _is_listing(source: dict[str, Any]) -> bool:
    return source.get("type") == "SHOW_REF" and source.get("table_name") == '"tables"'


def parse_sql(sql: str) -> dict[str, Any]:
    """Return the tree of the one SELECT in a text, parsed on a connection that is thrown away. Raises QueryRefusedError."""
    import duckdb

    try:
        size = len(sql.encode())
    except UnicodeEncodeError as error:
        raise _refused(f"not UTF-8 at character {error.start + 1}") from error
    if size > LONGEST:
        raise _refused(f"{size:,} bytes", f"a statement of at most {LONGEST:,}")
    with _parser().cursor() as connection:
        try:
            statements = connection.extract_statements(sql)
            if len(statements) != 1:
                raise _refused(f"{len(statements)} statements", "exactly one")
            row = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
        except duckdb.Error as error:
            raise _refused(said_by(error)) from error
    try:
        tree: dict[str, Any] = parse_json(row[0]) if row else {"error": True}
    except ValueError as error:
        raise _refused(str(error)) from error
    if tree["error"]:
        if _PIVOT.search(sql):
            raise _refused_pivot()
        raise _refused("not a SELECT that can be checked", "SELECT … or WITH … SELECT …")
    statement: dict[str, Any] = tree["statements"][0]
    return statement


def write_sql(statement: dict[str, Any]) -> str:
    """Return the text of a tree that `parse_sql` gave, as it may have been changed since."""
    tree = json.dumps({"error": False, "statements": [statement]})
    with _parser().cursor() as connection:
        row = connection.execute("SELECT json_deserialize_sql(?::JSON)", [tree]).fetchone()
    return str(row[0]) if row else ""


@cache
def _parser() -> duckdb.DuckDBPyConnection:
    """Return an empty, locked database that parses and never runs a statement of a person."""
    import duckdb

    connection = duckdb.connect(config={"threads": 1, "python_enable_replacements": False})
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def nodes_of(node: object) -> Iterator[dict[str, Any]]:
    """Yield every object of the tree; a constant's own value is data and not walked."""
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield item
            kind = _kind(item)
            stack.extend(value for key, value in item.items() if (kind, key) not in _CONSTANTS)
        elif isinstance(item, list):
            stack.extend(item)


def _kind(node: dict[str, Any]) -> str:
    """Return what kind of node this is, "" for one that is none: the type of a value is an object itself."""
    kind = node.get("type")
    return kind if isinstance(kind, str) else ""


def _check_node(node: dict[str, Any], tables: Collection[str], parameters: Collection[str]) -> None:
    kind = _kind(node)
    if kind == "PIVOT":
        raise _refused_pivot()
    if node.get("sample"):
        raise _refused(
            "a sample is not allowed here: an answer must be the same twice", "LIMIT behind ORDER BY"
        )
    if kind == "VALUE_PARAMETER":
        _check_parameter(str(node.get("identifier", "")), parameters)
    elif kind and kind not in NODES:
        raise _refused(f"{kind.lower().replace('_', ' ')} is not allowed here")
    function = node.get("function_name")
    if function and function.lower() not in FUNCTIONS:
        near = difflib.get_close_matches(function.lower(), FUNCTIONS, n=3)
        raise _refused(
            f"the function `{function}` is not allowed here", f"such as {', '.join(near)}" if near else None
        )
    if function and function.lower() == _AGGREGATE:
        _check_aggregate(node)
    if kind == "TABLE_FUNCTION" and function_of(node) not in TABLE_FUNCTIONS:
        raise _refused(
            f"the table function `{function_of(node)}` is not allowed here",
            ", ".join(sorted(TABLE_FUNCTIONS)),
        )
    if kind == "SHOW_REF" and not node.get("query") and _table_of(node) not in tables:
        raise _refused("this SHOW is not allowed here", "SHOW TABLES, or DESCRIBE or SUMMARIZE of a table")


def _check_aggregate(node: dict[str, Any]) -> None:
    """Refuse a function that is named by a text, unless that is constant and on the list."""
    arguments = [argument["expression"] for argument in node.get("arguments", ())]
    literal = (arguments[1].get("literal") or {}) if len(arguments) > 1 else {}
    name = str(literal.get("text", "")) if literal.get("kind") == "STRING" else ""
    if name.lower() not in FUNCTIONS:
        raise _refused(
            f"`{_AGGREGATE}` of {name!r} is not allowed here"
            if name
            else f"what `{_AGGREGATE}` does must be known",
            f"a constant name of an aggregate behind the list: {_AGGREGATE}(…, 'max')",
        )


def _check_parameter(name: str, parameters: Collection[str]) -> None:
    """Refuse a parameter that nobody binds; `?` and `$1` have a number for their name."""
    if not parameters:
        raise _refused("a parameter is not allowed here")
    if name.lower() not in parameters:
        raise _refused(f"no parameter `{name}`", ", ".join(f"${each}" for each in sorted(parameters)))


def _unknown_table(node: dict[str, Any], tables: Collection[str]) -> QueryRefusedError:
    name = ".".join(filter(None, (node["catalog_name"], node["schema_name"], node["table_name"])))
    near = difflib.get_close_matches(name.lower(), tables, n=1)
    return _refused(f"no table `{name}` in a store", f"{near[0]}?" if near else None)
