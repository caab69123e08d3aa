"""The pages of an imported run: rendered, escaped, and no more of them than somebody reads."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape
from urllib.parse import unquote

import pytest
from results_file import make_import, plain
from site_builder import build, make_site
from synthetic_run import HOSTILE

from benchctl.publish import payload, view
from benchctl.publish.render import render_run, render_site
from benchctl.schema.names import path_safe
from benchctl.store.project import Project
from benchctl.store.reader import Store


@pytest.fixture
def project(tmp_path):
    (tmp_path / "benchctl.toml").write_text("")
    return Project.find(tmp_path)


def hostile():
    rows = [{**row, "remark": HOSTILE, "<i>odd|name": 1} for row in plain(4)]
    return {"rows": rows, "notes": (HOSTILE,), "file": f"{HOSTILE[:40]}.csv"}


def test_a_run_page_shows_the_file_the_figures_and_the_rows(project, tmp_path):
    make_import(project.store)
    page = render_run(project, "imp", tmp_path / "out").read_text()
    assert "Imported from results.csv" in page
    assert "median wall time (s)" in page
    assert '<a href="cells/rg/t1/index.html">rg/t1</a>' in page
    assert "unknown: imported" in page
    assert ">None<" not in page
    cell = (tmp_path / "out/runs/imp/cells/rg/t1/index.html").read_text()
    assert "<dt>hits</dt><dd>0</dd>" in cell
    assert "<dt>agent</dt><dd>rg</dd>" in cell
    assert "&lt;b&gt;fast&lt;/b&gt;" in cell
    assert ">None<" not in cell
    assert "The agent gave no answer" not in cell
    listed = (tmp_path / "out/runs/index.html").read_text()
    assert "from results.csv" in listed


@pytest.mark.parametrize(
    "mapped", [{}, {"arm": "tool"}, {"question": "task", "score": "points", "arm": "tool"}]
)
def test_whatever_was_mapped_the_pages_render(project, tmp_path, mapped):
    make_import(project.store, rows=[{**row, "points": 0.5} for row in plain(4)], mapped=mapped)
    written = render_site(project, tmp_path / "out")
    assert len(written) == 1 + 1 + 4


def test_what_a_file_holds_is_text_on_every_page(project, tmp_path):
    make_import(project.store, **hostile())
    pages = [path.read_text() for path in render_site(project, tmp_path / "out")]
    for page in pages:
        body = re.sub(r"<script>.*?</script>|<style>.*?</style>", "", page, flags=re.DOTALL)
        assert "<script" not in body
        assert "<img" not in body
        assert "\u202e" not in body
        assert "<i>odd" not in body
    assert any("&lt;img" in page for page in pages)


def test_the_downloads_have_the_own_columns(project, tmp_path):
    make_import(project.store)
    folder = render_run(project, "imp", tmp_path / "out").parent
    rows = list(csv.DictReader(io.StringIO((folder / "cells.csv").read_text())))
    assert [row["hits"] for row in rows] == ["0", "10", "20", "", "40", "50"]
    assert "sandbox" not in rows[0]
    data = json.loads((folder / "cells.json").read_text())
    assert data["cells"][3]["hits"] is None
    assert (folder / "own-columns.parquet").read_bytes()[:4] == b"PAR1"
    for name in ("cells.csv", "cells.json", "cells.parquet", "own-columns.parquet"):
        assert f'href="{name}"' in (folder / "index.html").read_text()


def test_a_big_import_has_no_page_a_cell_and_says_so(project, tmp_path, monkeypatch):
    monkeypatch.setattr(view, "MOST_CELL_PAGES", 50)
    monkeypatch.setattr(payload, "MOST_JSON_ROWS", 100)
    make_import(project.store, rows=[{"tool": "rg", "task": f"t{n}", "seconds": 1.0} for n in range(250)])
    page = render_run(project, "imp", tmp_path / "out")
    assert not (page.parent / "cells").exists()
    assert not (page.parent / "cells.json").exists()
    text = page.read_text()
    assert "cells.json" not in text
    assert "The first 200 of 250 cells" in text
    assert "has no page a cell" in text
    assert text.count('<th scope="row" class="bc-key">rg/') == 200
    assert len((page.parent / "cells.csv").read_text().splitlines()) == 251


def long_names():
    """Return rows whose names no file system takes: in Chinese, of 300 letters, and two that begin alike."""
    tasks = ["这个函数在哪里被谁调用" * 4, "a" * 300, "a" * 299 + "b", "short"]
    return [{"tool": "rg", "task": path_safe(task), "seconds": 1.0} for task in tasks]


def links_of(page):
    """Return the pages that a page's own links lead to, as paths."""
    body = re.sub(r"<nav.*?</nav>|<header.*?</header>", "", page.read_text(), flags=re.DOTALL)
    addresses = [unescape(found) for found in re.findall(r'<a [^>]*?href="([^"#:]+)"', body)]
    return [page.parent / unquote(address) for address in addresses]


def test_a_cell_of_any_name_has_a_page_and_every_link_leads_to_one(project, tmp_path):
    make_import(project.store, rows=long_names())
    written = render_site(project, tmp_path / "out")
    assert len(written) == 1 + 1 + 4
    listed = links_of(tmp_path / "out" / "runs" / "imp" / "index.html")
    assert {path.resolve() for path in listed} >= {path.resolve() for path in written[2:]}
    for page in written:
        assert all(path.is_file() for path in links_of(page))
    assert (tmp_path / "out" / "runs" / "imp" / "cells" / "rg" / "short" / "index.html") in written


def test_a_site_with_cells_of_any_name_builds(tmp_path):
    project = make_site(tmp_path)
    make_import(Store(project.data), rows=long_names())
    done = build(tmp_path)
    assert done.returncode == 0, done.log
    built = tmp_path / "build" / "site" / "runs" / "imp"
    assert len(list(built.glob("cells/*/*/index.html"))) == 4
    cells = [path for path in links_of(built / "index.html") if "cells/" in str(path.relative_to(built))]
    assert len([path for path in cells if (path / "index.html").is_file()]) == 4


def test_a_site_with_an_imported_run_builds(tmp_path):
    project = make_site(tmp_path)
    make_import(Store(project.data), **hostile())
    done = build(tmp_path)
    assert done.returncode == 0, done.log
    built = tmp_path / "build" / "site" / "runs" / "imp"
    assert "unknown: imported" in (built / "index.html").read_text()
    assert (built / "cells" / "rg" / "t1" / "index.html").is_file()
