"""A process that reads a store all the time while others write it, and says what it saw that cannot be.

usage: looker.py STORE. Ends when its standard input does, and prints `reads N` then; before that a line for
each read that was wrong.
"""

import select
import sys
import traceback
from collections import Counter
from pathlib import Path

from benchctl.errors import RunUnknownError
from benchctl.store.reader import Store
from benchctl.store.sql.query import query_sql

SQL = """SELECT c.run, count(*), count(DISTINCT c.cell), min(c.score), max(c.score), min(c.outcome), max(c.outcome)
         FROM cells c WHERE c.outcome <> 'interrupted' GROUP BY c.run"""


def look(store, run, seen):
    """Read a run in every way, and assert what holds of each read whatever the writers do."""
    found = store.run(run)
    progress = found.progress()
    rows = found.cells()
    assert {row["outcome"] for row in rows} <= {"ok"}, "an outcome that nobody had"
    assert {row["score"] for row in rows} <= {0.5}, "a score that nobody got"
    assert max(Counter(row["cell"] for row in rows).values(), default=1) == 1, "a cell twice"
    assert len(rows) >= progress.finished >= seen.get(run, 0), "fewer cells than before"
    attempts = Counter((row["cell"], row["attempt"]) for row in found.rows("attempts"))
    assert max(attempts.values(), default=1) == 1, "an attempt twice"
    numbers = Counter(cell for cell, _ in attempts)
    for row in rows:
        assert numbers[row["cell"]] >= row["attempts"], "an attempt missing"
    for row in rows[-1:]:
        for stream in found.transcripts(row["cell"]):
            assert stream["text"].startswith((row["cell"], "err")) or stream["text"] == "out\n", (
                "another's text"
            )
    seen[run] = len(rows)


def sql(store):
    for row in query_sql(store, SQL).rows:
        assert row[1:] == (row[1], row[1], 0.5, 0.5, "ok", "ok"), f"SQL said {row}"


def main(folder):
    store, seen, reads = Store(Path(folder)), {}, 0
    while not select.select([sys.stdin], [], [], 0)[0]:
        try:
            for run in store.names()[-1:]:
                look(store, run, seen)
                sql(store)
                reads += 1
        except RunUnknownError:
            continue
        except Exception:  # noqa: BLE001 - whatever it is, it is what the test looks for
            sys.stdout.write(f"bad {traceback.format_exc()!r}\n")
            sys.stdout.flush()
    sys.stdout.write(f"reads {reads}\n")


if __name__ == "__main__":
    main(sys.argv[1])
