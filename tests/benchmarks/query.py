"""The headline aggregate over a million rows in one run and in a thousand, beside bare DuckDB on one file."""

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import duckdb
from big_store import write_store

from benchctl.expressions import parse, parse_filters, probes
from benchctl.store import survey
from benchctl.store.disk import verified_file as trust
from benchctl.store.measuring.question import measure
from benchctl.store.relations import file_content as facts
from benchctl.store.relations import files, loaded
from benchctl.store.sql.query import query_sql

ROWS = 1_000_000
SQL = """
SELECT arm, agent, median(score), avg(score), median(wall_s), avg(wall_s) FROM {} GROUP BY ALL ORDER BY ALL
"""
TIMES = 7


def timed(call, times=TIMES, clock=time.process_time):
    """Return the least seconds of this process that a call took, whatever else the machine does, and what it gave."""
    found, best = None, float("inf")
    for _ in range(times):
        start = clock()
        found = call()
        best = min(best, clock() - start)
    return best, found


def forget():
    """Make this process as it was before it had seen any file."""
    for memory in (
        facts._CONTENTS,
        facts._ALIGNED,
        loaded._LOADED,
        survey._SEEN,
        files._SEEN,
        trust._VERIFIED,
    ):
        memory.clear()


def bare(one, threads):
    with duckdb.connect(config={"threads": threads}) as connection:
        return connection.execute(SQL.format(f"read_parquet('{one}')")).fetchall()


def headline():
    """Return the same numbers as expressions ask for them: four statistics of twelve groups."""
    return [
        probe
        for arm in ("grep", "index", "graph", "none")
        for agent in ("rg", "claude", "codex")
        for text in ("score.median", "score.mean", "wall_s.median", "wall_s.mean")
        for probe in probes(parse(text), filters=parse_filters(f"arm={arm}, agent={agent}"))
    ]


def show(name, seconds, floor):
    print(f"{name:44} {seconds * 1000:7.0f} ms  {seconds / floor:5.2f}x", flush=True)


def one_store(folder, rows, runs):
    store, one = write_store(folder / str(runs), rows=rows, runs=runs)
    sql, asked = SQL.format("cells"), headline()
    floor, wanted = timed(lambda: bare(one, 1))
    print(f"\n{rows:,} rows in {runs:,} run(s)")
    show("bare DuckDB, one file, one thread", floor, floor)
    wall = [
        timed(lambda: bare(one, 1), clock=time.perf_counter),
        timed(lambda: bare(one, 2), clock=time.perf_counter),
    ]
    show("  by the clock on the wall", wall[0][0], wall[0][0])
    show("  with two threads, by that clock", wall[1][0], wall[0][0])
    forget()
    show("query_sql, first", timed(lambda: query_sql(store, sql), 1)[0], floor)
    seconds, answer = timed(lambda: query_sql(store, sql))
    show("query_sql", seconds, floor)
    assert answer.rows == [tuple(row) for row in wanted]
    if runs == 1:
        forget()
        show("measure, first", timed(lambda: measure(store, "run-0000", asked), 1)[0], floor)
    else:
        asked = [replace(probe, run="+".join(store.names())) for probe in asked]
    declared = frozenset(store.names())
    seconds, measured = timed(lambda: measure(store, "run-0000", asked, declared=declared))
    show("measure" if runs == 1 else "measure, all runs pooled", seconds, floor)
    assert sorted(measured[probe].value for probe in asked) == sorted(
        value for row in wanted for value in row[2:]
    )


def rows_as_dictionaries(folder):
    store, one = write_store(folder / "cells", rows=5000, runs=1)
    floor, _ = timed(lambda: duckdb.connect().execute(f"SELECT * FROM read_parquet('{one}')").fetchall())
    print("\n5,000 rows as dictionaries")
    show("bare DuckDB, fetchall", floor, floor)
    forget()
    show("StoredRun.cells, first", timed(lambda: store.run("run-0000").cells(), 1)[0], floor)
    show("StoredRun.cells", timed(lambda: store.run("run-0000").cells())[0], floor)


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as folder:
        for runs in (1, 1000):
            one_store(Path(folder), rows, runs)
        rows_as_dictionaries(Path(folder))


if __name__ == "__main__":
    main()
