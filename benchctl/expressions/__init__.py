"""The expression language: what a number is, said the same way on every page, table, chart and goal.

Text becomes a tree (`parse`), named values are put in (`expand`), the tree says which data it
needs (`probes`), the store measures these in one query, and `evaluate` gives the value. This
room knows no store and no run: it is tested with tables alone.
"""

from __future__ import annotations

from benchctl.expressions.evaluate import evaluate, evaluate_groups
from benchctl.expressions.expansion import expand
from benchctl.expressions.measured import Measured, Value, same_value
from benchctl.expressions.names import (
    BARE_STATISTICS,
    STATISTICS,
    is_statistic,
    near,
    quantile_of,
    resolve_column,
    shadowed_statistics,
)
from benchctl.expressions.parser import parse
from benchctl.expressions.probes import bounded, is_vacuous, probes, references, scoped
from benchctl.expressions.reference import parse_filters, show_filters
from benchctl.expressions.show import show
from benchctl.expressions.tree import Contrast, Filter, Node, Over, Probe, Query, Scope
from benchctl.expressions.values import Definition, calls_in, names_in, parse_definitions

__all__ = [
    "BARE_STATISTICS",
    "STATISTICS",
    "Contrast",
    "Definition",
    "Filter",
    "Measured",
    "Node",
    "Over",
    "Probe",
    "Query",
    "Scope",
    "Value",
    "bounded",
    "calls_in",
    "evaluate",
    "evaluate_groups",
    "expand",
    "is_statistic",
    "is_vacuous",
    "names_in",
    "near",
    "parse",
    "parse_definitions",
    "parse_filters",
    "probes",
    "quantile_of",
    "references",
    "resolve_column",
    "same_value",
    "scoped",
    "shadowed_statistics",
    "show",
    "show_filters",
]
