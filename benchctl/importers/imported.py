"""A file as the rows of a run: its plan, its key, its record, and each table's rows as often as they are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchctl.errors import ImportDomainError, Where
from benchctl.importers import IMPORTERS, codeaf
from benchctl.importers.disguise import refuse_disguised
from benchctl.importers.mapping import STANDARD, Plan, make_plan
from benchctl.importers.naming import Naming, naming
from benchctl.importers.reading import DEFAULT_NULL_TEXTS, Reading, scanned
from benchctl.metrics import METRICS
from benchctl.schema.evidence import FINAL_FAILURES, VOID_OUTCOMES
from benchctl.schema.imported import ForeignColumn, ImportRecord
from benchctl.schema.result import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from benchctl.importers.base import Raw, ReadOptions, Sheet
    from benchctl.importers.values import Value

__all__ = ["Imported", "ImportedRows", "Source", "Terms", "notes_of", "own_column", "read_run", "sheet_of"]

Row = dict[str, Any]
_OF_CELLS: Final = tuple(column.name for column in TABLES["cells"] if column.name != "row_digest")
_OF_GRADES: Final = tuple(column.name for column in TABLES["grades"] if column.name in STANDARD)


@dataclass(frozen=True, slots=True)
class Source:
    """The copy that is read: where it is, its sha256 and bytes, and where it will stand in the run."""

    path: Path
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Terms:
    """What the user says about a file; what is None or empty is found out from the file."""

    format: str
    mapped: Mapping[str, str]
    key: tuple[str, ...] | None = None
    null_texts: tuple[str, ...] = DEFAULT_NULL_TEXTS


@dataclass(frozen=True, slots=True)
class ImportedRows:
    """Rows that can be gone through more than once."""

    make: Callable[[], Iterator[Row]]

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows anew."""
        return self.make()


@dataclass(frozen=True, slots=True)
class Imported:
    """A file that was read, judged and found fit: nothing has been written yet."""

    record: ImportRecord
    reading: Reading
    plan: Plan
    naming: Naming

    @property
    def shown_types(self) -> list[str]:
        """Return each source column's type in the run: of one that is a standard column, that column's."""
        types: list[str] = list(self.reading.types)
        for mapped in self.plan.standard.values():
            if mapped.named:
                types[mapped.index] = mapped.column.type
        return types

    def tables(self) -> dict[str, ImportedRows]:
        """Return the rows of `cells`, `grades` and `foreign`, in the file's order; without the rows' digests."""
        return {
            "cells": ImportedRows(self._cells),
            "grades": ImportedRows(self._grades),
            "foreign": ImportedRows(self._foreign),
        }

    def _rows(self) -> Iterator[tuple[int, str, Sequence[Raw]]]:
        """Yield (number from 0, cell, raw values) of each row."""
        key = [(index, self.reading.converter(index, "VARCHAR")) for index in self.naming.key]
        name = self.naming.name
        for number, (_, raw) in enumerate(self.reading.sheet.rows()):
            yield number, name([convert(raw[index]) for index, convert in key]), raw

    def _filled(self, wanted: tuple[str, ...]) -> list[tuple[str, int, Callable[[Raw], Value]]]:
        """Return (standard column, place of its source, what makes its values) of those of `wanted` that are filled."""
        return [
            (name, mapped.index, self.reading.converter(mapped.index, mapped.column.type))
            for name, mapped in self.plan.standard.items()
            if name in wanted
        ]

    def _cells(self) -> Iterator[Row]:
        empty, filled = dict.fromkeys(_OF_CELLS), self._filled(_OF_CELLS)
        outcome = None if "outcome" in self.plan.standard else study_outcome(self.reading)
        for number, cell, raw in self._rows():
            row: Row = {**empty, "cell": cell, "order": number}
            for name, index, convert in filled:
                row[name] = convert(raw[index])
            if outcome:
                row["outcome"] = outcome(raw)
            if row["outcome"] is not None:
                row["failed"] = row["outcome"] in FINAL_FAILURES
                row["void"] = row["outcome"] in VOID_OUTCOMES
            yield row

    def _grades(self) -> Iterator[Row]:
        filled = self._filled(_OF_GRADES)
        for _, cell, raw in self._rows() if filled else ():
            said = {name: convert(raw[index]) for name, index, convert in filled}
            if any(value is not None for value in said.values()):
                yield {"cell": cell, "generation": 1, "grader": "imported", **said}

    def _foreign(self) -> Iterator[Row]:
        own = [(self.plan.names[index], index, self.reading.converter(index)) for index in self.plan.own]
        for _, cell, raw in self._rows():
            yield {"cell": cell, **{name: convert(raw[index]) for name, index, convert in own}}


