"""Which drafts print the number they are drafted for; no draft is evidence by its value alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from benchctl.claims.answers.lookup import Expression
from benchctl.claims.answers.printed import judge
from benchctl.claims.attaching.headers import scale_at, scaled
from benchctl.claims.markers.scope import Scope
from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import Sheet
from benchctl.errors import BenchctlError
from benchctl.expressions import Filter, Node, Probe, show
from benchctl.expressions.tree import children, with_children

__all__ = ["Answers"]

_MOST_PROBES = 4000
"""Of one page and scope: what is drafted beyond that is left out."""


@dataclass(slots=True)
class Answers:
    """The expressions of one scope, read once, and measured in one call."""

    sheet: Sheet
    scope: Scope
    _read: dict[tuple[str, tuple[Filter, ...]], Expression | None] = field(default_factory=dict)
    _named: dict[tuple[str, str | None], str] = field(default_factory=dict)

    def expression(self, text: str, row: tuple[Filter, ...] = ()) -> Expression | None:
        """Return an expression in the scope, a table row's key merged in; None where it does not read."""
        key = (text, row)
        if key not in self._read:
            try:
                self._read[key] = self.sheet.lookup.read(text, self.scope.under(row))
            except BenchctlError:
                self._read[key] = None
        return self._read[key]

    def measure(self, wanted: Iterable[tuple[str, tuple[Filter, ...]]]) -> None:
        """Measure the texts, each with the key of its row, in one call of the store; the likeliest come first."""
        probes: dict[Probe, None] = {}
        for text, row in wanted:
            expression = self.expression(text, row)
            if expression and len(probes) < _MOST_PROBES:
                probes |= dict.fromkeys(expression.probes)
        if not self.sheet.try_measure(self.scope, probes):
            self.sheet.unusable.add(self.scope.run)

    def prints(self, atoms: Sequence[Atom], texts: Sequence[str], row: tuple[Filter, ...] = ()) -> bool:
        """Whether each number is what its expression says: true or a tie, a bound not far off."""
        expressions = [self.expression(text, row) for text in texts]
        if len(atoms) != len(texts) or any(each is None for each in expressions):
            return False
        named = scaled(atoms, scale_at(self.sheet.page, atoms[0].start), expressions)
        return all(
            each is not None and self._prints(atom, each)
            for atom, each in zip(named, expressions, strict=True)
        )

    def _prints(self, atom: Atom, expression: Expression) -> bool:
        known = self.sheet.lookup.measured(self.scope.run)
        if any(probe not in known for probe in expression.probes):
            return False
        answer = self.sheet.lookup.answer(expression, self.scope.run)
        if answer.value is None or isinstance(answer.value, bool | str):
            return False
        judgement = judge(atom.token, answer.value, expression.nature, self.sheet.about)
        # "over 2 projects" is no bound to its reader.
        at_its_end = atom.token.cmp in ("<", ">") and judgement.actual == atom.token.value
        return judgement.word in ("true", "tie") or at_its_end

    def learn(self, calls: Iterable[str]) -> None:
        """Remember calls of named values by what they stand for, the shortest of several."""
        for call in sorted(calls, key=len, reverse=True):
            expression = self.expression(call)
            if expression:
                self._named[show(_ordered(expression.node)), expression.nature.unit] = call

    def called(self, text: str, share: str) -> str:
        """Return the call of a named value that says the same as a draft; the draft where none does."""
        for written, units in ((text, (None, "")), (share, ("fraction",))):
            expression = self.expression(written) if written else None
            if expression:
                meant = show(_ordered(expression.node))
                for unit in (expression.nature.unit, *units) if written == text else units:
                    if (meant, unit) in self._named:
                        return self._named[meant, unit]
        return text


def _ordered(node: Node) -> Node:
    """Return an expression with the filters of each reference in one order."""
    if isinstance(node, Probe):
        order = sorted(node.filters, key=lambda item: (item.column, item.op, item.value))
        return replace(node, filters=tuple(order))
    return with_children(node, tuple(_ordered(child) for child in children(node)))
