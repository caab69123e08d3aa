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
    "costs": TableSpec(
        title="Tokens and dollars by arm, agent and model",
        by=("arm", "agent", "model"),
        columns=(
            TableColumn(title="median total", value="total_tokens.median"),
            TableColumn(title="median content", value="content_tokens.median"),
            TableColumn(title="floor", value="floor_tokens.median"),
            TableColumn(title="empty runs", value="baselines::input_tokens.n[outcome=ok]"),
            TableColumn(title="least", value="baselines::input_tokens.min[outcome=ok]"),
            TableColumn(title="most", value="baselines::input_tokens.max[outcome=ok]"),
            TableColumn(title="median cost", value="cost_usd.median"),
            TableColumn(title="cost of cells", value="cost_usd.sum"),
            TableColumn(title="cost of empty runs", value="baselines::cost_usd.sum"),
        ),
        note="The floor is what empty runs read; least and most are theirs. Content is what a cell read above it, and "
        "wrote. A dash is what nobody reported; what was spent on void cells stands in `benchctl status`.",
    ),
}
"""By name. Every table also gets the columns `failed` and `n`, and `void` where a cell is void."""
