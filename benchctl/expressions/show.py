"""Tree in, canonical text out. Law: `parse(show(node)) == node`, as long as no named value is put in."""

from __future__ import annotations

from typing import Final

from benchctl.expressions.calls import show_contrast
from benchctl.expressions.cursor import quoted
from benchctl.expressions.reference import show_name, show_reference, show_value
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

__all__ = ["show"]

_OVER, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _ATOM = range(9)
_LEVELS: Final = {"or": _OR, "and": _AND, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT}


def show(node: Node) -> str:
    """Return the canonical text of `node`: one space around operators, no idle parentheses or quotes."""
    return _shown(node)[0]


def _within(node: Node, least: int) -> str:
    """Return `node`, in parentheses where it binds more loosely than `least`."""
    text, level = _shown(node)
    return text if level >= least else f"({text})"


def _shown(node: Node) -> tuple[str, int]:  # noqa: PLR0911 - one line a kind of node
    match node:
        case Negative():
            return f"-{_within(node.operand, _SIGN)}", _SIGN
        case Chain():
            level = _LEVELS[node.rest[0][0]]
            rest = "".join(f" {op} {_within(operand, level + 1)}" for op, operand in node.rest)
            return f"{_within(node.first, level + 1)}{rest}", level
        case Compare():
            return f"{_within(node.left, _SUM)} {node.op} {_within(node.right, _SUM)}", _COMPARE
        case Logical():
            level = _LEVELS[node.op]
            return f" {node.op} ".join(_within(item, level + 1) for item in node.operands), level
        case Not():
            return f"not {_within(node.operand, _NOT)}", _NOT
        case Over():
            over = "" if node.how in {"all", "any", "none"} else " over"
            return f"{node.how}{over} {show_name(node.column)}: {show(node.body)}", _OVER
        case _:
            return _atom(node), _ATOM


def _atom(  # noqa: PLR0911 - as above
    node: Number | Text | Truth | Probe | Call | Bound | NamedCall,
) -> str:
    match node:
        case Number():
            return repr(node.value)
        case Text():
            return quoted(node.value, "'")
        case Truth():
            return str(node.value).lower()
        case Probe():
            return _probe(node)
        case Call():
            return f"{node.function}({', '.join(show(arg) for arg in node.args)})"
        case Bound():
            return f"{node.side}({show(node.operand)})"
        case _:
            return f"{node.name}({', '.join(show_value(arg) for arg in node.args)})"


def _probe(probe: Probe) -> str:
    if probe.query:
        args = ", ".join(show_value(text) for _, text in probe.query.arguments)
        return f"{probe.query.name}({args})" if args else probe.query.name
    return show_contrast(probe, probe.contrast) if probe.contrast else show_reference(probe)
