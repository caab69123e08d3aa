"""Whether a path stays behind its door, for every server that may read it: none has to take a spelling of `..` for a step up.

Servers differ in what they undo before they walk a path: percent-encoding once or twice, parameters behind a
semicolon, over-long UTF-8, letters of full width, white space. What any of them could walk up by is refused.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote_to_bytes

__all__ = ["stays_below"]

_LAYERS = 8
_OVERLONG = (
    (rb"\xc0\xae|\xe0\x80\xae|\xf0\x80\x80\xae", b"."),
    (rb"\xc0\xaf|\xe0\x80\xaf|\xf0\x80\x80\xaf|\xc1\x9c", b"/"),
)
_WIDE = re.compile(r"%u([0-9a-f]{4})", re.IGNORECASE)
_SLASHES = re.compile(r"[/\\]")
_PARAMETER = re.compile(r"[;?#,]")
_UNSEEN = {"Cc", "Cf", "Zs", "Zl", "Zp"}


def stays_below(path: str) -> bool:
    """Return whether no step of a path (without its query) is `.` or `..` in any spelling; undoing has to come to an end."""
    for _ in range(_LAYERS):
        if any(_climbs(step) for step in _SLASHES.split(path)):
            return False
        plain = _undone(path)
        if plain == path:
            return True
        path = plain
    return False


def _undone(path: str) -> str:
    data = unquote_to_bytes(
        _WIDE.sub(lambda found: chr(int(found[1], 16)), path).encode("utf-8", "surrogatepass")
    )
    for pattern, plain in _OVERLONG:
        data = re.sub(pattern, plain, data)
    return unicodedata.normalize("NFKC", data.decode("utf-8", "surrogateescape"))


def _climbs(step: str) -> bool:
    name = "".join(char for char in _PARAMETER.split(step)[0] if unicodedata.category(char) not in _UNSEEN)
    return bool(name) and not name.strip(".")
