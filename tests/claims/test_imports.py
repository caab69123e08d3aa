"""Checking claims loads only what reading pages and rows needs: it runs before every commit."""

import json
import subprocess
import sys

from synthetic_run import Recipe, make_project

from benchctl.report.stamp import render_block
from benchctl.report.tables import named_table

NEVER = {
    "altair",
    "git",
    "jinja2",
    "markdown",
    "mkdocs",
    "numpy",
    "pandas",
    "polars",
    "pyarrow",
    "vl_convert",
}


def test_verifying_pages_loads_nothing_that_draws_or_publishes(tmp_path):
    project = make_project(tmp_path, Recipe())
    block = render_block(named_table(project.store, "demo-r1", "arms"))
    table = "<!--claims:table by=arm cells=count rows=subset -->\n| arm | cells |\n|--|--|\n| grep | 24 |\n"
    page = tmp_path / "page.md"
    page.write_text(
        "---\nbenchctl:\n  run: demo-r1\n---\n\n73<!--= count --> cells,"
        f" <!--assert: all arm: lo(score.macro) >= 0 -->.\n\n{table}\n{block}\n"
    )
    script = (
        "import json, sys\nfrom benchctl.cli import exit_code\n"
        f"code = exit_code(['verify-claims', {str(page)!r}, '--project', {str(tmp_path)!r}])\n"
        "print('\\n' + json.dumps([code, sorted({name.partition('.')[0] for name in sys.modules})]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    code, modules = json.loads(done.stdout.splitlines()[-1])
    assert code == 1, done.stdout
    assert "duckdb" in modules
    assert not NEVER & set(modules)
