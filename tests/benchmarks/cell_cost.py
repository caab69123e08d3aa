"""What the harness itself costs per cell: a thousand cells whose agent is `true`, every attempt fsynced."""

import shutil
import sys
import tempfile
from pathlib import Path

from command import best, cost

BENCHCTL = str(Path(sys.executable).with_name("benchctl"))
CELLS = 1000
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
[caps]
wall_s = 60
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
    subprocess.run(["/bin/echo", "x"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True)
"""


def project(folder, cells):
    suite = Path(folder, "data", "suites", "trivial")
    Path(suite, "corpus").mkdir(parents=True)
    Path(suite, "corpus", "a.py").write_text("def b(): pass\n")
    Path(suite, "suite.toml").write_text(SUITE.format(reps=cells))
    Path(folder, "benchctl.toml").write_text('default_suite = "trivial"\n')


def measured(cells, *options):
    folder = tempfile.mkdtemp(prefix="benchctl-bench-")
    try:
        project(folder, cells)
        return cost([BENCHCTL, "run", "--project", folder, "--run-id", "r", "-q", *options])
    finally:
        shutil.rmtree(folder)


def main():
    bare = best([sys.executable, "-c", BARE.format(cells=CELLS)], times=3)
    per_child = bare.cpu_s * 1000 / CELLS
    print(f"{CELLS} bare children                {per_child:6.2f} ms CPU each")
    ways = (
        ("no sandbox", ["--no-sandbox", "--no-page"]),
        ("no sandbox, and pages", ["--no-sandbox"]),
        ("strongest sandbox", ["--no-page"]),
    )
    for name, options in ways:
        few, many = measured(10, *options), measured(CELLS, *options)
        per_cell = (many.cpu_s - few.cpu_s) * 1000 / (CELLS - 10)
        print(
            f"benchctl run, {name:<22} {per_cell:6.2f} ms CPU a cell, {per_cell - per_child:6.2f} ms beyond the child,"
            f" {many.wall_s * 1000 / CELLS:6.2f} ms wall a cell, peak {many.peak_mib:.0f} MiB"
        )


if __name__ == "__main__":
    main()
