import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from benchctl.errors import BaseChangedError, CorpusChangedError, PreflightRefusedError
from benchctl.schema.suite import Repo
from benchctl.workspace import found_file, mounts, overlay, roots, tree
from benchctl.workspace.cells import cell_root, fresh_cell, remove_tree
from benchctl.workspace.corpus import resolve_corpus
from benchctl.workspace.tree import write_base


@pytest.fixture(params=["stacked", "copied"])
def how(request, monkeypatch):
    """Both ways in which a cell gets its tree; they must not be told apart from inside."""
    with cell_root() as place:
        if request.param == "copied":
            monkeypatch.setattr(overlay, "unavailable", lambda _: "not here")
        elif reason := overlay.unavailable(place):
            pytest.skip(reason)
        yield place


@pytest.fixture
def corpus(tmp_path):
    source = tmp_path / "source"
    (source / "pkg" / "deep").mkdir(parents=True)
    (source / "pkg" / "a.py").write_text("a = 1\n")
    (source / "pkg" / "deep" / "b.py").write_text("b = 2\n")
    (source / "big.bin").write_bytes(bytes(3_000_000))
    (source / "run.sh").write_text("#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    (source / "link").symlink_to("pkg/a.py")
    return resolve_corpus("it", Repo(kind="directory", source="source"), tmp_path)


@pytest.fixture
def base(how, corpus):
    return write_base(corpus, how / "bases" / "it")


@pytest.fixture
def root(how):
    place = how / "cells"
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
        assert cell.changes().files == ()
    assert list(root.iterdir()) == []


def test_no_write_reaches_the_base_or_a_sibling(base, root):
    before = contents(base.root)
    with fresh_cell(base, root) as one, fresh_cell(base, root) as other:
        for path in base.files:
            assert (one.tree / path.path).lstat().st_nlink == 1
            assert (one.tree / path.path).stat().st_mode & 0o200, "the agent may write to it"
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
        assert cell.changes().files == ("link", "new/c.py", "pkg/a.py", "pkg/deep/b.py", "run.sh")


def test_a_change_with_its_times_put_back_is_named(base, root):
    with fresh_cell(base, root) as cell:
        place = cell.tree / "pkg" / "a.py"
        times = place.stat()
        place.write_text("a = 9\n")
        os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert cell.changes().files == ("pkg/a.py",)


def test_a_file_written_again_with_the_same_bytes_is_no_change(base, root):
    with fresh_cell(base, root) as cell:
        place = cell.tree / "pkg" / "a.py"
        data = place.read_bytes()
        place.unlink()
        place.write_bytes(data)
        assert cell.changes().files == ()


def test_a_file_replaced_by_something_else_is_a_change(base, root):
    with fresh_cell(base, root) as cell:
        (cell.tree / "run.sh").unlink()
        os.mkfifo(cell.tree / "run.sh")
        (cell.tree / "big.bin").unlink()
        (cell.tree / "big.bin").mkdir()
        assert cell.changes().files == ("big.bin", "run.sh")


def test_a_file_that_cannot_be_read_is_a_change(base, root, monkeypatch):
    with fresh_cell(base, root) as cell:
        (cell.tree / "run.sh").write_text("#!/bin/sh\n")  # as it was, so that it must be read
        opened = os.open

        def refused(path, flags, *rest, **options):
            if path == "run.sh" and flags & os.O_NONBLOCK:
                raise PermissionError
            return opened(path, flags, *rest, **options)

        monkeypatch.setattr(found_file.os, "open", refused)
        assert cell.changes().files == ("run.sh",)


def descend(tree, levels, name):
    """Make folders in folders, deeper than any path that the system takes; return their descriptor."""
    here = os.open(tree, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=here)
        os.close(here)
        here = inner
    return here


@pytest.mark.parametrize(("levels", "name"), [(3000, "d"), (900, "ninechars"), (60, "é" * 120)])
def test_a_file_deeper_than_any_path_is_a_change(base, root, levels, name):
    with fresh_cell(base, root) as cell:
        here = descend(cell.tree, levels, name)
        os.close(os.open("f", os.O_WRONLY | os.O_CREAT, dir_fd=here))
        os.close(here)
        (cell.tree / "near.py").write_text("x")
        assert cell.changes().files == tuple(sorted([f"{name}/" * levels + "f", "near.py"]))
    assert list(root.iterdir()) == []


def test_a_folder_deeper_than_what_is_read_is_said_as_not_read(base, root):
    with fresh_cell(base, root) as cell:
        made = cell.mark()
        here = descend(cell.tree, 120, "n" * 250)
        os.close(os.open("f", os.O_WRONLY | os.O_CREAT, dir_fd=here))
        os.close(here)
        changes = cell.changes(since=made)
        (path,) = changes.files
        assert path.endswith("n/")
        assert 16_384 < len(path) < 30_000
        assert changes.diff.text.endswith("/: nothing -> unreadable\n")


def test_a_tree_replaced_by_a_link_is_all_changed_and_never_followed(base, root, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    with fresh_cell(base, root) as cell:
        subprocess.run(["rm", "-rf", cell.tree / "pkg"], check=True)
        (cell.tree / "pkg").symlink_to(outside)
        assert cell.changes().files == ("pkg", "pkg/a.py", "pkg/deep/b.py")
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
        remove_tree(place / "shut")
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
    rmtree = roots.shutil.rmtree

    def refused_once(path, **options):
        if error := next(once, None):
            raise error
        rmtree(path, **options)

    monkeypatch.setattr(roots.shutil, "rmtree", refused_once)
    remove_tree(place)
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


def test_a_base_that_lost_bytes_is_an_error_and_no_short_copy(base, root, monkeypatch):
    if base.layered:
        pytest.skip("nothing can be taken from it")
    os.truncate(base.root / "big.bin", 10)
    with pytest.raises(BaseChangedError, match=r"big\.bin"), fresh_cell(base, root):
        pass
    monkeypatch.setattr(tree.Base, "check", lambda _: None)  # lost between the look and the copy
    with pytest.raises(BaseChangedError, match="missing from a base"), fresh_cell(base, root):
        pass
    assert list(root.iterdir()) == []


def test_a_base_is_closed_to_writing(base):
    """Root is refused nothing by permissions: what matters there is that a base is looked at again."""
    if base.layered:
        with pytest.raises(OSError, match="Read-only"):
            (base.root / "pkg" / "a.py").write_text("")
        with pytest.raises(OSError, match="Read-only"):
            (base.root / "new").touch()
    else:
        modes = {path.lstat().st_mode & 0o222 for path in base.root.rglob("*") if not path.is_symlink()}
        assert modes == {0}
        assert base.root.stat().st_mode & 0o222 == 0


@pytest.mark.parametrize("harm", ["write", "add", "remove", "replace", "add in a folder"])
def test_no_cell_is_made_of_a_base_that_was_written_to(base, root, harm):
    if base.layered:
        mounts.unmount(base.root)  # as only somebody who may do everything can
    place = base.root / "pkg" / "a.py"
    match harm:
        case "write":
            place.write_text("a = 9\n")
        case "add":
            (base.root / "new.py").touch()
        case "remove":
            place.unlink()
        case "replace":
            place.unlink()
            place.write_text("a = 1\n")
        case "add in a folder":
            (base.root / "pkg" / "deep" / "key.json").touch()
    with pytest.raises(BaseChangedError), fresh_cell(base, root):
        pass
    assert list(root.iterdir()) == []


def test_a_base_is_read_back_when_it_was_written(how, corpus, monkeypatch):
    """A disk that keeps something else than it was given is found before the first cell."""
    write = tree._write
    monkeypatch.setattr(
        tree,
        "_write",
        lambda place, data, mode: write(place, data[::-1] if place.name == "b.py" else data, mode),
    )
    with pytest.raises(BaseChangedError, match=r"pkg/deep/b\.py"):
        write_base(corpus, how / "bases" / "it")


def test_a_rename_of_a_folder_works_and_shows_every_file(base, root):
    with fresh_cell(base, root) as cell:
        (cell.tree / "pkg").rename(cell.tree / "other")
        assert cell.changes().files == ("other/a.py", "other/deep/b.py", "pkg/a.py", "pkg/deep/b.py")
        assert (cell.tree / "other" / "a.py").read_text() == "a = 1\n"
        (cell.tree / "other").rename(cell.tree / "pkg")
        assert cell.changes().files == ()


def test_a_folder_removed_and_made_again_shows_what_is_missing(base, root):
    with fresh_cell(base, root) as cell:
        shutil.rmtree(cell.tree / "pkg")
        (cell.tree / "pkg" / "deep").mkdir(parents=True)
        (cell.tree / "pkg" / "deep" / "b.py").write_text("b = 2\n")
        assert cell.changes().files == ("pkg/a.py",)


def test_a_folder_in_the_place_of_a_file_and_a_file_in_that_of_a_folder(base, root):
    with fresh_cell(base, root) as cell:
        shutil.rmtree(cell.tree / "pkg")
        (cell.tree / "pkg").write_text("a file")
        (cell.tree / "run.sh").unlink()
        (cell.tree / "run.sh").mkdir()
        (cell.tree / "run.sh" / "x").touch()
        assert cell.changes().files == ("pkg", "pkg/a.py", "pkg/deep/b.py", "run.sh", "run.sh/x")


@pytest.fixture
def made(base, root):
    """A cell in which a step made `made/m.txt`, changed `pkg/a.py` and removed `run.sh`, and what was marked then."""
    with fresh_cell(base, root) as cell:
        (cell.tree / "made").mkdir()
        (cell.tree / "made" / "m.txt").write_text("made")
        (cell.tree / "pkg" / "a.py").write_text("a = 9\n")
        (cell.tree / "run.sh").unlink()
        (cell.tree / "pkg" / "deep" / "b.py").write_text("b = 2\n")  # written, and as it was
        yield cell, cell.mark()


def test_what_is_as_it_was_at_the_mark_is_no_change_since(made):
    cell, mark = made
    assert sorted(mark) == ["made/m.txt", "pkg/a.py", "run.sh"]
    (cell.tree / "made" / "other.txt").write_text("the agent's")
    (cell.tree / "pkg" / "deep" / "b.py").write_text("b = 2\n")
    changes = cell.changes(since=mark)
    assert changes.files == ("made/other.txt",)
    assert "m.txt" not in changes.diff.text


def test_a_file_that_was_there_at_the_mark_and_is_deleted_is_a_change(made):
    cell, mark = made
    shutil.rmtree(cell.tree / "made")
    changes = cell.changes(since=mark)
    assert changes.files == ("made/m.txt",)
    assert changes.diff.text == "# made/m.txt: changed before -> nothing, as at first\n"


def test_a_file_that_is_put_back_to_the_base_since_the_mark_is_a_change(made):
    cell, mark = made
    (cell.tree / "pkg" / "a.py").write_text("a = 1\n")
    (cell.tree / "run.sh").write_text("#!/bin/sh\n")
    (cell.tree / "run.sh").chmod(0o755)
    changes = cell.changes(since=mark)
    assert changes.files == ("pkg/a.py", "run.sh")
    assert "# run.sh: changed before -> 100755 10 bytes sha256:" in changes.diff.text


def test_a_file_that_is_changed_again_since_the_mark_is_a_change_of_the_base(made):
    cell, mark = made
    (cell.tree / "pkg" / "a.py").write_text("a = 8\n")
    changes = cell.changes(since=mark)
    assert changes.files == ("pkg/a.py",)
    assert "-a = 1\n+a = 8\n" in changes.diff.text


def test_what_an_agent_mounts_in_its_tree_is_not_removed_with_it(base, root, tmp_path):
    if os.getuid() or overlay.unavailable(tmp_path):
        pytest.skip("nothing can be mounted here")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    with fresh_cell(base, root) as cell:
        (cell.tree / "there").mkdir()
        mounts.mount(outside, cell.tree / "there", None, mounts.BIND)
    assert list(root.iterdir()) == []
    assert (outside / "kept.txt").read_text() == "kept"


def test_where_a_mount_cannot_be_taken_away_nothing_is_removed(tmp_path, monkeypatch):
    (tmp_path / "place").mkdir()
    monkeypatch.setattr(roots, "unmount_below", lambda _: False)
    remove_tree(tmp_path / "place")
    assert (tmp_path / "place").exists()


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


def test_a_root_whose_removal_is_cut_short_is_still_swept_by_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    real, cut = roots.remove_tree, []

    def once(path):
        if not cut:
            cut.append(path)
            raise KeyboardInterrupt
        real(path)

    monkeypatch.setattr(roots, "remove_tree", once)
    with pytest.raises(KeyboardInterrupt), cell_root() as made:
        (made / "bases").mkdir()
    (root,) = tmp_path.iterdir()
    with cell_root():
        assert not root.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_root_that_is_swept_before_its_lock_is_held_is_made_anew(tmp_path, monkeypatch):
    """Another run looks for dead runs' roots in the moment between the making of the file and its lock."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    real, locks = fcntl.flock, []

    def flock(descriptor, how):
        if not locks:
            locks.append(how)
            roots._sweep(tmp_path)
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


def test_a_base_is_written_once_and_never_over_something(base, corpus):
    with pytest.raises(FileExistsError):
        write_base(corpus, base.root)


def test_two_files_for_one_place_are_an_error(tmp_path):
    (tmp_path / "there").write_text("x")
    with pytest.raises(CorpusChangedError, match="same place"):
        tree._write(tmp_path / "there", b"y", 0o644)


def test_the_mounts_of_a_killed_run_are_taken_away_by_the_next(tmp_path, monkeypatch):
    if reason := overlay.unavailable(tmp_path):
        pytest.skip(reason)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "a.py").write_text("a")
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, tmp_path],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert killed.returncode == -9, killed.stderr
    assert len(mounts.mounts_below(tmp_path)) == 2  # the base's seal and the cell's tree
    with cell_root() as living:
        assert [path for path in tmp_path.glob("benchctl-*") if path != living] == []
        assert mounts.mounts_below(tmp_path) == []


KILLED = """
import os, sys
from pathlib import Path
from benchctl.schema.suite import Repo
from benchctl.workspace.cells import cell_root, fresh_cell
from benchctl.workspace.corpus import resolve_corpus
from benchctl.workspace.tree import write_base
corpus = resolve_corpus("it", Repo(kind="directory", source="source"), Path(sys.argv[1]))
with cell_root() as root:
    base = write_base(corpus, root / "bases" / "it")
    with fresh_cell(base, root) as cell:
        (cell.tree / "a.py").write_text("changed")
        os.kill(os.getpid(), 9)
"""
