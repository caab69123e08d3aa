"""A report for people and for programs."""
