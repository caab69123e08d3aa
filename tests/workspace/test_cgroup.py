"""The group of a cell, where this machine lets us have one."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchctl.workspace import cgroup, stragglers
from benchctl.workspace.cgroup import (
    CellGroup,
    end_group_of,
    end_groups,
    groups_home,
    remove_empty_groups,
)

HOME = groups_home()
needs_groups = pytest.mark.skipif(HOME is None, reason="this machine lets us have no control group")

MEMBER = """
import os, sys, time
from benchctl.workspace.cgroup import CellGroup
group = CellGroup.entered(sys.argv[1], sys.argv[2])
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
print(group.path, len(group.others()), flush=True)
if sys.argv[3] == "end":
    group.end()
    print(len(group.others()), os.path.exists(group.path), flush=True)
if sys.argv[3] == "die": os.kill(os.getpid(), 9)
time.sleep(60)
"""


@contextlib.contextmanager
def member(marker, then):
    argv = [sys.executable, "-c", MEMBER, HOME, marker, then]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        path, others = process.stdout.readline().split()
        assert others == "3"
        try:
            yield process, path
        finally:
            process.kill()
            process.wait()
            end_group_of(HOME, process.pid)
            assert not Path(path).exists()


def marked():
    return f"{os.getpid():016x}"


@needs_groups
def test_a_cell_that_is_over_takes_its_group_along():
    with member(marked(), "end") as (process, _):
        assert process.stdout.readline().split() == ["0", "False"]


@needs_groups
@pytest.mark.parametrize("whole", [True, False])
def test_what_a_dead_worker_left_is_found_by_the_name_of_its_cell(whole):
    """Whatever became of environment, session and parent of those that are in it."""
    mark = f"{marked()}-3-1"
    with member(mark, "die") as (process, path):
        process.wait()
        left = {int(pid) for pid in Path(path, "cgroup.procs").read_text().split()}
        assert len(left) == 3
        assert end_groups("f" * 16) == end_groups(mark[:-1], whole=True) == frozenset()
        assert end_groups(mark if whole else marked(), whole=whole) == left
        assert not Path(path).exists()


@needs_groups
def test_a_marker_that_is_no_name_has_a_group_all_the_same():
    with member("run 9/../cell\n1", "die") as (process, path):
        process.wait()
        assert Path(path).parent == Path(HOME)
        assert len(end_groups("run 9/../cell\n1", whole=True)) == 3
        assert end_groups("run 9/", whole=False) == frozenset()


@needs_groups
def test_groups_that_nobody_is_in_are_removed_once_their_workers_are_dead():
    with member(marked(), "die") as (full, path), member(marked() + "-1", "stay") as (living, other):
        full.wait()
        gone = f"{HOME}/benchctl-0.{full.pid}"
        Path(gone).mkdir()
        new = f"{HOME}/benchctl-0.{living.pid}"  # its worker is about to enter it
        Path(new).mkdir()
        remove_empty_groups(HOME)
        assert [Path(each).exists() for each in (path, other, gone, new)] == [True, True, False, True]
        Path(new).rmdir()


def test_where_nothing_can_be_written_there_is_no_group(monkeypatch, tmp_path):
    monkeypatch.setattr(cgroup, "_own", lambda: str(tmp_path / "none"))
    assert groups_home() is None
    monkeypatch.setattr(
        cgroup, "_own", lambda: str(tmp_path)
    )  # a folder, and no group: nothing is ended by it
    children = len(stragglers.own_children())
    assert groups_home() is None
    assert len(stragglers.own_children()) == children
    assert CellGroup.entered(str(tmp_path / "none"), "x") is None


def test_where_no_hierarchy_is_mounted_there_is_nothing_to_end(monkeypatch):
    monkeypatch.setattr(cgroup, "_mounted", lambda: None)
    assert groups_home() is None
    assert end_groups("abc") == frozenset()


def test_a_group_whose_end_fails_is_no_failure(tmp_path):
    left = tmp_path / "benchctl-x.7"
    left.mkdir()
    end_group_of(str(tmp_path), 7)
    CellGroup(str(tmp_path), str(left)).end()
    assert left.exists()
