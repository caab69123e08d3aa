"""Processes that collect one run together until somebody kills them, forked from one that has everything loaded.

usage: writers.py STORE CELLS. Reads `RUN` lines on standard input; for each it forks a writer of that run and
prints `PID pid`. A writer prints, in one write each, `pid ready`, `pid done CELL` once a cell's result cannot be
lost any more, and `pid left` or `pid closed` at the end; `pid over` where the run was closed already.
"""

import os
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from small_run import AT, evidence, grade, plan, record

from benchctl.errors import RunBusyError, RunClosedError, RunUnknownError, StoreExistsError
from benchctl.schema.evidence import Stream
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter


def say(*words):
    os.write(1, (" ".join(words) + "\n").encode())


def joined(store, run, cells):
    """Come to a run as any writer does: somebody else may be creating it at this moment."""
    while True:
        try:
            return RunWriter.resume(store, run, shared=True)
        except RunUnknownError:
            try:
                return RunWriter.create(store, record(run, plan(cells)), shared=True)
            except (StoreExistsError, RunBusyError):
                continue
        except RunBusyError:  # the last writer is closing it
            time.sleep(0.001)


def write(store, run, cells):
    me, dice = str(os.getpid()), random.Random(os.getpid())
    try:
        writer = joined(store, run, cells)
    except RunClosedError:
        say(me, "over")
        return
    with writer:
        say(me, "ready")
        for cell in writer.unfinished:
            attempt = writer.claim(cell, AT)
            if attempt is not None:
                collect(writer, cell, attempt, dice)
                say(me, "done", cell)
        while writer.unfinished:  # what another has and may die with
            time.sleep(0.002)
            for cell in writer.unfinished:
                attempt = writer.claim(cell, AT)
                if attempt is not None:
                    collect(writer, cell, attempt, dice)
                    say(me, "done", cell)
        say(me, "closed" if writer.leave() else "left")


def collect(writer, cell, attempt, dice):
    if dice.random() < 0.1:
        writer.end(evidence(cell, attempt, outcome="timeout"))
        attempt = writer.claim(cell, AT)
    time.sleep(dice.random() * 0.002)
    text = f"{cell} {attempt} " * dice.choice((10, 100, 5000))
    writer.finish(evidence(cell, attempt, stdout=Stream(text, len(text))), grade(0.5))


def main(folder, cells):
    store = Store(Path(folder))
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                write(store, line.strip(), cells)
            finally:
                os._exit(0)
        say("PID", str(child))
        while True:  # bury who has died
            try:
                if os.waitpid(-1, os.WNOHANG) == (0, 0):
                    break
            except ChildProcessError:
                break


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
