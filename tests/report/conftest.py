"""Tables made by hand: renderers are tested without a store."""

from __future__ import annotations

import pytest

from benchctl.report.shape import Column, Table, TableCell

DIGEST = "sha256:" + "0123456789abcdef" * 4


@pytest.fixture
def arms() -> Table:
    """Return a small table with an interval, a count of a count, a partial n and a figure nobody measured."""

    def row(arm, score, interval, precision, *, answered, wall_s):
        return (
            TableCell(arm),
            TableCell(
                score, places=3, lo=interval[0], hi=interval[1], scope="questions", n=12, failed=0, void=0
            ),
            precision,
            TableCell(answered, of=12, n=12, failed=0, void=0),
            TableCell(wall_s, places=2, n=12, failed=0, void=0),
            TableCell(0, n=12),
        )

    return Table(
        name="arms",
        title="By arm",
        run="demo-r1",
        data_digest=DIGEST,
        columns=(
            Column("arm", key=True),
            Column("score", unit="fraction"),
            Column("precision", unit="fraction"),
            Column("answered"),
            Column("wall (s)", unit="s"),
            Column("failed"),
        ),
        rows=(
            row("grep", 0.61234, (0.5, 0.72), TableCell(0.71, places=3, n=12), answered=12, wall_s=1.5),
            row(
                "index",
                0.9,
                (0.8, 0.95),
                TableCell(0.91, places=3, n=9, partial=True),
                answered=9,
                wall_s=None,
            ),
            row(
                "a|b<i>",
                1.0,
                (0.77, 1.0),
                TableCell(None, n=0, notes=("nothing was measured",)),
                answered=12,
                wall_s=1234.5,
            ),
        ),
        notes=("Score is F1. Intervals are 95 % over questions.",),
    )
