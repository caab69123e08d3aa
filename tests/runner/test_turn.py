"""What a turn writes for its agent and reads from it, where the agent may have put something else in its place."""

from __future__ import annotations

import os

import pytest

from benchctl.runner.turn import _enterable, _forget, _report, _write_files, below


@pytest.fixture
def scratch(tmp_path):
    folder = tmp_path / "scratch"
    folder.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "usage.json").write_text("the key of somebody else")
    return folder


def test_files_are_written_below_the_scratch_folder(scratch):
    _write_files(scratch, {"prompt.txt": "p", "a/b/c.txt": "c"})
    _write_files(scratch, {"prompt.txt": "q"})
    assert ((scratch / "prompt.txt").read_text(), (scratch / "a/b/c.txt").read_text()) == ("q", "c")


def test_a_link_in_the_place_of_a_prompt_is_replaced_and_not_written_through(scratch, tmp_path):
    target = tmp_path / "outside" / "usage.json"
    (scratch / "prompt.txt").symlink_to(target)
    _write_files(scratch, {"prompt.txt": "p"})
    assert target.read_text() == "the key of somebody else"
    assert (scratch / "prompt.txt").read_text() == "p"


@pytest.mark.parametrize("what", ["link", "file"])
def test_something_else_in_the_place_of_a_folder_is_not_followed(scratch, tmp_path, what):
    if what == "link":
        (scratch / "out").symlink_to(tmp_path / "outside")
    else:
        (scratch / "out").write_text("x")
    with pytest.raises(OSError, match=r"Not a directory|symbolic"):
        _write_files(scratch, {"out/usage.json": "x"})
    assert _report(scratch, "out/usage.json") is None
    _forget(scratch, "out/usage.json")
    assert (tmp_path / "outside" / "usage.json").read_text() == "the key of somebody else"


@pytest.mark.parametrize("what", ["link", "folder", "fifo", "nothing", "too much"])
def test_what_is_no_plain_file_reports_nothing(scratch, tmp_path, what):
    place = scratch / "usage.json"
    if what == "link":
        place.symlink_to(tmp_path / "outside" / "usage.json")
    elif what == "folder":
        place.mkdir()
    elif what == "fifo":
        os.mkfifo(place)  # opening one waits for ever, unless it is asked not to
    elif what == "too much":
        place.write_bytes(b"x" * (4 * 1024 * 1024 + 1))
    assert _report(scratch, "usage.json") is None


def test_a_report_is_read_and_that_of_the_turn_before_is_forgotten(scratch):
    (scratch / "usage.json").write_text("{}")
    assert _report(scratch, "usage.json") == "{}"
    _forget(scratch, "usage.json")
    _forget(scratch, "usage.json")
    assert _report(scratch, "usage.json") is None


@pytest.mark.parametrize("how", ["shut", "gone", "link", "file", "read-only", "open"])
def test_a_folder_that_an_agent_has_shut_takes_no_further_turn(tmp_path, how):
    place = tmp_path / "tree"
    place.mkdir()
    if how in ("shut", "read-only"):
        place.chmod(0 if how == "shut" else 0o500)
    elif how != "open":
        place.rmdir()
    if how == "link":
        place.symlink_to(tmp_path)
    elif how == "file":
        place.write_text("")
    assert _enterable(place) is (how in ("read-only", "open"))
    if place.is_dir():
        place.chmod(0o700)


def test_no_descriptor_stays_open(scratch):
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names alone are wanted
    for name in ("x", "a/b", "none/x"):
        with pytest.raises(FileNotFoundError), below(scratch, f"{name}/y"):
            pass
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
