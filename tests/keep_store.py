"""Keeps a store of today's schema for ever: run once when SCHEMA_VERSION is raised, and commit what it writes.

python tests/keep_store.py      writes tests/vectors/stores/schema-N and, beside it, schema-N.json

The store holds a closed run, the same run corrected (later grades, a void, a void taken back, late
counts twice), an open run, and an imported one. The JSON file is all that the store says, row by row;
read it before it is committed, for `tests/store/test_schema_history.py` compares with it from then on.
What is there already is never written again: it is the work of the program that released that schema.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from small_run import AT, evidence, record, run_cell

from benchctl.schema.canonical import digest
from benchctl.schema.evidence import Stream
from benchctl.schema.result import SCHEMA_VERSION, TABLES, VIEWS
from benchctl.schema.run import GoldRecord, RunRecord
from benchctl.schema.usage import Usage
from benchctl.store.reader import Store, StoredRun
from benchctl.store.relations.connection import connect, fetch
from benchctl.store.relations.own_columns import own_columns
from benchctl.store.relations.views import View, own_output, standard_output
from benchctl.store.writing.writer import RunWriter

STORES = Path(__file__).resolve().parent / "vectors" / "stores"

SUITE = """schema = 1
name = "callers-v1"
title = "Callers"
canary = "benchctl-canary-00000000-0000-0000-0000-000000000000"

[repos.click]
kind = "package"
distribution = "click"

[arms.grep]
title = "grep"

[arms.index]
title = "index"

[agents.rg]
argv = ["true"]

[[questions]]
id = "q1"
repo = "click"
class = "callers"
prompt = "Who calls b?"
gold = { items = ["a::b", "c::d"] }

[[questions]]
id = "q2"
repo = "click"
class = "callers"
prompt = "Who calls f?"
gold = { items = ["e::f"] }
"""
GOLD = {"q1": ("a::b", "c::d"), "q2": ("e::f",)}
LATE = """cell,input_tokens,output_tokens,cost_usd,source
q1/grep/rg/none/1,100,20,0.5,proxy
q1/index/rg/none/1,200,40,,proxy
"""
LATER = """{"cell": "q1/index/rg/none/1", "input_tokens": 300, "output_tokens": 60, "source": "proxy"}
{"cell": "q2/grep/rg/none/1", "cost_usd": 0.25, "source": "bill"}
"""
IMPORTED = """question,arm,rep,score,points,note
q1,grep,1,0.5,12,first
q1,index,1,1.0,n/a,"a ""quoted"" one"
q2,grep,1,,7,
"""


FURTHER = {
    "parts": 3, "total_s": 0.5, "cap": "tool_calls", "events": 7, "session": "s-1", "pipes_held": True, "max_gap_s": 0.125,
    "suspended_s": 0.0, "clock_drift_s": -1.5, "stalled_cpu_s": 0.25, "stalled_io_s": 0.0, "stalled_memory_s": 0.0,
    "network_refused": 2, "prepare_s": 1.25, "check_failed": False, "redactions": {"API_KEY": 1},
    "kept": {"diff": Stream("diff --git a/x b/x\n", 18, 0, "c" * 64), "network": Stream("{}\n", 3, 0, "d" * 64)},
}  # fmt: skip
"""What an attempt says since schema 3."""


def an_empty_run(number: int, tokens: int) -> dict[str, object]:
    usage = {"input_tokens": tokens, "output_tokens": 1, "total_tokens": tokens + 1, "token_source": "agent"}
    return {
        "cell": f"baseline/grep/rg/none/{number}",
        "arm": "grep",
        "agent": "rg",
        "model": "none",
        "probe": number,
        "outcome": "ok",
        "started_at": AT,
        "wall_s": 0.5,
        "cost_usd": None,
        "cost_source": None,
        **usage,
    }


def a_record(run: str) -> RunRecord:
    gold = tuple(
        GoldRecord(question=name, digest=digest(list(items)), items=len(items))
        for name, items in GOLD.items()
    )
    return record(run, suite=SUITE, gold=gold)


def collect(store: Store, run: str, *, usage: Usage | None = None, left_open: bool = False) -> None:
    """Collect the same eight cells: one retried, one failed, one void; an open run stops in the sixth."""
    with RunWriter.create(store, a_record(run), suite_text=SUITE) as writer:
        for question, items in GOLD.items():
            writer.gold(question, items)
        told = {} if usage is None else {"usage": usage}
        for number, tokens in enumerate((4, 8, 5), 1):
            writer.baseline(an_empty_run(number, tokens))
        for index, cell in enumerate(writer.unfinished):
            if left_open and index == 5:
                writer.claim(cell, AT)
                return
            if index == 2:
                writer.claim(cell, AT)
                writer.end(evidence(cell, outcome="timeout", answer=None, **told))
            outcome = {3: "exit_nonzero", 6: "host_stalled"}.get(index, "ok")
            further = FURTHER if index == 1 else {}
            run_cell(
                writer, cell, (index % 4) / 4, outcome=outcome, exit_code=3 * (index == 3), **told, **further
            )
        writer.close()


def correct(root: Path, run: str) -> None:
    """Correct a closed run through the commands, so that the store is one that a user could have."""
    from benchctl.cli import exit_code

    (root / "benchctl.toml").write_text("")
    for name, text in (("late.csv", LATE), ("later.jsonl", LATER)):
        (root / name).write_text(text)
    here = ("--project", str(root), "-q")
    for words in (
        ("regrade", run),
        ("void", run, "q2/index/rg/none/1", "q2/index/rg/none/2", "--why", "its disk was full"),
        ("void", run, "q2/index/rg/none/2", "--lift", "--why", "the disk was another one"),
        ("backfill", run, str(root / "late.csv")),
        ("backfill", run, str(root / "later.jsonl")),
    ):
        assert exit_code([*words, *here]) == 0, words


def import_results(root: Path) -> None:
    from benchctl.cli import exit_code

    (root / "results.csv").write_text(IMPORTED)
    words = ("import", "csv", str(root / "results.csv"), "--run-id", "imported", "--key", "question,arm,rep")
    assert exit_code([*words, "--project", str(root), "-q"]) == 0


def foreign(run: StoredRun) -> list[dict[str, object]]:
    """Return each row's cell and what was imported with it under its own name, in the recorded order."""
    own = own_columns((run,), "cells")[run.id]
    standard = [
        standard_output(column) for column in VIEWS["cells"] if column.name in {"run", "cell", "order"}
    ]
    with connect((run,), (View("cells", "cells", (*standard, *map(own_output, own))),)) as connection:
        rows = fetch(connection, "cells", 'ORDER BY "order"')
    return [
        {"cell": row["cell"], **{column.name: row[own_output(column).name] for column in own}} for row in rows
    ]


