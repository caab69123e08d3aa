"""Everything measured for one page, kept from one examination to the next, and the same moved."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchctl.claims.answers.lookup import Lookup
from benchctl.claims.mutation.mutant import Change
from benchctl.expressions import Measured, Probe

__all__ = ["HeldLookup"]


@dataclass(slots=True)
class HeldLookup(Lookup):
    """A lookup for one page alone: what its declared runs said stays true while its text changes."""

    def turn_page(self) -> None:
        """Keep everything: the page's runs stay the same."""

    def moved(self, change: Change) -> HeldLookup:
        """Return a lookup that knows what this one knows, and other data where `change` says so."""
        runs: dict[str, dict[Probe, Measured]] = {run: dict(known) for run, known in self._measured.items()}
        for (run, probe), answer in change.answers.items():
            runs.setdefault(run, {})[probe] = answer
        return replace(self, _measured=runs, _blocks={**self._blocks, **change.blocks})
