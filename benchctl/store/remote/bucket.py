"""The objects under a store's URL, through fsspec: listed, read, and created where nobody has the name.

Everything that can go wrong on the way (no library, no network, no permission) leaves here as an
error of ours; nothing waits for ever, and no message holds a credential.
"""

from __future__ import annotations

import base64
import hashlib
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from benchctl.errors import (
    RemoteExtraMissingError,
    RemoteUnreachableError,
    StoreExistsError,
    StoreReadOnlyError,
    StoreUrlInvalidError,
    Where,
)
from benchctl.store.disk.entries import FileEntry
from benchctl.store.remote.address import check_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Bucket", "Listed"]

_PATIENCE: Final[dict[str, dict[str, Any]]] = {
    "s3": {"config_kwargs": {"connect_timeout": 5, "read_timeout": 30, "retries": {"max_attempts": 2}}},
}
"""What a filesystem is told of giving up, unless the user's fsspec configuration says it: its own would retry for minutes."""

_WITH_CONTAINER: Final = {"s3", "s3a", "gs", "gcs", "http", "https"}
"""The schemes of which a place that is not there lists as an empty one."""

_NEXT_STEP: Final = (
    "check the address, the credentials and the network; BENCHCTL_OFFLINE=1 reads what was fetched before"
)
_MD5: Final = re.compile(r'"?([0-9a-f]{32})"?')
_QUERY: Final = re.compile(r"(?<=\S)\?[^\s'\"]+")
_BATCH: Final = 256
_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Listed:
    """An object as a listing shows it: its size, and the MD5 of its content in hex; None where the listing does not say."""

    bytes: int | None
    md5: str | None


