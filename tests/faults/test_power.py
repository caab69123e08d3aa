"""The power goes: what was acknowledged is on the disk, and a control that never flushes shows that the cut cuts.

Twice: a real ext4 in a file, shut down without flushing anything (as xfstests' `godown` does), and a page cache of
our own in which only flushed bytes and names survive for certain, whatever else is kept, torn, zeroed or gone.
"""

import contextlib
import fcntl
import os
import random
import select
import shutil
import stat
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_run import plan, record, run_cell

from benchctl.errors import RunClosedError, RunUnknownError
from benchctl.store.checking.verify import verify_run
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter

ROWS = int(os.environ.get("BENCHCTL_CUT_ROWS", "1500"))
"""Rows acknowledged on the real filesystem before the test ends: some by default, more on request."""

CUTS = int(os.environ.get("BENCHCTL_CUTS", "20"))
"""Cuts of the simulated page cache."""

_SHUTDOWN = 0x8004587D  # FS_IOC_SHUTDOWN, _IOR('X', 125, __u32)
_NO_LOG_FLUSH = 2


class Disk:
    """A small ext4 in a file that can be cut off and comes back as its journal says."""

    def __init__(self, folder):
        self.image, self.mounted = folder / "disk.img", folder / "mounted"
        self.mounted.mkdir()
        with self.image.open("wb") as file:
            file.truncate(192 * 1024 * 1024)
        _run("mkfs.ext4", "-q", "-F", str(self.image))
        self.mount()

    def mount(self):
        _run("mount", "-o", "loop", str(self.image), str(self.mounted))

    def cut(self):
        """Drop everything that is not on the disk, at this moment, under whoever is writing."""
        descriptor = os.open(self.mounted, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, _SHUTDOWN, struct.pack("I", _NO_LOG_FLUSH))
        finally:
            os.close(descriptor)

    def unmount(self):
        for _ in range(100):
            if (
                subprocess.run(["umount", str(self.mounted)], check=False, capture_output=True).returncode
                == 0
            ):
                return
            time.sleep(0.05)
        subprocess.run(["umount", "-l", str(self.mounted)], check=False)


def _run(*command):
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def disk(tmp_path):
    if os.geteuid() != 0 or not all(map(shutil.which, ("mkfs.ext4", "mount", "umount"))):
        pytest.skip(
            "mounting a filesystem of one's own takes root and mkfs.ext4; the simulated cut below runs instead"
        )
    fast = Path("/dev/shm")  # a disk in memory, where there is one
    place = tmp_path
    if fast.is_dir() and os.access(fast, os.W_OK):
        place = fast / f"benchctl-power-{os.getpid()}"
        place.mkdir()
    try:
        try:
            made = Disk(place)
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"no loop mount here ({error}); the simulated cut below runs instead")
        yield made
        made.unmount()
    finally:
        if place != tmp_path:
            shutil.rmtree(place)


def acknowledged_until_cut(disk, fsync, dice):
    """Let a process journal rows, cut the power at some moment, and return the rows it had acknowledged."""
    program = Path(__file__).with_name("acknowledger.py")
    command = [sys.executable, str(program), str(disk.mounted / "data"), "12000", fsync]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        said = os.read(child.stdout.fileno(), 1 << 16)
        until = time.monotonic() + dice.uniform(0.05, 0.5)
        while time.monotonic() < until:
            if select.select([child.stdout], [], [], 0.01)[0]:
                said += os.read(child.stdout.fileno(), 1 << 16)
        try:
            disk.cut()
        except OSError as error:
            child.kill()
            pytest.skip(
                f"this kernel cannot shut a filesystem down ({error}); the simulated cut below runs instead"
            )
        child.kill()
        said += child.stdout.read()
    # What was said after the cut cannot have been flushed after it: a flush fails on a disk that is off.
    return {line.removeprefix("done ") for line in said.decode().splitlines() if line.startswith("done ")}


def survivors(disk):
    """Bring the disk back, and return the finished cells that a reader finds; None where there is no run."""
    disk.unmount()
    disk.mount()
    try:
        run = Store(disk.mounted / "data").run("r1")
    except RunUnknownError:
        return None
    assert verify_run(run.path) == []
    rows = [row["cell"] for row in run.cells()]
    assert len(rows) == len(set(rows))
    return set(rows)


def test_nothing_acknowledged_is_lost_when_the_power_goes(disk):
    dice, acknowledged, cuts = random.Random(20261130), set(), 0
    while len(acknowledged) < ROWS:
        new = acknowledged_until_cut(disk, "always", dice)
        assert not new & acknowledged
        acknowledged |= new
        cuts += 1
        found = survivors(disk)
        assert acknowledged <= found, f"{len(acknowledged - found)} of {len(acknowledged)} rows are lost"
    print(f"{len(acknowledged)} acknowledged rows, {cuts} power cuts, none lost")


def test_without_flushes_the_same_cut_loses_rows(disk):
    acknowledged = acknowledged_until_cut(disk, "none", random.Random(7))
    try:
        found = survivors(disk) or set()
    except Exception:  # noqa: BLE001 - whatever is left then is not a run
        found = set()
    assert len(acknowledged) > 100
    assert len(acknowledged - found) > len(acknowledged) // 2
    print(f"control without fsync: {len(acknowledged - found)} of {len(acknowledged)} acknowledged rows lost")


