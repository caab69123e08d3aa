"""A chart is one there is, of a run that the page declares."""

from __future__ import annotations

from benchctl.claims.markers.charts import CHARTS, ChartLine
from benchctl.claims.sheet import Sheet
from benchctl.expressions import near

__all__ = ["check"]


def check(sheet: Sheet) -> None:
    """Find malformed chart lines, and charts whose name or run is not the page's to show."""
    for problem in sheet.chart_problems:
        sheet.record.problem("chart-malformed", problem)
    names = sheet.lookup.store.names() if sheet.charts else []
    for chart in sheet.charts:
        if chart.chart not in CHARTS:
            message = f"no chart `{chart.chart}`"
            sheet.record.find(
                "chart-unknown", chart.start, chart.end, message, hint=f"there is {', '.join(CHARTS)}"
            )
        if chart.run not in names:
            like = near(chart.run, names)
            message = f"no run `{chart.run}` in the store"
            hint = f"it has {like}" if like else ""
            sheet.record.find("chart-run-unknown", chart.start, chart.end, message, hint=hint)
        else:
            _declared(sheet, chart)


def _declared(sheet: Sheet, chart: ChartLine) -> None:
    scope = sheet.scopes.at(chart.start)
    if scope and chart.run not in scope.declared:
        message = f"this chart is of run {chart.run}, the page speaks of {', '.join(sorted(scope.declared))}"
        sheet.record.find("chart-run-undeclared", chart.start, chart.end, message)
