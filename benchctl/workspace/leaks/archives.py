"""Compressed files and archives that the standard library can open, and the signs of those that it cannot."""

from __future__ import annotations

import bz2
import functools
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from typing import IO, cast

from benchctl.workspace.leaks.budget import Budget, Compressed

__all__ = [
    "decompressed",
    "is_compressed",
    "is_tar",
    "is_zip",
    "note_closed",
    "tar_members",
    "zip_members",
]


_COMPRESSED: dict[bytes, tuple[str, Callable[[IO[bytes]], Compressed]]] = {
    b"\x1f\x8b\x08": ("gzip", lambda packed: gzip.GzipFile(fileobj=packed)),
    b"BZh": ("bzip2", bz2.BZ2File),
    b"\xfd7zXZ\0": ("xz", lzma.LZMAFile),
    b"\x5d\0\0": ("lzma", lzma.LZMAFile),
}
_CLOSED = {
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a rar archive",
    b"\x04\x22\x4d\x18": "an lz4 file",
    b"PAR1": "a Parquet file",
    b"MSCF": "a cabinet archive",
    b"\xed\xab\xee\xdb": "an rpm package",
    b"LZIP": "an lzip file",
    b"\x1f\x9d": "a compress file",
    b"hsqs": "a SquashFS image",
}
_END_OF_ZIP = b"PK\x05\x06"
_END_LIES_WITHIN = 65_557
"""The last record of a zip is 22 bytes and a comment of up to 65,535 (APPNOTE.TXT 4.3.16)."""


def is_compressed(data: bytes) -> bool:
    """Say whether bytes start as one compressed stream does."""
    return data.startswith(tuple(_COMPRESSED))


def decompressed(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes]]:
    """Yield the one text of a compressed file."""
    name, opener = next(found for magic, found in _COMPRESSED.items() if data.startswith(magic))
    yield name, budget.read(lambda: opener(io.BytesIO(data)), len(data), name)


def is_zip(data: bytes) -> bool:
    """Say whether bytes are a zip, such as a wheel, a jar or an office document, whatever stands before it."""
    return data.startswith(b"PK\x03\x04") or _END_OF_ZIP in data[-_END_LIES_WITHIN:]


def zip_members(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes]]:
    """Yield each member of a zip. What is encrypted or compressed in an unknown way is noted."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError):
        if data.startswith(b"PK\x03\x04"):
            budget.refuse("a damaged zip")
        return
    for member in members:
        if member.is_dir():
            continue
        if not budget.member():
            return
        if member.flag_bits & 0x1:
            budget.refuse("an encrypted member of a zip")
            continue
        place = f"zip:{member.filename}"
        yield place, member.filename.encode(errors="replace") + b"\n"
        packed = min(member.compress_size, len(data))
        yield place, budget.read(functools.partial(_opened, archive, member), packed, "zip member")


def _opened(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Compressed:
    return cast("zipfile.ZipExtFile", archive.open(member))


def is_tar(data: bytes) -> bool:
    """Say whether bytes are a tar of the formats since 1988."""
    return data[257:262] == b"ustar"


def tar_members(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes]]:
    """Yield each file of a tar."""
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for member in archive:
                if not member.isreg():
                    continue
                if not budget.member():
                    return
                stream = archive.extractfile(member)
                inner = budget.take(stream.read(len(data))) if stream is not None else None
                if inner is not None:
                    yield f"tar:{member.name}", inner
    except (tarfile.TarError, OSError, ValueError, EOFError):
        budget.refuse("a damaged tar")


def note_closed(data: bytes, budget: Budget) -> None:
    """Note a file of a kind that cannot be opened here."""
    for magic, name in _CLOSED.items():
        if data.startswith(magic):
            budget.refuse(name)