class Dark(BaseException):
    """The moment the power goes."""


class PageCache:
    """What of a folder is on the disk for certain: bytes of files and names of folders, as of their last flush.

    A name counts once its folder was flushed, bytes once their file was. Every inode that was seen is held open, so
    that its number stays its own.
    """

    def __init__(self, root):
        self.root = root
        self.names: dict[int, dict[str, int]] = {}
        self.bytes: dict[int, bytes] = {}
        self.held: dict[int, int] = {}
        self.flushed = self.last = 0

    def fsync(self, descriptor):
        """Note what this flush makes certain; the power goes instead of the flush numbered `last`."""
        self.flushed += 1
        if self.flushed == self.last:
            raise Dark
        number = self._hold(f"/proc/self/fd/{descriptor}")
        place = f"/proc/self/fd/{self.held[number]}"
        if stat.S_ISDIR(os.fstat(self.held[number]).st_mode):
            self.names[number] = self._listed(place)
        else:
            self.bytes[number] = Path(place).read_bytes()

    def _listed(self, place):
        return {path.name: self._hold(str(path)) for path in Path(place).iterdir()}

    def _hold(self, path):
        descriptor = os.open(path, os.O_RDONLY)
        number = os.fstat(descriptor).st_ino
        if number in self.held:
            os.close(descriptor)
        else:
            self.held[number] = descriptor
        return number

    def rebuild(self, into, dice):
        """Make the folder that is found when the power is back: of what was not flushed, anything may be there."""
        self._rebuild(self._hold(str(self.root)), into, dice)
        for descriptor in self.held.values():
            os.close(descriptor)

    def _rebuild(self, number, into, dice):
        place = f"/proc/self/fd/{self.held[number]}"
        into.mkdir()
        now = self._listed(place)
        certain = self.names.get(number, {})
        for name in sorted(now.keys() | certain.keys()):
            found = dice.choice((now.get(name), certain.get(name)))
            if found is None:
                continue
            if stat.S_ISDIR(os.fstat(self.held[found]).st_mode):
                self._rebuild(found, into / name, dice)
            else:
                (into / name).write_bytes(self._content(found, dice))

    def _content(self, number, dice):
        now, certain = Path(f"/proc/self/fd/{self.held[number]}").read_bytes(), self.bytes.get(number, b"")
        if not now.startswith(certain):
            return dice.choice((now, certain))
        more = now[len(certain) :]
        kept = dice.randrange(len(more) + 1)
        return certain + dice.choice(
            (b"", more, more[:kept], bytes(len(more)), more[:kept] + bytes(len(more) - kept))
        )


def collect(store, acknowledged):
    """Start or continue a run and close it, noting what is said to be done."""
    try:
        writer = RunWriter.resume(store, "r1")
    except RunUnknownError:
        writer = RunWriter.create(store, record(cells=plan(6), suite="x"), suite_text="x")
    acknowledged.add("run")
    with writer:
        for cell in writer.unfinished:
            run_cell(writer, cell, 0.5)
            acknowledged.add(cell)
        writer.gold("q1", ["a"])
        writer.close()
    acknowledged.add("closed")


def cut_at(number, folder, monkeypatch, dice, *, flush=True):
    """Collect a run until its flush `number`, and return what is found afterwards and what was acknowledged."""
    cache, acknowledged = PageCache(folder / "before"), set()
    cache.root.mkdir()
    cache.last = number
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", cache.fsync if flush else lambda _descriptor: _count(cache))
        with contextlib.suppress(Dark):
            collect(Store(cache.root), acknowledged)
    cache.rebuild(folder / "after", dice)
    return Store(folder / "after"), acknowledged, cache.flushed


def _count(cache):
    cache.flushed += 1
    if cache.flushed == cache.last:
        raise Dark


def test_a_cut_at_any_flush_leaves_all_that_was_acknowledged(tmp_path, monkeypatch):
    dice = random.Random(20261130)
    total = cut_at(0, _made(tmp_path / "quiet"), monkeypatch, dice)[2]
    assert total > 30
    for index in range(CUTS):
        number = dice.randint(1, total)
        store, acknowledged, _ = cut_at(number, _made(tmp_path / str(index)), monkeypatch, dice)
        cells = acknowledged - {"run", "closed"}
        if "run" in acknowledged:
            run = store.run("r1")
            assert cells <= {row["cell"] for row in run.cells()}, number
            assert run.state == "closed" or "closed" not in acknowledged
        with contextlib.suppress(RunClosedError):
            collect(store, set())
        assert verify_run(store.run("r1").path) == [], number
        assert [row["outcome"] for row in store.run("r1").cells()] == ["ok"] * 6, number


def test_without_flushes_the_simulated_cut_loses_rows(tmp_path, monkeypatch):
    dice, lost, acknowledged = random.Random(7), 0, 0
    for index in range(10):
        store, said, _ = cut_at(25, _made(tmp_path / str(index)), monkeypatch, dice, flush=False)
        cells = said - {"run", "closed"}
        try:
            found = {row["cell"] for row in store.run("r1").cells()}
        except Exception:  # noqa: BLE001 - whatever is left then is not a run
            found = set()
        acknowledged, lost = acknowledged + len(cells), lost + len(cells - found)
    assert acknowledged >= 10
    assert lost > acknowledged // 2


def _made(folder):
    folder.mkdir()
    return folder
