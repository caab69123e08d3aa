"""Long texts on a page: head and tail, with what was left out between them said in so many words."""

from __future__ import annotations

from benchctl.quantities.format import counted

__all__ = ["HEAD_CHARACTERS", "TAIL_CHARACTERS", "cut_to_fit", "joined"]

HEAD_CHARACTERS = 16_000
TAIL_CHARACTERS = 8_000
"""A site has a size limit, and a reader looks at the start and the end; the whole text is in the store."""


def cut_to_fit(text: str) -> str:
    """Return `text`, or its head and tail with a line between that says how many characters are left out."""
    return joined(text[: HEAD_CHARACTERS + TAIL_CHARACTERS], text[-TAIL_CHARACTERS:], len(text))


def joined(start: str, tail: str, characters: int) -> str:
    """Return a text of `characters`, given its start (as long as head and tail together, or the whole) and its tail."""
    left_out = characters - HEAD_CHARACTERS - TAIL_CHARACTERS
    if left_out <= 0:
        return start
    gap = f"\n\n… {counted(left_out, 'character')} left out on this page; the store has them all …\n\n"
    return start[:HEAD_CHARACTERS] + gap + tail
