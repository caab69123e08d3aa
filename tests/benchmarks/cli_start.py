"""How long a user waits before the program does anything."""

import sys
from pathlib import Path

from command import best

BENCHCTL = str(Path(sys.executable).with_name("benchctl"))
TIMES = 20


def main():
    floor = best([sys.executable, "-c", "import click"], times=TIMES)
    print(f"python -c 'import click'   {floor.cpu_s * 1000:6.0f} ms CPU  {floor.wall_s * 1000:6.0f} ms wall")
    for option in ("--version", "--help"):
        run = best([BENCHCTL, option], times=TIMES)
        print(
            f"benchctl {option:<17} {run.cpu_s * 1000:6.0f} ms CPU  {run.wall_s * 1000:6.0f} ms wall"
            f"  {run.cpu_s / floor.cpu_s:.2f}x"
        )


if __name__ == "__main__":
    main()
