"""Bindings to the numbers they stand behind."""
