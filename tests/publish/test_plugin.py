"""The plugin in real builds: what it adds, what it refuses, and what it leaves alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from site_builder import CHART, analysis, build, build_by_command, copy_site, make_site
from synthetic_run import RUN, Recipe, make_project

from benchctl.publish.guard import script_hash
from benchctl.report.stamp import render_block
from benchctl.report.tables import named_table
from benchctl.store.project import Project


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return a project whose site was built: one sound run, one whose every text is hostile."""
    root = tmp_path_factory.mktemp("site")
    recipes = (
        Recipe(failed=True, questions=2, reps=1),
        Recipe(run="hostile-r2", hostile=True, questions=2, reps=1, shift=0.1),
    )
    make_site(root, *recipes)
    before = _tree(root / "site")
    done = build(root)
    assert done.returncode == 0, done.log
    assert _tree(root / "site") == before, (
        "a build must not write into the pages it reads, or `serve` never rests"
    )
    return root


def _tree(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def _changed(site, tmp_path, change, page="analysis.md"):
    """Return the failed or passed build of a copy of the site with one page changed."""
    root = copy_site(site, tmp_path / "copy")
    file = root / "site" / page
    file.write_text(change(file.read_text()))
    return root, build(root)


def test_run_and_cell_pages_stand_at_their_permalinks(site):
    built = site / "build" / "site"
    for page in (
        "runs/index.html",
        f"runs/{RUN}/index.html",
        f"runs/{RUN}/cells/click-q1/grep/script/none/1/index.html",
        "runs/hostile-r2/cells/mkdocs-q2/hybrid/script/none/1/index.html",
    ):
        assert "bc-" in (built / page).read_text(), page
    for name in ("cells.csv", "cells.json", "cells.parquet"):
        assert (built / "runs" / RUN / name).stat().st_size


def test_blocks_and_charts_of_hand_written_pages_are_filled_in(site):
    page = (site / "build/site/analysis/index.html").read_text()
    assert page.count('<table class="bc-table" data-table="arms">') == 1
    assert page.count('<div class="bc-chart"') == 1
    assert "benchctl-slot" not in page
    assert "0.875" in page


def test_tables_and_transcripts_never_reach_the_search_index(site):
    index = json.loads((site / "build/site/search/search_index.json").read_text())
    texts = " ".join(entry["text"] + entry["title"] for entry in index["docs"])
    for word in ("attacked", "searching", "By arm", "evil.example", "0.375"):
        assert word not in texts
    assert any(RUN in entry["title"] for entry in index["docs"]), "a run is found by its name"


def test_cells_are_in_no_navigation(site):
    page = (site / "build/site/index.html").read_text()
    assert "cells/" not in page
    assert 'href="runs/"' in page


def test_every_page_has_its_policy_before_anything_else_in_its_head(site):
    pages = list((site / "build/site").rglob("*.html"))
    assert (site / "build/site/404.html") in pages
    policies = set()
    for page in pages:
        html = page.read_text()
        head = html[html.index("<head>") + 6 :]
        assert head.startswith('<meta http-equiv="Content-Security-Policy"'), page
        assert '<meta name="referrer" content="no-referrer">' in head[:1500]
        policies.add(re.search(r'content="([^"]+)"', head)[1])
    assert len(policies) == 1, "the theme's scripts are the same on every page, so one policy serves all"
    assert "unsafe-inline'; script" not in policies.pop()


def test_no_page_names_another_host_as_a_source(site):
    for page in (site / "build/site").rglob("*.html"):
        assert not re.search(
            r'<(?:script|img|link|iframe)[^>]+(?:src|href)="(?:https?:)?//', page.read_text()
        )


def test_hostile_text_never_becomes_markup(site):
    pages = list((site / "build/site/runs/hostile-r2").rglob("*.html"))
    assert len(pages) == 19
    for page in pages:
        html = page.read_text()
        assert "<script>window" not in html
        assert "<img src=x" not in html
        assert "\u202e" not in html
        assert html.count("benchctl-slot") == 0


def test_two_builds_are_the_same_bytes(site, tmp_path):
    root = copy_site(site, tmp_path / "again")
    assert build(root).returncode == 0
    first, second = (_tree(each / "build/site") for each in (site, root))
    assert set(first) == set(second)
    assert [name for name in first if first[name] != second[name]] == []


def test_an_unchanged_store_means_no_second_drawing(site):
    assert list((site / "build" / "charts").glob("*.svg"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace("0.875<", "0.876<"), ["analysis.md:8:", "false"]),
        (lambda text: text.replace("| hybrid | 0.875", "| hybrid | 0.876"), ["stale-block"]),
        (lambda text: text.replace("benchctl:end", "benchctl:End"), ["malformed"]),
        (lambda text: text.replace("run: demo-r1", "run: demo-r9"), ["demo-r9"]),
        (lambda text: text + "\nAnd 17 more.\n", ["unbound", "17"]),
        (lambda text: text.replace("chart=score", "chart=skore", 1), ["skore", "score"]),
        (
            lambda text: text.replace("\n<!-- benchctl:chart", "\n <!-- benchctl:chart", 1),
            ["chart", "malformed"],
        ),
        (lambda text: text.replace(f"chart=score run={RUN}", "chart=score run=absent", 1), ["absent"]),
    ],
    ids=["digit", "block", "marker", "run", "unbound", "chart", "chart-line", "chart-run"],
)
def test_a_page_that_says_what_its_run_does_not_fails_the_build(site, tmp_path, change, words):
    root, done = _changed(site, tmp_path, change)
    assert done.returncode == 1
    for word in words:
        assert word in done.log
    assert not list((root / "build").rglob("index.html")), "nothing may be written"


