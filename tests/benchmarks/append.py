"""One durable result a row: what a collector appends, beside the same rows as plain JSON Lines, each fsynced.

Rows of both kinds alternate, so that both meet the same disk; a cell is two lines in a journal, its start and its
result, and the floor for it is two lines as well.
"""

import json
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from small_run import AT, evidence, grade, planned, record

from benchctl.schema.evidence import Stream
from benchctl.store.disk.rows import evidence_json, grade_json
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter

ROWS = 1000
SIZES = (2, 100)
"""KB of text in a row's transcript."""


def text(size):
    """Return text as an agent prints it, with quotes, newlines and letters outside ASCII."""
    source = Path(json.__file__).read_text(encoding="utf-8") + " – é\n"
    return (source * (size * 1024 // len(source) + 1))[: size * 1024]


class Plain:
    """A file of JSON Lines, flushed line by line."""

    def __init__(self, path):
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def append(self, row):
        os.write(self._descriptor, (json.dumps(row) + "\n").encode())
        os.fsync(self._descriptor)


def timed(seconds, work, *arguments):
    started = time.perf_counter()
    work(*arguments)
    seconds.append(time.perf_counter() - started)


def measured(folder, size, *, shared):
    """Return seconds of each (plain start, plain result, our start, our result)."""
    said = text(size)
    cells = tuple(planned(f"q{number}", order=number) for number in range(ROWS))
    plain_start, plain, start, ours = [], [], [], []
    floor = Plain(folder / "plain.jsonl")
    with RunWriter.create(Store(folder / "data"), record(cells=cells), shared=shared) as writer:
        for cell in cells:
            found, graded = evidence(cell.cell, 1, stdout=Stream(said, len(said))), grade(random.random())
            row = {"event": "end", "evidence": evidence_json(found), "grade": grade_json(graded)}
            steps = [
                (plain_start, floor.append, {"event": "start", "cell": cell.cell, "attempt": 1, "at": AT}),
                (plain, floor.append, row),
                (start, writer.claim, cell.cell, AT),
                (ours, writer.finish, found, graded),
            ]
            for seconds, work, *arguments in steps if cell.order % 2 else (*steps[2:], *steps[:2]):
                timed(seconds, work, *arguments)
    return plain_start, plain, start, ours


def quiet(seconds):
    """Return the lower quartile: noise only ever adds."""
    return statistics.quantiles(seconds, n=4)[0]


def main():
    for size in SIZES:
        for shared in (False, True):
            with tempfile.TemporaryDirectory(
                prefix="benchctl-bench-", dir=os.environ.get("BENCHCTL_BENCH_DIR")
            ) as folder:
                plain_start, plain, start, ours = measured(Path(folder), size, shared=shared)
            row, floor = quiet(ours), quiet(plain)
            cell = quiet(map(sum, zip(start, ours, strict=True)))
            bare = quiet(map(sum, zip(plain_start, plain, strict=True)))
            print(
                f"{size:4d} KB rows, {'shared' if shared else 'alone ':6}: {row * 1000:6.3f} ms a result,"
                f" {row / floor:4.2f} times plain JSON Lines ({floor * 1000:.3f} ms);"
                f" {cell * 1000:6.3f} ms a cell, {cell / bare:4.2f} times two plain lines"
            )


if __name__ == "__main__":
    main()
