"""What the words of a bound leave open, and what the value that is bound there decides of it."""

from __future__ import annotations

from decimal import Decimal

from benchctl.claims.answers.lookup import Expression
from benchctl.claims.answers.nature import Nature
from benchctl.expressions import references
from benchctl.metrics import METRICS
from benchctl.quantities.tokens import Token

__all__ = ["is_end", "why_unclear"]


def why_unclear(token: Token, expression: Expression, actual: Decimal | None) -> str:
    """Return why a bound in doubt cannot be judged of a value in its unit; "" where the value decides it, or there is none."""
    match token.doubt if actual is not None else "":
        case "":
            return ""
        case "negation":
            return f"whether the bound before {token.text} stands under a negation cannot be decided"
        case "preposition":
            if not expression.nature.exact or actual == token.value:
                return ""
            return f"under a negation the word before {token.text} may say of how many, and may be a bound"
        case _:
            better = {_better(probe.name[0]) for probe in references(expression.node)}
            if better == {"higher"}:
                return ""
            return f"whether more or less of `{expression.text}` is better is not known here"


def is_end(token: Token, nature: Nature) -> bool:
    """Whether a bound that is its value may be none: "no failure over 24 cells"."""
    return token.doubt == "preposition" and nature.exact


def _better(column: str) -> str:
    metric = METRICS.get(column)
    return metric.better if metric else "neither"