def test_the_block_of_another_run_fails_the_build(site, tmp_path):
    project = Project.find(site)
    own, other = (render_block(named_table(project.store, run, "arms")) for run in (RUN, "hostile-r2"))
    _, done = _changed(site, tmp_path, lambda text: text.replace(own, other))
    assert done.returncode == 1
    assert "stale-run" in done.log or "stale-block" in done.log


def test_the_command_prints_the_problem_and_no_traceback(site, tmp_path):
    root = copy_site(site, tmp_path / "copy")
    page = root / "site" / "analysis.md"
    page.write_text(page.read_text().replace("0.875<", "0.876<"))
    done = build_by_command(root)
    assert done.returncode == 1
    assert "site/analysis.md:8:24: false" in done.stderr
    assert "Traceback" not in done.stderr + done.stdout


def test_every_problem_is_named_in_one_go(site, tmp_path):
    _, done = _changed(site, tmp_path, lambda text: text.replace("0.875<", "0.876<") + "\nAnd 17 more.\n")
    assert "2 problem(s)" in done.log


def test_a_site_whose_pages_all_declare_nothing_is_not_checked_in_silence(site, tmp_path):
    _, done = _changed(site, tmp_path, lambda _: "# No declaration\n")
    assert done.returncode == 1
    assert "no page would be checked" in done.log


def test_a_project_without_runs_builds(tmp_path):
    root = tmp_path / "new"
    root.mkdir()
    make_site(root)
    import shutil

    shutil.rmtree(root / "data")
    (root / "site" / "analysis.md").write_text("# Soon\n")
    done = build(root)
    assert done.returncode == 0, done.log
    assert "No run has been collected yet" in (root / "build/site/runs/index.html").read_text()


def test_an_inline_script_of_a_page_is_not_authorised_by_standing_there(site, tmp_path):
    _, done = _changed(site, tmp_path, lambda text: text + "\n<script>attack()</script>\n", page="index.md")
    assert done.returncode == 1
    assert "index.html" in done.log
    assert "not on the list" in done.log


@pytest.mark.parametrize(
    "markup",
    [
        '<p onclick="x()">x</p>',
        '<a href="javascript:alert(1)">x</a>',
        '<img src="https://evil.example/p.png" alt="">',
        "[x](javascript:alert)",
    ],
)
def test_a_handler_or_a_remote_resource_fails_the_build(site, tmp_path, markup):
    _, done = _changed(site, tmp_path, lambda text: f"{text}\n\n{markup}\n", page="index.md")
    assert done.returncode == 1
    assert "index.html" in done.log


