"""Sealing rows and closing runs: rows a second beside DuckDB's bare COPY, and what a cell adds to a repository."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import duckdb
from small_run import AT, evidence, grade, planned, record

from benchctl.schema.evidence import Stream
from benchctl.schema.grade import Fact
from benchctl.schema.usage import Usage
from benchctl.store.disk.parquet import write_parquet
from benchctl.store.disk.rows import canonical_row, columns_of, evidence_json, transcript_rows
from benchctl.store.disk.sealing import seal_table
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter

SIZES = ((2, 5000), (100, 500), (1024, 60))
"""(KB of text a row, rows)."""

RUNS, CELLS = 12, 180


def material():
    """Return source text to cut answers from: real words compress as real words do."""
    folder = Path(os.__file__).parent
    return "\n".join(
        path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.glob("*.py"))
    )


def rows(source, size, count):
    dice = random.Random(7)
    for number in range(count):
        start = dice.randrange(len(source) - size * 1024)
        said = Stream(source[start : start + size * 1024], size * 1024)
        yield transcript_rows(evidence_json(evidence(f"c{number}", 1, stdout=said)))[1]


def sealing(source):
    columns = columns_of("transcripts")
    for size, count in SIZES:
        with tempfile.TemporaryDirectory(prefix="benchctl-bench-") as name:
            folder, made = Path(name), list(rows(source, size, count))
            started = time.perf_counter()
            seal_table(made, columns, folder / "t.parquet", scratch=folder / "scratch", metadata={})
            ours = time.perf_counter() - started
            lines = [canonical_row(row) for row in made]
            started = time.perf_counter()
            (folder / "t.jsonl").write_bytes(b"".join(lines))
            with duckdb.connect(config={"threads": 1}) as connection:
                write_parquet(
                    connection,
                    folder / "t.jsonl",
                    columns,
                    folder / "b.parquet",
                    metadata={},
                    longest=max(map(len, lines)),
                )
            bare = time.perf_counter() - started
            print(
                f"{size:5d} KB rows: {count / ours:7.0f} rows/s sealed, flushed and read back;"
                f" {ours / bare:4.2f} times a bare COPY ({count / bare:.0f} rows/s)"
            )


def collect(store, run, source, dice):
    """Collect and close a run of short answers, as the embedded suite has them."""
    cells = tuple(
        planned(f"q{number // 10}", ("grep", "index")[number % 2], number // 2 % 5 + 1, number)
        for number in range(CELLS)
    )
    with RunWriter.create(store, record(run, cells)) as writer:
        for cell in cells:
            words = source[(start := dice.randrange(len(source) - 900)) : start + dice.randrange(200, 900)]
            writer.claim(cell.cell, AT)
            used = Usage(
                input_tokens=dice.randrange(90000), output_tokens=dice.randrange(2000), source="agent"
            )
            found = evidence(
                cell.cell,
                1,
                answer=words[:200],
                stdout=Stream(words, len(words)),
                usage=used,
                wall_s=dice.random() * 60,
            )
            facts = tuple(Fact(f"{words[n : n + 12]}", "hit", "") for n in range(3))
            writer.finish(found, grade(dice.random(), facts=facts))
        started = time.perf_counter()
        writer.close()
        return time.perf_counter() - started


def growth(source):
    """Close runs one after the other in a git repository, and print what a cell adds to the tree and to the pack."""
    dice = random.Random(7)
    with tempfile.TemporaryDirectory(prefix="benchctl-bench-") as name:
        folder, store = Path(name), Store(Path(name) / "data")
        git = ["git", "-C", name, "-c", "user.name=b", "-c", "user.email=b@example.org"]
        subprocess.run([*git, "init", "-q"], check=True)
        closing = []
        for number in range(RUNS):
            closing.append(collect(store, f"r{number:02d}", source, dice))
            subprocess.run([*git, "add", "-A"], check=True)
            subprocess.run([*git, "commit", "-qm", str(number)], check=True)
        subprocess.run([*git, "gc", "-q"], check=True)
        tree = sum(path.stat().st_size for path in store.path.rglob("*") if path.is_file())
        pack = sum(path.stat().st_size for path in (folder / ".git" / "objects").rglob("*") if path.is_file())
        cells = RUNS * CELLS
        print(
            f"{cells} cells of short rows in {RUNS} runs: {tree / cells / 1024:.2f} KiB a cell in the tree,"
            f" {pack / cells / 1024:.2f} KiB packed; closing {CELLS / min(closing):.0f} cells/s"
        )
        by_file = {}
        for path in store.path.rglob("*"):
            if path.is_file():
                by_file[path.name] = by_file.get(path.name, 0) + path.stat().st_size
        shares = ", ".join(
            f"{name} {size / cells:.0f}" for name, size in sorted(by_file.items(), key=lambda each: -each[1])
        )
        print(f"bytes a cell by file: {shares}")


def main():
    source = material()
    sealing(source)
    if shutil.which("git"):
        growth(source)


if __name__ == "__main__":
    main()
