"""What a closed run says twice, compared: a manifest that agrees with its files may still be about another run.

The record names the cells, the suite and the answer keys; a row names its own digest; cells count
their attempts. None of this needs the manifest, so whoever rewrites that has to rewrite all of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from benchctl.errors import StoreDamagedError
from benchctl.schema.canonical import digest, sha256_hex
from benchctl.store.damage import Damage, from_error
from benchctl.store.layout import REQUIRED
from benchctl.store.outside import parse_json, read_regular
from benchctl.store.parquet import read_rows, refuse_columns
from benchctl.store.rows import columns_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from pathlib import Path

    import duckdb

    from benchctl.schema.run import RunRecord
    from benchctl.store.layout import RunLayout
    from benchctl.store.manifest import Manifest

__all__ = ["contradictions", "unlisted"]

_NO_SUITE = f"sha256:{sha256_hex(b'')}"
"""The suite digest of a run that kept no suite."""

_PLANNED = ("cell", "key", "order", "question", "class", "repo", "arm", "agent", "model", "rep")
_KEPT = {
    "cells": (*_PLANNED, "attempts", "outcome"),
    "attempts": ("cell", "attempt", "stdout_sha256", "stderr_sha256"),
    "grades": ("cell", "generation"),
    "transcripts": ("cell", "attempt", "stream", "sha256"),
}

Rows = list[dict[str, Any]]


def unlisted(manifest: Manifest, record: RunRecord) -> Iterator[Damage]:
    """Yield each file that every closed run has and this manifest does not list, and a suite that is another."""
    for name in REQUIRED:
        if name not in manifest.files:
            yield Damage(name, "not in the manifest", "a file that every closed run has")
    suite = manifest.files.get("evidence/suite.toml")
    said = f"sha256:{suite.sha256}" if suite else _NO_SUITE
    if said != record.suite_digest:
        yield Damage(
            "evidence/suite.toml",
            said if suite else "not in the manifest",
            f"{record.suite_digest}, as run.json says",
        )


def contradictions(layout: RunLayout, manifest: Manifest, record: RunRecord) -> Iterator[Damage]:
    """Yield what the tables, the answer key and the record say of each other that is not so."""
    import duckdb

    yield from _gold(layout, record)
    found: dict[str, Rows] = {}
    with duckdb.connect(config={"threads": 1}) as connection:
        for table in _KEPT:
            path = layout.table(table)
            try:
                found[table] = yield from _read(connection, layout, path, table, manifest.rows_schema)
            except StoreDamagedError as error:
                yield from_error(layout, error)
                return
        yield from _cells(record, found["cells"])
        yield from _missing(layout, record, found["cells"])
        yield from _attempts(found)
        for name in sorted(manifest.files):
            if name.startswith("grades/") and name.endswith(".parquet"):
                path = layout.folder / name
                try:
                    rows = yield from _read(connection, layout, path, "grades", manifest.rows_schema)
                except StoreDamagedError as error:
                    yield from_error(layout, error)
                else:
                    yield from _grades(name, found["cells"], rows, first=path == layout.table("grades"))


def _read(
    connection: duckdb.DuckDBPyConnection, layout: RunLayout, path: Path, table: str, version: int
) -> Generator[Damage, None, Rows]:
    """Return the columns that are compared of every row; yield the rows that are not what their own digests say."""
    refuse_columns(connection, path, table)
    kept: Rows = []
    wrong: list[str] = []
    for row in read_rows(connection, path, columns_of(table, version)):
        kept.append({name: row[name] for name in _KEPT[table]} | {"cell": str(row["cell"])})
        said = row.pop("row_digest", None)
        if said != digest(row) and table != "transcripts":
            wrong.append(str(row["cell"]))
    if wrong:
        name = path.relative_to(layout.folder).as_posix()
        yield _first(name, wrong, "not what the row's own digest says")
    return kept


def _first(path: str, cells: Iterable[str], what: str, expected: str | None = None) -> Damage:
    first, *others = sorted(set(cells))
    more = f" and of {len(others)} more" if others else ""
    return Damage(path, f"the row of cell {first}{more}: {what}", expected)


def _cells(record: RunRecord, cells: Rows) -> Iterator[Damage]:
    name, counts = "rows/cells.parquet", Counter(row["cell"] for row in cells)
    wanted = {
        cell.cell: {
            **{key: getattr(cell, key) for key in _PLANNED if key != "class"},
            "class": cell.question_class,
        }
        for cell in record.cells
    }
    if doubled := [cell for cell, count in counts.items() if count > 1]:
        yield _first(name, doubled, "there more than once", "one row a cell")
    if strange := counts.keys() - wanted.keys():
        yield _first(name, strange, "run.json does not plan it", "the planned cells and no other")
    changed = [
        row["cell"]
        for row in cells
        if row["cell"] in wanted and any(row[key] != wanted[row["cell"]][key] for key in _PLANNED)
    ]
    if changed:
        yield _first(name, changed, "not as run.json plans it", "its key, place and axes")


def _missing(layout: RunLayout, record: RunRecord, cells: Rows) -> Iterator[Damage]:
    """Yield the planned cells without a row, but for those that the run says it was closed without."""
    unstarted: set[str] = set()
    if layout.unstarted.exists():
        try:
            unstarted = set(parse_json(read_regular(layout.unstarted)))
        except (OSError, ValueError, TypeError) as error:
            yield Damage(
                layout.unstarted.relative_to(layout.folder).as_posix(), f"not a list of cells: {error}"
            )
    if differing := {cell.cell for cell in record.cells} - {row["cell"] for row in cells} ^ unstarted:
        yield _first(
            "rows/cells.parquet",
            map(str, differing),
            "missing",
            "a row for every cell that run.json plans and evidence/unstarted.json does not name",
        )


def _attempts(found: dict[str, Rows]) -> Iterator[Damage]:
    started: dict[str, list[int]] = defaultdict(list)
    streams = {}
    for row in found["attempts"]:
        started[row["cell"]].append(row["attempt"])
        for stream in ("stdout", "stderr"):
            if row[f"{stream}_sha256"] is not None:
                streams[row["cell"], row["attempt"], stream] = row[f"{stream}_sha256"]
    counted = {row["cell"]: list(range(1, (row["attempts"] or 0) + 1)) for row in found["cells"]}
    cells = started.keys() | counted.keys()
    if wrong := [
        cell
        for cell in cells
        if sorted(attempt or 0 for attempt in started.get(cell, ())) != counted.get(cell, [])
    ]:
        yield _first("rows/attempts.parquet", wrong, "not the attempts that its cell counts")
    if none := [
        row["cell"] for row in found["cells"] if not row["attempts"] and row["outcome"] != "interrupted"
    ]:
        yield _first("rows/cells.parquet", none, "it has an outcome and no attempt")
    said = {(row["cell"], row["attempt"], row["stream"]): row["sha256"] for row in found["transcripts"]}
    if said != streams or len(said) != len(found["transcripts"]):
        wrong = [key[0] for key in said.keys() | streams.keys() if said.get(key) != streams.get(key)]
        yield _first(
            "evidence/transcripts.parquet",
            wrong or [key[0] for key in said],
            "not the streams of its attempts",
        )


def _grades(name: str, cells: Rows, grades: Rows, *, first: bool) -> Iterator[Damage]:
    counts = Counter(row["cell"] for row in grades)
    outcomes = {row["cell"]: row["outcome"] for row in cells}
    if doubled := [cell for cell, count in counts.items() if count > 1]:
        yield _first(name, doubled, "there more than once", "one grade a cell and generation")
    if strange := counts.keys() - outcomes.keys():
        yield _first(name, strange, "of no cell of the run")
    ungraded = [cell for cell, outcome in outcomes.items() if outcome != "interrupted" and cell not in counts]
    if first and ungraded:
        yield _first(name, ungraded, "missing", "a grade of every cell that finished")
    if wrong := [row["cell"] for row in grades if name != f"grades/g{row['generation'] or 0:04d}.parquet"]:
        yield _first(name, wrong, "of another generation than its file")


def _gold(layout: RunLayout, record: RunRecord) -> Iterator[Damage]:
    name = layout.gold.relative_to(layout.folder).as_posix()
    try:
        gold = {question: list(items) for question, items in parse_json(read_regular(layout.gold)).items()}
        said = {question: digest(items) for question, items in gold.items()}
    except (OSError, ValueError, AttributeError, TypeError) as error:
        yield Damage(name, f"not an answer key: {error}")
        return
    asked = {cell.question for cell in record.cells}
    for each in record.gold:
        if each.question in asked | said.keys() and said.get(each.question) != each.digest:
            yield Damage(
                name, f"the key of question {each.question} is not the one that run.json names", each.digest
            )
