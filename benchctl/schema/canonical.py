"""One canonical JSON form, so that a digest means the content and nothing else.

Keys sorted by code point, no spaces, UTF-8 unescaped, floats as Python's shortest
round-trip form, no NaN or infinity. Close to RFC 8785 but for the number format;
both ends of every digest are this program.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

__all__ = ["Json", "canonical_json", "digest", "sha256_hex"]

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


def canonical_json(value: object) -> bytes:
    """Return the canonical bytes of a JSON value. Raises ValueError for NaN, infinity or a non-JSON type."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except TypeError as error:
        raise ValueError(str(error)) from error
    return text.encode()


def sha256_hex(data: bytes) -> str:
    """Return the sha256 of bytes as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def digest(value: object) -> str:
    """Return `sha256:<hex>` of the canonical form of a JSON value."""
    return f"sha256:{sha256_hex(canonical_json(value))}"
