"""A chart is one static drawing that follows light and dark and can reach nothing."""

from __future__ import annotations

import builtins
import re

import pytest

from benchctl.errors import ChartRefusedError, ChartRendererMissingError
from benchctl.report import charts
from benchctl.report.charts import ScoreBar, ScorePoint, score_chart, to_svg

BARS = [ScoreBar("grep", 0.5, 0.3, 0.7), ScoreBar("<b>&\u202e", 1.0, None, None)]
POINTS = [ScorePoint(bar.label, f"q{index}", index / 4) for bar in BARS for index in range(5)]


@pytest.fixture(scope="module")
def spec():
    return score_chart(BARS, POINTS, title="macro F1", description='of "grep" & <others>')


@pytest.fixture(scope="module")
def svg(spec):
    return to_svg(spec)


def test_the_drawing_has_a_dot_an_interval_and_a_point_for_each_question(svg):
    assert len(re.findall(r'aria-roledescription="circle"', svg)) == len(POINTS)
    assert len(re.findall(r'stroke="var\(--bc-accent, #[0-9a-f]{6}\)" stroke-width="3"', svg)) == len(BARS)
    assert len(re.findall(r'aria-roledescription="point"', svg)) == len(BARS)


def test_colours_are_variables_with_a_fallback_and_nothing_is_black(svg):
    colours = set(re.findall(r'(?:fill|stroke)="([^"]+)"', svg)) - {"none", "transparent"}
    assert colours
    assert all(re.fullmatch(r"var\(--bc-[a-z]+, #[0-9a-f]{6}\)", colour) for colour in colours), colours


def test_labels_of_unknown_origin_are_text(svg):
    assert "<b>" not in svg
    assert "\u202e" not in svg
    assert "&lt;b&gt;&amp;\\u202e" in svg


def test_the_drawing_loads_and_runs_nothing(svg):
    assert not re.search(r"<(script|image|foreignObject|a)\b", svg)
    assert not re.search(r"\b(xlink:)?href=", svg)


def test_the_specification_names_no_address_and_only_fixed_fields(spec):
    assert not list(charts._addresses(spec, ()))
    assert {key for data in spec["datasets"].values() for row in data for key in row} <= {
        "label", "score", "lane", "lo", "hi",
    } if "datasets" in spec else True  # fmt: skip


@pytest.mark.parametrize(
    ("bad", "path"),
    [
        ({"data": {"url": "https://evil.example/x.csv"}}, "data.url"),
        ({"data": {"url": "/secret.csv"}}, "data.url"),
        ({"layer": [{"encoding": {"href": {"field": "x"}}}]}, "layer.0.encoding.href"),
        ({"encoding": {"HREF": {"value": "javascript:alert(1)"}}}, "encoding.HREF"),
        ({"mark": "image"}, "mark"),
        ({"mark": {"type": "image"}}, "mark.type"),
        ({"encoding": {"url": {"field": "x"}}}, "encoding.url"),
    ],
)
def test_a_specification_with_an_address_is_refused_before_it_is_drawn(bad, path, monkeypatch):
    monkeypatch.setattr(charts, "_draw", lambda _: pytest.fail("it was drawn"))
    with pytest.raises(ChartRefusedError, match=re.escape(f"`{path}`")):
        to_svg(bad)


@pytest.mark.parametrize(
    "drawn",
    [
        "<svg><script>1</script></svg>",
        '<svg><image href="x"/></svg>',
        '<svg><g onload="x"/></svg>',
        "<svg><a><text/></a></svg>",
    ],
)
def test_a_drawing_that_could_run_or_load_is_refused(drawn, monkeypatch):
    monkeypatch.setattr(charts, "_draw", lambda _: drawn)
    with pytest.raises(ChartRefusedError):
        to_svg({"mark": "point"})


def test_words_in_a_label_are_no_handler(monkeypatch):
    monkeypatch.setattr(charts, "_draw", lambda _: "<svg><text>we go on = there</text></svg>")
    assert to_svg({"mark": "point"}).startswith("<svg>")


def test_a_drawing_is_kept_by_its_content(spec, tmp_path, monkeypatch):
    first = to_svg(spec, cache=tmp_path)
    monkeypatch.setattr(charts, "_draw", lambda _: pytest.fail("it was drawn again"))
    assert to_svg(spec, cache=tmp_path) == first
    assert [path.suffix for path in tmp_path.iterdir()] == [".svg"]


def test_two_drawings_of_one_specification_are_the_same(spec, svg):
    assert to_svg(spec) == svg


def test_without_the_renderer_the_error_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def absent(name, *args, **kwargs):
        if name == "vl_convert":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ChartRendererMissingError) as caught:
        to_svg({"mark": "point"})
    assert "pip install" in str(caught.value)
