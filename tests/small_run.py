"""A small run, made by hand: the store's tests and the processes they kill share it."""

from __future__ import annotations

from typing import Any

from benchctl.schema.canonical import sha256_hex
from benchctl.schema.cell import Cell
from benchctl.schema.evidence import Evidence, Stream
from benchctl.schema.grade import Fact, Grade
from benchctl.schema.run import MachineRecord, PlannedCell, RunRecord
from benchctl.schema.usage import Usage
from benchctl.store.writing.writer import RunWriter

AT = "2026-11-30T07:00:00.000000Z"


def planned(
    question: str = "q1", arm: str = "grep", rep: int = 1, order: int = 0, **more: Any
) -> PlannedCell:
    cell = Cell(question, arm, more.get("agent", "rg"), more.get("model", "none"), rep)
    return PlannedCell(
        cell=cell.id,
        key=f"sha256:{order:064x}",
        order=order,
        question=question,
        question_class=more.get("question_class", "callers"),
        repo=more.get("repo", "click"),
        arm=arm,
        agent=cell.agent,
        model=cell.model,
        rep=rep,
    )


def plan(count: int) -> tuple[PlannedCell, ...]:
    return tuple(
        planned(f"q{index // 4 + 1}", ("grep", "index")[index % 2], index // 2 % 2 + 1, index)
        for index in range(count)
    )


def record(
    run: str = "r1", cells: tuple[PlannedCell, ...] | None = None, suite: str = "", **more: Any
) -> RunRecord:
    fields: dict[str, Any] = {
        "run": run,
        "suite": "callers-v1",
        "suite_title": "Callers",
        "suite_digest": f"sha256:{sha256_hex(suite.encode())}",
        "canary": "benchctl-canary-00000000-0000-0000-0000-000000000000",
        "created_at": AT,
        "benchctl": "0.1.0",
        "seed": 7,
        "reps": 2,
        "attempts": 2,
        "caps": {"wall_s": 60.0},
        "sandbox": "bwrap",
        "probes": {},
        "machine": MachineRecord(system="Linux", release="6", architecture="x86_64", cpus=2, python="3.11"),
        "project_commit": None,
        "project_dirty": None,
        "arms": {},
        "agents": {},
        "corpora": (),
        "gold": (),
        "prompts": {},
        "goals": (),
        "refusals": (),
        "cells": plan(8) if cells is None else cells,
        "plan_digest": "sha256:" + "2" * 64,
        "comparability": {},
    }
    return RunRecord(**{**fields, **more})


def evidence(cell: str, attempt: int = 1, **more: Any) -> Evidence:
    fields: dict[str, Any] = {
        "cell": cell,
        "attempt": attempt,
        "outcome": "ok",
        "started_at": AT,
        "ended_at": AT,
        "wall_s": 0.25,
        "cpu_s": 0.125,
        "exit_code": 0,
        "answer": '["a::b"]',
        "usage": Usage(input_tokens=10, output_tokens=5, source="agent"),
        "tool_calls": 3,
        "stdout": Stream("out\n", 4, 0, "a" * 64),
        "stderr": Stream("err\x00\u2028\n", 8, 0, "b" * 64),
        "sandbox": "bwrap",
        "changed_files": 0,
    }
    return Evidence(**{**fields, **more})


def grade(score: float = 1.0, **more: Any) -> Grade:
    fields: dict[str, Any] = {
        "score": score,
        "grader": "gold",
        "answered": True,
        "precision": score,
        "recall": score,
        "answer_items": 1,
        "gold_items": 1,
        "hit_items": 1,
        "facts": (Fact("a::b", "hit", "why"),),
    }
    return Grade(**{**fields, **more})


def run_cell(writer: RunWriter, cell: str, score: float = 1.0, **more: Any) -> None:
    attempt = writer.claim(cell, AT)
    assert attempt is not None
    writer.finish(evidence(cell, attempt, **more), grade(score))
