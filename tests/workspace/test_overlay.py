"""Stacked trees: whether they work is tried by effect, and every wall shows them as it shows a copy."""

import os
import subprocess
import sys

import pytest

from benchctl.schema.suite import Repo
from benchctl.workspace import mounts, overlay
from benchctl.workspace.cells import cell_root, fresh_cell
from benchctl.workspace.corpus import resolve_corpus
from benchctl.workspace.interpreter import interpreter_reads
from benchctl.workspace.process import run_process
from benchctl.workspace.sandbox import candidates, none
from benchctl.workspace.tree import write_base
from benchctl.workspace.wall import Sandbox


@pytest.fixture
def place():
    with cell_root() as root:
        if reason := overlay.unavailable(root):
            pytest.skip(reason)
        yield root


@pytest.fixture
def base(place, tmp_path):
    (tmp_path / "source" / "pkg").mkdir(parents=True)
    (tmp_path / "source" / "pkg" / "a.py").write_text("a = 1\n")
    (tmp_path / "source" / "gone.py").write_text("gone\n")
    return write_base(resolve_corpus("it", Repo(kind="directory", source="source"), tmp_path), place / "base")


AGENT = """
import os, pathlib, tempfile
assert open("pkg/a.py").read() == "a = 1\\n"
open("pkg/a.py", "a").write("b = 2\\n")
os.unlink("gone.py")
os.rename("pkg", "moved")
os.mkdir("new")
os.link("moved/a.py", "new/link.py")
os.symlink("../moved", "new/to")
pathlib.Path("new/x").write_text("x")
os.replace("new/x", "new/y")
os.chmod("new/y", 0o700)
with tempfile.TemporaryFile(dir="."):
    pass
fd = os.open("new/y", os.O_RDWR)
os.fsync(fd)
print(sorted(os.listdir(".")))
"""


def walls():
    yield Sandbox("none", none.wrap)
    for sandbox, missing in candidates():
        if missing is None and sandbox.level in ("bwrap", "landlock"):
            yield sandbox


@pytest.mark.parametrize("sandbox", list(walls()), ids=lambda sandbox: sandbox.level)
@pytest.mark.parametrize("how", ["stacked", "copied"])
def test_an_agent_works_in_a_stacked_tree_as_in_a_copy(place, base, sandbox, how, tmp_path):
    if how == "copied":
        base = write_base(
            resolve_corpus("it", Repo(kind="directory", source="source"), tmp_path), tmp_path / "base"
        )
    assert base.layered == (how == "stacked")
    with fresh_cell(base, place) as cell:
        env = {"PATH": os.environ["PATH"], "HOME": str(cell.home)}
        argv = sandbox.wrap(
            [sys.executable, "-I", "-S", "-c", AGENT],
            reads=interpreter_reads(),
            writes=(cell.tree, cell.scratch, cell.home, cell.tmp),
            cwd=cell.tree,
            env=env,
        )
        result = run_process(argv, cwd=cell.tree, env=env, wall_s=60.0, output_bytes=1 << 20)
        assert (result.outcome, result.stderr.text) == ("ok", "")
        assert result.stdout.text == "['moved', 'new']\n"
        assert cell.changes().files == (
            "gone.py", "moved/a.py", "new/link.py", "new/to", "new/y", "pkg/a.py",
        )  # fmt: skip
    with fresh_cell(base, place) as cell:
        assert sorted(path.name for path in cell.tree.iterdir()) == ["gone.py", "pkg"]


def test_nothing_is_left_mounted_when_a_cell_ends_with_its_files_still_open(place, base):
    with fresh_cell(base, place) as cell:
        straggler = subprocess.Popen(["sleep", "60"], cwd=cell.tree)
        mounted = len(mounts.mounts_below(place))
    assert len(mounts.mounts_below(place)) == mounted - 1
    assert sorted(path.name for path in place.iterdir()) == [".owner", "base"]
    straggler.kill()
    straggler.wait()


