"""Rows in, tables and charts out.

A `Table` holds values and where they come from; only the renderers (markdown, HTML,
terminal, CSV, JSON) know how one looks. Whatever an agent wrote is data here: it is
shown, and never interpreted.
"""
