"""Pages that stand alone: whole, escaped, linked to each other, and never written over a person's."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from synthetic_run import HOSTILE, RUN, Recipe, make_project

from benchctl.errors import ChartRendererMissingError, MarkupRefusedError, PageExistsError, RunUnknownError
from benchctl.publish import pages, render
from benchctl.publish.figures import score_figure
from benchctl.publish.pages import page_title
from benchctl.publish.render import MARK, render_run, render_site
from benchctl.publish.view import RunView
from benchctl.report import charts
from benchctl.schema.run import RefusalRecord
from benchctl.store.writing.writer import RunWriter


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    recipes = (
        Recipe(failed=True, void=True, questions=1),
        Recipe(run="hostile-r2", hostile=True, questions=1),
        Recipe(run="open-r3", left_open=True, questions=1),
    )
    return make_project(tmp_path_factory.mktemp("project"), *recipes)


@pytest.fixture(scope="module")
def site(project, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    return out, render_site(project, out)


class _Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, _, attrs):
        self.found += [value for name, value in attrs if name == "href"]


def test_every_run_and_every_cell_has_a_page(site):
    out, written = site
    assert written[0] == out / "runs" / "index.html"
    assert len(written) == 1 + 3 + 18 + 18 + 9
    assert (
        out / "runs" / RUN / "cells" / "click-q1" / "grep" / "script" / "none" / "1" / "index.html"
    ) in written


def test_every_link_leads_to_a_file(site):
    _, written = site
    for page in written:
        reader = _Links()
        reader.feed(page.read_text())
        assert reader.found or page.parent.name != "runs"
        for href in reader.found:
            assert (page.parent / unquote(href)).is_file(), f"{page}: {href}"


def test_a_run_page_leads_to_each_of_its_cells(site):
    out, _ = site
    page = (out / "runs" / RUN / "index.html").read_text()
    assert len(set(re.findall(r'href="(cells/[^"]+/index\.html)"', page))) == 18


def test_a_run_page_has_figures_chart_refusals_terms_and_downloads(site):
    out, _ = site
    page = (out / "runs" / RUN / "index.html").read_text()
    for part in (
        'id="result"',
        "<svg",
        'id="questions"',
        "pip install graphify",
        "seed 7",
        "cells.parquet",
        "benchctl-canary-",
    ):
        assert part in page
    assert "1 of 18, counted with score 0: 1 timeout" in page


def test_a_cell_page_has_question_answer_facts_attempts_and_transcript(site):
    out, _ = site
    page = (out / "runs/demo-r1/cells/click-q1/hybrid/script/none/1/index.html").read_text()
    for part in (
        "Callers of click.f1",
        "[&#34;a::one&#34;, &#34;z::wrong&#34;]",
        '<section class="bc-hit">',
        '<section class="bc-missed">',
        '<section class="bc-extra">',
        "2026-11-30T07:00:01Z",
        "searching\nfound 2",
        "benchctl-canary-",
    ):
        assert part in page


def test_an_open_run_says_how_far_it_is(site):
    out, _ = site
    assert "still open: 9 of 18" in (out / "runs/open-r3/index.html").read_text()


def test_hostile_text_is_shown_and_never_interpreted(site):
    _, written = site
    hostile = [page.read_text() for page in written if "hostile-r2" in str(page)]
    assert len(hostile) == 19
    for page in hostile:
        assert "&lt;script&gt;window.attacked=1" in page
        for raw in (
            "<script>window",
            "<img",
            "\u202e",
            "\u200b",
            "\x1b",
            "</pre></td>",
            "benchctl:chart -->",
        ):
            assert raw not in page
        assert "\\u202ereversed" in page
        assert "{{ 7 * 7 }}" in page


def test_one_page_is_one_file_under_a_policy(site):
    _, written = site
    for page in written:
        html = page.read_text()
        assert html.index("Content-Security-Policy") < html.index("<style>")
        assert MARK in html
        assert not re.search(r"<(link|img|iframe)\b|<[^>]*\ssrc=", html)


def test_downloads_are_the_stored_rows(site):
    out, _ = site
    folder = out / "runs" / "hostile-r2"
    data = json.loads((folder / "cells.json").read_text())
    assert (data["schema"], data["run"], len(data["cells"])) == ("benchctl.cells/1", "hostile-r2", 18)
    assert data["cells"][0]["answer"] == HOSTILE
    rows = list(csv.DictReader(io.StringIO((folder / "cells.csv").read_text())))
    assert rows[0]["answer"] == HOSTILE
    assert [row["score"] for row in rows] == [str(row["score"]) for row in data["cells"]]
    assert (folder / "cells.parquet").read_bytes()[:4] == b"PAR1"
    assert not (out / "runs" / "open-r3" / "cells.parquet").exists()


def test_the_same_store_renders_the_same_bytes(project, site, tmp_path):
    out, _ = site
    render_site(project, tmp_path)
    old, new = (
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (out, tmp_path)
    )
    assert old == new


def test_one_run_alone_can_be_rendered_again(project, tmp_path):
    page = render_run(project, RUN, tmp_path)
    assert page == tmp_path / "runs" / RUN / "index.html"
    assert render_run(project, RUN, tmp_path) == page
    assert not (tmp_path / "runs" / "hostile-r2").exists()
    assert render_site(project, tmp_path, [RUN])


def test_a_run_rendered_alone_is_listed_with_the_runs_whose_pages_stand_there(project, tmp_path):
    index = tmp_path / "runs" / "index.html"
    for run, listed in ((RUN, [RUN]), ("open-r3", [RUN, "open-r3"]), (RUN, [RUN, "open-r3"])):
        page = render_run(project, run, tmp_path)
        reader = _Links()
        reader.feed(page.read_text())
        assert "../index.html" in reader.found
        reader = _Links()
        reader.feed(index.read_text())
        assert sorted(reader.found) == [f"{each}/index.html" for each in listed]


def test_a_damaged_run_beside_it_costs_a_run_no_page(tmp_path):
    project = make_project(tmp_path, Recipe(questions=1), Recipe(run="other-r2", questions=1))
    render_run(project, "other-r2", tmp_path / "out")
    (project.store.runs_dir / "other-r2" / "manifest.json").write_text("{")
    assert render_run(project, RUN, tmp_path / "out").is_file()
    assert "other-r2" not in (tmp_path / "out" / "runs" / "index.html").read_text()


def test_a_hand_written_list_of_runs_is_left_alone_and_the_run_is_rendered(project, tmp_path):
    index = tmp_path / "runs" / "index.html"
    index.parent.mkdir()
    index.write_text("<h1>mine</h1>")
    assert render_run(project, RUN, tmp_path).is_file()
    assert index.read_text() == "<h1>mine</h1>"


def test_only_an_arm_or_an_agent_is_called_optional(tmp_path):
    project = make_project(tmp_path, Recipe(questions=1))
    view = RunView(project, project.store.run(RUN))
    asked = [
        {"question": "q-thin", "reason": "too few items", "required": False},
        {"question": "q-broken", "reason": "its method broke"},
        {"arm": "graph", "reason": "rg not found", "required": False},
        {"agent": "robot", "reason": "not installed", "required": False},
        {"arm": "index", "reason": "not built"},
    ]
    view.record = view.record.model_copy(update={"refusals": tuple(RefusalRecord(**each) for each in asked)})
    page = pages.run_body(view, render._Shell(project).env, leaf=True).html
    found = re.findall(r"<li><strong>([^<]+)</strong>( \(optional\))?: ", page)
    assert sorted(found) == [
        ("graph", " (optional)"),
        ("index", ""),
        ("q-broken", ""),
        ("q-thin", ""),
        ("robot", " (optional)"),
    ]


def test_a_run_page_names_what_two_runs_must_share(site):
    out, _ = site
    page = (out / "runs" / RUN / "index.html").read_text()
    assert "only where suite, prompts, key, corpora, arms, agents, caps, attempts and sandbox agree" in page
    assert "where these agree" not in page


def test_a_hand_written_page_is_never_overwritten_and_nothing_is_half_written(project, tmp_path):
    page = tmp_path / "runs" / RUN / "cells" / "click-q1" / "grep" / "script" / "none" / "1" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text("<h1>mine</h1>")
    with pytest.raises(PageExistsError):
        render_run(project, RUN, tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [page]


def test_an_unknown_run_is_an_error(project, tmp_path):
    with pytest.raises(RunUnknownError):
        render_run(project, "demo-r9", tmp_path)


def test_a_template_that_lets_a_script_in_is_refused_before_anything_is_written(tmp_path):
    project = make_project(tmp_path, Recipe(questions=1))
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "cell.html.j2").write_text("{{ answer }}<script>alert(1)</script>")
    with pytest.raises(MarkupRefusedError):
        render_run(project, RUN, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_project_that_replaces_the_arms_table_keeps_its_chart(tmp_path):
    project = make_project(tmp_path, Recipe(questions=1))
    (tmp_path / "benchctl.toml").write_text(
        '[tables.arms]\ntitle = "Ours"\nby = ["repo"]\ncolumns = [{title = "cells", value = "count"}]\n'
    )
    page = render_run(type(project).find(tmp_path), RUN, tmp_path / "out").read_text()
    assert "Ours. Run" in page
    assert "<svg" in page


@pytest.mark.parametrize(
    ("text", "title"),
    [("Run demo-r1", "Run demo-r1"), ("q/a%20b/1", "q/a%20b/1"), ('<img src="x">\u202e{{x}}', "img srcxx")],
)
def test_a_title_has_only_characters_that_no_template_interprets(text, title):
    assert page_title(text) == title


def test_the_mark_is_in_the_part_that_is_read(project):
    shell = render._Shell(project)
    html = shell.page(render.pages.Page("x", "y"), "x.html")
    assert MARK.encode() in html[:2000]


def test_without_the_chart_renderer_a_run_page_says_how_to_get_it(project, tmp_path, monkeypatch):
    def absent(_):
        raise ChartRendererMissingError("no <renderer>", next_step="pip install 'x[site]'")

    monkeypatch.setattr(charts, "_draw", absent)
    monkeypatch.setattr(charts, "_renderer_version", lambda: b"another")
    page = render_run(project, RUN, tmp_path).read_text()
    assert "no &lt;renderer&gt;: pip install &#39;x[site]&#39;" in page
    assert "<svg" not in page


def test_a_run_page_says_what_limits_all_its_figures(tmp_path):
    project = make_project(tmp_path, Recipe(questions=1, left_open=True))
    view = RunView(project, project.store.run(RUN))
    view.record = view.record.model_copy(update={"practice": True})
    assert [line.split()[0] for line in pages._warnings(view)] == ["This", "A"]
    with RunWriter.resume(project.store, RUN) as writer:
        writer.close(allow_unfinished=True)
    assert "closed with 9 of 18" in pages._warnings(RunView(project, project.store.run(RUN)))[0]


def test_a_transcript_that_was_cut_says_how_much_was_not_kept():
    stream = {"attempt": 1, "stream": "stdout", "text": "x", "total_bytes": 5000, "dropped_bytes": 4000}
    assert pages._stream(stream)["size"] == "5,000 B, 4,000 B not kept"


def test_a_run_in_which_nothing_has_a_score_has_no_chart(tmp_path):
    project = make_project(tmp_path, Recipe(questions=1, left_open=True))
    view = RunView(project, project.store.run(RUN))
    empty = replace(view.builtin("arms"), rows=())
    view._builtin["arms"] = empty
    assert score_figure(view) == ""
