"""The terms of a run: everything that two runs must share before their figures mean the same.

A report that leaves its terms out invites a comparison that was never measured, so
every run page opens with them, refusals and voids included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchctl.quantities.format import counted, format_number
from benchctl.report.shape import short_digest
from benchctl.schema.run import CorpusRecord, RefusalRecord, RunRecord

__all__ = ["Term", "refusals", "terms"]

_CAP_UNITS = {"wall_s": ("wall clock", "s"), "output_bytes": ("output", "B")}


@dataclass(frozen=True, slots=True)
class Term:
    """One term. `lines` and `details` are plain text; `alarm` marks one that limits what the figures can say."""

    name: str
    lines: tuple[str, ...]
    details: tuple[str, ...] = ()
    alarm: bool = False


def terms(record: RunRecord, cells: Sequence[Mapping[str, Any]], data_digest: str | None) -> tuple[Term, ...]:
    """Return the terms in reading order. `cells` are the run's rows so far; an open run has no data digest."""
    machine = record.machine
    plan = f"{counted(len(record.cells), 'cell')}, {counted(record.reps, 'repetition')}, seed {record.seed}"
    hardware = f"{machine.system} {machine.release} {machine.architecture}, {counted(machine.cpus, 'CPU')}, Python {machine.python}"
    return (
        Term("Run", (record.run,), (f"collected {record.created_at} with benchctl {record.benchctl}",)),
        Term("Data", (data_digest or "the run is still open",), alarm=data_digest is None),
        Term("Suite", (f"{record.suite}: {record.suite_title}",), (record.suite_digest,)),
        _commit(record),
        Term("Plan", (plan,), (record.plan_digest,)),
        Term("Caps", tuple(_cap(name, value) for name, value in record.caps.items())),
        Term("Attempts", (f"at most {record.attempts} a cell",)),
        _sandbox(record),
        Term("Corpora", tuple(_corpus(corpus) for corpus in record.corpora)),
        Term("Machine", (hardware,)),
        _marked("Failed cells", cells, "failed", "counted with score 0"),
        _marked("Void cells", cells, "void", "left out of every figure"),
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
    return Term("Sandbox", (record.sandbox,), details, alarm=record.sandbox == "none" or bool(not_blocked))


def _corpus(corpus: CorpusRecord) -> str:
    version = f" {corpus.version}" if corpus.version else ""
    practice = ", practice only" if corpus.practice else ""
    return f"{corpus.repo}{version}, {counted(corpus.files, 'file')}, tree {short_digest(corpus.tree_digest)}{practice}"


def _marked(name: str, cells: Sequence[Mapping[str, Any]], column: str, meaning: str) -> Term:
    """Return how many cells are marked, by outcome: failed and void cells are counted, never dropped."""
    outcomes = Counter(str(cell["outcome"]) for cell in cells if cell[column])
    if not outcomes:
        return Term(name, ("none",))
    counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    return Term(name, (f"{sum(outcomes.values())} of {len(cells)}, {meaning}: {counts}",), alarm=True)
