import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from benchctl.errors import CorpusChangedError, PreflightRefusedError
from benchctl.schema.suite import Repo
from benchctl.workspace import cells
from benchctl.workspace.cells import cell_root, fresh_cell
from benchctl.workspace.corpus import resolve_corpus
from benchctl.workspace.tree import write_base


@pytest.fixture
def base(tmp_path):
    source = tmp_path / "source"
    (source / "pkg" / "deep").mkdir(parents=True)
    (source / "pkg" / "a.py").write_text("a = 1\n")
    (source / "pkg" / "deep" / "b.py").write_text("b = 2\n")
    (source / "big.bin").write_bytes(bytes(3_000_000))
    (source / "run.sh").write_text("#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    (source / "link").symlink_to("pkg/a.py")
    corpus = resolve_corpus("it", Repo(kind="directory", source="source"), tmp_path)
    return write_base(corpus, tmp_path / "base")


@pytest.fixture
def root(tmp_path):
    place = tmp_path / "cells"
    place.mkdir()
    return place


def contents(tree):
    return {
        path.relative_to(tree).as_posix(): str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in tree.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def test_a_cell_is_a_whole_copy_with_folders_of_its_own(base, root):
    with fresh_cell(base, root) as cell:
        assert contents(cell.tree) == contents(base.root)
        assert (cell.tree / "run.sh").stat().st_mode & 0o777 == 0o755
        assert [place.name for place in (cell.scratch, cell.home, cell.tmp)] == ["scratch", "home", "tmp"]
        assert all(
            place.stat().st_mode & 0o777 == 0o700 for place in (cell.root, cell.scratch, cell.home, cell.tmp)
        )
        assert not any(list(place.iterdir()) for place in (cell.scratch, cell.home, cell.tmp))
        assert cell.changed_files() == ()
    assert list(root.iterdir()) == []


def test_no_write_reaches_the_base_or_a_sibling(base, root):
    before = contents(base.root)
    with fresh_cell(base, root) as one, fresh_cell(base, root) as other:
        for path in base.files:
            assert (one.tree / path.path).lstat().st_nlink == 1
        with (one.tree / "pkg" / "a.py").open("a") as file:
            file.write("# mine\n")
        os.truncate(one.tree / "big.bin", 0)
        assert contents(base.root) == before
        assert contents(other.tree) == before


def test_every_kind_of_change_is_named(base, root):
    with fresh_cell(base, root) as cell:
        tree = cell.tree
        (tree / "pkg" / "a.py").write_text("a = 9\n")  # as long as before
        (tree / "pkg" / "deep" / "b.py").unlink()
        (tree / "run.sh").chmod(0o644)
        (tree / "new").mkdir()
        (tree / "new" / "c.py").write_text("")
        (tree / "link").unlink()
        (tree / "link").symlink_to("run.sh")
        assert cell.changed_files() == ("link", "new/c.py", "pkg/a.py", "pkg/deep/b.py", "run.sh")


def test_a_change_with_its_times_put_back_is_named(base, root):
    with fresh_cell(base, root) as cell:
        place = cell.tree / "pkg" / "a.py"
        times = place.stat()
        place.write_text("a = 9\n")
        os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert cell.changed_files() == ("pkg/a.py",)


def test_a_file_written_again_with_the_same_bytes_is_no_change(base, root):
    with fresh_cell(base, root) as cell:
        place = cell.tree / "pkg" / "a.py"
        data = place.read_bytes()
        place.unlink()
        place.write_bytes(data)
        assert cell.changed_files() == ()


def test_a_file_replaced_by_something_else_is_a_change(base, root):
    with fresh_cell(base, root) as cell:
        (cell.tree / "run.sh").unlink()
        os.mkfifo(cell.tree / "run.sh")
        (cell.tree / "big.bin").unlink()
        (cell.tree / "big.bin").mkdir()
        assert cell.changed_files() == ("big.bin", "run.sh")


def test_a_file_that_vanishes_while_it_is_compared_is_a_change(base, root, monkeypatch):
    with fresh_cell(base, root) as cell:
        (cell.tree / "run.sh").chmod(0o600)
        monkeypatch.setattr(Path, "lstat", lambda _: (_ for _ in ()).throw(FileNotFoundError()))
        assert cell.changed_files() == ("run.sh",)


def test_a_tree_replaced_by_a_link_is_all_changed_and_never_followed(base, root, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    with fresh_cell(base, root) as cell:
        subprocess.run(["rm", "-rf", cell.tree / "pkg"], check=True)
        (cell.tree / "pkg").symlink_to(outside)
        assert cell.changed_files() == ("pkg", "pkg/a.py", "pkg/deep/b.py")
    assert (outside / "kept.txt").read_text() == "kept"


def test_a_folder_without_permissions_is_removed_too(base, root):
    with fresh_cell(base, root) as cell:
        (cell.scratch / "shut" / "deep").mkdir(parents=True)
        (cell.scratch / "shut" / "deep" / "file").write_text("x")
        (cell.scratch / "shut" / "deep").chmod(0)
        (cell.scratch / "shut").chmod(0)
    assert list(root.iterdir()) == []


def test_removing_opens_what_an_ordinary_user_cannot():
    place = Path(tempfile.mkdtemp())
    (place / "shut" / "deep").mkdir(parents=True)
    (place / "shut" / "deep" / "file").write_text("x")
    for path in (place / "shut" / "deep" / "file", place / "shut" / "deep", place / "shut", place):
        if os.getuid() == 0:
            os.chown(path, 65534, 65534)
        path.chmod(0 if path != place else 0o700)
    child = os.fork()
    if child == 0:
        if os.getuid() == 0:
            os.setuid(65534)  # root is not refused by permissions
        cells.remove_tree(place / "shut")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert list(place.iterdir()) == []
    place.rmdir()


def test_removing_tries_again_after_opening_every_folder_but_no_link(tmp_path, monkeypatch):
    place, outside = tmp_path / "place", tmp_path / "outside"
    (place / "deep").mkdir(parents=True, mode=0o500)
    outside.mkdir(mode=0o500)
    (place / "link").symlink_to(outside)
    once = iter([PermissionError()])
    rmtree = cells.shutil.rmtree

    def refused_once(path, **options):
        if error := next(once, None):
            raise error
        rmtree(path, **options)

    monkeypatch.setattr(cells.shutil, "rmtree", refused_once)
    cells.remove_tree(place)
    assert not place.exists()
    assert outside.stat().st_mode & 0o777 == 0o500


def test_a_cell_is_removed_when_the_work_in_it_fails(base, root):
    with pytest.raises(RuntimeError), fresh_cell(base, root):
        raise RuntimeError
    assert list(root.iterdir()) == []


def test_the_copy_is_whole_where_the_system_cannot_clone(base, root, monkeypatch):
    monkeypatch.delattr(os, "copy_file_range")
    with fresh_cell(base, root) as cell:
        assert contents(cell.tree) == contents(base.root)


def test_a_base_that_lost_bytes_is_an_error_and_no_short_copy(base, root):
    os.truncate(base.root / "big.bin", 10)
    with pytest.raises(OSError, match="missing from a base"), fresh_cell(base, root):
        pass
    assert list(root.iterdir()) == []


def test_the_root_lies_outside_every_checkout_and_every_folder_named(tmp_path, monkeypatch):
    checkout = tmp_path / "checkout"
    (checkout / ".git").mkdir(parents=True)
    (checkout / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(checkout / "tmp"))
    with cell_root() as root:
        assert not root.is_relative_to(checkout)
        assert root.stat().st_mode & 0o777 == 0o700
    assert not root.exists()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with cell_root(outside=[tmp_path]) as root:
        assert not root.is_relative_to(tmp_path)


def test_the_root_of_a_killed_run_is_removed_by_the_next_and_that_of_a_living_one_is_not(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = (
        "import os; from benchctl.workspace.cells import cell_root\nwith cell_root(): os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)}, check=False)
    (tmp_path / "benchctl-of-somebody-else").mkdir()
    (killed,) = (path for path in tmp_path.glob("benchctl-*") if (path / ".owner").exists())
    with cell_root() as living, cell_root():
        assert not killed.exists()
        assert living.exists()
    assert [path.name for path in tmp_path.glob("benchctl-*")] == ["benchctl-of-somebody-else"]


def test_a_root_that_is_swept_before_its_lock_is_held_is_made_anew(tmp_path, monkeypatch):
    """Another run looks for dead runs' roots in the moment between the making of the file and its lock."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    real, locks = fcntl.flock, []

    def flock(descriptor, how):
        if not locks:
            locks.append(how)
            cells._sweep(tmp_path)
        locks.append(how)
        real(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    with cell_root() as root:
        (root / "file").touch()
        assert list(tmp_path.iterdir()) == [root]
    assert list(tmp_path.iterdir()) == []


RACERS = """
import os, sys
from benchctl.workspace.cells import cell_root
start, go = os.pipe()
def race():
    os.close(go)
    os.read(start, 1)
    for _ in range(20):
        with cell_root() as root:
            for folder in ("bases", "agents", "gold"):
                (root / folder / "deep").mkdir(parents=True)
            (root / "bases" / "file").write_text("x")
            assert (root / "bases" / "file").read_text() == "x"
racers = []
for _ in range(24):
    racers.append(os.fork())
    if not racers[-1]:
        try:
            race()
        except BaseException as error:
            sys.stderr.write(repr(error))
            os._exit(1)
        os._exit(0)
os.close(go)
sys.exit(sum(os.waitpid(racer, 0)[1] != 0 for racer in racers))
"""


def test_of_many_runs_that_start_at_once_none_loses_its_root(tmp_path):
    command = [sys.executable, "-c", RACERS]
    raced = subprocess.run(
        command, env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert (raced.returncode, raced.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_without_such_a_place_nothing_runs(monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PreflightRefusedError, match="outside of every git checkout"), cell_root():
        pass


def test_a_base_is_written_once_and_never_over_something(base, tmp_path):
    corpus = resolve_corpus("it", Repo(kind="directory", source="source"), tmp_path)
    with pytest.raises(FileExistsError):
        write_base(corpus, base.root)


def test_two_files_for_one_place_are_an_error(tmp_path):
    from benchctl.workspace import tree

    (tmp_path / "there").write_text("x")
    with pytest.raises(CorpusChangedError, match="same place"):
        tree._write(tmp_path / "there", b"y", 0o644)
