"""What is suggested: for a number or group its candidates, for a table its one draft."""

from __future__ import annotations

from dataclasses import dataclass

from benchctl.claims.numbers import Atom

__all__ = ["Candidate", "Suggestion", "Suggestions", "TableSuggestion"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Expressions that print the number or the numbers of a group, and in words what speaks for them."""

    expressions: tuple[str, ...]
    score: float
    evidence: tuple[str, ...]

    @property
    def binding(self) -> str:
        """Return the comment that would bind them, as a draft."""
        return f"<!--=? {'; '.join(self.expressions)} -->"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A number, or a group of numbers, that nothing binds; `candidates` best first, empty where nothing speaks for any.

    `conflict` is the word that rules out what would print it, "" where none does.
    """

    atoms: tuple[Atom, ...]
    literal: str
    line: int
    column: int
    end_column: int
    sentence: str
    candidates: tuple[Candidate, ...]
    conflict: str = ""


@dataclass(frozen=True, slots=True)
class TableSuggestion:
    """A hand-written table whose rows and columns read as a run's. `start` is the raw offset of its header."""

    start: int
    line: int
    binding: str
    evidence: tuple[str, ...]
    cells: int


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Everything suggested for one page; `numbers` counts what was unbound."""

    path: str
    run: str
    numbers: int
    tables: tuple[TableSuggestion, ...]
    found: tuple[Suggestion, ...]
