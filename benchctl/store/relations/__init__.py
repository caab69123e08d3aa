"""Runs as relations of DuckDB: which files, which columns, and the effective `cells`."""
