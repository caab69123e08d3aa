"""What a correction leaves behind: another data digest, and pages that were read against the one before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchctl.cli.console import put, put_json
from benchctl.quantities.format import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchctl.cli.console import Console
    from benchctl.store.project import Project
    from benchctl.store.writing.corrections import Corrected

__all__ = ["Aftermath", "pins_of"]


@dataclass(frozen=True, slots=True)
class Aftermath:
    """A run's data digest before and after, and the pages that claims.lock pins to the one before.

    `after` is None for a dry run, which writes nothing; where nothing had to be written it is `before`.
    """

    before: str
    after: str | None
    pages: tuple[str, ...]

    @classmethod
    def of(cls, corrected: Corrected[Any], pins: Mapping[str, str]) -> Aftermath:
        """Return what a correction has left; `pins` is page -> the digest that it is pinned to."""
        before = corrected.before.data
        pinned = tuple(page for page, digest in pins.items() if digest == before)
        return cls(before, corrected.after.data if corrected.after else None, pinned)

    def tell(self, console: Console, form: str, document: Mapping[str, Any], text: str) -> None:
        """Print what a correction did, as JSON or as text, with what it left; then advise on standard error."""
        if form == "json":
            put_json({**document, **self.data})
        else:
            put(f"{text}\n{self.line}")
        self.advise(console)

    @property
    def data(self) -> dict[str, Any]:
        """Return it as JSON outputs have it."""
        return {"data": {"before": self.before, "after": self.after}, "pages": list(self.pages)}

    @property
    def line(self) -> str:
        """Return the digests as text."""
        if self.after is None:
            return f"data {self.before}; a dry run writes nothing"
        if self.after == self.before:
            return f"data {self.before}, as before"
        return f"data {self.before} before\ndata {self.after} now"

    def advise(self, console: Console) -> None:
        """Say which pages are stale now, and what clears them."""
        if self.after in (None, self.before):
            return
        if self.pages:
            console.say(
                f"{counted(len(self.pages), 'page')} pinned to the data before: {', '.join(self.pages)}\n"
                "  next: `benchctl verify-claims` reports them as stale-data and shows what moved;"
                " `benchctl verify-claims --accept` pins the new data once they are reviewed"
            )
        else:
            console.say("pages that show the data before are stale-data for `benchctl verify-claims` now")


def pins_of(project: Project, run: str) -> dict[str, str]:
    """Return page -> the digest of a run that claims.lock pins it to. Raises LockInvalidError, so ask before writing."""
    from benchctl.claims.lock import read_lock

    lock = read_lock(project.root)
    return {page: pins[run] for page, pins in (lock.pages if lock else {}).items() if run in pins}
