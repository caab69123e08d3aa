"""Which data an expression needs: its leaves, with the scope's filters merged in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from benchctl.errors import ValueInvalidError, ValueUnknownError
from benchctl.expressions.tree import Bound, Filter, NamedCall, Node, Over, Probe, Query, children

__all__ = ["bounded", "is_vacuous", "not_expanded", "probes", "references", "scoped", "universes"]


@lru_cache(maxsize=1 << 16)
def scoped(probe: Probe, filters: tuple[Filter, ...], group_by: str | None = None) -> Probe:
    """Return `probe` inside a scope: a filter of its own replaces the scope's filters on the same column.

    A probe that filters the grouping column itself says the same for every group, so it is
    not grouped. `outer` is kept for `share` alone, so that equal probes stay equal.
    """
    own = {item.column for item in probe.filters}
    if probe.contrast:
        own.add(probe.contrast.column)
    outer = tuple(item for item in filters if item.column not in own)
    return replace(
        probe,
        filters=(*outer, *probe.filters),
        group_by=None if group_by in own else group_by,
        outer=outer if probe.name[-1] == "share" else (),
    )


def bounded(probe: Probe) -> Probe:
    """Return the probe that is measured with its interval; a comparison always is."""
    return probe if probe.contrast else replace(probe, interval=True)


def universes(over: Over, filters: tuple[Filter, ...]) -> tuple[Probe, ...]:
    """Return the counts whose groups are the values that `over` goes through.

    One for each run and table that the body reads: a value with no matching row in one of
    them must be an error there, not a value left out.
    """
    places = dict.fromkeys((probe.run, probe.table) for probe in references(over.body)) or {
        (None, None): None
    }
    counts = (Probe(("count",), run=run, table=table) for run, table in places)
    return tuple(scoped(count, filters, over.column) for count in counts)


def probes(node: Node, *, filters: tuple[Filter, ...] = ()) -> tuple[Probe, ...]:
    """Return every probe that `evaluate(node, …, filters=filters)` will look up, each once.

    Raises ValueUnknownError for a named value that was not expanded, ValueInvalidError for
    groups inside groups.
    """
    return tuple(dict.fromkeys(_collect(node, filters, None)))


def _collect(node: Node, filters: tuple[Filter, ...], group_by: str | None) -> Iterator[Probe]:
    match node:
        case Probe(query=Query() as query) if group_by is not None:
            raise ValueInvalidError(
                f"`{query.name}` is SQL, and cannot be asked for each {group_by}",
                where=query.where,
                expected="a GROUP BY inside of the SQL, or an expression",
            )
        case Probe():
            yield scoped(node, filters, group_by)
        case Bound(operand=Probe() as probe):
            yield bounded(scoped(probe, filters, group_by))
        case NamedCall():
            raise not_expanded(node)
        case Over():
            if group_by is not None:
                raise ValueInvalidError(
                    f"`over {node.column}` stands inside groups of `{group_by}`",
                    expected="one level of groups",
                )
            yield from universes(node, filters)
            yield from _collect(node.body, filters, node.column)
        case _:
            for child in children(node):
                yield from _collect(child, filters, group_by)


def not_expanded(call: NamedCall) -> ValueUnknownError:
    """Return the error of a call that no named value answers."""
    return ValueUnknownError(
        f"no function and no named value `{call.name}`",
        next_step="define it under [values] in benchctl.toml or in the page's claims file",
    )


def references(node: Node) -> Iterator[Probe]:
    """Yield the references of an expression as they are written, in their order."""
    if isinstance(node, Probe):
        yield node
    for child in children(node):
        yield from references(child)


def is_vacuous(node: Node) -> bool:
    """Return whether `node`, named values expanded, refers to no data: then it can prove nothing."""
    return not isinstance(node, Probe | NamedCall) and all(map(is_vacuous, children(node)))
