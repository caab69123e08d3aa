"""Named values put in: each name of a tree replaced by what it stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from benchctl.errors import SqlUntrustedError, ValueInvalidError, ValueUnknownError
from benchctl.expressions.calls import COMPARISONS, FUNCTIONS
from benchctl.expressions.names import near
from benchctl.expressions.tree import (
    Contrast,
    Filter,
    NamedCall,
    Negative,
    Node,
    Number,
    Probe,
    Query,
    children,
    with_children,
)
from benchctl.expressions.values import Definition, asking, bare_name

__all__ = ["expand"]

_NUMBER = re.compile(r"(-?)([0-9]{1,40}(?:\.[0-9]{1,40})?)")
_MOST_NODES: Final = 10_000
_MOST_LEVELS: Final = 200
_LONGEST_ARGUMENT: Final = 1_000


def expand(node: Node, values: Mapping[str, Definition]) -> Node:
    """Return `node` with every named value replaced by its expression.

    A name without parameters may stand without parentheses; a named value hides a column. What a value's
    own expression names is looked up where the value was defined.

    Raises ValueUnknownError for a call that names nothing, ValueInvalidError for a wrong
    number of arguments, a circle, or a result beyond 10,000 nodes or 200 levels, SqlUntrustedError for SQL
    of a file that is not trusted.
    """
    return _Expansion().expand(node, values, (), 0)


class _Expansion:
    def __init__(self) -> None:
        self.nodes = 0

    def expand(
        self, node: Node, values: Mapping[str, Definition], inside: tuple[Definition, ...], level: int
    ) -> Node:
        self.nodes += 1
        if self.nodes > _MOST_NODES or level > _MOST_LEVELS:
            raise ValueInvalidError(
                f"named values grow too large{f' in `{inside[-1].name}`' if inside else ''}",
                expected=f"at most {_MOST_NODES} nodes and {_MOST_LEVELS} levels",
            )
        called = _called(node, values)
        if called is None:
            return with_children(
                node, tuple(self.expand(child, values, inside, level + 1) for child in children(node))
            )
        definition, args = called
        if any(definition is outer for outer in inside):
            names = [each.name for each in (*inside, definition)]
            circle = " -> ".join(names[names.index(definition.name) :])
            raise ValueInvalidError(f"named values go in a circle: {circle}")
        if definition.query:
            return _asked(definition, definition.query, args)
        body = _substitute(definition.node, dict(zip(definition.parameters, args, strict=True)))
        return self.expand(body, definition.home, (*inside, definition), level + 1)


def _called(node: Node, values: Mapping[str, Definition]) -> tuple[Definition, tuple[str, ...]] | None:
    if isinstance(node, NamedCall):
        definition = values.get(node.name)
        if definition is None:
            raise ValueUnknownError(
                f"no function and no named value `{node.name}`",
                expected=near(node.name, (*values, *FUNCTIONS, *COMPARISONS)),
            )
        return definition, _checked(definition, node.args)
    name = bare_name(node)
    bare = values.get(name) if name is not None else None
    return None if bare is None else (bare, _checked(bare, ()))


def _checked(definition: Definition, args: tuple[str, ...]) -> tuple[str, ...]:
    if len(args) != len(definition.parameters):
        raise ValueInvalidError(
            f"`{definition.name}` is given {len(args)} arguments",
            expected=f"{definition.name}({', '.join(definition.parameters)})",
        )
    return args


def _asked(definition: Definition, query: Query, args: tuple[str, ...]) -> Probe:
    """Return the reference of a value that is SQL. What a page hands it is a short text, and stays one."""
    if not definition.trusted:
        raise SqlUntrustedError(
            f"`{definition.name}` is SQL of a file that was changed, and was not run",
            where=definition.where,
            next_step="let somebody who may change the file read it; without --changed every file is trusted",
        )
    for parameter, text in zip(definition.parameters, args, strict=True):
        if len(text) > _LONGEST_ARGUMENT or not _is_text(text):
            raise ValueInvalidError(
                f"`{definition.name}` is given {len(text):,} characters for {parameter}",
                expected=f"at most {_LONGEST_ARGUMENT:,} characters of text",
            )
    return asking(replace(query, arguments=tuple(zip(definition.parameters, args, strict=True))))


def _is_text(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)


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
