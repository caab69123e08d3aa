"""Stale generated blocks, rendered anew as `benchctl report --update` does it."""

from __future__ import annotations

from dataclasses import dataclass

from benchctl.claims.sheet import Sheet
from benchctl.errors import BenchctlError
from benchctl.report.stamp import Block, update_text

__all__ = ["Renewed", "renew_blocks"]


@dataclass(frozen=True, slots=True)
class Renewed:
    """A block that was rendered anew: the line of its first marker, its table and its run."""

    line: int
    table: str
    run: str


def renew_blocks(sheet: Sheet) -> tuple[str, tuple[Renewed, ...]]:
    """Return a page with every block that is not what its run renders today rendered anew, and which these are.

    Nothing is touched where a marker is wrong. A block whose table cannot be rendered stays: the page's
    findings say why.
    """
    text = sheet.page.text
    renewed: list[Renewed] = []

    def render(block: Block) -> str:
        printed = text[block.start : block.end]
        try:
            fresh = sheet.lookup.block(block.run, block.table, sheet.config)
        except BenchctlError:
            return printed
        if fresh == printed.replace("\r\n", "\n"):
            return printed
        renewed.append(Renewed(block.line, block.table, block.run))
        return fresh

    if sheet.block_problems or not sheet.blocks:
        return text, ()
    return update_text(text, render), tuple(renewed)
