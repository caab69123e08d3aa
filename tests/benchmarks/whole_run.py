"""The first thing a visitor runs: the embedded suite, from preflight to the rendered page."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from command import cost

ROOT = Path(__file__).resolve().parents[2]
BENCHCTL = str(Path(sys.executable).with_name("benchctl"))


def main():
    folder = tempfile.mkdtemp(prefix="benchctl-bench-")
    try:
        for name in ("data/suites", "templates"):
            shutil.copytree(ROOT / name, Path(folder, name))
        shutil.copy(ROOT / "benchctl.toml", folder)
        run = cost([BENCHCTL, "run", "--project", folder, "--run-id", "r", "-q"])
        sql = "select count(*) as cells, sum(cpu_s) as cpu_s, sum(wall_s) as wall_s from cells"
        answer = subprocess.run(
            [BENCHCTL, "query", "--project", folder, "--format", "json", sql], capture_output=True, check=True
        )
        (row,) = json.loads(answer.stdout)
        print(f"benchctl run: {run.wall_s:.1f} s wall, {run.cpu_s:.1f} s CPU, peak {run.peak_mib:.0f} MiB")
        print(
            f"of that the agents: {row['cells']} cells, {row['wall_s']:.1f} s wall, {row['cpu_s']:.1f} s CPU"
        )
        print(f"whole / agents, CPU: {run.cpu_s / row['cpu_s']:.2f}x")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
