"""A process that journals rows of one run as fast as it can and says which of them are on the disk.

usage: acknowledger.py STORE CELLS FSYNC. Prints `done CELL` once a row counts; with FSYNC `none` nothing is ever
flushed, which is the control.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from small_run import AT, evidence, grade, planned, record

from benchctl.schema.evidence import Stream
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter


def main(folder, cells, fsync):
    if fsync == "none":
        os.fsync = lambda _descriptor: None
    store = Store(Path(folder))
    plan = tuple(planned(f"q{number:05d}", order=number) for number in range(cells))
    if "r1" in store.names():
        writer = RunWriter.resume(store, "r1")
    else:
        writer = RunWriter.create(store, record(cells=plan))
    with writer:
        for cell in writer.unfinished:
            attempt = writer.claim(cell, AT)
            writer.finish(evidence(cell, attempt, stdout=Stream("x" * 1500, 1500)), grade(0.5))
            os.write(1, f"done {cell}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
