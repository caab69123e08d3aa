"""Which SQL of a person may run: one SELECT over the store's tables, of kinds and functions listed here.

DuckDB 2 calls a WITH that writes a file or a table a SELECT, so the statement's type proves
nothing. The statement is parsed on a connection of its own, without being run, and every node
of its tree must be on the list. The locked connection is the second wall, not the first.

Note: what is left out on purpose: recursion, which needs no data to fill a machine; whatever reads
a file, a setting, a variable or the clock; `query` and `query_table`, which run text; randomness,
because an answer must be the same twice. What makes much of little has its limits in `amplifiers`.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchctl.errors import QueryRefusedError
from benchctl.schema.result import VIEWS
from benchctl.store.amplifiers import amplified, function_of
from benchctl.store.outside import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FUNCTIONS", "SQL_TABLES", "TABLE_FUNCTIONS", "Checked", "check_sql"]

SQL_TABLES: Final = ("runs", *VIEWS)

_NODES: Final = frozenset({
    "SELECT_NODE", "SET_OPERATION_NODE", "CTE_NODE", "EMPTY", "BASE_TABLE", "JOIN", "SUBQUERY", "EXPRESSION_LIST",
    "SHOW_REF", "TABLE_FUNCTION", "COLUMN_REF", "POSITIONAL_REFERENCE", "STAR", "VALUE_CONSTANT", "FUNCTION", "LAMBDA", "CASE_EXPR",
    "COLLATE", "TYPE", "DEFAULT", "OPERATOR_CAST", "OPERATOR_NOT", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL",
    "OPERATOR_COALESCE", "OPERATOR_NULLIF", "OPERATOR_TRY", "ARRAY_EXTRACT", "ARRAY_SLICE", "STRUCT_EXTRACT",
    "ARRAY_CONSTRUCTOR", "GROUPING_FUNCTION", "OPERATOR_UNPACK", "COMPARE_BETWEEN", "COMPARE_NOT_BETWEEN",
    "COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_LESSTHAN", "COMPARE_GREATERTHAN", "COMPARE_LESSTHANOREQUALTO",
    "COMPARE_GREATERTHANOREQUALTO", "COMPARE_IN", "COMPARE_NOT_IN", "COMPARE_DISTINCT_FROM",
    "COMPARE_NOT_DISTINCT_FROM", "CONJUNCTION_AND", "CONJUNCTION_OR", "WINDOW_AGGREGATE", "WINDOW_ROW_NUMBER",
    "WINDOW_RANK", "WINDOW_RANK_DENSE", "WINDOW_PERCENT_RANK", "WINDOW_CUME_DIST", "WINDOW_NTILE", "WINDOW_LEAD",
    "WINDOW_LAG", "WINDOW_FIRST_VALUE", "WINDOW_LAST_VALUE", "WINDOW_NTH_VALUE", "ORDER_MODIFIER",
    "LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "DISTINCT_MODIFIER", "ORDER_DEFAULT", "ASCENDING", "DESCENDING",
})  # fmt: skip

FUNCTIONS: Final = frozenset({
    "+", "-", "*", "/", "//", "%", "**", "^", "||", "~~", "!~~", "~~*", "!~~*", "~~~", "abs", "ceil", "ceiling",
    "floor", "round", "trunc", "sign", "sqrt", "cbrt", "exp", "ln", "log", "log2", "log10", "pow", "power",
    "greatest", "least", "isnan", "isfinite", "isinf", "fmod", "mod", "count", "count_star", "sum", "fsum", "avg",
    "mean", "median", "mode", "min", "max", "arg_min", "arg_max", "min_by", "max_by", "first", "last",
    "any_value", "list", "array_agg", "string_agg", "group_concat", "listagg", "bool_and", "bool_or", "stddev",
    "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop", "quantile", "quantile_cont", "quantile_disc",
    "mad", "skewness", "kurtosis", "corr", "covar_samp", "covar_pop", "regr_slope", "regr_intercept", "regr_r2",
    "count_if", "countif", "product", "histogram", "entropy", "approx_count_distinct", "row_number", "rank",
    "dense_rank", "rank_dense", "percent_rank", "cume_dist", "ntile", "lead", "lag", "first_value", "last_value",
    "nth_value", "lower", "upper", "trim", "ltrim", "rtrim", "length", "strlen", "char_length", "substring",
    "substr", "left", "right", "replace", "split_part", "string_split", "starts_with", "prefix", "ends_with",
    "suffix", "contains", "instr", "strpos", "position", "concat", "concat_ws", "regexp_matches",
    "regexp_full_match", "regexp_extract", "regexp_replace", "like_escape", "not_like_escape", "ilike_escape",
    "md5", "sha256", "ascii", "reverse", "json_extract", "json_extract_string", "json_array_length", "json_type",
    "json_valid", "json_keys", "->", "->>", "list_value", "list_count", "len", "list_contains", "list_sort",
    "list_distinct", "list_sum", "list_avg", "list_min", "list_max", "list_median", "struct_pack",
    "struct_extract", "array_extract", "list_extract", "element_at", "unnest", "list_transform", "list_filter",
    "array_length", "ifnull", "coalesce", "nullif", "typeof", "date_diff", "datediff", "date_part", "datepart",
    "epoch", "strptime", "date_trunc", "year", "month", "day", "hour", "minute", "to_days", "to_hours",
    "to_minutes", "to_seconds", "make_date", "range", "generate_series", "json_each", "json_tree", "from_json",
    "to_json", "json_object", "json_array", "json_group_array", "lpad", "rpad", "repeat", "printf", "format", "chr",
    "ord", "unicode", "translate", "strip_accents", "regexp_extract_all", "string_split_regex", "list_slice",
    "list_aggregate", "list_reverse", "list_concat", "list_position", "list_reduce", "list_unique", "flatten",
    "array_to_string", "map_keys", "map_values", "bit_and", "bit_or", "week", "quarter", "dayofweek", "isodow",
    "strftime", "to_timestamp", "epoch_ms", "degrees", "radians", "sin", "cos", "tan", "pi", "gcd", "lcm",
    "regr_count", "geomean", "sem", "kurtosis_pop", "favg", "approx_quantile",
})  # fmt: skip

TABLE_FUNCTIONS: Final = frozenset({"unnest", "range", "generate_series", "json_each", "json_tree"})
"""What may stand behind FROM: each makes rows of its arguments alone."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A statement that may run: the store's tables it reads, or `listing` where it lists them and reads none."""

    tables: tuple[str, ...]
    listing: bool = False


