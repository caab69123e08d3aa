"""What a closed run says twice, compared: a manifest that agrees with its files may still be about another run.

The record names the cells, the suite and the answer keys; a row names its own digest; cells count
their attempts; the manifest counts the rows of each table. Most of this needs no manifest, so whoever
rewrites that has to rewrite all of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchctl.errors import StoreDamagedError
from benchctl.schema.canonical import digest
from benchctl.schema.imported import foreign_columns
from benchctl.store.checking.damage import Damage, first_row, from_error
from benchctl.store.checking.transcript_check import transcript_damage
from benchctl.store.disk.entries import IN_DATA, WHERE_PRESENT, TableEntry, data_digest
from benchctl.store.disk.layout import BY_GENERATION, generation_of, names_of_table
from benchctl.store.disk.scan import Scan, newest_entry, stored_columns
from benchctl.store.disk.untrusted import parse_json, read_regular
from benchctl.store.writing.tables import places

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

    from benchctl.schema.run import RunRecord
    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.manifest import Manifest

__all__ = ["Contents"]

_PLANNED = ("cell", "key", "order", "question", "class", "repo", "arm", "agent", "model", "rep")
_KEPT = {
    "cells": (*_PLANNED, "attempts", "outcome"),
    "attempts": ("cell", "attempt", "stdout_sha256", "stderr_sha256", "kept"),
    "foreign": ("cell",),
    **dict.fromkeys(BY_GENERATION, ("cell", "generation")),
}

Rows = list[dict[str, Any]]


@dataclass(slots=True)
class Contents:
    """The tables of one closed run, read once, and what they say of each other that is not so."""

    layout: RunLayout
    manifest: Manifest
    record: RunRecord
    _scans: dict[str, list[Scan]] = field(default_factory=dict)
    _place: dict[str, int] = field(default_factory=dict)

    def contradictions(self) -> Iterator[Damage]:
        """Yield what the tables, the answer key and the record contradict, all but the transcripts."""
        import duckdb

        yield from self._gold()
        entries: dict[str, TableEntry] = {}
        with duckdb.connect(config={"threads": 1}) as connection:
            for table in (*IN_DATA, *WHERE_PRESENT):
                try:
                    entries |= self._scan(connection, table)
                except StoreDamagedError as error:
                    yield from_error(self.layout, error)
                    return
        found = [
            first_row(self._name(scan), scan.wrong, "not what the row's own digest says")
            for scans in self._scans.values()
            for scan in scans
            if scan.wrong
        ]
        found += [*self._cells(), *self._missing(), *self._attempts(), *self._by_generation()]
        yield from found or self._counted(entries)

    def transcripts(self, *, deep: bool) -> Iterator[Damage]:
        """Yield what is wrong with the transcripts, their texts digested anew where `deep`."""
        if "attempts" in self._scans:
            yield from transcript_damage(self.layout, self.manifest, self._rows("attempts"), deep=deep)

    def _scan(self, connection: duckdb.DuckDBPyConnection, table: str) -> dict[str, TableEntry]:
        """Read a table's files and return its entry; nothing where the run has none."""
        own = foreign_columns(self.record.imported) if table == "foreign" and self.record.imported else ()
        paths = [self.layout.folder / name for name in names_of_table(self.manifest.files, table)]
        scans = [Scan(path, stored_columns(connection, path, table, own)) for path in paths]
        if not scans:
            return {}
        if table == "cells":
            self._place = places(connection, scans[0].path)
        there = {column.name for scan in scans for column in scan.columns}  # an older file has fewer
        kept = tuple(name for name in _KEPT[table] if name in there)
        entry = newest_entry(connection, scans, self._place, kept)
        self._scans[table] = scans
        return {table: entry}

    def _name(self, scan: Scan) -> str:
        return scan.path.relative_to(self.layout.folder).as_posix()

    def _rows(self, table: str) -> Rows:
        """Return the kept columns of a table of one file."""
        return self._scans[table][0].kept

    def _file(self, table: str) -> str:
        return self._name(self._scans[table][0])

    def _cells(self) -> Iterator[Damage]:
        name, cells = self._file("cells"), self._rows("cells")
        if doubled := [cell for cell, count in Counter(row["cell"] for row in cells).items() if count > 1]:
            yield first_row(name, doubled, "there more than once", "one row a cell")
        if self.record.imported:
            if len(cells) != self.record.imported.rows:
                yield Damage(name, f"{len(cells)} rows", f"{self.record.imported.rows}, as run.json says")
            return
        wanted = {cell.cell: cell for cell in self.record.cells}
        if strange := {row["cell"] for row in cells} - wanted.keys():
            yield first_row(name, strange, "run.json does not plan it", "the planned cells and no other")
        planned = [key for key in _PLANNED if key != "class"]
        changed = [
            row["cell"]
            for row in cells
            if (cell := wanted.get(row["cell"]))
            and (
                row["class"] != cell.question_class or any(row[key] != getattr(cell, key) for key in planned)
            )
        ]
        if changed:
            yield first_row(name, changed, "not as run.json plans it", "its key, place and axes")

    def _missing(self) -> Iterator[Damage]:
        """Yield the planned cells without a row, but for those that the run says it was closed without."""
        name = self.manifest.current("evidence/unstarted.json")
        unstarted: set[str] = set()
        if name:
            try:
                unstarted = set(parse_json(read_regular(self.layout.folder / name)))
            except (OSError, ValueError, TypeError) as error:
                yield Damage(name, f"not a list of cells: {error}")
        planned = {cell.cell for cell in self.record.cells}
        there = {row["cell"] for row in self._rows("cells")}
        if not self.record.imported and (differing := planned - there ^ unstarted):
            yield first_row(
                self._file("cells"),
                map(str, differing),
                "missing",
                "a row for every cell that run.json plans and evidence/unstarted.json does not name",
            )

    def _attempts(self) -> Iterator[Damage]:
        cells, started = self._rows("cells"), defaultdict[str, list[int]](list)
        for row in self._rows("attempts"):
            started[row["cell"]].append(row["attempt"] or 0)
        counted = {row["cell"]: list(range(1, (row["attempts"] or 0) + 1)) for row in cells}
        if self.record.imported:
            if started:
                yield first_row(self._file("attempts"), started, "there, and an import starts none")
            return
        wrong = [
            cell
            for cell in started.keys() | counted.keys()
            if sorted(started.get(cell, ())) != counted.get(cell, [])
        ]
        if wrong:
            yield first_row(self._file("attempts"), wrong, "not the attempts that its cell counts")
        if none := [row["cell"] for row in cells if not row["attempts"] and row["outcome"] != "interrupted"]:
            yield first_row(self._file("cells"), none, "it has an outcome and no attempt")

    def _by_generation(self) -> Iterator[Damage]:
        """Yield what is wrong with the rows of grades, voids and backfills, and with an import's own columns."""
        cells = {row["cell"]: row["outcome"] for row in self._rows("cells")}
        for table in (*BY_GENERATION, "foreign"):
            for nth, scan in enumerate(self._scans.get(table, ())):
                name, counts = self._name(scan), Counter(row["cell"] for row in scan.kept)
                if doubled := [cell for cell, count in counts.items() if count > 1]:
                    yield first_row(name, doubled, "there more than once", "one row a cell and generation")
                if strange := counts.keys() - (counts if table == "baselines" else cells).keys():
                    yield first_row(name, strange, "of no cell of the run")
                number = generation_of(name)
                if wrong := [row["cell"] for row in scan.kept if row.get("generation", number) != number]:
                    yield first_row(name, wrong, "of another generation than its file")
                ungraded = [
                    cell for cell, outcome in cells.items() if cell not in counts and outcome != "interrupted"
                ]
                whole = table == "foreign" or (table == "grades" and nth == 0 and not self.record.imported)
                if whole and ungraded:
                    what = (
                        "a grade of every cell that finished" if table == "grades" else "a row of every cell"
                    )
                    yield first_row(name, ungraded, "missing", what)

    def _counted(self, entries: dict[str, TableEntry]) -> Iterator[Damage]:
        """Yield the tables whose rows are not those that the manifest counts, and a data digest of other rows."""
        said = {name for name in self.manifest.tables if name in (*IN_DATA, *WHERE_PRESENT)}
        for table in sorted(said | entries.keys()):
            actual = entries.get(table, TableEntry(0, "of no file"))
            wanted = self.manifest.tables.get(table, TableEntry(0, "of no rows"))
            if actual != wanted:
                scans = self._scans.get(table)
                yield Damage(
                    self._name(scans[-1]) if scans else f"rows/{table}.parquet",
                    f"{actual.rows} rows, digest {actual.sha256}",
                    f"{wanted.rows} rows, digest {wanted.sha256}",
                )
        if self.manifest.data != data_digest(self.manifest.tables):
            yield Damage(
                self.layout.manifest(self.manifest.generation).name,
                f"data digest {self.manifest.data}",
                data_digest(self.manifest.tables),
            )

    def _gold(self) -> Iterator[Damage]:
        name = self.manifest.current("evidence/gold.json")
        if name is None:  # it was erased, and the manifest says so
            return
        try:
            content = parse_json(read_regular(self.layout.folder / name))
            said = {question: digest(list(items)) for question, items in content.items()}
        except (OSError, ValueError, AttributeError, TypeError) as error:
            yield Damage(name, f"not an answer key: {error}")
            return
        asked = {cell.question for cell in self.record.cells}
        replaced = name != "evidence/gold.json"  # an item of it was erased: the key that was used is gone
        for each in self.record.gold:
            known = each.question in asked | said.keys()
            if known and not replaced and said.get(each.question) != each.digest:
                yield Damage(
                    name,
                    f"the key of question {each.question} is not the one that run.json names",
                    each.digest,
                )
