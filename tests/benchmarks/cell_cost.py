"""What the harness itself costs per cell: a thousand cells whose agent is `echo`, every attempt fsynced.

With everything on it is told over its floor: one start of Python and one of bubblewrap.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from command import best, cost

BENCHCTL = str(Path(sys.executable).with_name("benchctl"))
CELLS = int(os.environ.get("BENCHCTL_CELLS", "1000"))
SUITE = """schema = 1
name = "trivial"
title = "Trivial cells"
canary = "benchctl-canary-00000000-0000-4000-8000-000000000000"
[repos.tree]
kind = "directory"
source = "corpus"
[arms.only]
title = "Only"
[agents.echo]
argv = ["/bin/echo", "[\\"a::b\\"]"]
{agent}
[caps]
wall_s = 60
{caps}
[run]
reps = {reps}
allow_no_sandbox = true
[[questions]]
id = "q"
repo = "tree"
class = "trivial"
prompt = "Say it."
gold = {{ items = ["a::b"] }}
"""
BARE = """
import subprocess
for _ in range({cells}):
    subprocess.run({argv!r}, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True)
"""
PYTHON = [sys.executable, "-I", "-c", "pass"]
BWRAP = [
    "bwrap",
    "--unshare-all",
    "--die-with-parent",
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "true",
]
EVERYTHING = {
    "agent": 'counts = { tool_calls = "::", events = "^." }\nsecrets = ["BENCH_KEY"]',
    "caps": "tool_calls = 100\nevents = 1000",
}


def project(folder, cells, terms):
    suite = Path(folder, "data", "suites", "trivial")
    Path(suite, "corpus").mkdir(parents=True)
    Path(suite, "corpus", "a.py").write_text("def b(): pass\n")
    Path(suite, "suite.toml").write_text(SUITE.format(reps=cells, **terms))
    Path(folder, "benchctl.toml").write_text('default_suite = "trivial"\n')


def measured(cells, terms, *options):
    folder = tempfile.mkdtemp(prefix="benchctl-bench-")
    try:
        project(folder, cells, terms)
        return cost([BENCHCTL, "run", "--project", folder, "--run-id", "r", "-q", *options])
    finally:
        shutil.rmtree(folder)


def started(name, argv):
    """Return the milliseconds of CPU, and of wall time, that starting one process takes."""
    spent = best([sys.executable, "-c", BARE.format(cells=CELLS // 5, argv=argv)], times=3)
    cpu, wall = spent.cpu_s * 5000 / CELLS, spent.wall_s * 5000 / CELLS
    print(f"{name:<26} {cpu:6.2f} ms CPU, {wall:6.2f} ms wall")
    return cpu, wall


def main():
    per_child, _ = started("bare child", ["/bin/echo", "x"])
    python, python_wall = started("start of Python", PYTHON)
    bwrap, bwrap_wall = started("start of bubblewrap", BWRAP) if shutil.which("bwrap") else (0.0, 0.0)
    print(
        f"floor of a cell with everything on {python + bwrap:6.2f} ms CPU, {python_wall + bwrap_wall:6.2f} ms wall"
    )
    os.environ["BENCH_KEY"] = "a value that no cell prints"
    plain = {"agent": "", "caps": ""}
    ways = (
        ("no sandbox", plain, ["--no-sandbox", "--no-page"]),
        ("no sandbox, and pages", plain, ["--no-sandbox"]),
        ("strongest sandbox", plain, ["--no-page"]),
        ("everything on", EVERYTHING, ["--no-page"]),
    )
    for name, terms, options in ways:
        few, many = measured(10, terms, *options), measured(CELLS, terms, *options)
        per_cell, wall = (
            (most - least) * 1000 / (CELLS - 10)
            for most, least in ((many.cpu_s, few.cpu_s), (many.wall_s, few.wall_s))
        )
        print(
            f"benchctl run, {name:<22} {per_cell:6.2f} ms CPU a cell, {per_cell - per_child:6.2f} ms beyond the child,"
            f" {wall:6.2f} ms wall a cell, peak {many.peak_mib:.0f} MiB"
        )
    print(
        f"everything on, over its floor        {per_cell - python - bwrap:6.2f} ms CPU, {wall - python_wall - bwrap_wall:6.2f} ms wall"
    )


if __name__ == "__main__":
    main()
