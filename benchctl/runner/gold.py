"""Derive each question's gold for the tree at hand, by every method of the suite, and keep what they agree on."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.planning.questions import GoldOutcome
from benchctl.runner.agreement import Derivation, agree, read_items
from benchctl.runner.environment import SYSTEM_PATH
from benchctl.schema.fields import GOLD_FOLDER
from benchctl.schema.placeholders import fill
from benchctl.workspace.machine import cpus
from benchctl.workspace.process import ProcessResult, run_process
from benchctl.workspace.stragglers import end_marked

if TYPE_CHECKING:
    from benchctl.schema.suite import GoldMethod, Question, Suite

__all__ = ["derive_gold"]

_GOLD_WALL_S = 600.0
"""How long one gold method may take for one question."""

_OUTPUT_BYTES = 64 * 1024 * 1024


def derive_gold(
    suite: Suite, folder: Path, questions: Iterable[Question], trees: Mapping[str, Path], scratch: Path
) -> dict[str, GoldOutcome]:
    """Return an outcome for each of the questions whose gold has a target; the others are not looked at.

    `folder` is the suite's, `trees` holds a tree by repository, `scratch` is where a method may write.
    A method that fails, disagrees or finds too little refuses its question, never the other ones. Methods run
    side by side, since nobody's clock is read here.
    """
    marker = f"gold-{secrets.token_hex(8)}"
    with ThreadPoolExecutor(cpus()) as pool:
        waiting = {
            question.id: (
                gold.minimum,
                [
                    pool.submit(
                        _derive,
                        method,
                        folder / GOLD_FOLDER,
                        tree=trees[question.repo],
                        target=gold.target,
                        scratch=scratch,
                        marker=marker,
                    )
                    for method in suite.gold_methods
                ],
            )
            for question in questions
            if (gold := question.gold) is not None and gold.target is not None and question.repo in trees
        }
        try:
            return {
                name: agree(name, [derivation.result() for derivation in derivations], minimum)
                for name, (minimum, derivations) in waiting.items()
            }
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_marked(marker)
            raise


def _derive(
    method: GoldMethod, gold: Path, *, tree: Path, target: str, scratch: Path, marker: str
) -> Derivation:
    places = {"python": sys.executable, "gold": str(gold.absolute()), "tree": str(tree), "target": target}
    result = run_process(
        [fill(word, places) for word in method.argv],
        cwd=scratch,
        env={"PATH": ":".join(SYSTEM_PATH), "HOME": str(scratch), "TMPDIR": str(scratch), "LANG": "C.UTF-8"},
        wall_s=_GOLD_WALL_S,
        output_bytes=_OUTPUT_BYTES,
        keep_bytes=_OUTPUT_BYTES,
        marker=marker,
    )
    if result.outcome != "ok":
        return Derivation(method.title, failed=f"{method.title} ended with {_ending(result)}")
    return read_items(method.title, result.stdout.text)


def _ending(result: ProcessResult) -> str:
    """Return how a method ended, and the last line of what it said of it."""
    status = f" (exit status {result.exit_code})" if result.exit_code else ""
    said = result.stderr.text.strip().splitlines()[-1:] or [result.detail]
    return f"{result.outcome}{status}{f': {said[0]}' if said[0] else ''}"
