"""Relations of the store as files for other programs: Parquet, CSV, JSON Lines, or one DuckDB database.

Values are exact in every format. So runs that disagree about a column's type do not go into one file, and
a text that begins like a formula is written as it is: a spreadsheet may run it, and `Written.formulas`
counts them. What a file says of itself (its runs' data digests, its columns) stands in Parquet's metadata,
in a table `benchctl_export`, or in a JSON file beside it.

Every file is written and flushed in a hidden folder first and gets its name last; a file that stands
there already is replaced only where that is asked for.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Literal

from benchctl import __version__
from benchctl.errors import ExportClashError, ExportExistsError, Where
from benchctl.store.disk.durable import fsync_file, unwritable
from benchctl.store.disk.parquet import literal, quoted
from benchctl.store.disk.sealing import seal_table
from benchctl.store.frames.export_text import csv_line, json_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import duckdb

    from benchctl.store.disk.rows import Row
    from benchctl.store.frames.frame import Frame

__all__ = ["FILE_SCHEMA", "FORMATS", "Format", "Written", "export"]

Format = Literal["parquet", "csv", "jsonl", "duckdb"]
FORMATS: Final[tuple[Format, ...]] = ("parquet", "csv", "jsonl", "duckdb")
FILE_SCHEMA: Final = "benchctl.exported/1"
"""The schema of what a file says of itself."""

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


@dataclass(slots=True)
class Written:
    """One table as it was written. `formulas` counts the texts that a spreadsheet might run."""

    table: str
    path: Path
    rows: int = 0
    formulas: int = 0
    bytes: int = 0
    sha256: str = ""
    beside: Path | None = field(default=None, repr=False)


def export(frames: Sequence[Frame], to: Path, form: Format, *, force: bool = False) -> tuple[Written, ...]:
    """Write each frame as a table of its name: below the folder `to`, or into the DuckDB file `to`.

    Raises ExportClashError where a frame's runs disagree about a column's type, ExportExistsError before
    anything is written where a file is in the way and `force` is not given, StoreUnwritableError, and what
    reading raises; then none of the files is there that was not there before.
    """
    _refuse_clashes(frames)
    database = form == "duckdb"
    names = {frame.name: to if database else to / f"{frame.name}.{form}" for frame in frames}
    beside = {} if form in ("parquet", "duckdb") else {name: _beside(path) for name, path in names.items()}
    _refuse_taken([*names.values(), *beside.values()], force=force)
    home = to.parent if database else to
    with unwritable(home):
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".export-", dir=home) as folder:
            scratch = Path(folder)
            if database:
                written = _database(frames, scratch / "new.duckdb", scratch)
            else:
                written = [
                    _MAKERS[form](frame, scratch / f"{frame.name}.{form}", scratch) for frame in frames
                ]
            ready = {each.path: names[each.table] for each in written}
            for each, frame in zip(written, frames, strict=True):
                if each.beside:
                    ready[each.beside] = beside[frame.name]
            _give_names(ready, force=force)
    return tuple(_named(each, names[each.table]) for each in written)


def _refuse_clashes(frames: Sequence[Frame]) -> None:
    clashes = [note for frame in frames for note in frame.notes]
    if clashes:
        raise ExportClashError(
            "; ".join(clashes),
            expected="runs whose columns of one name are of one type, since one type for all would change values",
            next_step="export these runs one by one, each into a place of its own: `benchctl export RUN --to PATH`",
        )


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _refuse_taken(paths: Sequence[Path], *, force: bool) -> None:
    for path in paths:
        if os.path.lexists(path) and (not force or path.is_dir()):
            raise ExportExistsError(
                "a folder stands here" if path.is_dir() else "the file is there already",
                where=Where(str(path)),
                next_step="choose another --to" + ("" if path.is_dir() else ", or replace it with --force"),
            )


def _give_names(ready: Mapping[Path, Path], *, force: bool) -> None:
    """Give each flushed file its name; one that came into being meanwhile is not overwritten."""
    for temporary, path in ready.items():
        fsync_file(temporary)
        if force:
            temporary.replace(path)
            continue
        try:
            path.hardlink_to(temporary)
        except FileExistsError:
            _refuse_taken([path], force=False)


def _named(written: Written, path: Path) -> Written:
    with path.open("rb") as file:
        written.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    written.path, written.bytes = path, path.stat().st_size
    return written


def _about(frame: Frame, **more: object) -> dict[str, Any]:
    """Return what a file says of itself; `null` of a column says what null means there."""
    columns = [
        {key: getattr(c, key) for key in ("name", "type", "unit", "meaning", "null")} for c in frame.columns
    ]
    return {
        "schema": FILE_SCHEMA,
        "table": frame.name,
        "benchctl": __version__,
        "runs": frame.digests,
        "columns": columns,
        **more,
    }


def _counted(frame: Frame, written: Written) -> Iterator[Row]:
    """Yield the rows, counting them and the texts that begin like a formula."""
    texts = [column.name for column in frame.columns if column.type == "VARCHAR"]
    for row in frame:
        written.rows += 1
        written.formulas += sum(str(row[name]).startswith(_FORMULA) for name in texts if row[name])
        yield row


def _parquet(frame: Frame, path: Path, scratch: Path) -> Written:
    written = Written(frame.name, path)
    about = json.dumps(_about(frame), ensure_ascii=False)
    rows = _counted(frame, written)
    seal_table(rows, frame.columns, path, scratch=scratch, metadata={"benchctl.export": about})
    return written


def _lines(header: bool, line: Callable[[Sequence[str], Row | None], str]) -> Callable[..., Written]:  # noqa: FBT001 - a table below
    def make(frame: Frame, path: Path, _: Path) -> Written:
        written, names = Written(frame.name, path, beside=_beside(path)), [c.name for c in frame.columns]
        with path.open("w", encoding="utf-8", newline="") as file:
            _write(file, [line(names, None)] if header else [])
            _write(file, (line(names, row) for row in _counted(frame, written)))
        _named(written, path)
        about = _about(frame, file=path.name, rows=written.rows, bytes=written.bytes, sha256=written.sha256)
        _beside(path).write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return written

    return make


def _write(file: IO[str], lines: Any) -> None:
    for line in lines:
        file.write(line + "\n")


_MAKERS: Final[Mapping[str, Callable[[Frame, Path, Path], Written]]] = {
    "parquet": _parquet,
    "csv": _lines(True, csv_line),  # noqa: FBT003
    "jsonl": _lines(False, json_line),  # noqa: FBT003
}


def _database(frames: Sequence[Frame], path: Path, scratch: Path) -> list[Written]:
    """Write all frames into one new database, and what they are into its table `benchctl_export`."""
    import duckdb

    found = []
    with duckdb.connect(str(path), config={"threads": 1}) as connection:
        connection.execute(
            'CREATE TABLE benchctl_export ("table" VARCHAR, run VARCHAR, data_digest VARCHAR, "rows" BIGINT, benchctl VARCHAR)'
        )
        for frame in frames:
            sealed = _parquet(frame, scratch / f"{frame.name}.parquet", scratch)
            _take(connection, frame, sealed)
            sealed.path.unlink()
            found.append(Written(frame.name, path, sealed.rows, sealed.formulas))
    return found


def _take(connection: duckdb.DuckDBPyConnection, frame: Frame, sealed: Written) -> None:
    table = quoted(frame.name)
    connection.execute(f"CREATE TABLE {table} AS SELECT * FROM read_parquet(?)", [str(sealed.path)])  # noqa: S608 - quoted
    for column in frame.columns:
        unit = f" [{column.unit}]" if column.unit else ""
        said = literal(f"{column.meaning}{unit}")
        connection.execute(f"COMMENT ON COLUMN {table}.{quoted(column.name)} IS {said}")
    connection.executemany(
        "INSERT INTO benchctl_export VALUES (?, ?, ?, ?, ?)",
        [[frame.name, run, digest, sealed.rows, __version__] for run, digest in frame.digests.items()]
        or [[frame.name, None, None, sealed.rows, __version__]],
    )
