"""Expressions into one DuckDB query, and its answers."""
