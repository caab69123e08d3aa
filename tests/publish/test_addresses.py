"""Links between pages are relative, so that a site can be moved or opened as files."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchctl.publish.addresses import RUNS_PAGE, cell_page, link, run_page
from benchctl.schema.names import path_safe

CELL = cell_page("r1", "q1/grep/a%20b/none/1")


@pytest.mark.parametrize(
    ("source", "target", "folder", "file"),
    [
        (RUNS_PAGE, run_page("r1"), "r1/", "r1/index.html"),
        (run_page("r1"), RUNS_PAGE, "../", "../index.html"),
        (run_page("r1"), run_page("r1"), "./", "index.html"),
        (run_page("r1"), CELL, "cells/q1/grep/a%2520b/none/1/", "cells/q1/grep/a%2520b/none/1/index.html"),
        (CELL, run_page("r1"), "../../../../../../", "../../../../../../index.html"),
    ],
)
def test_a_link_names_the_folder_or_the_file(source, target, folder, file):
    assert link(source, target, leaf=False) == folder
    assert link(source, target, leaf=True) == file


def test_a_name_that_fits_stays_and_a_longer_one_is_its_head_and_its_digest():
    fits, longer = f"rg/{'a' * 255}", f"rg/{'a' * 256}"
    assert cell_page("r1", fits) == f"runs/r1/cells/{fits}/index.html"
    folder = cell_page("r1", longer).split("/")[4]
    assert re.fullmatch(r"a{180}~[0-9a-f]{32}", folder)
    assert cell_page("r1", longer + "b") != cell_page("r1", longer + "c"), "the same beginning"


@pytest.mark.parametrize(
    "cell",
    [
        path_safe("这个函数在哪里被调用" * 10),
        "/".join(["a" * 250] * 30),
        "../../../../etc/x",
        "a//b",
        ".",
        "x" * 100_000,
        "a\x00b",
        "é" * 200,
    ],
)
def test_every_name_is_a_path_below_its_run_that_a_disk_takes(cell):
    page = cell_page("r1", cell)
    parts = page.split("/")
    assert parts[:3] == ["runs", "r1", "cells"]
    assert len(page.encode()) < 2100
    assert all(0 < len(part.encode()) <= 255 and part.strip(".") for part in parts)
    assert "\x00" not in page


@given(st.lists(st.text("ab.%~/é", max_size=300), min_size=2, max_size=8, unique=True))
def test_no_two_cells_share_a_page(cells):
    assert len({cell_page("r1", cell) for cell in cells}) == len(cells)
