"""The gate that every push waits for."""

import sys
from pathlib import Path

from command import best

ROOT = Path(__file__).resolve().parents[2]
BENCHCTL = str(Path(sys.executable).with_name("benchctl"))
SCAN = """
import duckdb
print(duckdb.sql("select count(*) from read_parquet('data/runs/callers-v1-demo/rows/cells.parquet')").fetchall())
"""
TIMES = 5


def main():
    floor = best([sys.executable, "-c", SCAN], times=TIMES, cwd=ROOT)
    run = best([BENCHCTL, "verify-claims", "-q"], times=TIMES, cwd=ROOT)
    print(f"python + duckdb + one scan   {floor.cpu_s * 1000:6.0f} ms CPU")
    print(f"benchctl verify-claims       {run.cpu_s * 1000:6.0f} ms CPU  {run.cpu_s / floor.cpu_s:.2f}x")


if __name__ == "__main__":
    main()
