"""A folder goes, whatever an agent has made of it."""

import os

import pytest

from benchctl.workspace.removal import remove_stubborn
from benchctl.workspace.roots import remove_tree


def deep(root, levels=3000):
    """Make folders deeper than a path can be long, each with a file in it."""
    root.mkdir()
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(levels):
        os.close(os.open("f", os.O_WRONLY | os.O_CREAT, dir_fd=here))
        os.mkdir("dddddddd", dir_fd=here)
        inner = os.open("dddddddd", os.O_RDONLY | os.O_DIRECTORY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


@pytest.mark.parametrize("remove", [remove_stubborn, remove_tree])
def test_a_folder_deeper_than_any_path_goes(tmp_path, remove):
    deep(tmp_path / "x")
    remove(tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_what_is_closed_or_leads_elsewhere_goes_and_nothing_else(tmp_path):
    root, outside = tmp_path / "x", tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    inner = root / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "file").write_text("x")
    (inner / "out").symlink_to(outside)
    (root / "out").symlink_to(outside)
    (root / ".moved-1").mkdir()
    (root / ".moved-1" / "c").mkdir()
    (root / ".moved-2").write_text("in the way")
    inner.chmod(0)
    (root / "a").chmod(0)
    remove_stubborn(root)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["outside"]
    assert (outside / "kept").read_text() == "x"


def test_what_is_not_there_is_no_error(tmp_path):
    remove_stubborn(tmp_path / "none")
    remove_tree(tmp_path / "none")
