"""A number on the page as something that other values may fit, and how much such a fit says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from benchctl.claims.answers.printed import in_printed_unit, judge
from benchctl.quantities.units import normalise_unit

if TYPE_CHECKING:
    from benchctl.claims.answers.lookup import Expression
    from benchctl.claims.answers.nature import Nature
    from benchctl.claims.sheet import Judged, Sheet
    from benchctl.expressions import Value
    from benchctl.quantities.tokens import Token

__all__ = ["Print"]

_TELLING = 3
"""From so many digits on a print fits hardly anything by chance: of 11,288 aggregates of a run of 384 cells `1.00`
fits 986, `2.1` 118, `1.57%` two."""


@dataclass(frozen=True, slots=True)
class Print:
    """A printed number and the nature of what it is compared with: `factor` takes a value to the printed unit.

    `factor` is None where the two units do not convert; `about` is the share that `~` allows.
    """

    token: Token
    nature: Nature
    about: Decimal
    factor: float | None

    @classmethod
    def of(cls, sheet: Sheet, item: Judged, expression: Expression | None = None) -> Print | None:
        """Return the print of a judged number; None for a cell without one.

        It is held against the nature of `expression`, by default of its own.
        """
        atom, said = item.claim.atom, expression or item.claim.expression
        if atom is None or atom.token.value is None or atom.token.place is None:
            return None
        return cls(atom.token, said.nature, sheet.about, _factor(said.nature, atom.token))

    def against(self, nature: Nature) -> Print:
        """Return the print held against values of another nature."""
        if nature == self.nature:
            return self
        return replace(self, nature=nature, factor=_factor(nature, self.token))

    @property
    def digits(self) -> int:
        """Return how many digits tell something: those of `1.57`, and of `200` or `1.00` one."""
        value, place = self.token.value, self.token.place
        if not value or not place:
            return 0
        return len(str(int(abs(value) / place)).rstrip("0"))

    @property
    def telling(self) -> bool:
        """Whether a value that fits is evidence by itself."""
        return self.token.cmp == "=" and self.digits >= _TELLING

    def fits(self, value: Value | None) -> bool:
        """Whether the page's number is true of `value`; a bound that lies far off is true of too much."""
        printed, place = self.token.value, self.token.place
        if value is None or isinstance(value, bool | str) or printed is None or place is None:
            return False
        # Most values lie far off, and floats say so at once.
        if self.token.cmp == "=" and (
            self.factor is None or abs(value * self.factor - float(printed)) > float(place)
        ):
            return False
        return judge(self.token, value, self.nature, self.about).word in ("true", "tie")


def _factor(nature: Nature, token: Token) -> float | None:
    one = in_printed_unit(Decimal(1), nature.unit, normalise_unit(token.unit))
    return None if one is None else float(one)
