"""Where an imported run came from: the file, how it was read, and what nobody recorded.

Only what the import knows is said. A caps line or a sandbox that was guessed would read like one that was measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchctl.quantities.format import counted, format_number
from benchctl.report.term import Term

if TYPE_CHECKING:
    from benchctl.schema.imported import ImportRecord

__all__ = ["imported_from", "provenance"]

_UNKNOWN = "unknown: imported"


def imported_from(imported: ImportRecord) -> str:
    """Return the sentence that tells an imported run from a collected one."""
    return f"Imported from {imported.file}, sha256 {imported.sha256[:12]}; the terms it was collected under are unknown."


def provenance(imported: ImportRecord) -> tuple[Term, ...]:
    """Return the terms of an import in reading order: source, rows, mapping, own columns, notes, and the unknown ones."""
    return (
        Term("Source", (imported.file,), (f"sha256 {imported.sha256}", _kind(imported), f"kept as {imported.kept}")),
        Term("Rows", (counted(imported.rows, "row"),), _reading(imported)),
        Term("Mapping", _mapping(imported)),
        Term("Own columns", _own(imported)),
        *([Term("Notes", imported.notes)] if imported.notes else []),
        Term("Terms", (_UNKNOWN,), ("caps, sandbox, seed, corpora, machine and commit were not recorded",), alarm=True),
    )  # fmt: skip


def _kind(imported: ImportRecord) -> str:
    parts = (
        imported.format,
        f"dialect {imported.dialect}" if imported.dialect else "",
        imported.encoding or "",
        format_number(imported.bytes, unit="B"),
    )
    return ", ".join(part for part in parts if part)


def _reading(imported: ImportRecord) -> tuple[str, ...]:
    key = f"named by {', '.join(imported.key)}" if imported.key else "named by their number"
    nulls = ", ".join(repr(text) for text in imported.null_texts)
    return (key, *([f"read as null: {nulls}"] if nulls else []))


def _mapping(imported: ImportRecord) -> tuple[str, ...]:
    pairs = tuple(f"{target} is {source}" for target, source in imported.mapped.items())
    return pairs or ("none: no column of the file is a standard one",)


def _own(imported: ImportRecord) -> tuple[str, ...]:
    shown = tuple(
        f"{each.name} ({each.type})"
        + (f", `{each.source}` in the file" if each.source != each.name else "")
        + (f", {counted(each.null, 'row')} without a value" if each.null else "")
        for each in imported.foreign
    )
    return shown or ("none",)
