"""Which tables a run has without being asked for one by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchctl.report.builtin import BUILTIN_TABLES
from benchctl.report.cell_rows import distinct, filled
from benchctl.report.imported_table import IMPORTED

if TYPE_CHECKING:
    from benchctl.schema.project import ProjectFile
    from benchctl.store.reader import StoredRun

__all__ = ["tables_of"]

_COSTS: Final = "costs"
_MOST_ROWS: Final = 500
"""An import may hold 100,000 questions, and a table of a row each is read by nobody."""


def tables_of(run: StoredRun, config: ProjectFile) -> tuple[str, ...]:
    """Return the names of a run's tables: the built-in ones, then the project's own.

    An imported run has its own table, and each built-in one whose keys and score it has; the
    project's tables are about the project's suite, so of an imported run they are asked for by name.
    """
    if run.record.imported is None:
        silent = () if _says_costs(run) else (_COSTS,)
        return tuple(dict.fromkeys(name for name in [*BUILTIN_TABLES, *config.tables] if name not in silent))
    if "score" not in {column.name for column in filled(run)}:
        return (IMPORTED,)
    fitting = [
        name
        for name, spec in BUILTIN_TABLES.items()
        if (name != _COSTS or _says_costs(run))
        and 0 < len(distinct(run, spec.by, _MOST_ROWS + 1)) <= _MOST_ROWS
    ]
    return (IMPORTED, *fitting)


def _says_costs(run: StoredRun) -> bool:
    """Return whether anybody reported tokens or dollars, of a cell or of an empty run."""
    told = any(distinct(run, (name,), 1) for name in ("total_tokens", "input_tokens", "cost_usd"))
    return told or (run.record.imported is None and bool(run.rows("baselines")))
