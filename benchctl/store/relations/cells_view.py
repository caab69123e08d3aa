"""The view `cells` as it counts today: grades, voids and late usage of later generations joined to the cells.

One row a cell. Its grade is the newest; of generation n, the newest up to n, as it was published then.
Its newest void row says whether it is void. Its newest backfill replaces its tokens whole, and its dollars
whole, where it has any: a count of one report beside another's would be nobody's.

Note: joined how. A generation that grades every cell in the recorded order is joined row by row, which
is checked once and remembered by the files' digests (`facts`); whatever else there is, by the cell's
name. Measured on a million rows in one file, a headline aggregate with its grades takes 1.0 times
what the same does on one file that has the scores in it, and 3.7 times with a join on names. Small
runs are always joined by name: that costs less than to find out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchctl.errors import GenerationUnknownError
from benchctl.schema.result import TABLES
from benchctl.schema.usage import USAGE_GROUPS
from benchctl.store.disk.parquet import literal, parquet_source, quoted
from benchctl.store.relations.file_content import aligned, contents
from benchctl.store.relations.files import VerifiedFile, files_of, names_of
from benchctl.store.relations.own_columns import spelling
from benchctl.store.relations.selects import (
    OPEN,
    Part,
    Select,
    alike,
    checked,
    file_column,
    needed,
    own_expression,
    own_source,
    run_of,
)
from benchctl.store.relations.views import standard_output

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    import duckdb

    from benchctl.store.relations.loadable import Loadable
    from benchctl.store.relations.views import Output, View

__all__ = ["effective_select", "refuse_generation"]

_SMALL: Final = 20_000
"""Rows up to which a join by name costs less than to find out whether the rows are in step."""

_STORED: Final = frozenset(column.name for column in TABLES["cells"])
_OF_GRADE: Final = frozenset(column.name for column in TABLES["grades"]) - _STORED
_USAGE: Final = {name: source for *names, source in USAGE_GROUPS.values() for name in (*names, source)}
"""A figure of usage -> the column that says who reported its group."""

_OF_BASELINE: Final = frozenset({"floor_tokens", "content_tokens"})
_COUNTED: Final = ("token_source", "input_tokens", "output_tokens")
_SAME_WAY: Final = "z.arm = c.arm AND z.agent = c.agent AND z.model = c.model"

_CELL: Final = TABLES["cells"][0]
_FILE: Final = "filename='_file'"


@dataclass(frozen=True, slots=True)
class _Files:
    """One run's verified files, and what is joined to them: only what the view needs."""

    cells: VerifiedFile
    base: VerifiedFile | None
    later: tuple[VerifiedFile, ...]
    voids: tuple[VerifiedFile, ...]
    backfills: tuple[VerifiedFile, ...]
    baselines: tuple[VerifiedFile, ...]
    own: VerifiedFile | None
    names: tuple[tuple[str, tuple[str, str]], ...]
    in_step: bool

    @property
    def shape(self) -> tuple[object, ...]:
        """Return what runs have in common that can be read by one part."""
        return (
            self.base is not None, bool(self.later), bool(self.voids), bool(self.backfills), bool(self.baselines), self.names, self.in_step
        )  # fmt: skip

    @property
    def all(self) -> list[VerifiedFile]:
        """Return every file that is read."""
        one = [file for file in (self.cells, self.base, self.own) if file]
        return [*one, *self.later, *self.voids, *self.backfills, *self.baselines]


def refuse_generation(runs: Sequence[Loadable], generation: int) -> None:
    """Raise GenerationUnknownError where no run has grades of this generation."""
    known = {number for run in runs for number in (names_of(run.manifest, "grades") if run.manifest else {1})}
    if generation not in known:
        raise GenerationUnknownError(
            f"no run has grades of generation {generation}",
            expected=", ".join(map(str, sorted(known))) or "a run with grades",
        )


def effective_select(
    connection: duckdb.DuckDBPyConnection,
    runs: Sequence[Loadable],
    view: View,
    *,
    cell: str | None,
    generation: int | None,
    place: str | None,
) -> Select:
    """Return the SELECT of `cells`, of `cell` alone where it is named.

    The last column of its parts, called `place` where it is wanted, is the cell's place in the recorded order.
    """
    if generation is not None:
        refuse_generation(runs, generation)
    select = Select(view)
    closed = [run for run in runs if run.manifest]
    found = _found(connection, closed, view.outputs, generation)
    select.files = [file.path for files in found for file in files.all]
    where = f"WHERE c.cell = {literal(cell)}" if cell is not None else ""
    more = [f'c."order" AS {quoted(place)}'] if place else []
    read = ("order", "cell") if place else ("cell",) if cell is not None else ()
    groups = alike(found, lambda files: files.shape)
    select.parts = [_part(group, view.outputs, *read).sql(view, where, *more) for group in groups]
    if len(closed) < len(runs):
        select.parts.append(_open_part().sql(view, where, *more))
    return select


