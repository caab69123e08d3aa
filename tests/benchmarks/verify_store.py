"""`benchctl verify-store` over one big run, beside `sha256sum` over the same files."""

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import best
from small_run import planned, record

from benchctl import __version__
from benchctl.schema.canonical import sha256_hex
from benchctl.schema.result import SCHEMA_VERSION
from benchctl.store.disk.layout import RunLayout
from benchctl.store.disk.manifest import Manifest, data_digest, file_entry
from benchctl.store.disk.record import record_bytes
from benchctl.store.disk.rows import attempt_row, cell_row, columns_of, grade_row, transcript_rows
from benchctl.store.disk.sealing import seal_table
from benchctl.store.disk.walk import listed_files

BENCHCTL = str(Path(sys.executable).with_name("benchctl"))
CELLS = int(os.environ.get("BENCHCTL_BENCH_CELLS", "100000"))
TRANSCRIPT = int(os.environ.get("BENCHCTL_BENCH_TRANSCRIPT", "6000"))
AT = "2026-11-30T07:00:00.000000Z"


def material():
    """Return source text to cut answers and transcripts from: real words compress as real words do."""
    folder = Path(os.__file__).parent
    return "\n".join(
        path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.glob("*.py"))
    )


def events(count):
    """Yield (planned cell, its evidence, its grade) as a journal would keep them."""
    text, dice = material(), random.Random(7)

    def cut(length):
        start = dice.randrange(len(text) - length)
        return text[start : start + length]

    for order in range(count):
        cell = planned(f"q{order // 20}", ("grep", "index")[order % 2], order // 2 % 10 + 1, order)
        out, err = cut(dice.randrange(TRANSCRIPT // 2, TRANSCRIPT * 3 // 2)), cut(dice.randrange(1, 200))
        streams = {
            name: {
                "text": each,
                "total_bytes": len(each),
                "dropped_bytes": 0,
                "sha256": sha256_hex(each.encode()),
            }
            for name, each in (("stdout", out), ("stderr", err))
        }
        evidence = {
            "cell": cell.cell, "attempt": 1, "outcome": "ok", "started_at": AT, "ended_at": AT,
            "wall_s": dice.random() * 90, "cpu_s": dice.random(), "exit_code": 0, "answer": cut(dice.randrange(100, 1200)),
            "tool_calls": dice.randrange(20), "stragglers": 0, "sandbox": "bwrap", "changed_files": 0, "detail": "",
            "input_tokens": dice.randrange(90000), "output_tokens": dice.randrange(2000), "total_tokens": None,
            "cost_usd": dice.random(), "token_source": "agent", "cost_source": "agent", "streams": streams,
        }  # fmt: skip
        facts = [{"id": f"{cut(20)}::{n}", "state": "hit", "note": ""} for n in range(4)]
        grade = {"score": dice.random(), "grader": "gold", "answered": True, "precision": dice.random(), "recall": 0.5,
                 "answer_items": 4, "gold_items": 4, "hit_items": 4, "note": "", "facts": facts}  # fmt: skip
        yield cell, evidence, grade


def rows(table, count):
    for cell, evidence, grade in events(count):
        match table:
            case "cells":
                yield cell_row(cell, [evidence], 1, "bwrap", finished=True)
            case "attempts":
                yield attempt_row(evidence)
            case "grades":
                yield grade_row(evidence, grade)
            case "transcripts":
                yield from transcript_rows(evidence)


def write_run(store, run, count):
    """Write a closed run at once, without a journal: what is measured is reading it."""
    layout = RunLayout(store / "runs" / run)
    scratch = layout.journal
    for folder in (scratch, layout.folder / "rows", layout.folder / "evidence", layout.folder / "grades"):
        folder.mkdir(parents=True)
    cells = tuple(cell for cell, _, _ in events(count))
    layout.record.write_bytes(record_bytes(record(run, cells)))
    layout.gold.write_text("{}\n")
    tables = {
        name: seal_table(
            rows(name, count), columns_of(name), layout.table(name), scratch=scratch, metadata={}
        )
        for name in ("cells", "attempts", "grades", "transcripts")
    }
    scratch.rmdir()
    files = {name: file_entry(path) for name, path in listed_files(layout, 1).items()}
    manifest = Manifest(run, 1, None, __version__, SCHEMA_VERSION, data_digest(tables), tables, files)
    layout.manifest().write_bytes(manifest.to_bytes())


def measured(argv, *, first=True):
    """Return the least wall seconds of some runs: noise only ever adds. Each is the `first`, or knows of one before."""
    walls = []
    for _ in range(5):
        with tempfile.TemporaryDirectory(prefix="benchctl-bench-") as cache:
            for _ in range(1 if first else 2):
                started = time.perf_counter()
                environment = {**os.environ, "XDG_CACHE_HOME": cache}
                subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, env=environment)
            walls.append(time.perf_counter() - started)
    return min(walls)


def report(folder):
    files = [
        str(path)
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file() and path.name != "benchctl.toml"
    ]
    size = sum(Path(path).stat().st_size for path in files) / 1e6
    floor = measured(["sha256sum", *files])
    print(f"sha256sum over {len(files)} files, {size:.0f} MB        {floor:6.2f} s")
    for name, words in (
        ("verify-store --quick", ["--quick"]),
        ("verify-store", []),
        ("verify-store --deep", ["--deep"]),
    ):
        argv = [BENCHCTL, "verify-store", "--project", folder, *words]
        with tempfile.TemporaryDirectory(prefix="benchctl-bench-") as cache:
            peak = best(["env", f"XDG_CACHE_HOME={cache}", *argv], times=1).peak_mib
        for when, wall in (("first", measured(argv)), ("again", measured(argv, first=False))):
            print(
                f"benchctl {name:<21} {when} {wall:6.2f} s, {wall / floor:5.2f} times sha256sum,"
                f" peak of a first {peak:.0f} MiB"
            )


def main():
    with tempfile.TemporaryDirectory(prefix="benchctl-bench-") as folder:
        Path(folder, "benchctl.toml").touch()
        write_run(Path(folder, "data"), "big", CELLS)
        print(f"one run of {CELLS:,} cells")
        report(folder)


if __name__ == "__main__":
    main()
