"""What a file is by its first bytes, where that is not the format that it was given as, and what to do then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchctl.errors import ImportUnreadableError

if TYPE_CHECKING:
    from pathlib import Path

    from benchctl.importers.base import ReadOptions

__all__ = ["refuse_disguised"]

_UNPACK: Final = "unpack it first, such as with `{}`, and import what is inside"
_PARQUET: Final = "Parquet"
_KNOWN: Final[tuple[tuple[bytes, str, str], ...]] = (
    (b"\x1f\x8b", "gzip", _UNPACK.format("gunzip -k")),
    (b"PK\x03\x04", "a zip archive, as an .xlsx workbook is", "unpack it, or save the sheet as CSV, and import that"),
    (b"\xfd7zXZ\x00", "xz", _UNPACK.format("xz -dk")),
    (b"\x28\xb5\x2f\xfd", "Zstandard", _UNPACK.format("zstd -d")),
    (b"BZh", "bzip2", _UNPACK.format("bunzip2 -k")),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK.format("7z x")),
    (b"PAR1", _PARQUET, "its format is parquet: `benchctl import parquet`"),
    (b"ARROW1\x00\x00", "Arrow (Feather)", "write it as Parquet: pyarrow.feather.read_table, then pyarrow.parquet.write_table"),
    (b"SQLite format 3\x00", "an SQLite database", "write a table as CSV, such as with `sqlite3 -csv -header FILE 'SELECT …'`"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Word document", "save the sheet as CSV and import that"),
    (b"%PDF-", "PDF", "import the data that it was made from"),
    (b"version https://git-lfs.github.com/spec/", "a Git LFS pointer and not the file itself", "`git lfs pull` fetches the file"),
    (b"<!doctype html", "an HTML page", "download the file itself; a page often says that it was not found"),
    (b"<html", "an HTML page", "download the file itself; a page often says that it was not found"),
)  # fmt: skip
"""First bytes in lower case or as they are, what such a file is, and the next step."""

_HEAD: Final = 64


def refuse_disguised(path: Path, format_: str, options: ReadOptions) -> None:
    """Raise ImportUnreadableError where the first bytes are of a file that is none of this format, saying which it is."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for begins, what, next_step in _KNOWN:
        if not (head.startswith(begins) or text.startswith(begins)):
            continue
        if (format_, what) != ("parquet", _PARQUET):
            raise ImportUnreadableError(
                f"not {_NAMES[format_]}: by its first bytes it is {what}",
                where=options.where(),
                next_step=next_step,
            )


_NAMES: Final = {"csv": "CSV", "json": "JSON", "jsonl": "JSON Lines", "parquet": "Parquet"}