class Bucket:
    """The objects under one URL; a name is a path below it, such as `runs/r1/manifest.json`."""

    def __init__(self, url: str) -> None:
        self.url = check_url(url)
        self._fs, self._root = _filesystem(self.url)

    def __repr__(self) -> str:
        """Return its URL."""
        return f"Bucket({self.url!r})"

    def shown(self, name: str) -> str:
        """Return an object's URL."""
        return f"{self.url}/{name}"

    def listing(self, folder: str) -> dict[str, Listed]:
        """Return every object below a folder by its name, in one request a thousand; empty where there is none."""
        with self._reached(folder):
            self._fs.invalidate_cache()
            try:
                found: dict[str, dict[str, Any]] = self._fs.find(self._path(folder), detail=True)
            except FileNotFoundError:
                found = {}
            if not found:
                self._refuse_nowhere()
        prefix = f"{self._root}/"
        return {
            path.removeprefix(prefix): _listed(info)
            for path, info in sorted(found.items())
            if path.startswith(prefix) and info.get("type") == "file" and not path.endswith("/")
        }

    def read(self, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Yield (name, content) of small objects, many at once; one that is gone meanwhile is left out."""
        for first in range(0, len(names), _BATCH):
            batch = names[first : first + _BATCH]
            with self._reached(batch[0]):
                paths = {self._path(name): name for name in batch}
                found = self._fs.cat(list(paths), on_error="return")
                for path, content in found.items():
                    if isinstance(content, bytes):
                        yield paths[path], content
                    elif not isinstance(content, FileNotFoundError):
                        raise content

    def download(self, name: str, into: Path) -> None:
        """Write an object's content to a local file. Raises FileNotFoundError where there is none."""
        with self._reached(name):
            self._fs.get_file(self._path(name), str(into))

    def entry(self, name: str) -> FileEntry:
        """Return an object's size and sha256, read through. Raises FileNotFoundError where there is none."""
        sha256, size = hashlib.sha256(), 0
        with self._reached(name), self._fs.open(self._path(name), "rb", cache_type="readahead") as file:
            while block := file.read(_BLOCK):
                sha256.update(block)
                size += len(block)
        return FileEntry(size, sha256.hexdigest())

    def create(self, name: str, content: Path) -> None:
        """Upload a local file under a name that nobody has; on S3 that is one atomic request (`If-None-Match: *`).

        Raises StoreExistsError where the name is taken, whatever it holds.
        """
        try:
            with self._reached(name):
                self._fs.put_file(str(content), self._path(name), mode="create")
        except FileExistsError as error:
            raise StoreExistsError(
                "the object is already there, and files of a run are written once",
                where=Where(self.shown(name)),
            ) from error

    def prove_create_once(self, name: str, content: Path) -> None:
        """Upload what was just created once more; it must be refused.

        Raises StoreReadOnlyError where it is not: a store that ignores the condition would let one writer
        replace another's results.
        """
        try:
            self.create(name, content)
        except StoreExistsError:
            return
        raise StoreReadOnlyError(
            f"{self.url} replaces an object where it should refuse to, so results there would not be safe",
            expected="a store that honours If-None-Match: *, as S3 does",
            next_step="write to another store; this one can be read",
        )

    def remove(self, names: Iterable[str]) -> None:
        """Delete objects that a later manifest says are gone."""
        for name in names:
            with self._reached(name):
                try:
                    self._fs.rm_file(self._path(name))
                except FileNotFoundError:
                    continue

    def _refuse_nowhere(self) -> None:
        """Raise RemoteUnreachableError where a misspelt bucket or page would read as a store without runs."""
        scheme = urlsplit(self.url).scheme.lower()
        place = self._root if scheme in {"http", "https"} else self._root.strip("/").partition("/")[0]
        if scheme in _WITH_CONTAINER and not self._fs.exists(place):
            raise RemoteUnreachableError(
                f"there is no {place}, or it may not be listed", where=Where(self.url), next_step=_NEXT_STEP
            )

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextmanager
    def _reached(self, name: str) -> Iterator[None]:
        """Turn what a filesystem raises into an error of ours; a name that is missing or taken stays what it is."""
        try:
            yield
        except (FileNotFoundError, FileExistsError):
            raise
        except NotImplementedError as error:
            raise StoreReadOnlyError(
                f"{urlsplit(self.url).scheme}:// can be read and not written", where=Where(self.shown(name))
            ) from error
        except Exception as error:
            if not _of_the_way(error):
                raise
            raise RemoteUnreachableError(
                f"the store cannot be reached: {_said(error, self.url)}",
                where=Where(self.shown(name)),
                next_step=_NEXT_STEP,
            ) from error


def _filesystem(url: str) -> tuple[Any, str]:
    """Return the filesystem of a URL and the path of its root. Raises RemoteExtraMissingError, StoreUrlInvalidError."""
    protocol = urlsplit(url).scheme.lower()
    try:
        import fsspec

        options = {} if fsspec.config.conf.get(protocol) else _PATIENCE.get(protocol, {})
        filesystem, root = fsspec.core.url_to_fs(url, skip_instance_cache=True, **options)
    except ImportError as error:
        raise RemoteExtraMissingError(
            f"{protocol}:// needs a library that is not installed: {error}",
            next_step="pip install 'benchctl[remote]' brings fsspec and s3fs",
        ) from error
    except (ValueError, TypeError) as error:
        raise StoreUrlInvalidError(
            f"{url} cannot be opened: {_said(error, url)}",
            expected="a URL that fsspec knows, such as s3://bucket/prefix",
        ) from error
    if protocol == "s3":
        filesystem.retries = 2  # on top of botocore's own; the default of five takes half a minute to say no
    return filesystem, str(root).rstrip("/")


def _listed(info: dict[str, Any]) -> Listed:
    size = info.get("size")
    return Listed(size if isinstance(size, int) else None, _md5(info))


def _md5(info: dict[str, Any]) -> str | None:
    """Return the MD5 that S3 (`ETag`) or Google's storage (`md5Hash`) says; an ETag of an upload in parts is none."""
    if etag := _MD5.fullmatch(str(info.get("ETag"))):
        return etag[1]
    with suppress(ValueError):
        return base64.b64decode(str(info.get("md5Hash") or ""), validate=True).hex() or None
    return None


def _of_the_way(error: Exception) -> bool:
    """Return whether an error is the network's or the store's, and not a mistake of this program."""
    module = type(error).__module__.partition(".")[0]
    return isinstance(error, OSError | TimeoutError) or module in {
        "botocore",
        "aiobotocore",
        "aiohttp",
        "fsspec",
    }


def _said(error: Exception, url: str) -> str:
    """Return a foreign error in one line, shortened: what it says of the URL is cut to what we say, and no query is repeated."""
    text = " ".join(str(error).replace("\\n", " ").split()) or type(error).__name__
    return _QUERY.sub("", text.replace(url, "it"))[:300]