def test_where_overlayfs_can_be_mounted_at_all_it_is_used(tmp_path):
    """Or all tests of stacked trees would be skipped, and nobody would know."""
    for name in ("low", "up", "work", "tree"):
        (tmp_path / name).mkdir()
    options = f"lowerdir={tmp_path}/low,upperdir={tmp_path}/up,workdir={tmp_path}/work"
    try:
        mounts.mount("overlay", tmp_path / "tree", "overlay", 0, options)
    except OSError as error:
        pytest.skip(f"it cannot: {error}")
    mounts.unmount(tmp_path / "tree")
    overlay.unavailable.cache_clear()
    assert overlay.unavailable(tmp_path) is None


def test_where_the_system_refuses_trees_are_copied(place, tmp_path, monkeypatch):
    overlay.unavailable.cache_clear()
    monkeypatch.setattr(overlay, "mount", refused)
    assert overlay.unavailable(place) == "overlayfs cannot be mounted: Operation not permitted"
    assert overlay.seal(tmp_path) is False
    (tmp_path / "source").mkdir(exist_ok=True)
    (tmp_path / "source" / "a").touch()
    corpus = resolve_corpus("it", Repo(kind="directory", source="source"), tmp_path)
    assert write_base(corpus, place / "other").layered is False
    overlay.unavailable.cache_clear()


def refused(*_):
    raise PermissionError(1, "Operation not permitted")


def test_a_seal_that_cannot_be_made_read_only_is_taken_off_again(tmp_path, monkeypatch):
    taken = []

    def half(*words):
        if words[3] & mounts.REMOUNT:
            refused()

    monkeypatch.setattr(overlay, "mount", half)
    monkeypatch.setattr(overlay, "unmount", taken.append)
    assert overlay.seal(tmp_path) is False
    assert taken == [tmp_path]


def test_a_system_whose_overlay_loses_writes_is_not_used(tmp_path, monkeypatch):
    overlay.unavailable.cache_clear()
    monkeypatch.setattr(overlay, "unmount", lambda _: None)

    def pretended(_, own, tree):
        (own / "upper").mkdir()
        for name in ("gone", "altered"):
            (tree / name).write_text("")
        (tree / "inner").mkdir()

    monkeypatch.setattr(overlay, "stack", pretended)
    assert overlay.unavailable(tmp_path) == "overlayfs does not show what was changed"
    monkeypatch.setattr(overlay, "stack", lambda *_: None)
    overlay.unavailable.cache_clear()
    assert "does not hold what is written" in overlay.unavailable(tmp_path)
    overlay.unavailable.cache_clear()


@pytest.mark.parametrize("letter", [",", ":", "\\"])
def test_a_place_whose_name_the_mount_options_would_misread_is_not_used(tmp_path, letter):
    place = tmp_path / f"a{letter}b"
    place.mkdir()
    assert "reserve" in overlay.unavailable(place)


def test_mount_points_with_spaces_are_found(place):
    odd = place / "a b\tc"
    odd.mkdir()
    mounts.mount(odd, odd, None, mounts.BIND)
    mounts.mount(odd, odd, None, mounts.BIND)  # one on top of the other
    assert mounts.mounts_below(place) == [odd, odd]
    assert mounts.mounts_below(odd.with_name("a b")) == []
    assert mounts.unmount_below(odd) is True
    assert mounts.mounts_below(place) == []


def test_a_mount_that_cannot_be_taken_away_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(mounts, "mounts_below", lambda _: [tmp_path])
    monkeypatch.setattr(mounts, "unmount", refused)
    assert mounts.unmount_below(tmp_path) is False


def test_elsewhere_than_on_linux_nothing_is_mounted(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(mounts, "_TABLE", str(tmp_path / "none"))
    with pytest.raises(OSError, match="not implemented"):
        mounts.mount(tmp_path, tmp_path, None, mounts.BIND)
    assert mounts.mounts_below(tmp_path) == []
    assert mounts.unmount_below(tmp_path) is True
