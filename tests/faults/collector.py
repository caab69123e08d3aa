"""A process that collects a run until somebody kills it, and says on standard output what it has done for good.

usage: collector.py STORE CELLS ATTEMPTS CLOSE
Prints `done CELL` once a cell's result cannot be lost any more, `closed` once the run is closed.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from small_run import AT, evidence, grade, plan, record

from benchctl.schema.evidence import Stream
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(folder, cells, attempts, close):
    store = Store(Path(folder))
    if "r1" in store.names():
        writer = RunWriter.resume(store, "r1")
    else:
        writer = RunWriter.create(store, record(cells=plan(cells)))
    with writer:
        say("ready")
        for cell in writer.unfinished:
            for left in range(attempts - 1, -1, -1):
                attempt = writer.claim(cell, AT)
                found = evidence(cell, attempt, stdout=Stream(f"{cell} {attempt} " * 500, 1))
                if not left:
                    writer.finish(found, grade(0.5))
                    say(f"done {cell}")
                else:
                    writer.end(found)
        if close:
            writer.close()
            say("closed")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "close")