def _found(
    connection: duckdb.DuckDBPyConnection,
    runs: Sequence[Loadable],
    outputs: Iterable[Output],
    generation: int | None,
) -> list[_Files]:
    wanted = {each.standard for each in outputs}
    wanted_own = {each.own for each in outputs} - {None}
    cells = [files_of(run, "cells")[1] for run in runs]
    rows = checked(connection, zip(runs, cells, strict=True), "cells")
    nothing: list[list[VerifiedFile]] = [[] for _ in runs]
    grades = _later(connection, runs, "grades", generation) if wanted & _OF_GRADE else nothing
    small = sum(rows) <= _SMALL
    base, later = ([None] * len(runs), grades) if small else _in_step(connection, cells, grades)
    voids = _later(connection, runs, "voids") if wanted & {"void", "void_why"} else nothing
    backfills = _later(connection, runs, "backfills") if wanted & {*_USAGE, *_OF_BASELINE} else nothing
    baselines = _later(connection, runs, "baselines") if wanted & _OF_BASELINE else nothing
    own = [files_of(run, "foreign").get(1) if wanted_own else None for run in runs]
    names = _spelt(connection, own, wanted_own)
    own = [file if each else None for file, each in zip(own, names, strict=True)]
    pairs = [(one, other) for one, other in zip(cells, own, strict=True) if other and not small]
    step = {one.path: found for (one, _), found in zip(pairs, aligned(connection, pairs), strict=True)}
    return [
        _Files(cells[n], base[n], tuple(later[n]), tuple(voids[n]), tuple(backfills[n]), tuple(baselines[n]), own[n], names[n], step.get(cells[n].path, False))
        for n in range(len(runs))
    ]  # fmt: skip


def _later(
    connection: duckdb.DuckDBPyConnection,
    runs: Sequence[Loadable],
    table: str,
    generation: int | None = None,
) -> list[list[VerifiedFile]]:
    """Return each run's files of a table with a file a generation, newest first; those up to `generation`."""
    found = [
        [
            file
            for number, file in reversed(files_of(run, table).items())
            if generation is None or number <= generation
        ]
        for run in runs
    ]
    checked(
        connection, ((run, file) for run, files in zip(runs, found, strict=True) for file in files), table
    )
    return found


def _spelt(
    connection: duckdb.DuckDBPyConnection, own: Sequence[VerifiedFile | None], wanted: Collection[str | None]
) -> list[tuple[tuple[str, tuple[str, str]], ...]]:
    """Return what each run's own file calls the wanted columns, as far as it has them."""
    files = [file for file in own if file]
    found = dict(zip(files, contents(connection, files), strict=True))
    every = [spelling(file, found[file], "cells") if file else {} for file in own]
    return [tuple((lower, each) for lower, each in names.items() if lower in wanted) for names in every]


def _in_step(
    connection: duckdb.DuckDBPyConnection, cells: Sequence[VerifiedFile], grades: Sequence[list[VerifiedFile]]
) -> tuple[list[VerifiedFile | None], list[list[VerifiedFile]]]:
    """Return for each run the newest grades that can be joined row by row, and the files that are newer still."""
    base: list[VerifiedFile | None] = [None] * len(cells)
    later = [list(files) for files in grades]
    for depth in range(max(map(len, grades), default=0)):
        open_ = [n for n, files in enumerate(grades) if base[n] is None and len(files) > depth]
        found = aligned(connection, [(cells[n], grades[n][depth]) for n in open_])
        for n, in_step in zip(open_, found, strict=True):
            if in_step:
                base[n], later[n] = grades[n][depth], list(grades[n][:depth])
    return base, later


def _part(group: Sequence[_Files], outputs: Sequence[Output], *more: str) -> Part:
    """Return the part of runs of one shape, which reads the columns `more` of its cells whatever is wanted."""
    first = group[0]
    names = dict(first.names)
    if first.later or first.voids or first.backfills or (names and not first.in_step):
        more = (*more, "cell")
    if first.baselines:
        more = (*more, "arm", "agent", "model", *_COUNTED)
    paths = [each.cells.path for each in group]
    cells, run = parquet_source(paths, needed(outputs, "cells", *more), _FILE), run_of("c", "_file", paths)
    parts = [f"{cells} c"]
    if first.base:
        bases = (each.base.path for each in group if each.base)
        parts.append(f"POSITIONAL JOIN {parquet_source(bases, needed(outputs, 'grades'))} g")
    if names:
        mark = file_column([*(name for name, _ in names.values()), "cell"])
        own = [each.own for each in group if each.own]
        source = own_source(names, own, mark, _CELL)
        on = f"f.cell = c.cell AND {run_of('f', mark, [each.path for each in own])} = {run}"
        parts.append(f"POSITIONAL JOIN {source} f" if first.in_step else f"LEFT JOIN {source} f ON {on}")
    for alias, table, files in (
        ("o", "grades", [file for each in group for file in each.later]),
        ("v", "voids", [file for each in group for file in each.voids]),
        ("b", "backfills", [file for each in group for file in each.backfills]),
    ):
        if files:
            parts.append(
                f"LEFT JOIN {_newest(files, table, outputs)} {alias} ON {alias}.cell = c.cell AND {alias}._run = {run}"
            )

    if first.baselines:
        files = [file for each in group for file in each.baselines]
        floors = _floors(_newest(files, "baselines", map(standard_output, TABLES["baselines"])))
        parts.append(f"LEFT JOIN {floors} z ON {_SAME_WAY} AND z._run = {run}")

    def expression(output: Output) -> str:
        value = own_expression("f", output, names) or _standard(output, first, run)
        return f"CAST({value} AS {output.type})" if output.own else value

    return Part(" ".join(parts), expression)


