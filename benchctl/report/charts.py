"""Charts: one function each from figures to an Altair specification, and one way to draw it.

A chart is drawn once, when the page is built, to an SVG without a script. Its colours
are CSS variables with a fallback, so that one drawing follows light and dark on a page
and still shows in a viewer that knows no page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchctl.errors import ChartRefusedError, ChartRendererMissingError
from benchctl.report.escaping import visible
from benchctl.report.whole_file import replace_file
from benchctl.schema.canonical import canonical_json, sha256_hex

__all__ = ["ScoreBar", "ScorePoint", "score_chart", "to_svg"]

_FOREGROUND = "var(--bc-fg, #3c3c43)"
_SOFT = "var(--bc-soft, #6e6e78)"
_FAINT = "var(--bc-faint, #e3e3e8)"
_ACCENT = "var(--bc-accent, #3f51b5)"
_BACK = "var(--bc-bg, #ffffff)"

_LANE_PX = 4
_MIN_ROW_PX = 40


@dataclass(frozen=True, slots=True)
class ScoreBar:
    """One row of the score chart: a label, the estimate, and its interval (None where there is none)."""

    label: str
    value: float
    lo: float | None
    hi: float | None


@dataclass(frozen=True, slots=True)
class ScorePoint:
    """One question's score in one row."""

    label: str
    question: str
    value: float


def score_chart(
    bars: Sequence[ScoreBar], points: Sequence[ScorePoint], *, title: str, description: str
) -> dict[str, Any]:
    """Return the specification: each row's estimate with its interval, and a faint point for each question.

    Scores are fractions from 0 to 1. A question keeps its own lane in every row, so that
    it can be followed from row to row.
    """
    import altair as alt

    labels = [visible(bar.label) for bar in bars]
    questions = list(dict.fromkeys(point.question for point in points))
    lanes = {question: index for index, question in enumerate(questions)}
    y = alt.Y(
        "label:N", sort=labels, title=None, axis=alt.Axis(labelFontSize=12, labelLimit=200, ticks=False)
    )
    x_scale = alt.Scale(domain=[0, 1])
    cloud = (
        alt.Chart(
            _values(
                [{"label": visible(p.label), "score": p.value, "lane": lanes[p.question]} for p in points]
            )
        )
        .mark_circle(size=22, color=_SOFT, opacity=0.5)
        .encode(
            y=y,
            yOffset=alt.YOffset("lane:O"),
            x=alt.X(
                "score:Q",
                title=title,
                scale=x_scale,
                axis=alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], format=".1f"),
            ),
        )
    )
    estimates = [
        {"label": visible(b.label), "score": b.value, "lo": b.value if b.lo is None else b.lo,
         "hi": b.value if b.hi is None else b.hi}
        for b in bars
    ]  # fmt: skip
    base = alt.Chart(_values(estimates))
    interval = base.mark_rule(color=_ACCENT, strokeWidth=3, strokeCap="round").encode(
        y=y, x=alt.X("lo:Q", scale=x_scale), x2="hi:Q"
    )
    estimate = base.mark_point(
        shape="circle", size=110, filled=True, fill=_ACCENT, stroke=_BACK, strokeWidth=2, opacity=1
    ).encode(y=y, x=alt.X("score:Q", scale=x_scale))
    row_px = max(_MIN_ROW_PX, _LANE_PX * len(questions))
    chart = alt.layer(cloud, interval, estimate).properties(
        width=400, height=row_px * max(1, len(bars)), description=visible(description)
    )
    spec: dict[str, Any] = chart.configure(**_config()).to_dict()
    return spec


def _values(rows: list[dict[str, Any]]) -> Any:
    import altair as alt

    return alt.Data(values=rows)  # type: ignore[no-untyped-call]


def _config() -> dict[str, Any]:
    """Return the look. Rules are coloured too: their default is black, which a dark page swallows."""
    axis = {
        "labelColor": _SOFT,
        "titleColor": _SOFT,
        "gridColor": _FAINT,
        "domainColor": _FAINT,
        "tickColor": _FAINT,
        "titleFontWeight": "normal",
        "titleFontSize": 11,
        "labelFontSize": 11,
        "titlePadding": 10,
        "labelPadding": 6,
    }
    return {
        "background": "transparent",
        "font": "sans-serif",
        "view": {"stroke": None},
        "axis": axis,
        "axisY": {"grid": False, "domain": False, "labelColor": _FOREGROUND},
        "rule": {"color": _FOREGROUND},
        "padding": 4,
    }


def to_svg(spec: dict[str, Any], *, cache: Path | None = None) -> str:
    """Return the drawn chart as one `<svg>` element.

    `cache` is a folder of drawings named by the specification's digest. Raises
    ChartRefusedError for a specification that names an address, and
    ChartRendererMissingError where the extra `site` is not installed.
    """
    for path in _addresses(spec, ()):
        raise ChartRefusedError(
            f"the chart's specification names an address at `{'.'.join(path)}`",
            expected="data that stands in the specification itself",
        )
    kept = None if cache is None else cache / f"{sha256_hex(_renderer_version() + canonical_json(spec))}.svg"
    if kept is not None and kept.is_file():
        return kept.read_text(encoding="utf-8")
    svg = _checked(_draw(spec))
    if kept is not None:
        replace_file(kept, svg.encode())
    return svg


def _draw(spec: dict[str, Any]) -> str:
    try:
        import vl_convert
    except ImportError as error:
        raise ChartRendererMissingError(
            "vl-convert-python is not installed, so no chart can be drawn",
            next_step="pip install 'benchctl[site]'",
        ) from error
    # Without the empty list any address in a specification would be fetched while the page is built.
    svg: str = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    return svg


def _renderer_version() -> bytes:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("vl-convert-python").encode()
    except PackageNotFoundError:
        return b"none"


def _addresses(value: object, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield where a specification could make its reader load or follow something."""
    if isinstance(value, dict):
        for key, inner in value.items():
            inside = (*path, str(key))
            if str(key).lower() in {"url", "href"} or (key in {"mark", "type"} and inner == "image"):
                yield inside
            # A row's own field names never come from data, so rows are plain values.
            yield from _addresses(inner, inside)
    elif isinstance(value, (list, tuple)):
        for index, inner in enumerate(value):
            yield from _addresses(inner, (*path, str(index)))


_UNSAFE_SVG = re.compile(
    r"<(?:script|image|foreignObject|a)\b|\son\w+\s*=|(?:xlink:)?href\s*=", re.IGNORECASE
)


def _checked(svg: str) -> str:
    """Return the drawing, or refuse one that could run or load something."""
    if found := _UNSAFE_SVG.search(re.sub(r">[^<]*<", "><", svg)):
        raise ChartRefusedError(f"the drawn chart holds `{found[0].strip()}`")
    return svg
