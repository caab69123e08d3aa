"""Writers that share a run, killed with -9 at random moments while others read: nothing lost, doubled or misread."""

import os
import random
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from benchctl.store.checking.verify import verify_run
from benchctl.store.reader import Store

ROUNDS = int(os.environ.get("BENCHCTL_KILLS", "6"))
"""Rounds in which both writers are killed: a few by default, more on request."""

CELLS = 240


class Writers:
    """The writers' common ancestor, and what all of them have said."""

    def __init__(self, store):
        program = Path(__file__).with_name("writers.py")
        self.process = subprocess.Popen(
            [sys.executable, str(program), str(store.path), str(CELLS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.said: dict[int, list[str]] = {}
        self._rest = b""

    def fork(self, run):
        before = set(self.said)
        self.process.stdin.write(f"{run}\n".encode())
        self.process.stdin.flush()
        self.hear(lambda: set(self.said) - before)
        return (set(self.said) - before).pop()

    def hear(self, enough, seconds=60.0):
        """Take in what the writers say until `enough` is true."""
        until = time.monotonic() + seconds
        while not enough():
            ready, _, _ = select.select([self.process.stdout], [], [], 0.05)
            if ready:
                *lines, self._rest = (self._rest + os.read(self.process.stdout.fileno(), 1 << 16)).split(
                    b"\n"
                )
                for line in lines:
                    who, _, what = line.decode().partition(" ")
                    self.said.setdefault(int(what if who == "PID" else who), []).extend(
                        [] if who == "PID" else [what]
                    )
            assert time.monotonic() < until, f"the writers never got so far: {self.said}"

    def over(self, pid):
        return bool({"over", "left", "closed"} & set(self.said[pid]))

    def kill(self, pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        self.hear(lambda: not alive(pid))

    def done(self):
        return Counter(
            what.removeprefix("done ") for pid in self.said for what in self.said[pid] if "done" in what
        )


def alive(pid):
    """Return whether a process still runs; nobody need have buried it."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat[stat.rindex(")") + 2] not in "ZX"


@contextmanager
def writers(store):
    found = Writers(store)
    try:
        yield found
    finally:
        for pid in found.said:
            found.kill(pid)
        found.process.stdin.close()
        found.process.wait()
        found.process.stdout.close()


@contextmanager
def looker(store):
    """Read the store all the time; at the end nothing must have been wrong."""
    program = Path(__file__).with_name("looker.py")
    process = subprocess.Popen(
        [sys.executable, str(program), str(store.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield
    finally:
        said, _ = process.communicate(timeout=120)
    *bad, reads = said.splitlines()
    assert bad == []
    assert int(reads.removeprefix("reads ")) > 0
    print(f"{reads}, none bad")


def check(store, run, acknowledged):
    """Check what a reader sees now against everything acknowledged so far."""
    found = store.run(run)
    cells = Counter(row["cell"] for row in found.cells() if row["outcome"] == "ok")
    assert set(cells.values()) <= {1}
    assert acknowledged.keys() <= cells.keys(), "an acknowledged row is lost"
    assert set(acknowledged.values()) <= {1}, "a cell was finished twice"
    assert [damage for damage in verify_run(found.path) if damage.path != "journal/"] == []


def test_two_writers_of_one_run_killed_at_any_moment_lose_and_double_nothing(tmp_path):
    dice, store = random.Random(20261130), Store(tmp_path)
    number = rounds = rows = kills = together = 0
    with looker(store):
        while rounds < ROUNDS:
            number += 1
            run = f"r{number:03d}"
            with writers(store) as group:
                closed = False
                while rounds < ROUNDS and not closed:
                    one, two = group.fork(run), group.fork(run)
                    group.hear(lambda one=one, two=two: group.said[one] and group.said[two])
                    if not (group.over(one) or group.over(two)):
                        living = {each.pid for each in store.run(run).progress().collectors}
                        if living != {one, two}:  # then one of them has just come to its end
                            group.hear(lambda one=one, two=two: group.over(one) or group.over(two))
                        together += 1
                    for pid in dice.sample((one, two), 2):
                        until = time.monotonic() + dice.uniform(0, 0.06)
                        group.hear(lambda until=until: time.monotonic() > until)
                        kills += alive(pid)
                        group.kill(pid)
                    rounds += 1
                    group.hear(lambda: not select.select([group.process.stdout], [], [], 0)[0])
                    if store.run(run).state == "open":
                        assert store.run(run).progress().collectors == ()
                    check(store, run, group.done())
                    closed = store.run(run).state == "closed"
                last = group.fork(run)
                group.hear(lambda last=last: group.over(last))
                check(store, run, group.done())
                assert store.run(run).state == "closed"
                assert len(store.run(run).cells()) == CELLS
                assert verify_run(store.run(run).path) == []
                rows += group.done().total()
    print(f"{rounds} rounds, {kills} kills, {rows} rows acknowledged in {number} runs")
    assert together > 0
