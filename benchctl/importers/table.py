"""A file as a further table of a run: every column under its own name, in the file's order, without a key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchctl.errors import ImportMappingError, OptionInvalidError
from benchctl.importers import IMPORTERS
from benchctl.importers.imported import ImportedRows, notes_of, own_column, sheet_of
from benchctl.importers.mapping import position
from benchctl.importers.names import column_names, fold
from benchctl.importers.reading import Reading, scanned
from benchctl.schema.imported import TableRecord
from benchctl.schema.result import TABLES, VIEWS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchctl.importers.base import ReadOptions
    from benchctl.importers.imported import Source, Terms

__all__ = ["ImportedTable", "check_table_name", "read_table"]

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
_TAKEN: Final = frozenset({*TABLES, *VIEWS, "runs", "foreign", "judgements", "baselines"})
_NEVER: Final = ("run",)


@dataclass(frozen=True, slots=True)
class ImportedTable:
    """A file that was read as a table; `names` are its columns' in the run."""

    record: TableRecord
    reading: Reading
    names: tuple[str, ...]

    @property
    def rows(self) -> ImportedRows:
        """Return the rows, in the file's order."""
        return ImportedRows(self._rows)

    def _rows(self) -> Iterator[dict[str, Any]]:
        for _, values in self.reading.values():
            yield dict(zip(self.names, values, strict=True))


def check_table_name(name: str) -> str:
    """Return a further table's name, or raise OptionInvalidError: it has to be one word, and not one of benchctl's."""
    if not _NAME.fullmatch(name) or name.lower() in _TAKEN:
        raise OptionInvalidError(
            f"--table: {name!r} cannot be a further table's name",
            expected="a letter, then at most 62 of A-Z a-z 0-9 _, and not " + ", ".join(sorted(_TAKEN)),
            next_step="choose another name",
        )
    return name


def read_table(source: Source, name: str, terms: Terms, options: ReadOptions) -> ImportedTable:
    """Return a file as a further table, having read it whole. Raises what an import raises, and nothing about keys."""
    reading = scanned(sheet_of(source, terms, options), terms.null_texts, options, study=False)
    names, notes = column_names(reading.columns, options, _NEVER)
    for asked, target in terms.mapped.items():
        index = position(asked, reading.columns, names, "--map")
        taken = {fold(other) for at, other in enumerate(names) if at != index}
        if not target.strip() or "\0" in target or target.lower() in _NEVER or fold(target) in taken:
            raise ImportMappingError(
                f"--map: {asked!r} cannot be called {target!r} in this table", next_step="choose another name"
            )
        names[index] = target
        notes.append(f"column {reading.columns[index]!r} is called `{target}`, as asked")
    record = TableRecord(
        table=name,
        format=terms.format,
        file=options.name,
        kept=f"tables/{name}.source.{IMPORTERS[terms.format].SUFFIX}",
        sha256=source.sha256,
        bytes=source.bytes,
        rows=reading.rows,
        encoding=reading.sheet.encoding,
        null_texts=terms.null_texts,
        columns=tuple(own_column(reading, index, each) for index, each in enumerate(names)),
        notes=(*notes_of(reading, names, terms.null_texts, range(len(names))), *notes),
        options=reading.sheet.options | ({"exported": "benchctl"} if options.types else {}),
    )
    return ImportedTable(record, reading, tuple(names))
