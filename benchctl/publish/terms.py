"""The terms of a run as its page shows them: its record's, and what was noted later."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchctl.report.comparability import terms
from benchctl.report.corrections import corrections
from benchctl.report.escaping import visible

if TYPE_CHECKING:
    from benchctl.publish.view import RunView
    from benchctl.report.term import Term

__all__ = ["shown_terms"]


def shown_terms(view: RunView) -> list[Term]:
    """Return the terms in reading order, their characters made visible; the template escapes them."""
    stated = terms(view.record, list(view.cells.values()), view.run.data_digest)
    return [_visible(term) for term in (*stated, *corrections(view.run))]


def _visible(term: Term) -> Term:
    lines, details = (tuple(visible(line) for line in part) for part in (term.lines, term.details))
    return replace(term, lines=lines, details=details)
