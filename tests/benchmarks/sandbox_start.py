"""What it costs to start something behind a wall: `/bin/true` under every level that this machine can do, and the proof."""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchctl.workspace.interpreter import interpreter_reads
from benchctl.workspace.probes import probe
from benchctl.workspace.proxy import CellProxy
from benchctl.workspace.sandbox import candidates, none
from benchctl.workspace.wall import Sandbox

TIMES = 40
ENV = {"PATH": "/usr/bin:/bin"}


def milliseconds(call):
    """Return the median of many calls, after one that fills every cache."""
    call()
    spent = []
    for _ in range(TIMES):
        started = time.perf_counter()
        call()
        spent.append(time.perf_counter() - started)
    return statistics.median(spent) * 1000


def started(argv):
    # READY_FD is a word that only run_process replaces; standard error stands in for it here.
    words = ["2" if word == "{ready_fd}" else word for word in argv]
    subprocess.run(words, env=ENV, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def walled(sandbox, folder, proxy=None):
    words = {"reads": interpreter_reads(), "writes": [folder], "cwd": folder, "env": ENV}
    return lambda: started(sandbox.wrap(["/bin/true"], **words, proxy=proxy))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        floor = milliseconds(lambda: started(["/bin/true"]))
        python = milliseconds(lambda: started([sys.executable, "-I", "-S", "-c", ""]))
        print(f"{'/bin/true, bare':<36} {floor:7.1f} ms")
        print(f"{'this interpreter, bare':<36} {python:7.1f} ms")
        usable = [sandbox for sandbox, missing in candidates() if missing is None]
        for sandbox in usable:
            spent = milliseconds(walled(sandbox, folder))
            with (
                tempfile.TemporaryDirectory() as outside,
                CellProxy((), {}, {}, Path(outside), tcp=sandbox.shares_network) as proxy,
            ):
                led = milliseconds(walled(sandbox, folder, proxy.socket))
            print(
                f"{sandbox.level:<36} {spent:7.1f} ms, {spent / floor:5.1f} times bare;"
                f" with a way to its proxy {led:7.1f} ms"
            )
        proxy = milliseconds(lambda: CellProxy((), {}, {}, folder).__enter__().__exit__())
        print(f"{'a proxy, opened and closed':<36} {proxy:7.1f} ms")
        for sandbox in [*usable, Sandbox("none", none.wrap)]:
            began = time.perf_counter()
            probe(sandbox)
            print(f"the proof of {sandbox.level:<23} {(time.perf_counter() - began) * 1000:7.0f} ms")


if __name__ == "__main__":
    main()
