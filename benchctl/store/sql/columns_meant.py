"""Which columns a checked statement may mean: never fewer than it does, so that the others need not be read.

A name counts wherever it stands, and for every table that has such a column: what is read then
resolves as it would over whole tables, ambiguities included. Where columns are meant without
being named (`*`, NATURAL, a row as a whole, names given anew in order), or a name may be a column, a table
or a schema (`name.function()`), all of them are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["columns_meant"]

Node = dict[str, Any]

_SOURCES: Final = frozenset({
    "BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST", "COLUMN_DATA",
})  # fmt: skip
_NOWHERE: Final = 2**63
"""Where a node is said to stand that no character of the text stands for, and beyond."""


def columns_meant(nodes: Iterable[Node]) -> frozenset[str] | None:
    """Return the lower-case names that may mean a column in a statement's tree; None for all columns."""
    every = [node for node in nodes if isinstance(node.get("type"), str | None)]
    selected = _order_by_all(every)
    if any(_means_all(node, selected) for node in every):
        return None
    names: set[str] = set()
    alone: set[str] = set()
    for node in every:
        names |= {str(part).lower() for part in node.get("using_columns", ())}
        if node.get("type") == "COLUMN_REF":
            parts = [str(part).lower() for part in node["column_names"]]
            names.update(parts)
            alone.add(parts[-1])
    return None if alone & _relations(every) else frozenset(names)


def _means_all(node: Node, selected: set[int]) -> bool:
    """Return whether a node means columns without naming them, or names that are no columns for certain."""
    kind = node.get("type")
    return (
        kind in {"SHOW_REF", "POSITIONAL_REFERENCE"}
        or (kind == "STAR" and id(node) not in selected)
        or (kind == "JOIN" and node.get("ref_type") == "NATURAL")
        or (kind == "BASE_TABLE" and bool(node.get("column_name_alias")))
        or ("function_name" in node and bool(node.get("schema") or node.get("catalog")))
    )


def _relations(nodes: Sequence[Node]) -> set[str]:
    """Return what rows as a whole can be called: the tables and aliases behind FROM."""
    named = [node for node in nodes if node.get("type") in _SOURCES]
    return {
        str(node[key]).lower() for node in named for key in ("table_name", "alias") if node.get(key)
    }  # fmt: skip


def _order_by_all(nodes: Sequence[Node]) -> set[int]:
    """Return the ids of the ALL of each ORDER BY ALL of a query, which means the columns that are selected.

    Inside of an aggregate or a window ALL means every column, and so does `COLUMNS(*)`, whose tree is the
    same but for the place in the text.
    """
    modifiers = [each for node in nodes for each in node.get("modifiers") or ()]
    orders = [order.get("expression") or {} for each in modifiers for order in each.get("orders") or ()]
    return {
        id(star)
        for star in orders
        if star.get("type") == "STAR" and star.get("query_location", 0) >= _NOWHERE
    }
