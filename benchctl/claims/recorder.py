"""Where findings are made: each gets its place, the sentence around it and its severity."""

from __future__ import annotations

import re
from collections.abc import Collection

from benchctl.claims.finding import Finding
from benchctl.claims.reading.inline import Problem
from benchctl.claims.reading.page import Page
from benchctl.claims.verdict import SLUGS
from benchctl.errors import BenchctlError, ExpressionInvalidError

__all__ = ["Recorder"]

_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n[ \t]*\n|\n(?=[ \t]*(?:[-*+|#>]|\d+[.)])(?:\s|\|))|\u2029")
_COMMENT = re.compile(r"<!--(?:(?!-->).)*+(?:-->|$)", re.DOTALL)
_LONGEST_SENTENCE = 240


class Recorder:
    """The findings of one page, in the order they are made; `errors` are the verdicts a policy calls errors."""

    def __init__(self, page: Page, errors: Collection[str] = ()) -> None:
        self.page = page
        self.findings: list[Finding] = []
        self._errors = errors

    def find(
        self,
        slug: str,
        start: int,
        end: int,
        message: str,
        *,
        claim: str = "",
        actual: float | None = None,
        n: int | None = None,
        hint: str = "",
        next_step: str | None = None,
    ) -> None:
        """Add a finding of SLUGS about a raw stretch of the page."""
        kind = SLUGS[slug]
        line, column, end_column = self._span(start, end)
        self.findings.append(
            Finding(
                line=line,
                column=column,
                end_column=end_column,
                verdict=kind.verdict,
                severity="error" if kind.verdict in self._errors else kind.severity,
                slug=slug,
                message=message,
                next_step=kind.next_step if next_step is None else next_step,
                literal=self._literal(start, end),
                claim=claim,
                actual=actual,
                n=n,
                hint=hint,
                sentence=self.sentence(start),
            )
        )

    def fail(self, error: BenchctlError, start: int, end: int, *, claim: str = "") -> None:
        """Add what an expression's error says, under its own slug."""
        what = error.what if error.where is None else f"{error.where}: {error.what}"
        line, column, end_column = self._span(start, end)
        self.findings.append(
            Finding(
                line=line,
                column=column,
                end_column=end_column,
                verdict="error",
                severity="error",
                slug=error.slug,
                message=what,
                next_step=error.next_step
                or (f"expected {error.expected}" if error.expected else "correct the expression"),
                literal=self._literal(start, end),
                claim=claim or (error.text if isinstance(error, ExpressionInvalidError) else ""),
                sentence=self.sentence(start),
            )
        )

    def problem(self, slug: str, problem: Problem) -> None:
        """Add a problem of the page's own form."""
        self.find(slug, problem.start, problem.end, problem.what, next_step=problem.next_step)

    def _span(self, start: int, end: int) -> tuple[int, int, int]:
        """Return line, column and exclusive end column; what spans lines ends with its first."""
        line, column = self.page.place(start)
        end_line, end_column = self.page.place(max(start, end))
        if end_line != line:
            stop = self.page.text.find("\n", start)
            end_column = column + stop - start
        return line, column, max(end_column, column + 1)

    def _literal(self, start: int, end: int) -> str:
        piece = self.page.text[start:end]
        return piece.partition("\n")[0][:_LONGEST_SENTENCE]

    def sentence(self, offset: int) -> str:
        """Return the sentence, list item or table row around a raw offset, as it reads, on one line."""
        visible = self.page.visible
        seen = self.page.seen(offset)
        left = max(0, seen - _LONGEST_SENTENCE)
        begin = max((match.end() for match in _SENTENCE_END.finditer(visible, left, seen)), default=left)
        found = _SENTENCE_END.search(visible, seen, seen + _LONGEST_SENTENCE)
        end = min(len(visible), seen + _LONGEST_SENTENCE) if found is None else found.start() + 1
        raw = self.page.text[self.page.raw(begin) : self.page.behind(end)] if begin < end else ""
        return " ".join(_COMMENT.sub("", raw).split())
