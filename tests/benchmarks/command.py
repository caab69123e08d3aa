"""One command, measured by what the kernel charged for it and all it waited for."""

import os
import subprocess
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """Processor and wall seconds, and the peak resident size of the largest process, in MiB."""

    cpu_s: float
    wall_s: float
    peak_mib: float


def cost(argv, *, cwd=None, env=None, ok=(0,)):
    """Run one command and return its cost; output is discarded, an unexpected exit is an error."""
    started = time.perf_counter()
    child = subprocess.Popen(argv, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stderr.close()
    if child.returncode not in ok:
        raise SystemExit(f"{argv} ended with {child.returncode}:\n{errors.decode()}")
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - started, usage.ru_maxrss / 1024)


def best(argv, *, times, **options):
    """Return the cheapest of several runs by processor time: noise only ever adds."""
    return min((cost(argv, **options) for _ in range(times)), key=lambda run: run.cpu_s)