_CONSTANTS: Final = {("VALUE_CONSTANT", "value"), ("VALUE_CONSTANT", "literal")}
_PIVOT: Final = re.compile(r"\bpivot\b", re.IGNORECASE)


def _refused_pivot() -> QueryRefusedError:
    return _refused(
        "PIVOT and UNPIVOT are not allowed here: their columns follow from the data, so DuckDB runs them as several"
        " statements",
        "a column for each value, such as count(*) FILTER (WHERE arm = 'grep') AS grep",
    )


def _refused(what: str, expected: str | None = None) -> QueryRefusedError:
    return QueryRefusedError(
        what,
        expected=expected,
        next_step=f"write one SELECT over {', '.join(SQL_TABLES)}",
    )


def check_sql(sql: str) -> Checked:
    """Return what a statement reads, once every part of it is allowed. Raises QueryRefusedError."""
    statement = _parse(sql)
    if _is_listing(statement["node"].get("from_table") or {}):
        return Checked(SQL_TABLES, listing=True)
    nodes = list(_nodes(statement))
    named = {entry["key"].lower() for node in nodes for entry in node.get("cte_map", {}).get("map", ())}
    tables: dict[str, None] = {}
    for node in nodes:
        _check_node(node)
        if node.get("type") in {"BASE_TABLE", "SHOW_REF"} and node["table_name"]:
            name = str(node["table_name"]).lower()
            if node["schema_name"] or node["catalog_name"] or name not in named | set(SQL_TABLES):
                raise _unknown_table(node)
            if name in SQL_TABLES:
                tables[name] = None
    if reason := amplified(nodes):
        raise _refused(reason)
    return Checked(tuple(tables))


def _is_listing(source: dict[str, Any]) -> bool:
    return source.get("type") == "SHOW_REF" and source.get("table_name") == '"tables"'


def _parse(sql: str) -> dict[str, Any]:
    """Return the tree of the one SELECT in a text, parsed on a connection that is thrown away."""
    import duckdb

    try:
        sql.encode()
    except UnicodeEncodeError as error:
        raise _refused(f"not UTF-8 at character {error.start + 1}") from error
    with duckdb.connect(config={"threads": 1}) as connection:
        try:
            statements = connection.extract_statements(sql)
            if len(statements) != 1:
                raise _refused(f"{len(statements)} statements", "exactly one")
            row = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
        except duckdb.Error as error:
            raise _refused(str(error).strip().splitlines()[0]) from error
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


def _nodes(node: object) -> Iterator[dict[str, Any]]:
    """Yield every object of the tree; a constant's own value is data and not walked."""
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield item
            stack.extend(value for key, value in item.items() if (item.get("type"), key) not in _CONSTANTS)
        elif isinstance(item, list):
            stack.extend(item)


def _check_node(node: dict[str, Any]) -> None:
    kind = node.get("type")
    if kind == "PIVOT":
        raise _refused_pivot()
    if isinstance(kind, str) and kind not in _NODES:
        raise _refused(f"{kind.lower().replace('_', ' ')} is not allowed here")
    function = node.get("function_name")
    if function and function.lower() not in FUNCTIONS:
        near = difflib.get_close_matches(function.lower(), FUNCTIONS, n=3)
        raise _refused(
            f"the function `{function}` is not allowed here", f"such as {', '.join(near)}" if near else None
        )
    if kind == "TABLE_FUNCTION" and function_of(node) not in TABLE_FUNCTIONS:
        raise _refused(
            f"the table function `{function_of(node)}` is not allowed here",
            ", ".join(sorted(TABLE_FUNCTIONS)),
        )
    if kind == "SHOW_REF" and not node.get("query") and str(node["table_name"]).lower() not in SQL_TABLES:
        raise _refused("this SHOW is not allowed here", "SHOW TABLES, or DESCRIBE or SUMMARIZE of a table")


def _unknown_table(node: dict[str, Any]) -> QueryRefusedError:
    name = ".".join(filter(None, (node["catalog_name"], node["schema_name"], node["table_name"])))
    near = difflib.get_close_matches(name.lower(), SQL_TABLES, n=1)
    return _refused(f"no table `{name}` in a store", f"{near[0]}?" if near else None)
