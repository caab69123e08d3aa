"""Everything that must be true before the first cell, checked in one pass that collects every problem."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.errors import (
    BenchctlError,
    NothingToRunError,
    PreflightRefusedError,
    Where,
)
from benchctl.planning.plan import make_plan
from benchctl.planning.questions import GoldOutcome, written_gold
from benchctl.planning.selection import check_selection
from benchctl.runner.agent_files import copy_agent_files
from benchctl.runner.gold import derive_gold
from benchctl.runner.grants import make_grants
from benchctl.runner.leak_check import agent_leaks, tree_leaks, unmarked_gold
from benchctl.runner.problems import raise_problems
from benchctl.runner.ready import Ready
from benchctl.runner.record import Terms, make_record
from benchctl.runner.recorded import gold_method, recorded_gold
from benchctl.runner.survey import survey
from benchctl.schema.fields import GOLD_FOLDER
from benchctl.workspace.cells import cell_root
from benchctl.workspace.git import head
from benchctl.workspace.sandbox import Sandbox, choose
from benchctl.workspace.tree import Base, write_base

if TYPE_CHECKING:
    from benchctl.planning.plan import Plan
    from benchctl.runner.options import RunOptions
    from benchctl.runner.progress import Progress
    from benchctl.runner.survey import Survey
    from benchctl.schema.suite import Question, Suite
    from benchctl.store.project import Project

__all__ = ["prepared"]

FREE_BYTES = 64 * 1024 * 1024
"""What must be left on a disk beyond the copies of the trees: room for output, rows and the unexpected."""

_NAMED = 3
"""How many questions a line of progress names."""


@contextmanager
def prepared(
    project: Project, suite: Suite, file: Path, options: RunOptions, progress: Progress
) -> Iterator[Ready]:
    """Give a run that may start, and take its temporary folder away afterwards.

    Raises the one problem, or a PreflightRefusedError that lists them all. Nothing has been spent then.
    """
    check_selection(suite, options.selection)
    with cell_root(outside=(project.root,)) as root:
        yield _Preflight(project, suite, file, options=options, progress=progress, root=root).ready()


class _Preflight:
    """The checks of one run, in the order of what they need; each adds its problems to the same list."""

    def __init__(
        self,
        project: Project,
        suite: Suite,
        file: Path,
        *,
        options: RunOptions,
        progress: Progress,
        root: Path,
    ) -> None:
        self.project, self.suite, self.file, self.options, self.root = project, suite, file, options, root
        self.progress = progress
        self.problems: list[BenchctlError] = []

    def ready(self) -> Ready:
        """Return the run that may start."""
        suite, selection = self.suite, self.options.selection
        asked = [question for question in suite.questions if selection.takes_question(suite, question)]
        repos = dict.fromkeys(question.repo for question in asked)
        self.progress.note(f"{suite.name}: checking {', '.join(repos)}")
        found = survey(suite, self.file, selection)
        self.problems.extend(found.problems)
        self._check_disk(found)
        bases = self._bases(found)
        agent_dirs = self._agent_dirs()
        self.problems.extend(unmarked_gold(suite, self.file.parent))
        sandbox = self._sandbox()
        raise_problems(self.problems)
        method = gold_method(suite, self.file.parent / GOLD_FOLDER)
        gold = self._gold(asked, bases, found, method)
        plan = make_plan(
            suite,
            world=found.under(sandbox.level),
            gold=gold,
            selection=selection,
            reps=self.options.reps,
            seed=self.options.seed,
            caps=self.options.caps,
        )
        if not plan.cells:
            raise _nothing(plan)
        terms = Terms(
            suite=suite,
            suite_text=self.file.read_text(encoding="utf-8-sig"),
            plan=plan,
            corpora=tuple(found.world.corpora.values()),
            sandbox=sandbox,
            head=head(self.project.root, ignore=(self.project.config.store,)),
            gold_method=method,
            agent_files=found.world.agent_files,
            practice=selection.practice,
        )
        arms = dict.fromkeys(cell.arm for cell in plan.cells)
        return Ready(
            record=make_record(self.options.run_id, terms),
            suite=suite,
            suite_text=terms.suite_text,
            plan=plan,
            gold=gold,
            sandbox=sandbox,
            root=self.root,
            bases=bases,
            agent_dirs=agent_dirs,
            grants=make_grants(suite, arms, found.commands, self.root / "commands"),
            shard=self.options.shard,
            again=self.options.again,
        )

    def _check_disk(self, found: Survey) -> None:
        trees = sum(corpus.bytes for corpus in found.corpora.values())
        largest = max((corpus.bytes for corpus in found.corpora.values()), default=0)
        for place, needed in ((self.root, trees + largest + FREE_BYTES), (self.project.root, FREE_BYTES)):
            free = shutil.disk_usage(place).free
            if free < needed:
                self.problems.append(
                    PreflightRefusedError(
                        f"{free // 2**20} MiB are free at {place}", expected=f"at least {needed // 2**20} MiB"
                    )
                )

    def _bases(self, found: Survey) -> dict[str, Base]:
        """Write each tree once and search it for the canary and for every prompt."""
        bases: dict[str, Base] = {}
        for name, corpus in found.corpora.items():
            self.problems.extend(
                PreflightRefusedError(
                    f"repos.{name}: pattern {pattern!r} matches no file", where=Where(str(self.file))
                )
                for pattern in corpus.unmatched
            )
            try:
                bases[name] = write_base(corpus, self.root / "bases" / name)
            except BenchctlError as problem:
                self.problems.append(problem)
                continue
            self.problems.extend(tree_leaks(self.suite, name, bases[name].root, self.progress))
        return bases

    def _agent_dirs(self) -> dict[str, Path]:
        """Copy the files of the selected agents, and search them as the trees are searched."""
        agents = self.options.selection.agents or tuple(self.suite.agents)
        copied = copy_agent_files(self.suite, self.file.parent, agents, self.root / "agents")
        self.problems.extend(agent_leaks(self.suite, copied, self.progress))
        return copied

    def _sandbox(self) -> Sandbox:
        try:
            sandbox = choose(
                None,
                allow_none=self.suite.run.allow_no_sandbox,
                forced_none=self.options.no_sandbox,
                protected=(self.project.root,),
            )
        except BenchctlError as problem:
            raise_problems([*self.problems, problem])
            raise
        return sandbox

    def _gold(
        self, asked: list[Question], bases: dict[str, Base], found: Survey, method: str
    ) -> dict[str, GoldOutcome]:
        suite, store = self.suite, self.project.store
        known = recorded_gold(store, self.options.run_id, suite, method, found.world.corpora)
        known = written_gold(suite) | known
        open_questions = [question for question in asked if question.id not in known]
        if open_questions:
            methods = " and ".join(each.title for each in suite.gold_methods)
            names = ", ".join(question.id for question in open_questions[:_NAMED])
            more = f" and {len(open_questions) - _NAMED} more" if len(open_questions) > _NAMED else ""
            self.progress.note(f"deriving the gold of {names}{more} by {methods}")
        scratch = self.root / "gold"
        scratch.mkdir()
        trees = {name: base.root for name, base in bases.items()}
        return known | derive_gold(suite, self.file.parent, open_questions, trees, scratch)


def _nothing(plan: Plan) -> NothingToRunError:
    reasons = "; ".join(
        f"{refusal.question or refusal.arm or refusal.agent}: {refusal.reason}" for refusal in plan.refusals
    )
    return NothingToRunError(
        f"no cell is left to run: {reasons}", next_step="`benchctl plan` shows every refusal"
    )
