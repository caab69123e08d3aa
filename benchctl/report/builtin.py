"""The tables that every run has. A project's own come from benchctl.toml."""

from __future__ import annotations

from benchctl.schema.project import TableColumn, TableSpec

__all__ = ["BUILTIN_TABLES"]

_ANSWERED = TableColumn(title="answered", value="count[answered=true, void=false]", of="count[void=false]")
_WALL = TableColumn(title="median wall", value="wall_s.median")

BUILTIN_TABLES: dict[str, TableSpec] = {
    "arms": TableSpec(
        title="By arm",
        by=("arm",),
        columns=(
            TableColumn(title="score", value="score.macro", interval=True),
            TableColumn(title="precision", value="precision.macro"),
            TableColumn(title="recall", value="recall.macro"),
            _WALL,
            _ANSWERED,
        ),
    ),
    "questions": TableSpec(
        title="By question and arm",
        by=("question", "arm"),
        columns=(
            TableColumn(title="score", value="score.mean"),
            TableColumn(title="precision", value="precision.mean"),
            TableColumn(title="recall", value="recall.mean"),
            _WALL,
            _ANSWERED,
        ),
    ),
    "repos": TableSpec(
        title="By repository and arm",
        by=("repo", "arm"),
        columns=(
            TableColumn(title="score", value="score.macro", interval=True),
            TableColumn(title="precision", value="precision.macro"),
            TableColumn(title="recall", value="recall.macro"),
            _WALL,
            _ANSWERED,
        ),
    ),
}
"""By name. Every table also gets the columns `failed` and `n`, and `void` where a cell is void."""
