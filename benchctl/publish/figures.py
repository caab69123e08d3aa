"""Charts of a run, drawn and ready to stand in a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from benchctl.claims.markers.charts import CHARTS
from benchctl.errors import TableUnknownError
from benchctl.report.charts import ScoreBar, ScorePoint, score_chart, to_svg
from benchctl.report.escaping import html_text
from benchctl.report.labels import score_name

if TYPE_CHECKING:
    from benchctl.publish.view import RunView
    from benchctl.report.shape import Table, TableCell

__all__ = ["chart_figure", "score_figure"]


def chart_figure(view: RunView, chart: str) -> Markup:
    """Return the chart of a name over a run. Raises TableUnknownError for a name that is none."""
    if chart not in CHARTS:
        raise TableUnknownError(f"no chart {chart!r}", expected=f"one of: {', '.join(CHARTS)}")
    return score_figure(view)


def score_figure(view: RunView) -> Markup:
    """Return the score by arm as a `<figure>`; empty markup where no arm has a score.

    Raises ChartRendererMissingError where the extra `site` is not installed.
    """
    arms, questions = view.builtin("arms"), view.builtin("questions")
    bars = [
        ScoreBar(row[0].text, float(cell.value), cell.lo, cell.hi)
        for row in arms.rows
        if (cell := _score(arms, row)) and isinstance(cell.value, (int, float))
    ]
    points = [
        ScorePoint(row[1].text, row[0].text, float(cell.value))
        for row in questions.rows
        if (cell := _score(questions, row)) and isinstance(cell.value, (int, float))
    ]
    if not bars:
        return Markup()
    name = score_name(view.record)
    label = f"macro {name}" if name == "F1" else "macro score"
    description = f"{label} by arm in run {view.id}, with intervals and one point for each question"
    svg = to_svg(score_chart(bars, points, title=label, description=description), cache=view.drawings)
    scope = next((cell.scope for row in arms.rows if (cell := _score(arms, row)) and cell.scope), None)
    bar = f"Bars are 95 % intervals over {scope}; each" if scope else "Each"
    caption = f"{arms.source} Dots are {label}. {bar} faint point is one question."
    return Markup(  # noqa: S704 - the drawing is checked by its maker, the words are escaped here
        f'<figure class="bc-figure"><div class="bc-chart" role="img" aria-label="{html_text(description)}">'
        f"{svg}</div><figcaption><p>{html_text(caption)}</p></figcaption></figure>"
    )


def _score(table: Table, row: tuple[TableCell, ...]) -> TableCell | None:
    return next(
        (cell for column, cell in zip(table.columns, row, strict=True) if column.title == "score"), None
    )
