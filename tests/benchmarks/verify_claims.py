"""The gate that every push waits for: on our own site, on a page of fifty numbers, and on a large one.

The first time nothing is remembered of a page; again, nothing has changed since. The floor starts Python,
imports DuckDB and scans the rows once.
"""

import os
import sys
import tempfile
from pathlib import Path

from big_page import write_page
from big_store import write_store
from command import best

ROOT = Path(__file__).resolve().parents[2]
BENCHCTL = str(Path(sys.executable).with_name("benchctl"))
SCAN = """
import duckdb
print(duckdb.sql("select arm, median(wall_s) from read_parquet('{}') group by all").fetchall())
"""
TIMES = 5


def _first(folder, page):
    """Return what verifying a page costs while nothing is remembered of it."""
    os.environ["XDG_CACHE_HOME"] = "/proc/self"  # where nobody can keep anything
    return best([BENCHCTL, "verify-claims", "-q", *page], times=TIMES, cwd=folder)


def _again(folder, page):
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        return best([BENCHCTL, "verify-claims", "-q", *page], times=TIMES, cwd=folder)


def _say(what, folder, cells, page):
    floor = best([sys.executable, "-c", SCAN.format(cells)], times=TIMES, cwd=folder)
    print(f"{what}: python + duckdb + one scan {floor.cpu_s * 1000:5.0f} ms CPU")
    for when, run in (("the first time", _first(folder, page)), ("again", _again(folder, page))):
        print(f"  verify-claims {when:15} {run.cpu_s * 1000:6.0f} ms CPU  {run.cpu_s / floor.cpu_s:5.2f}x")


def main():
    demo = ROOT / "data/runs/callers-v1-demo/rows/cells.parquet"
    _say("our own site", ROOT, demo, [])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "benchctl.toml").write_text('title = "Large"\n')
        store, _ = write_store(folder / "data", rows=100_000, runs=1)
        cells = store.runs_dir / "run-0000/rows/cells.parquet"
        for numbers, size in ((50, 8_000), (10_000, 1_000_000)):
            page = folder / f"{numbers}.md"
            page.write_text(write_page(store, numbers=numbers, size=size))
            _say(f"{numbers:,} numbers in {size:,} characters over 100,000 rows", folder, cells, [page.name])


if __name__ == "__main__":
    main()
