"""The nodes of an expression: what was written, with nothing looked up yet.

Every node is frozen and hashable. Runs of operators of one precedence are one flat
node, so that a sum of ten thousand terms is no deeper than a sum of two.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from benchctl.errors import Where
from benchctl.schema.scope import Scope

__all__ = [
    "Bound",
    "Call",
    "Chain",
    "Compare",
    "Contrast",
    "Filter",
    "Logical",
    "NamedCall",
    "Negative",
    "Node",
    "Not",
    "Number",
    "Over",
    "Probe",
    "Query",
    "Scope",
    "Text",
    "Truth",
    "children",
    "with_children",
]


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition on rows: `op` is one of `= != < <= > >= ~` (`~` is a glob); `value` is as written."""

    column: str
    op: str
    value: str


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two levels of a column, compared by a function of the statistics room: level `a` against level `b`.

    `scope` None is the metric's default.
    """

    function: str
    column: str
    a: str
    b: str
    scope: Scope | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A named value that is SQL, called: `arguments` are (parameter, text), to be bound and never pasted.

    `unit` None is without one; `exact` says that it counts. `where` is the place of its definition.
    """

    name: str
    sql: str
    arguments: tuple[tuple[str, str], ...] = ()
    unit: str | None = None
    exact: bool = False
    where: Where | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Probe:
    """A leaf that needs data.

    `name` is the dotted name as written; `names.resolve_column` splits it into column and
    statistic once the columns are known. `run` None is the page's run, `r6+r7` a pool.
    `contrast` makes it a comparison of two levels instead of one value. `group_by` asks for
    one value for each value of that column. `outer` holds the filters of the scope alone: the
    denominator of `share`. `interval` asks for `lo` and `hi` as well. `query` makes it the value of
    a statement over the rows that the filters leave; its name is then no column's.
    """

    name: tuple[str, ...]
    filters: tuple[Filter, ...] = ()
    run: str | None = None
    table: str | None = None
    contrast: Contrast | None = None
    group_by: str | None = None
    outer: tuple[Filter, ...] = ()
    interval: bool = False
    query: Query | None = None
    _hash: int | None = field(default=None, init=False, compare=False, repr=False)

    def __hash__(self) -> int:
        # Kept: a page of many numbers looks its probes up some dozens of times each.
        if self._hash is None:
            said = (self.name, self.filters, self.run, self.table, self.contrast, self.group_by, self.outer)
            object.__setattr__(self, "_hash", hash((*said, self.interval, self.query)))
        return self._hash or 0

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs it names, in the order written; empty for the page's run."""
        return tuple(self.run.split("+")) if self.run else ()


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written; never negative."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Text:
    """A text in single quotes, to be compared with."""

    value: str


@dataclass(frozen=True, slots=True)
class Truth:
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class Negative:
    """Unary minus."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Chain:
    """Operands of one precedence, evaluated from the left: `+ -` or `* /`."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A built-in function of numbers."""

    function: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """One end of the interval of a comparison or a reference."""

    side: Literal["lo", "hi"]
    operand: Node


@dataclass(frozen=True, slots=True)
class NamedCall:
    """A call of a named value, to be expanded before anything is measured."""

    name: str
    args: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two values: true or false."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Logical:
    """`and` or `or` over two or more operands."""

    op: Literal["and", "or"]
    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Logical negation."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Over:
    """`body` for each value of `column`, then `how` over these: `all any none`, or a statistic."""

    how: str
    column: str
    body: Node


Node = (
    Number
    | Text
    | Truth
    | Probe
    | Negative
    | Chain
    | Call
    | Bound
    | NamedCall
    | Compare
    | Logical
    | Not
    | Over
)


def children(node: Node) -> tuple[Node, ...]:  # noqa: PLR0911 - one line a kind of node
    """Return the nodes directly below `node`, in the order written."""
    match node:
        case Negative() | Bound() | Not():
            return (node.operand,)
        case Chain():
            return (node.first, *(operand for _, operand in node.rest))
        case Call():
            return node.args
        case Compare():
            return (node.left, node.right)
        case Logical():
            return node.operands
        case Over():
            return (node.body,)
        case _:
            return ()


def with_children(node: Node, new: tuple[Node, ...]) -> Node:  # noqa: PLR0911 - as above
    """Return `node` with the nodes below it replaced; `new` has the length of `children(node)`."""
    match node:
        case Negative() | Bound() | Not():
            return replace(node, operand=new[0])
        case Chain():
            rest = tuple((op, operand) for (op, _), operand in zip(node.rest, new[1:], strict=True))
            return Chain(new[0], rest)
        case Call():
            return replace(node, args=new)
        case Compare():
            return Compare(node.op, *new)
        case Logical():
            return replace(node, operands=new)
        case Over():
            return replace(node, body=new[0])
        case _:
            return node
