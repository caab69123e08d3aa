"""The terms of a run: everything that two runs must share before their figures mean the same.

A report that leaves its terms out invites a comparison that was never measured, so
every run page opens with them, refusals and voids included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from benchctl.quantities.format import NOT_MEASURED, counted, format_number
from benchctl.report.equipment import equipment
from benchctl.report.provenance import provenance
from benchctl.report.shape import short_digest
from benchctl.report.term import Term
from benchctl.schema.run import CorpusRecord, MachineRecord, RefusalRecord, RunRecord

__all__ = ["Term", "refusals", "terms"]

_MARKS = {
    "failed": ("Failed cells", "counted with score 0"),
    "void": ("Void cells", "left out of every figure"),
}
_CAP_UNITS: dict[str, tuple[str, str | None]] = {
    "wall_s": ("wall clock", "s"),
    "output_bytes": ("output", "B"),
    "tool_calls": ("tool calls", None),
    "events": ("events", None),
    "tokens": ("tokens", None),
    "cost_usd": ("cost", "USD"),
}


def terms(record: RunRecord, cells: Sequence[Mapping[str, Any]], data_digest: str | None) -> tuple[Term, ...]:
    """Return the terms in reading order. `cells` are the run's rows so far; an open run has no data digest.

    Of an imported run they say where it came from, and that its terms are unknown.
    """
    verb = "imported" if record.imported else "collected"
    opening = (
        Term("Run", (record.run,), (f"{verb} {record.created_at} with benchctl {record.benchctl}",)),
        Term("Data", (data_digest or "the run is still open",), alarm=data_digest is None),
    )
    if record.imported:
        marked = (_marked(record, cells, column) for column in ("failed", "void"))
        return (*opening, *provenance(record.imported), *marked)
    plan = f"{counted(len(record.cells), 'cell')}, {_repetitions(record.reps)}, seed {_known(record.seed)}"
    return (
        *opening,
        Term("Suite", (f"{record.suite}: {record.suite_title}",), (record.suite_digest,)),
        _commit(record),
        Term("Plan", (plan,), (record.plan_digest,)),
        Term("Caps", tuple(_cap(name, value) for name, value in record.caps.items())),
        Term("Attempts", (_attempts(record),)),
        _sandbox(record),
        *equipment(record),
        Term("Corpora", tuple(_corpus(corpus) for corpus in record.corpora)),
        Term("Machine", (_machine(record.machine),)),
        _marked(record, cells, "failed"),
        _marked(record, cells, "void"),
    )


def _known(value: object) -> str:
    return NOT_MEASURED if value is None else str(value)


def _attempts(record: RunRecord) -> str:
    """Return the limits on what a cell and the run may use up beyond one turn."""
    limits = [f"at most {_known(record.attempts)} a cell"]
    if record.continuations:
        limits.append(f"{counted(record.continuations, 'continuation')} a session, on one budget")
    if record.spend_usd is not None:
        limits.append(f"the run stops at {format_number(record.spend_usd)} USD")
    return ", ".join(limits)


def _repetitions(reps: int | None) -> str:
    return "repetitions unknown" if reps is None else counted(reps, "repetition")


def _machine(machine: MachineRecord | None) -> str:
    if machine is None:
        return NOT_MEASURED
    return (
        f"{machine.system} {machine.release} {machine.architecture}, {counted(machine.cpus, 'CPU')}, "
        f"Python {machine.python}"
    )


def refusals(record: RunRecord) -> tuple[RefusalRecord, ...]:
    """Return what was not run, required things first."""
    return tuple(sorted(record.refusals, key=lambda refusal: not refusal.required))


def _commit(record: RunRecord) -> Term:
    if record.project_commit is None:
        return Term("Commit", ("none: the project was not under version control",), alarm=True)
    if record.project_dirty:
        return Term("Commit", (record.project_commit,), ("with uncommitted changes",), alarm=True)
    return Term("Commit", (record.project_commit,))


def _cap(name: str, value: float) -> str:
    title, unit = _CAP_UNITS.get(name, (name, None))
    return f"{title} {format_number(value, unit=unit)}"


def _sandbox(record: RunRecord) -> Term:
    not_blocked = sorted(name for name, state in record.probes.items() if state == "open")
    details = (f"open: {', '.join(not_blocked)}",) if not_blocked else ()
    return Term(
        "Sandbox", (_known(record.sandbox),), details, alarm=record.sandbox == "none" or bool(not_blocked)
    )


def _corpus(corpus: CorpusRecord) -> str:
    version = f" {corpus.version}" if corpus.version else ""
    practice = ", practice only" if corpus.practice else ""
    return f"{corpus.repo}{version}, {counted(corpus.files, 'file')}, tree {short_digest(corpus.tree_digest)}{practice}"


def _marked(record: RunRecord, cells: Sequence[Mapping[str, Any]], column: str) -> Term:
    """Return how many cells are marked, by outcome: failed and void cells are counted, never dropped.

    An import without outcomes says that it does not know, which is not none.
    """
    name, meaning = _MARKS[column]
    marked = [cell for cell in cells if cell[column]]
    if record.imported and column == "failed" and all(cell["outcome"] is None for cell in cells):
        return Term(name, ("unknown: no outcome was imported",), alarm=True)
    if not marked:
        return Term(name, ("none",))
    outcomes = Counter(_known(cell["outcome"]) for cell in marked)
    counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    return Term(name, (f"{len(marked)} of {len(cells)}, {meaning}: {counts}",), alarm=True)
