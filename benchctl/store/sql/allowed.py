"""What a person's SQL may hold: kinds of nodes, functions, and the few names that are columns or nothing."""

from __future__ import annotations

from typing import Final

__all__ = ["FUNCTIONS", "NODES", "NO_COLUMNS", "TABLE_FUNCTIONS"]

NODES: Final = frozenset({
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
    "regr_count", "geomean", "sem", "kurtosis_pop", "favg", "row",
})  # fmt: skip

TABLE_FUNCTIONS: Final = frozenset({"unnest", "range", "generate_series", "json_each", "json_tree"})
"""What may stand behind FROM: each makes rows of its arguments alone."""


NO_COLUMNS: Final = frozenset({
    "current_date", "current_time", "current_timestamp", "localtime", "localtimestamp", "current_user", "user",
    "session_user", "current_role", "current_schema", "current_catalog", "current_database", "rowid",
})  # fmt: skip
"""Names that are the clock's, the session's or the storage's where no column has them."""
