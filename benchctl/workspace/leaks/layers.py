"""A file and all that is wrapped in it: compressed, archived, encoded, each wrapping opened in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchctl.workspace.leaks import archives, encoded, git_pack, pdf, texts
from benchctl.workspace.leaks.budget import MAX_DEPTH, Budget

__all__ = ["layers"]

_OPENERS: tuple[
    tuple[Callable[[bytes], bool], Callable[[bytes, Budget], Iterator[tuple[str, bytes]]]], ...
] = (
    (archives.is_compressed, archives.decompressed),
    (archives.is_zip, archives.zip_members),
    (archives.is_tar, archives.tar_members),
    (git_pack.is_pack, git_pack.pack_objects),
    (git_pack.is_loose, git_pack.loose_object),
    (pdf.is_pdf, pdf.pdf_texts),
    (texts.is_wide, texts.narrow_text),
    (encoded.may_hold_blocks, encoded.blocks),
)


def layers(data: bytes, budget: Budget, inside: str = "", depth: int = 0) -> Iterator[tuple[str, bytes]]:
    """Yield (what it is inside of, bytes) for a file and everything in it, the file itself first.

    What the caps cut off, and what no opener here can read, is noted in the budget.
    """
    yield inside, data
    archives.note_closed(data, budget)
    for fits, opened in _OPENERS:
        if not fits(data):
            continue
        if depth == MAX_DEPTH:
            if fits not in (encoded.may_hold_blocks, texts.is_wide):
                budget.refuse(f"more than {MAX_DEPTH} wrappings")
            continue
        for name, inner in opened(data, budget):
            yield from layers(inner, budget, f"{inside} > {name}" if inside else name, depth + 1)
