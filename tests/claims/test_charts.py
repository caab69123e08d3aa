"""A chart on a page is one there is, of a run that the page declares there."""

import pytest
from synthetic_run import Recipe, make_project

from benchctl.claims.markers import charts
from benchctl.claims.markers.charts import read_charts
from benchctl.claims.reading.page import Page
from benchctl.claims.verify import verify_pages, verify_text
from benchctl.publish import figures, slots

CHART = "<!-- benchctl:chart chart=score run=r9 -->"
TRUE = "96<!--= count --> cells.\n\n"


def found(report):
    return [(item.slug, item.line, item.column) for item in report.findings]


@pytest.mark.parametrize(
    ("line", "slug", "column"),
    [
        (CHART.replace("score", "skore"), "chart-unknown", 1),
        (CHART.replace("r9", "r99"), "chart-run-unknown", 1),
        (CHART.replace("r9", "nothing-like-it"), "chart-run-unknown", 1),
        (CHART.replace("r9", "r8"), "chart-run-undeclared", 1),
        (f"é {CHART}", "chart-malformed", 3),
        (f"{CHART} ", "chart-malformed", 1),
        ("<!-- benchctl:chart run=r9 chart=score -->", "chart-malformed", 1),
        ("<!-- Benchctl : chart -->", "chart-malformed", 1),
        ("<!-- benchctl:chart chart=score run=../x -->", "chart-malformed", 1),
        ("<!-- benchctl:chart chart=score\nrun=r9 -->", "chart-malformed", 1),
        ("<!--\nbenchctl:chart chart=score run=r9 -->", "chart-malformed", 1),
    ],
)
def test_a_wrong_chart_is_found_at_its_place(verify, line, slug, column):
    report = verify(f"{TRUE}{line}\n")
    assert found(report) == [(slug, 5, column)]
    assert not report.ok


def test_the_unknown_is_told_what_there_is(verify):
    assert "score" in verify(f"{TRUE}{CHART.replace('score', 'skore')}\n").findings[0].hint
    assert "r9" in verify(f"{TRUE}{CHART.replace('r9', 'r99')}\n").findings[0].hint


def test_a_true_chart_and_a_shown_one_are_silent(verify):
    assert verify(f"{TRUE}{CHART}\n\n`{CHART} `\n\n```\n {CHART}\n```\n").findings == ()
    assert verify(f"{TRUE}{CHART}\n".replace("\n", "\r\n")).findings == ()


def test_a_run_beside_the_pages_own_is_declared(project):
    text = f"<!-- benchctl: run=r9 also=r8 -->\n\n{TRUE}{CHART.replace('r9', 'r8')}\n"
    assert verify_text(project, "page.md", text).findings == ()


def test_a_section_declares_for_itself_alone(project):
    other = CHART.replace("r9", "r8")
    text = (
        f"<!-- benchctl: run=r9 -->\n\n{TRUE}{other}\n\n## Before\n\n<!-- benchctl: run=r8 -->\n\n{other}\n"
    )
    assert found(verify_text(project, "page.md", text)) == [("chart-run-undeclared", 5, 1)]


def test_a_chart_is_something_to_check(verify):
    assert verify(f"{CHART}\n").findings == ()
    exempt = verify(f"{CHART}\n\n5<!--exempt: a rule -->\n")
    assert [item.slug for item in exempt.findings] == ["page-without-claims"]


@pytest.mark.parametrize("line", [CHART, "<!-- benchctl:chart -->"])
def test_a_page_with_a_chart_and_no_run_is_not_skipped(tmp_path, line):
    project = make_project(tmp_path, Recipe())
    (tmp_path / "README.md").write_text(f"{line}\n")
    [page] = verify_pages(project).pages
    assert [item.slug for item in page.findings] == ["page-undeclared"]


@pytest.mark.parametrize(
    "text",
    [
        CHART,
        f" {CHART}",
        f"{CHART} {CHART}",
        f"`{CHART}`",
        f"~~~\n{CHART}\n~~~\n{CHART}",
        f"é\r\n{CHART}\r\n",
    ],
)
def test_what_is_read_here_is_what_is_drawn(text):
    drawn, problems = slots.chart_places(text)
    read, wrong = read_charts(Page("page.md", text))
    assert [(c.chart, c.run, c.start, c.end) for c in read] == [
        (c.chart, c.run, c.start, c.end) for c in drawn
    ]
    assert len(wrong) == len(problems)
    assert charts.CHARTS == figures.CHARTS
