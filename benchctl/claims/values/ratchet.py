"""How many numbers a page may leave unbound: a limit that was set once for an old page, and may only fall."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from benchctl.errors import Where
from benchctl.store.project import PROJECT_FILE

if TYPE_CHECKING:
    from benchctl.claims.values.beside import Beside
    from benchctl.schema.project import ProjectFile

__all__ = ["Ratchet", "ratchet_of"]


class Ratchet(NamedTuple):
    """`limit` None allows none, and nobody has said so; `where` it is said."""

    limit: int | None = None
    where: Where | None = None


def ratchet_of(path: str, beside: Beside, config: ProjectFile) -> Ratchet:
    """Return the ratchet of a page: its own file's, else the project's."""
    if beside.max_unbound is not None:
        return Ratchet(beside.max_unbound, Where(beside.file, beside.lines.line(("max_unbound",))))
    limit = config.claims.max_unbound.get(path)
    return Ratchet() if limit is None else Ratchet(limit, Where(PROJECT_FILE))
