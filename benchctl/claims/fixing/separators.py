"""How a page parts thousands: by commas, by spaces, or not at all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from benchctl.claims.fixing.figures import SEPARATORS
from benchctl.claims.numbers import Atom

__all__ = ["separator_of"]

_LARGE = re.compile(rf"[0-9]{{1,3}}(?P<sep>[{SEPARATORS}])[0-9]{{3}}|[0-9]{{4,}}")


def separator_of(visible: str, atoms: Iterable[Atom]) -> str:
    """Return what most numbers of the page above 999 are parted by, "" for nothing; a comma where there is none."""
    found: Counter[str] = Counter()
    for atom in atoms:
        large = _LARGE.search(visible, *atom.token.digits)
        if large:
            found[large["sep"] or ""] += 1
    return found.most_common(1)[0][0] if found else ","
