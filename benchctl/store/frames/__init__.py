"""Runs for Python programs and for files of other programs."""