def _newest(files: Sequence[VerifiedFile], table: str, outputs: Iterable[Output]) -> str:
    """Return the newest row of each cell in these files; of two of one generation the one that was noted last."""
    always = {"generation", "void", "why", *_USAGE.values(), *_COUNTED}
    columns = {column.name: column for column in needed(outputs, table, "cell")}
    columns |= {column.name: column for column in TABLES[table] if column.name in always}
    paths = [file.path for file in files]
    source = parquet_source(paths, columns.values(), _FILE, "file_row_number=true")
    # Spelt out twice: its alias would be another relation's, since a join sees what stands before it.
    run = run_of("r", "_file", paths)
    return (
        f"(SELECT *, {run} AS _run FROM {source} r QUALIFY row_number() OVER"  # noqa: S608 - names are ours
        f" (PARTITION BY {run}, r.cell ORDER BY generation DESC, file_row_number DESC) = 1)"
    )


def _standard(output: Output, files: _Files, run: str) -> str:  # noqa: PLR0911 - one line a kind of column
    """Return a standard column as SQL, whatever file it is in."""
    name = quoted(output.standard or "")
    if output.standard is None:
        return f"NULL::{output.type}"
    if output.standard == "run":
        return run
    if output.standard in _OF_GRADE:
        return _graded(name, output, files)
    if output.standard == "void_why":
        return "CASE WHEN v.void THEN v.why END" if files.voids else "NULL::VARCHAR"
    if output.standard == "void" and files.voids:
        return "coalesce(v.void, c.void)"
    if output.standard in _OF_BASELINE:
        return (
            _floor(output.standard, lambda column: _usage(column, files))
            if files.baselines
            else "NULL::DOUBLE"
        )
    if output.standard in _USAGE:
        return _usage(output.standard, files)
    return f"c.{name}"


def _usage(column: str, files: _Files) -> str:
    """Return a figure of usage as SQL, or who reported it: as it arrived late, where it did."""
    name = quoted(column)
    if files.backfills:
        return f"CASE WHEN b.{quoted(_USAGE[column])} IS NULL THEN c.{name} ELSE b.{name} END"
    return f"c.{name}"


def _floors(probes: str) -> str:
    """Return the floor of each way of answering as SQL, from its newest probes that went well and were counted by one source."""
    return (
        "(SELECT _run, arm, agent, model, any_value(token_source) AS source, median(input_tokens) AS floor"  # noqa: S608 - names are ours
        f" FROM {probes} WHERE outcome = 'ok' AND input_tokens IS NOT NULL GROUP BY ALL"
        " HAVING count(DISTINCT token_source) = 1)"
    )


def _floor(column: str, usage: Callable[[str], str]) -> str:
    """Return the floor of a cell, or its tokens above it, as SQL; null where another source counted the cell's own."""
    same = f"z.source = {usage('token_source')}"
    above = f"greatest(0, {usage('input_tokens')} - z.floor) + {usage('output_tokens')}"
    return f"CASE WHEN {same} THEN {'z.floor' if column == 'floor_tokens' else above} END"


def _graded(name: str, output: Output, files: _Files) -> str:
    if files.base and files.later:
        value = f"CASE WHEN o.cell IS NULL THEN g.{name} ELSE o.{name} END"
    elif files.base or files.later:
        value = f"{'g' if files.base else 'o'}.{name}"
    else:
        value = "NULL"
    return f"CAST({value} AS {output.type})"


def _open_part() -> Part:
    def expression(output: Output) -> str:
        if output.standard is None or output.standard == "void_why":
            return f"NULL::{output.type}"
        if output.standard in _OF_BASELINE:
            return _floor(output.standard, lambda column: f"c.{quoted(column)}")
        alias = "g" if output.standard in _OF_GRADE else "c"
        return f"CAST({alias}.{quoted(output.standard)} AS {output.type})"

    floors = _floors(f"(SELECT *, run AS _run FROM {OPEN}.baselines)")  # noqa: S608 - names are ours
    source = f"{OPEN}.cells c LEFT JOIN {OPEN}.grades g ON g.run = c.run AND g.cell = c.cell"
    return Part(f"{source} LEFT JOIN {floors} z ON {_SAME_WAY} AND z._run = c.run", expression)