def study_outcome(reading: Reading) -> Callable[[Sequence[Raw]], str | None] | None:
    """Return how a known study's rows say how they ended; None for every other file."""
    if reading.dialect is None:
        return None
    places = [reading.columns.index(name) for name in ("exit", "nodes_failed")]
    if any(reading.types[index] != "BIGINT" for index in places):
        return None
    (exit_at, nodes_at), (exit_of, nodes_of) = places, [reading.converter(index) for index in places]

    def outcome(raw: Sequence[Raw]) -> str | None:
        status, nodes = exit_of(raw[exit_at]), nodes_of(raw[nodes_at])
        return codeaf.outcome(
            status if isinstance(status, int) else None, nodes if isinstance(nodes, int) else None
        )

    return outcome


def read_run(source: Source, kept: str, terms: Terms, options: ReadOptions) -> Imported:
    """Return a file as the rows of a run, having read it whole. `kept` is where its copy will stand in the run.

    Raises the errors of an import, each placed in the file: what cannot be read, what its columns cannot
    be, what no metric can be, and rows that have one key.
    """
    reading = scanned(sheet_of(source, terms, options), terms.null_texts, options)
    asked = {**(reading.dialect.mapped if reading.dialect else {}), **terms.mapped}
    plan = make_plan(reading.columns, reading.scans, asked, options)
    _refuse_outside(reading, plan, options)
    named = naming(terms.key, reading, plan, options)
    record = ImportRecord(
        format=terms.format,
        file=options.name,
        kept=kept,
        sha256=source.sha256,
        bytes=source.bytes,
        rows=reading.rows,
        encoding=reading.sheet.encoding,
        key=tuple(reading.columns[index] for index in named.key),
        mapped={name: reading.columns[mapped.index] for name, mapped in sorted(plan.standard.items())},
        null_texts=terms.null_texts,
        foreign=tuple(own_column(reading, index, plan.names[index]) for index in plan.own),
        notes=(
            *notes_of(reading, plan.names, terms.null_texts, plan.own),
            *_said(reading, plan),
            *named.notes,
        ),
        dialect="codeaf" if reading.dialect else "",
        options=reading.sheet.options | ({"exported": "benchctl"} if options.types else {}),
    )
    return Imported(record, reading, plan, named)


def sheet_of(source: Source, terms: Terms, options: ReadOptions) -> Sheet:
    """Return a file as a sheet. Raises ImportUnreadableError, saying what a file is that is of another format."""
    refuse_disguised(source.path, terms.format, options)
    return IMPORTERS[terms.format].read(source.path, options)


def own_column(reading: Reading, index: int, name: str) -> ForeignColumn:
    """Return a column as it is kept under its own name."""
    return ForeignColumn(
        name=name, type=reading.types[index], source=reading.columns[index], null=reading.scans[index].null
    )


def notes_of(
    reading: Reading, names: Sequence[str], null_texts: tuple[str, ...], own: Sequence[int]
) -> Iterator[str]:
    """Yield what has to be known of the file and of each column; `own` are the places of those that stay."""
    yield from reading.notes
    for index, (name, scan) in enumerate(zip(names, reading.scans, strict=True)):
        for note in scan.notes(reading.sheet.unit, null_texts, own=index in own):
            yield f"{name}: {note}"


def _said(reading: Reading, plan: Plan) -> Iterator[str]:
    yield from plan.notes
    if reading.dialect:
        yield "a results.csv of the codeaf study: harness is the agent, issue the question, seconds the wall time"
        if study_outcome(reading) and "outcome" not in plan.standard:
            yield "outcome by the study's rule: nodes_failed above 0 is no_result, exit 0 ok, 124 timeout, else exit_nonzero"
        else:
            yield "no outcome: `exit` or `nodes_failed` is no column of whole numbers"


def _refuse_outside(reading: Reading, plan: Plan, options: ReadOptions) -> None:
    """Raise ImportDomainError for a value that the metric which it is mapped to cannot have."""
    bounded = [
        (mapped, METRICS[name].domain, reading.converter(mapped.index, mapped.column.type))
        for name, mapped in plan.standard.items()
        if name in METRICS and mapped.column.type != "BOOLEAN"
    ]
    for place, raw in reading.sheet.rows() if bounded else ():
        for mapped, (least, greatest), convert in bounded:
            value = convert(raw[mapped.index])
            if value is None or isinstance(value, str):
                continue
            if value < least or (greatest is not None and value > greatest):
                raise _outside(mapped.column.name, plan.names[mapped.index], value, options.where(place))


def _outside(name: str, source: str, value: Value, where: Where) -> ImportDomainError:
    least, greatest = METRICS[name].domain
    other = "points" if name == "score" else f"own_{name}"
    return ImportDomainError(
        f"`{name}` is {value}",
        where=where,
        expected=f"{least:g} to {greatest:g}" if greatest is not None else f"{least:g} or more",
        next_step=f"if it is another measure, keep it under another name: `--map {source}={other}`",
    )
