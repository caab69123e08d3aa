"""A number with its interval and everything a sentence about it may quote."""

from __future__ import annotations

from dataclasses import dataclass

from benchctl.stats.sample import Scope

__all__ = ["Estimate"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, its interval, and how both came about.

    `lo` and `hi` are None where this sample cannot say; a note tells why. `units` are what the
    scope redraws (cells, questions or repositories), `cells` the values, or pairs of them, that went in. `n_eff`
    is the number of independent cells that would say as much, `deff` the variance ratio to as
    many independent ones (never a ratio of widths). `discordant` questions differ between the
    arms; `min_p` is the least p that a test on these could reach. `differs` is None for a
    single arm.
    """

    value: float
    lo: float | None
    hi: float | None
    scope: Scope
    method: str
    df: int
    units: int
    cells: int
    level: float = 0.95
    failed: int = 0
    void: int = 0
    n_eff: float | None = None
    deff: float | None = None
    discordant: int | None = None
    min_p: float | None = None
    differs: bool | None = None
    notes: tuple[str, ...] = ()
