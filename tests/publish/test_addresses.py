"""Links between pages are relative, so that a site can be moved or opened as files."""

from __future__ import annotations

import pytest

from benchctl.publish.addresses import RUNS_PAGE, cell_page, link, run_page

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
