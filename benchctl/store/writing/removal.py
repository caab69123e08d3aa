"""What leaves a closed run: transcripts that take too much room, and a secret that must not be kept.

Both are a further generation whose manifest says what was removed, with its size, its digest and why.
Nothing else is ever removed, and no file is rewritten: one that held a secret is replaced by another.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchctl.schema.canonical import digest
from benchctl.schema.imported import TableRecord
from benchctl.schema.result import SCHEMA_VERSION
from benchctl.schema.run import RunRecord
from benchctl.store.disk.durable import TEMPORARY
from benchctl.store.disk.layout import original_name, replacement_name
from benchctl.store.disk.manifest import Manifest
from benchctl.store.disk.parquet import read_rows
from benchctl.store.disk.sealing import seal_table
from benchctl.store.disk.untrusted import parse_json, read_regular
from benchctl.store.writing.generation import adding
from benchctl.store.writing.sighting import Sighting, columns_in, holds, kept, sightings, values_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import duckdb
    from pydantic import BaseModel

    from benchctl.schema.result import Column
    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.rows import Row
    from benchctl.store.writing.generation import Addition
    from benchctl.store.writing.secret import Secret

__all__ = ["Removal", "drop_transcripts", "droppable", "dropped_transcripts", "erase"]

_TRANSCRIPTS: Final = "evidence/transcripts.parquet"


class Removal(NamedTuple):
    """What was removed from which generation of a run, and the one that says so: the same where nothing was there."""

    before: Manifest
    after: Manifest
    found: list[Sighting]


def droppable(manifest: Manifest) -> str | None:
    """Return the file of a run's transcripts; None where it has none (any more), or none with a row."""
    name = manifest.file_of("transcripts")
    entry = manifest.tables.get("transcripts")
    return name if entry is None or entry.rows else None


def dropped_transcripts(manifest: Manifest) -> str | None:
    """Return a sentence that says why a run has no transcripts any more; None where it has them."""
    removed = [each for name, each in manifest.removed.items() if original_name(name)[0] == _TRANSCRIPTS]
    if manifest.file_of("transcripts") is not None or not removed:
        return None
    last = max(removed, key=lambda each: each.generation)
    return (
        f"the transcripts of run {manifest.run} are gone: {last.why} (manifest generation {last.generation};"
        " their digests stand in `attempts`)"
    )


def drop_transcripts(layout: RunLayout, why: str) -> Removal:
    """Drop a closed run's transcripts, if it has any, and return what that removed.

    The attempts go on saying the sha256 of each stream, and the manifest that of the file. Raises what
    `add_generation` raises.
    """
    with adding(layout) as addition:
        name = droppable(addition.newest)
        if name is None:
            return Removal(addition.newest, addition.newest, [])
        after = addition.commit({}, remove={name: why})
        return Removal(addition.newest, after, [Sighting(name, 0, whole=True)])


@dataclass(slots=True)
class _Replacing:
    """The files that go, and those that take their places."""

    addition: Addition
    secret: Secret
    files: dict[str, bytes | Path] = field(default_factory=dict)
    tables: dict[str, Any] = field(default_factory=dict)

    def take(self, connection: duckdb.DuckDBPyConnection, name: str) -> None:
        path = self.addition.layout.folder / name
        final = replacement_name(name, self.addition.generation)
        if name.endswith(".parquet"):
            temporary = self.addition.scratch / f"{final.replace('/', '-')}{TEMPORARY}"
            self._table(connection, path, name, temporary)
            self.files[final] = temporary
        else:
            text = self._json(path, name) if name.endswith(".json") else self._plain(path)
            if self.secret.is_in_bytes(text.encode()):
                raise kept(path, "the file even after it was replaced")
            self.files[final] = text.encode()

    def _json(self, path: Path, name: str) -> str:
        """Return a JSON file's text without the secret; what it describes must still be read from it."""
        try:
            said = self.secret.replaced_json(parse_json(read_regular(path)))
            if kind := _read_as(original_name(name)[0]):
                kind.model_validate(said)
        except ValueError as error:
            raise kept(path, f"what the run is read by: {str(error).splitlines()[0]}") from error
        return json.dumps(said, indent=1, sort_keys=True, ensure_ascii=False) + "\n"

    def _plain(self, path: Path) -> str:
        """Return a text file without the secret: in its place what no format takes for its own signs."""
        text = read_regular(path).decode()
        for form, stone in self.secret.forms.items():
            text = text.replace(form, stone.replace("\\", "/").replace('"', "'"))
        return text

    def _table(self, connection: duckdb.DuckDBPyConnection, path: Path, name: str, into: Path) -> None:
        columns, run = columns_in(connection, path), self.addition.newest.run
        first = original_name(name)[0]
        stem = first.removesuffix(".parquet")
        metadata = {
            "benchctl.run": run,
            "benchctl.table": stem.rpartition("/")[2],
            "benchctl.schema": str(SCHEMA_VERSION),
        }
        signed = first.startswith(("rows/", "grades/")) and any(c.name == "row_digest" for c in columns)
        rows = self._rows(connection, path, columns, signed=signed and first != "rows/foreign.parquet")
        entry = seal_table(rows, columns, into, scratch=self.addition.scratch, metadata=metadata)
        if first.startswith("tables/"):
            self.tables[stem] = entry
        if values_in(connection, into, self.secret) or holds(into, self.secret):
            raise kept(path, "the file even after it was replaced")

    def _rows(
        self, connection: duckdb.DuckDBPyConnection, path: Path, columns: tuple[Column, ...], *, signed: bool
    ) -> Iterator[Row]:
        cells: set[str] = set()
        alone = path.name.startswith("cells")
        for row in read_rows(connection, path, columns):
            new = {k: self.secret.replaced(v) if isinstance(v, str) else v for k, v in row.items()}
            if signed:
                del new["row_digest"]
                new["row_digest"] = digest(new)
            if alone and new["cell"] in cells:
                raise kept(path, f"the names of cells that would be one, {new['cell']!r}, without it")
            cells |= {new["cell"]} if alone else set()
            yield new


def _read_as(name: str) -> type[BaseModel] | None:
    """Return what a JSON file of a run is read as; None where any object will do."""
    if name == "run.json":
        return RunRecord
    return TableRecord if name.startswith("tables/") else None


def erase(layout: RunLayout, secret: Secret) -> Removal:
    """Erase a secret from a closed run and return which files held it.

    Each is replaced by one with `[erased: why]` in its place, under a new name, and removed; a copy of an
    imported file is removed whole. Rows that change have new digests, and the data digest moves with them.
    Where no file holds it, nothing is written. Raises what `sightings` and `add_generation` raise, and
    SecretKeptError where what would be left could not be read as a run; nothing is changed then.
    """
    import duckdb

    with adding(layout) as addition:
        found = sightings(layout, addition.newest, secret)
        if not found:
            return Removal(addition.newest, addition.newest, [])
        replacing = _Replacing(addition, secret)
        with duckdb.connect(config={"threads": 1}) as connection:
            for each in found:
                if not each.whole:
                    replacing.take(connection, each.name)
        why = f"erased: {secret.why}"
        remove = {each.name: why for each in found}
        after = addition.commit(replacing.files, tables=replacing.tables, remove=remove)
        return Removal(addition.newest, after, found)
