"""Words of more and less: comparatives and the verbs of a rise and a fall, each written once. Pure text."""

from __future__ import annotations

from typing import Final

__all__ = [
    "BETTER",
    "CHEAPER",
    "COMPARATIVE",
    "DEARER",
    "FALLING",
    "FALLS",
    "FASTER",
    "LESS",
    "MORE",
    "RISES",
    "RISING",
    "SLOWER",
    "WORSE",
    "any_of",
]

MORE: Final = ("more", "higher", "larger", "greater", "bigger", "longer")
LESS: Final = ("fewer", "less", "lower", "smaller", "shorter")
FASTER: Final = ("faster", "quicker")
SLOWER: Final = ("slower",)
CHEAPER: Final = ("cheaper",)
DEARER: Final = ("pricier", "costlier", "dearer")
BETTER: Final = ("better",)
WORSE: Final = ("worse",)


def any_of(words: tuple[str, ...]) -> str:
    """Return the pattern of any of some words, the longest first; a space in one is any white space."""
    return "|".join(r"\s+".join(word.split()) for word in sorted(words, key=len, reverse=True))


COMPARATIVE: Final = any_of((*MORE, *LESS, *FASTER, *SLOWER, *CHEAPER, *DEARER, *BETTER, *WORSE))
"""The pattern of any comparative."""
RISING: Final = "rises?|rose|risen|rising|increas(?:es?|ed|ing)|grows?|grew|grown|growing|climb(?:s|ed|ing)?|jump(?:s|ed|ing)?"
"""The pattern of the verbs of a rise."""
RISES: Final = ("ris", "rose", "increas", "grow", "grew", "climb", "jump")
"""What its matches begin with."""
FALLING: Final = (
    "falls?|fell|fallen|falling|drop(?:s|ped|ping)?|decreas(?:es?|ed|ing)|declin(?:es?|ed|ing)|shrinks?|shrank|shrunk|shrinking|sinks?"
    "|sank|sunk|sinking|dip(?:s|ped)?"
)
"""The pattern of the verbs of a fall."""
FALLS: Final = ("fall", "fell", "drop", "decreas", "declin", "shr", "sink", "sank", "sunk", "dip")
"""What its matches begin with."""
