"""Named values: an expression said once under a name, with parameters, and used in many places."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from benchctl.errors import ExpressionInvalidError, ValueInvalidError, ValueUnknownError
from benchctl.expressions.calls import COMPARISONS, FUNCTIONS
from benchctl.expressions.names import near
from benchctl.expressions.parser import parse
from benchctl.expressions.reference import RESERVED
from benchctl.expressions.tree import (
    Contrast,
    Filter,
    NamedCall,
    Negative,
    Node,
    Number,
    Probe,
    children,
    with_children,
)

if TYPE_CHECKING:
    from benchctl.schema.project import Value

__all__ = ["Definition", "expand", "parse_definitions"]

_KEY = re.compile(r"\s*([^\W\d]\w*)\s*(?:\(\s*((?:[^\W\d]\w*\s*(?:,\s*[^\W\d]\w*\s*)*)?)\)\s*)?")
_NUMBER = re.compile(r"(-?)([0-9]{1,40}(?:\.[0-9]{1,40})?)")
_MOST_NODES: Final = 10_000
_MOST_LEVELS: Final = 200
_TAKEN: Final = frozenset(FUNCTIONS) | COMPARISONS | RESERVED | {"lo", "hi"}


@dataclass(frozen=True, slots=True)
class Definition:
    """A named value as written; its parameters stand in `node` as `$name`."""

    name: str
    parameters: tuple[str, ...]
    node: Node
    unit: str | None = None
    note: str = ""


def parse_definitions(values: Mapping[str, Value | str]) -> dict[str, Definition]:
    """Return the definitions of a `[values]` table by name.

    Raises ValueInvalidError for a key that is no name with parameters, a name that the
    language has taken or that stands twice, and an expression that does not parse.
    """
    found: dict[str, Definition] = {}
    for key, written in values.items():
        name, parameters = _parse_key(key)
        if name in found:
            raise ValueInvalidError(f"the value `{name}` is defined twice")
        try:
            node = parse(written if isinstance(written, str) else written.expr, parameters=parameters)
        except ExpressionInvalidError as error:
            raise ValueInvalidError(f"the value `{key}`: {error.what}", expected=error.expected) from error
        found[name] = Definition(name, parameters, node)
        if not isinstance(written, str):
            found[name] = replace(found[name], unit=written.unit, note=written.note)
    return found


def _parse_key(key: str) -> tuple[str, tuple[str, ...]]:
    match = _KEY.fullmatch(key)
    if match is None:
        raise ValueInvalidError(f"`{key}` does not name a value", expected="name or name(a, b)")
    parameters = tuple(part.strip() for part in match[2].split(",")) if match[2] else ()
    if match[1] in _TAKEN:
        raise ValueInvalidError(f"`{match[1]}` is a word of the language", expected="another name")
    if len(set(parameters)) < len(parameters):
        raise ValueInvalidError(f"`{key}` names a parameter twice")
    return match[1], parameters


def expand(node: Node, values: Mapping[str, Definition]) -> Node:
    """Return `node` with every named value replaced by its expression.

    A name without parameters may stand without parentheses; a named value hides a column.

    Raises ValueUnknownError for a call that names nothing, ValueInvalidError for a wrong
    number of arguments, a circle, or a result beyond 10,000 nodes or 200 levels.
    """
    return _Expansion(values).expand(node, (), 0)


class _Expansion:
    def __init__(self, values: Mapping[str, Definition]) -> None:
        self.values = values
        self.nodes = 0

    def expand(self, node: Node, inside: tuple[str, ...], level: int) -> Node:
        self.nodes += 1
        if self.nodes > _MOST_NODES or level > _MOST_LEVELS:
            raise ValueInvalidError(
                f"named values grow too large{f' in `{inside[-1]}`' if inside else ''}",
                expected=f"at most {_MOST_NODES} nodes and {_MOST_LEVELS} levels",
            )
        called = self._called(node)
        if called is None:
            return with_children(
                node, tuple(self.expand(child, inside, level + 1) for child in children(node))
            )
        definition, args = called
        if definition.name in inside:
            circle = " -> ".join((*inside[inside.index(definition.name) :], definition.name))
            raise ValueInvalidError(f"named values go in a circle: {circle}")
        body = _substitute(definition.node, dict(zip(definition.parameters, args, strict=True)))
        return self.expand(body, (*inside, definition.name), level + 1)

    def _called(self, node: Node) -> tuple[Definition, tuple[str, ...]] | None:
        if isinstance(node, NamedCall):
            definition = self.values.get(node.name)
            if definition is None:
                raise ValueUnknownError(
                    f"no function and no named value `{node.name}`",
                    expected=near(node.name, (*self.values, *FUNCTIONS, *COMPARISONS)),
                )
            return definition, _checked(definition, node.args)
        if isinstance(node, Probe) and node == Probe(node.name) and len(node.name) == 1:
            definition = self.values.get(node.name[0])
            return None if definition is None else (definition, _checked(definition, ()))
        return None


def _checked(definition: Definition, args: tuple[str, ...]) -> tuple[str, ...]:
    if len(args) != len(definition.parameters):
        raise ValueInvalidError(
            f"`{definition.name}` is given {len(args)} arguments",
            expected=f"{definition.name}({', '.join(definition.parameters)})",
        )
    return args


def _substitute(node: Node, args: Mapping[str, str]) -> Node:
    """Return `node` with each `$name` replaced; a number alone becomes a number."""
    if not args:
        return node

    def filled(text: str) -> str:
        return args.get(text[1:], text) if text.startswith("$") else text

    match node:
        case Probe():
            number = _NUMBER.fullmatch(filled(node.name[0])) if node == Probe(node.name) else None
            return _as_number(number) if number and len(node.name) == 1 else _filled_probe(node, filled)
        case NamedCall():
            return replace(node, args=tuple(filled(arg) for arg in node.args))
        case _:
            return with_children(node, tuple(_substitute(child, args) for child in children(node)))


def _as_number(match: re.Match[str]) -> Node:
    number = Number(float(match[2]) if "." in match[2] else int(match[2]))
    return Negative(number) if match[1] else number


def _filled_probe(probe: Probe, filled: Callable[[str], str]) -> Probe:
    contrast = probe.contrast
    return replace(
        probe,
        name=tuple(filled(part) for part in probe.name),
        table=filled(probe.table) if probe.table else None,
        run="+".join(filled(run) for run in probe.runs) or None,
        filters=tuple(Filter(filled(item.column), item.op, filled(item.value)) for item in probe.filters),
        contrast=contrast
        and Contrast(
            contrast.function,
            filled(contrast.column),
            filled(contrast.a),
            filled(contrast.b),
            contrast.scope,
        ),
    )