def test_a_hostile_page_title_fails_the_build_instead_of_running_on_every_page(site, tmp_path):
    title = "title: '<img src=x onerror=attack()>'"
    _, done = _changed(site, tmp_path, lambda text: text.replace("---\n", f"---\n{title}\n", 1))
    assert done.returncode == 1
    assert "handler" in done.log


def test_a_hand_written_page_wins_over_a_generated_one(site, tmp_path):
    root = copy_site(site, tmp_path / "copy")
    (root / "site" / "runs").mkdir()
    (root / "site" / "runs" / "index.md").write_text("# Our own list\n")
    assert build(root).returncode == 0
    assert "Our own list" in (root / "build/site/runs/index.html").read_text()


def test_serving_shows_a_banner_and_a_warning_and_still_builds(site, tmp_path):
    root = copy_site(site, tmp_path / "copy")
    page = root / "site" / "analysis.md"
    page.write_text(page.read_text().replace("| hybrid | 0.875", "| hybrid | 0.876"))
    done = build(root, serving=True)
    assert done.returncode == 0, done.log
    assert "stale-block" in done.log
    html = (root / "build/site/analysis/index.html").read_text()
    assert 'role="alert"' in html
    assert "stale-block" in html
    assert "0.876" in html, "a stale block must show what it says"
    assert 'role="alert"' not in (root / "build/site/index.html").read_text()
    assert str(root / "data" / "runs") in done.log


def test_the_store_can_be_named_elsewhere(tmp_path):
    root = tmp_path / "one"
    root.mkdir()
    make_site(root)
    (root / "data").rename(root / "elsewhere")
    config = (root / "mkdocs.yml").read_text()
    assert "  - benchctl\n" in config
    (root / "mkdocs.yml").write_text(
        config.replace("  - benchctl\n", "  - benchctl:\n      store: elsewhere\n")
    )
    done = build(root)
    assert done.returncode == 0, done.log
    assert (root / f"build/site/runs/{RUN}/index.html").is_file()


def test_outside_a_project_the_error_says_so(tmp_path):
    root = tmp_path / "one"
    root.mkdir()
    make_site(root)
    (root / "benchctl.toml").unlink()
    done = build(root)
    assert done.returncode == 1
    assert "project-not-found" in done.log


def test_an_open_run_has_a_page_and_cannot_carry_a_block(tmp_path):
    root = tmp_path / "one"
    root.mkdir()
    project = make_site(root)
    make_project(root, Recipe(run="open-r3", left_open=True, questions=1))
    assert build(root).returncode == 0
    assert "still open" in (root / "build/site/runs/open-r3/index.html").read_text()
    assert "open-r3" not in analysis(project)


def test_our_own_configuration_keeps_what_was_learned():
    root = Path(__file__).parent.parent.parent
    config = (root / "mkdocs.yml").read_text()
    assert "docs_dir: site\n" in config
    assert re.search(r"^site_dir: build/site\b", config, re.MULTILINE)
    assert re.search(r"^  font: false\b", config, re.MULTILINE), "a font would be fetched from another host"
    assert "search.suggest" not in config, "it held a DOM XSS"
    pins = (root / "pyproject.toml").read_text()
    assert "mkdocs>=1.6.1,<2" in pins
    assert re.search(r"mkdocs-material>=9\.7\.7|mkdocs-material>=9\.[89]", pins)
    assert re.search(r"click>=8\.4", pins), "8.3 never rebuilds under `mkdocs serve`"
    assert CHART.startswith("<!-- benchctl:chart")


def test_a_project_may_turn_the_guard_off_or_name_a_script_of_its_own(site, tmp_path):
    script = "<script>ours()</script>"
    for number, option in enumerate(("guard: false", f"allow_scripts: ['{script_hash('ours()')}']")):
        root = copy_site(site, tmp_path / str(number))
        page = root / "site" / "index.md"
        page.write_text(page.read_text() + f"\n{script}\n")
        config = root / "mkdocs.yml"
        config.write_text(config.read_text().replace("  - benchctl\n", f"  - benchctl:\n      {option}\n"))
        assert build(root).returncode == 0
        html = (root / "build/site/index.html").read_text()
        assert ("Content-Security-Policy" in html) == (number == 1)
