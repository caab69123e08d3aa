"""Processes that can be told from all others by a word of their command line, whatever became of their environment."""

import contextlib
import itertools
import os
import signal
import time
from pathlib import Path

_numbers = itertools.count()


def tag():
    """Return a number of seconds that no other process of this machine sleeps for."""
    return f"61.{os.getpid()}{next(_numbers):04d}"


def alive(word):
    """Return the living processes whose command line holds a word."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if word.encode() in place.read_bytes().split(b"\0"):
                found.append(int(place.parent.name))
    return found


def wait_for(true, for_s=30.0):
    until = time.monotonic() + for_s
    while not true():
        assert time.monotonic() < until, "what was waited for never came"
        time.sleep(0.01)


def end(word):
    """End what a failed test has left."""
    for pid in alive(word):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def family(seconds):
    """Return a shell line with the members of a cell that a plain group kill misses: four processes of that word.

    One is in the group, one in a session of its own, one is a daemon that lost its parent, one has cleared its
    environment as well.
    """
    return (
        f"setsid sleep {seconds} & (setsid sleep {seconds} &) ; "
        f"(env -i PATH=$PATH setsid sleep {seconds} &) ; sleep {seconds}"
    )
