"""5,000 rows as a pandas DataFrame: the store beside the bare file, in one process each, imports not counted."""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

ROWS = 5000
AIM_S = 0.1
TIMES = 7
STORE = """
import sys, time
import pandas, numpy, duckdb, benchctl
from benchctl.store.frames import opened
began = time.perf_counter()
store = benchctl.open_store(sys.argv[1])
frame = store.cells("big").df()
print(len(frame), time.perf_counter() - began)
began = time.perf_counter()
frame = store.cells("big").df()
print(len(frame), time.perf_counter() - began)
"""
BARE = """
import sys, time
import pandas, duckdb
file = sys.argv[1] + "/runs/big/rows/cells.parquet"
began = time.perf_counter()
connection = duckdb.connect(config={"threads": 1})
frame = connection.sql(f"select * from '{file}'").df()
print(len(frame), time.perf_counter() - began)
began = time.perf_counter()
frame = connection.sql(f"select * from '{file}'").df()
print(len(frame), time.perf_counter() - began)
"""


def make(folder):
    from small_run import plan, record, run_cell

    from benchctl.store.reader import Store
    from benchctl.store.writing.writer import RunWriter

    cells = plan(ROWS)
    unique = {cell.cell: cell for cell in cells}
    assert len(unique) == ROWS
    with RunWriter.create(Store(Path(folder)), record("big", cells)) as writer:
        for number, cell in enumerate(writer.unfinished):
            run_cell(writer, cell, (number % 5) / 4)
        writer.close()


def measured(code, folder):
    """Return the best first and the best second time in seconds, over fresh processes."""
    found = []
    for _ in range(TIMES):
        out = subprocess.run(
            [sys.executable, "-c", code, folder], capture_output=True, text=True, check=True
        ).stdout
        lines = [line.split() for line in out.splitlines()]
        assert [int(rows) for rows, _ in lines] == [ROWS, ROWS]
        found.append([float(seconds) for _, seconds in lines])
    return [min(column) for column in zip(*found, strict=True)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        make(folder)
        bare, store = measured(BARE, folder), measured(STORE, folder)
    print(f"{ROWS:,} rows to pandas, best of {TIMES} processes, imports not counted")
    for name, times in (("bare duckdb .df() of cells.parquet", bare), ("open_store().cells().df()", store)):
        print(f"{name:<36} first {times[0] * 1000:6.1f} ms, again {times[1] * 1000:6.1f} ms")
    print(
        f"the store's first, verified and with grades joined: {store[0] / bare[0]:.1f} times the floor; aim {AIM_S * 1000:.0f} ms"
    )


if __name__ == "__main__":
    main()
