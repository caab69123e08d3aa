"""The address of a store that is not a folder: a URL that fsspec can open, such as `s3://bucket/prefix`.

A password is no part of an address. Credentials come from the environment or a profile, as fsspec and
its filesystems read them. Whatever begins as a URL does is one or is refused, and is never taken for a
folder: a slip of the pen must not make a password the name of one. Of what is refused only the scheme
is ever printed, since nobody can tell which part of it was to be kept to oneself.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from benchctl.errors import StoreUrlInvalidError

__all__ = ["check_url", "is_url", "local_path", "redacted"]

_SCHEME: Final = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):", re.ASCII)
_URL: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<host>[^/]*)(?P<path>(?:/.*)?)", re.ASCII)
_NAME: Final = r"[A-Za-z0-9._~-]+"
_BUCKET: Final = re.compile(_NAME, re.ASCII)
_HOST: Final = re.compile(rf"(?:{_NAME}|\[[0-9A-Fa-f:.]+\])(?::[0-9]{{1,5}})?", re.ASCII)
_BUCKETS: Final = {"s3", "s3a", "gs", "gcs"}
"""The schemes whose URLs begin with a bucket, which has no port; what stands behind a colon there is a password."""

_NOWHERE: Final = {"memory"}
"""The schemes whose path may begin at once."""

_FOLDERS: Final = {"file", "local"}
_NO_FOLDER: Final = re.compile(r"[?#\x00-\x1f\x7f]")
_NO_PATH: Final = re.compile(r"[?#\x00-\x20\x7f\\]|:[^@]*@")
"""What no path of a store holds: a query, what a terminal would act on, and what a user and a password look like."""


def is_url(text: str) -> bool:
    """Return whether a text is to be read as a URL, a good one or not; a folder of such a name is `./a:b`."""
    return _SCHEME.match(text) is not None


def redacted(text: str) -> str:
    """Return a place as it may be printed: a URL that cannot be used by its scheme alone."""
    if not is_url(text):
        return text
    return _spelling(text) or f"{text.partition(':')[0]}:…"


def check_url(url: str) -> str:
    """Return a store's URL in its one spelling: a small scheme, and no slash at its end.

    Raises StoreUrlInvalidError for one that holds more than a place (a user, a password, a query), for one
    that names no place, and for what only begins like a URL.
    """
    if spelling := _spelling(url):
        return spelling
    raise StoreUrlInvalidError(
        f"{redacted(url)} is no URL of a store: it names no place, or holds more than one, such as a user, a password"
        " or a query",
        expected="scheme://bucket/prefix; a folder with a colon in its name is written ./a:b",
        next_step="give credentials by the environment or a profile; `s3://` reads AWS_PROFILE, AWS_ACCESS_KEY_ID, …",
    )


def local_path(url: str) -> str | None:
    """Return the path of a `file:///path` URL, which is a folder like any other; None for every other URL.

    Raises StoreUrlInvalidError for a `file:` URL that is not of that form, such as one of another machine.
    """
    scheme = _SCHEME.match(url)
    if scheme is None or scheme[1].lower() not in _FOLDERS:
        return None
    parts = _URL.fullmatch(url)
    if parts is None or parts["host"] not in {"", "localhost"} or not parts["path"] or _NO_FOLDER.search(url):
        raise StoreUrlInvalidError(f"{scheme[1]}:… is no path on this machine", expected="file:///path")
    return unquote(parts["path"])


def _spelling(url: str) -> str | None:
    """Return a URL that names a place and nothing more, None for any other."""
    parts = _URL.fullmatch(url)
    if parts is None:
        return None
    scheme, path = parts["scheme"].lower(), parts["path"].rstrip("/")
    host = (_BUCKET if scheme in _BUCKETS else _HOST).fullmatch(parts["host"])
    placed = host or (scheme in _NOWHERE and not parts["host"] and path)
    return f"{scheme}://{parts['host']}{path}" if placed and not _NO_PATH.search(path) else None
