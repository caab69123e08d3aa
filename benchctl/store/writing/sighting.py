"""Where a text that is to be erased stands in a closed run: every file of its folder, and every name in it.

What cannot be replaced is found first, and refused with nothing changed: the chain of manifests, the names
of columns, numbers, and files that are not the run's.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchctl.errors import SecretKeptError, Where
from benchctl.schema.result import Column
from benchctl.store.disk.entries import FileEntry, file_entry
from benchctl.store.disk.layout import original_name
from benchctl.store.disk.parquet import quoted, sealed
from benchctl.store.disk.verified_file import trusted
from benchctl.store.disk.walk import listed_files

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import duckdb

    from benchctl.store.disk.layout import RunLayout
    from benchctl.store.disk.manifest import Manifest
    from benchctl.store.writing.secret import Secret

__all__ = ["Sighting", "columns_in", "holds", "kept", "sightings", "values_in"]

_NUMBERS: Final = ("BIGINT", "DOUBLE")
_IMPORTED_ROWS: Final = ("rows/cells.parquet", "rows/foreign.parquet", "grades/g0001.parquet")


@dataclass(frozen=True, slots=True)
class Sighting:
    """A file that holds a secret. `times` is how often, as far as can be counted; `whole` files are dropped, not replaced."""

    name: str
    times: int
    whole: bool = False


def sightings(layout: RunLayout, manifest: Manifest, secret: Secret) -> list[Sighting]:
    """Return every file of a closed run that holds a secret, by name; a table by its values, any file by its bytes.

    A copy of an imported file is meant with its rows, however it writes them. Raises StoreDamagedError for a
    file that is not what the manifest says, SecretKeptError where the secret stands in what cannot be replaced.
    """
    import duckdb

    _refuse_manifests(layout, secret)
    _refuse_strays(layout, manifest, secret)
    found: dict[str, Sighting] = {}
    with duckdb.connect(config={"threads": 1}) as connection:
        for name in sorted(manifest.files):
            if not name.startswith("manifest"):
                times = _times(connection, trusted(layout, manifest, name), secret, whole=_is_source(name))
                if times:
                    found[name] = Sighting(name, times, whole=_is_source(name))
    for name in _origins(manifest, found):
        found.setdefault(name, Sighting(name, 1, whole=True))
    return [found[name] for name in sorted(found)]


def _refuse_manifests(layout: RunLayout, secret: Secret) -> None:
    for generation in layout.generations():
        path = layout.manifest(generation)
        if holds(path, secret):
            raise kept(
                path,
                "a manifest, as a reason, a file's name or one of its own words,"
                " and manifests are what later ones are checked against",
            )


def _refuse_strays(layout: RunLayout, manifest: Manifest, secret: Secret) -> None:
    """Raise for a file that is not the run's; one that is to be removed, and was not yet, goes with the next addition."""
    for name, path in listed_files(layout, manifest.generation).items():
        gone = manifest.removed.get(name)
        if name in manifest.files or path.is_symlink() or not path.is_file():
            continue
        if gone and file_entry(path) == FileEntry(gone.bytes, gone.sha256):
            continue
        if secret.occurrences(name) or holds(path, secret):
            raise SecretKeptError(
                "the text stands in a file that is not the run's",
                where=Where(str(path)),
                next_step="remove that file, which `benchctl verify-store` names too; nothing was changed",
            )


def holds(path: Path, secret: Secret) -> bool:
    """Return whether a file's bytes hold the secret; of a big one, without its bytes in memory."""
    if not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return secret.is_in_bytes(content)


def _times(connection: duckdb.DuckDBPyConnection, path: Path, secret: Secret, *, whole: bool) -> int:
    if path.suffix == ".parquet" and not whole:
        return values_in(connection, path, secret) or int(holds(path, secret))
    return int(holds(path, secret))


def _is_source(name: str) -> bool:
    """Return whether a file is a copy of somebody else's, whose bytes cannot be replaced one by one."""
    first = original_name(name)[0]
    return first.startswith("evidence/source") or (first.startswith("tables/") and ".source" in first)


def _origins(manifest: Manifest, found: Iterable[str]) -> list[str]:
    """Return the copies of imported files whose rows hold the secret: they hold it too, escaped in whatever way."""
    firsts = {original_name(name)[0] for name in found}
    stems = [first.removesuffix(".parquet") + ".source" for first in firsts if first.startswith("tables/")]
    if firsts & set(_IMPORTED_ROWS):
        stems.append("evidence/source")
    return [name for name in manifest.files if name.startswith(tuple(f"{stem}." for stem in stems))]


def kept(path: Path, what: str) -> SecretKeptError:
    """Return the refusal of an erasure that would leave the secret where it is."""
    return SecretKeptError(
        f"the text stands in {what}",
        where=Where(str(path)),
        next_step="remove the run's folder, and import or collect it again without; nothing was changed",
    )


def columns_in(connection: duckdb.DuckDBPyConnection, path: Path) -> tuple[Column, ...]:
    """Return a Parquet file's own columns."""
    with sealed(path):
        cursor = connection.execute("SELECT * FROM read_parquet(?) LIMIT 0", [str(path)])
    return tuple(Column(each[0], str(each[1]), "") for each in cursor.description or ())  # type: ignore[arg-type]


def values_in(connection: duckdb.DuckDBPyConnection, path: Path, secret: Secret) -> int:
    """Return in how many values of a table's text columns the secret stands. Raises SecretKeptError for the others."""
    columns = columns_in(connection, path)
    for column in columns:
        if secret.occurrences(column.name):
            raise kept(path, "the name of a column")
    if secret.is_number:
        numbers = [f"'<' || CAST({quoted(c.name)} AS VARCHAR) || '>'" for c in columns if c.type in _NUMBERS]
        if _counted(connection, path, numbers, (f"<{secret.text}>", f"<{secret.text}.0>")):
            raise kept(path, "a column of numbers, which has no place for another text")
    return _counted(
        connection, path, [quoted(c.name) for c in columns if c.type == "VARCHAR"], tuple(secret.forms)
    )


def _counted(
    connection: duckdb.DuckDBPyConnection, path: Path, texts: list[str], forms: tuple[str, ...]
) -> int:
    """Return in how many values of these expressions any of the forms stands."""
    held = " OR ".join("contains({0}, ?)" for _ in forms)
    counts = " + ".join(f"count(*) FILTER ({held.format(text)})" for text in texts) or "0"
    with sealed(path):
        row: Any = connection.execute(
            f"SELECT {counts} FROM read_parquet(?)",  # noqa: S608 - names are quoted
            [*(form for _ in texts for form in forms), str(path)],
        ).fetchone()
    return int(row[0])
