"""Text in, tree out: a recursive descent over the grammar of the reference page, one method a precedence.

    expression := conjunction ("or" conjunction)*
    conjunction := negation ("and" negation)*
    negation := "not" negation | comparison
    comparison := sum (("=" | "!=" | "<" | "<=" | ">" | ">=") sum)?
    sum := product (("+" | "-") product)*
    product := sign (("*" | "/") sign)*
    sign := "-" sign | primary
    primary := number | 'text' | "true" | "false" | "(" expression ")" | call | reference
             | ("all" | "any" | "none" | statistic "over") column ":" expression

Each character is looked at a bounded number of times, and nesting has a limit, so no
text costs more than its length. Names are not looked up here: a column that does not
exist is an error of evaluation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from typing import Final, Literal

from benchctl.expressions.calls import COMPARISONS, FUNCTIONS, parse_contrast, parse_words, sees_level
from benchctl.expressions.cursor import Cursor
from benchctl.expressions.names import is_statistic
from benchctl.expressions.reference import RESERVED, parse_dotted, parse_name, parse_reference
from benchctl.expressions.tree import (
    Bound,
    Call,
    Chain,
    Compare,
    Logical,
    NamedCall,
    Negative,
    Node,
    Not,
    Number,
    Over,
    Probe,
    Text,
    Truth,
)

__all__ = ["parse"]

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.])")
_DIGIT = re.compile(r"[0-9]")
_COMPARISON = re.compile(r"!=|<=|>=|=|<|>")
_SUM = re.compile(r"[+-]")
_PRODUCT = re.compile(r"[*/]")
_WORD = {word: re.compile(rf"{word}\b") for word in ("and", "or", "not")}
_TRUTH = re.compile(r"(?:true|false)\b")
_RESERVED = re.compile(rf"(?:{'|'.join(sorted(RESERVED))})\b")
_OVER = re.compile(r"([^\W\d]\w*)\s+over\b")
_EACH = re.compile(r"(?:all|any|none)\b")
_LONGEST_NUMBER: Final = 40
_OPERAND: Final = "a number, a column, a function or ("
_CONTINUED: Final = "an operator or the end"


def parse(text: str, *, parameters: Collection[str] = ()) -> Node:
    """Return the tree of an expression; `parameters` are the names that may follow a `$`.

    Raises ExpressionInvalidError with the position and what was expected there.
    """
    cursor = Cursor(text, parameters)
    node = _Parser(cursor).expression()
    if not cursor.at_end:
        cursor.fail(_CONTINUED)
    return node


class _Parser:
    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor

    def expression(self) -> Node:
        return self._logical("or", lambda: self._logical("and", self._negation))

    def _logical(self, word: Literal["and", "or"], operand: Callable[[], Node]) -> Node:
        operands = [operand()]
        while self.cursor.match(_WORD[word]):
            operands.append(operand())
        return Logical(word, tuple(operands)) if len(operands) > 1 else operands[0]

    def _negation(self) -> Node:
        if not self.cursor.match(_WORD["not"]):
            return self._comparison()
        with self.cursor.nested():
            return Not(self._negation())

    def _comparison(self) -> Node:
        left = self._sum()
        op = self.cursor.match(_COMPARISON)
        if op is None:
            return left
        compared = Compare(op, left, self._sum())
        if self.cursor.sees(_COMPARISON):
            self.cursor.fail("`and` between two comparisons", what="comparisons do not chain")
        return compared

    def _sum(self) -> Node:
        return self._chain(_SUM, lambda: self._chain(_PRODUCT, self._sign))

    def _chain(self, operator: re.Pattern[str], operand: Callable[[], Node]) -> Node:
        first = operand()
        rest = []
        while op := self.cursor.match(operator):
            rest.append((op, operand()))
        return Chain(first, tuple(rest)) if rest else first

    def _sign(self) -> Node:
        if not self.cursor.take("-"):
            return self._primary()
        with self.cursor.nested():
            return Negative(self._sign())

    def _primary(self) -> Node:
        if self.cursor.sees(_DIGIT):
            return self._number()
        text = self.cursor.string("'")
        if text is not None:
            return Text(text)
        if self.cursor.take("("):
            with self.cursor.nested():
                node = self.expression()
            self.cursor.need(")", "an operator or )")
            return node
        return self._over() or self._named()

    def _number(self) -> Node:
        start = self.cursor.position
        word = self.cursor.match(_NUMBER)
        if word is None:
            self.cursor.fail("a number such as 12, 0.5 or 1e6; a name does not start with a digit")
        if len(word) > _LONGEST_NUMBER or not math.isfinite(float(word)):
            self.cursor.fail(
                f"at most {_LONGEST_NUMBER} digits, below 1.8e308", what="a number too large", at=start
            )
        return Number(int(word) if word.isdigit() else float(word))

    def _over(self) -> Node | None:
        """Return `all column: …` or `statistic over column: …`, whose body reaches as far as it can."""
        how = self.cursor.match(_EACH)
        over = None if how else _OVER.match(self.cursor.text, self.cursor.position)
        if over:
            how = over[1]
            if not is_statistic(how) or how in {"macro", "lo", "hi", "floor", "n_failed"}:
                self.cursor.fail("count, median or another statistic of the groups' values")
            self.cursor.match(_OVER)
        if how is None:
            return None
        column = parse_name(self.cursor)
        if column is None or self.cursor.text.startswith("::", self.cursor.position):
            self.cursor.fail(f"a column and a colon, as in `{how}{' over' if over else ''} question: …`")
        self.cursor.need(":", "a colon behind the column")
        with self.cursor.nested():
            return Over(how, column, self.expression())

    def _named(self) -> Node:
        truth = self.cursor.match(_TRUTH)
        if truth:
            return Truth(value=truth == "true")
        if self.cursor.sees(_RESERVED):
            self.cursor.fail(f"{_OPERAND}; a column of this name stands in quotes")
        start = self.cursor.position
        name = parse_dotted(self.cursor)
        if name is None:
            self.cursor.fail(_OPERAND)
        if not self.cursor.take("("):
            return parse_reference(self.cursor, name)
        if len(name) > 1 or self.cursor.text.startswith('"', start):
            self.cursor.fail("a function's name, without dots and quotes", at=start)
        with self.cursor.nested():
            return self._call(name[0], start)

    def _call(self, name: str, start: int) -> Node:
        if name in {"lo", "hi"}:
            return self._bound(name)
        if name not in FUNCTIONS and name not in COMPARISONS:
            return NamedCall(name, parse_words(self.cursor))
        args = [self.expression()]
        while self.cursor.take(","):
            if len(args) == 1 and name in COMPARISONS and sees_level(self.cursor):
                return self._contrast(name, args[0], start)
            args.append(self.expression())
        if name not in FUNCTIONS:
            self.cursor.fail(f"{name}(column, arm=a, arm=b)")
        least, most = FUNCTIONS[name]
        if not least <= len(args) <= (most or len(args)):
            count = f"{least}" if least == most else f"{least} to {most}" if most else f"at least {least}"
            self.cursor.fail(f"{count} arguments", what=f"{name} has {len(args)}", at=start)
        self.cursor.need(")", "a comma or )")
        return Call(name, tuple(args))

    def _contrast(self, name: str, measure: Node, start: int) -> Node:
        if not isinstance(measure, Probe) or measure.contrast:
            self.cursor.fail(
                "a column in front of the two levels", what=f"{name} compares a column", at=start
            )
        return parse_contrast(self.cursor, name, measure)

    def _bound(self, name: str) -> Node:
        start = self.cursor.position
        operand = self.expression()
        if not isinstance(operand, Probe | NamedCall):
            self.cursor.fail(
                "a comparison of two levels, a column or a named value", what="this has no interval", at=start
            )
        self.cursor.need(")", "a closing )")
        return Bound("lo" if name == "lo" else "hi", operand)