def said(run: StoredRun) -> dict[str, object]:
    """Return all that a run says, row by row; names of the columns are in every row."""
    tables = {name: run.rows(name, "ORDER BY ALL") for name in TABLES}
    own = {"foreign": foreign(run)} if run.record.imported else {}
    return {
        "state": run.state,
        "data": run.data_digest,
        "gold": {name: list(items) for name, items in run.gold().items()},
        "tables": {**tables, **own},
    }


def to_text(runs: dict[str, dict[str, object]]) -> str:
    """Return JSON with a row a line, so that a person can read it."""
    tables = {name: dict(run["tables"]) for name, run in runs.items()}  # type: ignore[call-overload]
    text = json.dumps({name: {**run, "tables": None} for name, run in runs.items()}, indent=1)
    for of_run in tables.values():
        parts = [
            f'   "{name}": [' + ",".join(f"\n    {json.dumps(row)}" for row in rows) + "]"
            for name, rows in of_run.items()
        ]
        text = text.replace('"tables": null', '"tables": {\n' + ",\n".join(parts) + "}", 1)
    return text + "\n"


def keep(root: Path) -> Path:
    """Write a store of today's schema below `root` and return the folder that is one."""
    store = Store(root / "data")
    collect(store, "closed")
    collect(store, "corrected", usage=Usage())
    correct(root, "corrected")
    collect(store, "open", left_open=True)
    import_results(root)
    return store.path


def main() -> None:
    import shutil
    import tempfile

    into = STORES / f"schema-{SCHEMA_VERSION}"
    if into.exists():
        sys.exit(f"{into} is there, and a kept store is never written again")
    with tempfile.TemporaryDirectory() as root:
        kept = keep(Path(root))
        (kept / "runs" / "open" / "journal" / "lock").unlink()
        into.with_suffix(".json").write_text(to_text({run.id: said(run) for run in Store(kept).runs()}))
        shutil.copytree(kept, into)
    sys.stdout.write(f"{into}\n")


if __name__ == "__main__":
    main()
