"""Named values: an expression or a statement said once under a name, with parameters, and used in many places."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from benchctl.errors import BenchctlError, ExpressionInvalidError, ValueInvalidError, Where
from benchctl.expressions.calls import COMPARISONS, FUNCTIONS
from benchctl.expressions.parser import parse
from benchctl.expressions.reference import RESERVED
from benchctl.expressions.tree import NamedCall, Node, Probe, Query, children

if TYPE_CHECKING:
    from benchctl.schema.project import Value

__all__ = ["Definition", "asking", "bare_name", "calls_in", "names_in", "parse_definitions"]

_KEY = re.compile(r"\s*([^\W\d]\w*)\s*(?:\(\s*((?:[^\W\d]\w*\s*(?:,\s*[^\W\d]\w*\s*)*)?)\)\s*)?")
_TAKEN: Final = frozenset(FUNCTIONS) | COMPARISONS | RESERVED | {"lo", "hi"}
_LONGEST_SQL: Final = 100_000


@dataclass(frozen=True, slots=True)
class Definition:
    """A named value as written; its parameters stand in `node` as `$name`, in SQL as bound parameters.

    `kind` "count" gets no rounding credit, None is what the expression says itself. `home` are the names
    that its own expression means. `trusted` False refuses SQL wherever it is used.
    """

    name: str
    parameters: tuple[str, ...]
    node: Node
    unit: str | None = None
    note: str = ""
    kind: str | None = None
    where: Where | None = field(default=None, compare=False)
    home: Mapping[str, Definition] = field(default_factory=dict, compare=False, repr=False)
    trusted: bool = field(default=True, compare=False)

    @property
    def query(self) -> Query | None:
        """Return the statement of a value that is SQL, with the place where it stands; None for an expression."""
        own = self.node.query if isinstance(self.node, Probe) else None
        return own and replace(own, where=self.where)


def parse_definitions(
    values: Mapping[str, Value | str],
    *,
    place: Callable[[str], Where] | None = None,
    outer: Mapping[str, Definition] | None = None,
    trusted: bool = True,
) -> dict[str, Definition]:
    """Return the definitions of a `[values]` table by name.

    `place` tells where a key stands; `outer` are names of another table that these may use, and hide.
    Raises ValueInvalidError with every problem of the table: a key that is no name with parameters, a name
    that the language has taken or that stands twice, an expression that does not parse, SQL that leaves a
    parameter out.
    """
    found: dict[str, Definition] = {}
    home: dict[str, Definition] = dict(outer or {})
    wrong: list[tuple[Where | None, BenchctlError]] = []
    for key, written in values.items():
        where = place(key) if place else None
        try:
            read = _definition(key, written, taken=found)
            found[read.name] = replace(read, where=where, home=home, trusted=trusted)
        except ValueInvalidError as error:
            wrong.append((where, error))
    if wrong:
        raise _all_of(wrong)
    home |= found
    return found


def _definition(key: str, written: Value | str, *, taken: Collection[str]) -> Definition:
    name, parameters = _parse_key(key)
    if name in taken:
        raise ValueInvalidError(f"the value `{name}` is defined twice")
    if isinstance(written, str):
        return Definition(name, parameters, _expression(key, written, parameters))
    node = (
        _statement(name, written, parameters)
        if written.expr is None
        else _expression(key, written.expr, parameters)
    )
    return Definition(name, parameters, node, written.unit, written.note, written.kind)


def _expression(key: str, text: str, parameters: tuple[str, ...]) -> Node:
    try:
        return parse(text, parameters=parameters)
    except ExpressionInvalidError as error:
        raise ValueInvalidError(f"the value `{key}`: {error.what}", expected=error.expected) from error


def _statement(name: str, written: Value, parameters: tuple[str, ...]) -> Probe:
    """Return the reference of a statement. Which SQL may run is the store's to say, when it is asked."""
    sql = written.sql or ""
    if not sql.strip() or len(sql) > _LONGEST_SQL:
        raise ValueInvalidError(
            f"the value `{name}`: {len(sql.strip()):,} characters of SQL",
            expected=f"one SELECT of at most {_LONGEST_SQL:,}",
        )
    for parameter in parameters:
        if not re.search(rf"\${re.escape(parameter)}\b", sql):
            raise ValueInvalidError(
                f"the value `{name}`: its SQL does not say ${parameter}", expected=f"… = ${parameter} in it"
            )
    return asking(Query(name, sql, (), written.unit, written.kind == "count"))


def asking(query: Query) -> Probe:
    """Return the reference that stands for a statement. No column is called so, whoever asks for its name."""
    return Probe((f"{query.name}()",), query=query)


def _all_of(wrong: list[tuple[Where | None, BenchctlError]]) -> ValueInvalidError:
    (where, first), *others = wrong
    more = "".join(f"\n{f'{place}: ' if place else ''}{error.what}" for place, error in others)
    return ValueInvalidError(f"{first.what}{more}", where=where, expected=first.expected)


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


def bare_name(node: Node) -> str | None:
    """Return the name that may be a named value without parentheses; None for any other node."""
    if isinstance(node, Probe) and len(node.name) == 1 and node == Probe(node.name):
        return node.name[0]
    return None


def calls_in(node: Node) -> frozenset[str]:
    """Return the names in a tree as written that are called, and so can be nothing but named values."""
    own = frozenset({node.name} if isinstance(node, NamedCall) else ())
    return own.union(*(calls_in(child) for child in children(node)))


def names_in(node: Node) -> frozenset[str]:
    """Return the names in a tree as written that are named values, or would be if there were one."""
    own = node.name if isinstance(node, NamedCall) else bare_name(node)
    below = (names_in(child) for child in children(node))
    return frozenset({own} if own else ()).union(*below)
