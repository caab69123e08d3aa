"""Evidence in, grade out. Pure, so that every grade can be redone offline, today or years later.

A grader is a module with the names of `base.Grader`; this table is the only place that
knows which there are.
"""

from __future__ import annotations

from benchctl.grading import contains, gold, path
from benchctl.grading.base import Grader

__all__ = ["GRADERS", "READ_TRANSCRIPTS"]

GRADERS: dict[str, Grader] = {"gold": gold, "contains": contains, "path": path}
"""Every grader by the name that a question gives."""

READ_TRANSCRIPTS: frozenset[str] = frozenset()
"""The graders that read more of a cell than its answer; none does, so a run without transcripts can be graded."""
