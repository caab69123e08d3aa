"""Runs whose rows were found to agree with all that the run says of them, remembered by manifest digest.

What `verify-store` finds in the rows follows from the bytes of the files alone, and a manifest names
those bytes. So once every byte was hashed anew and is what the manifest says, there is nothing left to
find in rows that this very program has read under this very manifest before. A manifest that was made
anew, by whomever, has another digest and is looked into.
"""

from __future__ import annotations

from typing import Final

from benchctl import __version__
from benchctl.store.disk.cache_file import read_cache, write_cache

__all__ = ["is_known_sound", "remember_sound"]

_FILE: Final = "sound-1.json"
_MOST: Final = 10_000
_CHECKS: Final = f"{__version__}/2"
"""Raised with every check that is added: what an older program did not look for is looked for again."""


def is_known_sound(digest: str, depth: str) -> bool:
    """Return whether the rows under a manifest of this digest were found sound before, as deep as this or deeper."""
    known = read_cache(_FILE)
    return any([digest, each, _CHECKS] in known for each in {depth, "texts"})


def remember_sound(digest: str, depth: str) -> None:
    """Remember that they were; nobody is bothered where that cannot be written."""
    known, entry = read_cache(_FILE), [digest, depth, _CHECKS]
    if entry not in known:
        write_cache(_FILE, [*known, entry][-_MOST:])
