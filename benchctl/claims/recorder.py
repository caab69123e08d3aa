"""Where findings are made: each gets its place, the sentence around it and its severity."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property

from benchctl.claims.finding import Finding, Severity
from benchctl.claims.reading.inline import Problem
from benchctl.claims.reading.page import Page
from benchctl.claims.reading.sentences import Sentences
from benchctl.claims.verdict import SLUGS
from benchctl.errors import BenchctlError, ExpressionInvalidError
from benchctl.quantities.fold import WALL

__all__ = ["Recorder"]

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LONGEST_SENTENCE = 240


class Recorder:
    """The findings of one page, in the order they are made; `errors` are the verdicts a policy calls errors."""

    def __init__(self, page: Page, errors: Collection[str] = ()) -> None:
        self.page = page
        self.findings: list[Finding] = []
        self._errors = frozenset(errors)

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
        interval: tuple[float, float, float] | None = None,
        severity: Severity | None = None,
        related: int | None = None,
    ) -> None:
        """Add a finding of SLUGS about a raw stretch of the page; `interval` is (lo, hi, level) of `actual`.

        `severity` None is that of its kind, as far as the policy does not say otherwise; `related` is a line that
        the message names.
        """
        kind = SLUGS[slug]
        line, column, end_column = self._span(start, end)
        lo, hi, level = interval or (None, None, None)
        self.findings.append(
            Finding(
                line=line,
                column=column,
                end_column=end_column,
                verdict=kind.verdict,
                severity=severity
                or ("error" if kind.verdict in self._errors or slug in self._errors else kind.severity),
                slug=slug,
                message=message,
                next_step=kind.next_step if next_step is None else next_step,
                literal=self._literal(start, end),
                claim=claim,
                actual=actual,
                n=n,
                hint=hint,
                sentence=self.sentence(start),
                lo=lo,
                hi=hi,
                level=level,
                block=self._block(start),
                related=related,
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
                block=self._block(start),
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

    def _block(self, offset: int) -> int:
        """Return the line on which the table or paragraph around an offset begins; its own where it is in none."""
        around = self.page.table_at(offset) or self.page.block_at(offset)
        return self.page.place(around.start if around else offset)[0]

    def _literal(self, start: int, end: int) -> str:
        piece = self.page.text[start:end]
        return piece.partition("\n")[0][:_LONGEST_SENTENCE]

    def sentence(self, offset: int) -> str:
        """Return the sentence, list item or table row around a raw offset, as it reads, on one line."""
        visible = self.page.visible
        begin, end = self._sentences.around(self.page.seen(offset), _LONGEST_SENTENCE)
        end = begin + len(visible[begin:end].rstrip(f" \t\r\n>{WALL}"))
        raw = self.page.text[self.page.raw(begin) : self.page.behind(end)] if begin < end else ""
        return " ".join((_COMMENT.sub("", raw) if "<!--" in raw else raw).split())

    @cached_property
    def _sentences(self) -> Sentences:
        return Sentences(self.page.visible)
