"""A site over the synthetic project, and its build by mkdocs."""

from __future__ import annotations

import io
import logging
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from synthetic_run import RUN, Recipe, make_project

from benchctl.report.stamp import render_block
from benchctl.report.tables import named_table

__all__ = ["ROOT", "analysis", "build", "build_by_command", "copy_site", "make_site"]

ROOT = Path(__file__).resolve().parent.parent
CHART = f"<!-- benchctl:chart chart=score run={RUN} -->"


def analysis(project, run=RUN):
    """Return a hand-written page: a declaration, a stamped table, a chart, and a bound number."""
    block = render_block(named_table(project.store, run, "arms", project.config))
    return (
        f"---\nbenchctl:\n  run: {RUN}\n---\n\n# Analysis\n\n"
        f"The hybrid arm reaches 0.875<!--= score.macro[arm=hybrid] -->.\n\n{block}\n\n{CHART}\n\n"
        f"Written as code, a chart is none: `{CHART}`.\n"
    )


def make_site(root, *recipes):
    """Return a project with our own mkdocs.yml (its navigation left out), an analysis page and a manual page."""
    project = make_project(root, *(recipes or (Recipe(failed=True, questions=2, reps=1),)))
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (root / "mkdocs.yml").write_text(re.sub(r"^nav:\n(?:[ \-].*\n)*", "", config, flags=re.MULTILINE))
    site = root / "site"
    site.mkdir()
    (site / "analysis.md").write_text(analysis(project))
    (site / "index.md").write_text(
        "---\nbenchctl:\n  none: a manual page has no result\n---\n\n# Start\n\n"
        "[analysis](analysis.md), [runs](runs/index.md)\n"
    )
    return project


@dataclass(frozen=True)
class Built:
    """How a build ended: `log` is what it said."""

    returncode: int
    log: str


def build(root, *, serving=False):
    """Return how a build in this process ended; `serving` builds as `mkdocs serve` does, without the server."""
    from mkdocs.commands import build as mkdocs_build
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort

    said = io.StringIO()
    handler = logging.StreamHandler(said)
    logger = logging.getLogger("mkdocs")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    os.environ["SOURCE_DATE_EPOCH"] = "1790000000"
    try:
        config = load_config(str(root / "mkdocs.yml"), strict=True)
        config.plugins.on_startup(command="serve" if serving else "build", dirty=False)
        mkdocs_build.build(config, serve_url="http://127.0.0.1:8000/" if serving else None)
        said.write(f"watched {config.watch}\n")
        return Built(0, said.getvalue())
    except Abort:
        return Built(1, said.getvalue())
    finally:
        del os.environ["SOURCE_DATE_EPOCH"]
        logger.removeHandler(handler)


def build_by_command(root):
    """Return the finished process of `mkdocs build`."""
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": "1790000000"}
    command = [sys.executable, "-m", "mkdocs", "build"]
    return subprocess.run(
        command, cwd=root, env=env, capture_output=True, text=True, check=False, timeout=300
    )


def copy_site(source, target):
    """Return `target` as a copy of a made site, without what was built."""
    return shutil.copytree(source, target, ignore=shutil.ignore_patterns("build"))
