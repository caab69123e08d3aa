"""Everything that must be true before the first cell, checked in one pass that collects every problem."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.errors import (
    BenchctlError,
    PreflightRefusedError,
)
from benchctl.planning.plan import make_plan
from benchctl.planning.questions import GoldOutcome, written_gold
from benchctl.planning.refusals import known_refusals
from benchctl.planning.selection import check_selection
from benchctl.quantities.format import listed
from benchctl.runner.agent_files import copy_agent_files
from benchctl.runner.given import Given
from benchctl.runner.gold import derive_gold
from benchctl.runner.gradable import ungradable
from benchctl.runner.grants import make_agent_grants, make_grants
from benchctl.runner.leak_check import (
    agent_leaks,
    git_leaks,
    given_leaks,
    gold_leaks,
    tree_leaks,
    unmarked_gold,
)
from benchctl.runner.problems import nothing_to_run, raise_problems
from benchctl.runner.ready import Ready
from benchctl.runner.record import Terms, make_record
from benchctl.runner.recorded import gold_method, recorded_gold
from benchctl.runner.sources import fetching, ready_base
from benchctl.runner.survey import survey
from benchctl.runner.tried import try_out
from benchctl.schema.fields import GOLD_FOLDER
from benchctl.workspace.cells import cell_root
from benchctl.workspace.git import head
from benchctl.workspace.leaks import Needles
from benchctl.workspace.sandbox import Sandbox, choose
from benchctl.workspace.tree import Base

if TYPE_CHECKING:
    from benchctl.planning.matrix import Combination
    from benchctl.planning.plan import Plan
    from benchctl.planning.world import World
    from benchctl.runner.options import RunOptions
    from benchctl.runner.progress import Progress
    from benchctl.runner.survey import Survey
    from benchctl.schema.run import RefusalRecord
    from benchctl.schema.suite import Question, Suite
    from benchctl.store.project import Project

__all__ = ["prepared"]

_FREE_BYTES = 64 * 1024 * 1024
"""What must be left on a disk beyond the copies of the trees: room for output, rows and the unexpected."""


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
        found = survey(suite, self.file, selection, fetching=fetching(self.progress))
        self.problems.extend(found.problems)
        self._check_disk(found)
        bases = self._bases(found)
        if any(suite.arms[name].git for name in selection.arms or suite.arms):
            self.problems.extend(git_leaks(suite, bases, self.progress))
        agent_dirs = self._agent_dirs()
        self.problems.extend(unmarked_gold(suite, self.file.parent))
        sandbox = self._sandbox(found)
        ways = self._ways(found.under(sandbox.level))[0]
        given = Given(
            suite=suite,
            suite_folder=self.file.parent,
            found=found,
            bases=bases,
            agent_dirs=agent_dirs,
            grants=make_grants(
                suite, dict.fromkeys(way.arm for way in ways), found.commands, self.root / "commands"
            ),
            agent_grants=make_agent_grants(
                suite, dict.fromkeys(way.agent for way in ways), found.commands, self.root / "agent-commands"
            ),
            sandbox=sandbox,
            root=self.root,
        )
        tried = try_out(given, ways, self.progress)
        world = found.after(sandbox.level, tried.failed_arms, tried.failed_agents)
        refusals = self._ways(world)[1]
        raise_problems([*self.problems, *tried.problems], refusals)
        method = gold_method(suite, self.file.parent / GOLD_FOLDER)
        gold = self._gold(asked, bases, found, method)
        self.problems.extend(gold_leaks(suite, bases, gold, self.progress))
        self.problems.extend(
            given_leaks(
                suite,
                gold,
                agents=agent_dirs,
                indexes=tried.folders,
                servers=tried.servers,
                progress=self.progress,
            )
        )
        raise_problems(self.problems, refusals)
        plan = self._plan(world, gold)
        if not plan.cells:
            raise nothing_to_run(plan.refusals)
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
            tried=tried,
            baseline_reps=self._baseline_reps(),
            allow_refused=self.options.allow_refused,
        )
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
            grants=given.grants,
            shard=self.options.shard,
            again=self.options.again,
            indexes=tried.folders,
            agent_grants=given.agent_grants,
            needles=Needles.of(suite, folder=self.file.parent),
            baseline_reps=self._baseline_reps(),
        )

    def _baseline_reps(self) -> int:
        asked = self.options.baseline_reps
        return self.suite.run.baseline_reps if asked is None else asked

    def _ways(self, world: World) -> tuple[tuple[Combination, ...], tuple[RefusalRecord, ...]]:
        """Return the combinations that nothing is known against yet, which is what there is to try; and what is refused."""
        return known_refusals(self.suite, self.options.selection, world, self.options.caps)

    def _plan(self, world: World, gold: dict[str, GoldOutcome]) -> Plan:
        return make_plan(
            self.suite,
            world=world,
            gold=gold,
            selection=self.options.selection,
            reps=self.options.reps,
            seed=self.options.seed,
            caps=self.options.caps,
            continuations=self.options.continuations,
            baseline_reps=self.options.baseline_reps,
        )

    def _check_disk(self, found: Survey) -> None:
        trees = sum(corpus.bytes for corpus in found.corpora.values())
        largest = max((corpus.bytes for corpus in found.corpora.values()), default=0)
        for place, needed in ((self.root, trees + largest + _FREE_BYTES), (self.project.root, _FREE_BYTES)):
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
            try:
                bases[name] = ready_base(
                    corpus, self.root / "bases" / name, self.suite, self.options.selection, self.progress
                )
            except BenchctlError as problem:
                self.problems.append(problem)
                continue
            self.problems.extend(tree_leaks(self.suite, name, bases[name], self.progress))
        return bases

    def _agent_dirs(self) -> dict[str, Path]:
        """Copy the files of the selected agents, and search them as the trees are searched."""
        agents = self.options.selection.agents or tuple(self.suite.agents)
        copied = copy_agent_files(self.suite, self.file.parent, agents, self.root / "agents")
        self.problems.extend(agent_leaks(self.suite, copied, self.progress))
        return copied

    def _sandbox(self, found: Survey) -> Sandbox:
        try:
            sandbox = choose(
                None,
                allow_none=self.suite.run.allow_no_sandbox,
                forced_none=self.options.no_sandbox,
                protected=(self.project.root,),
                container=self.project.config.sandbox.container,
            )
        except BenchctlError as problem:
            raise_problems([*self.problems, problem], self._ways(found.world)[1])
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
            names = listed([question.id for question in open_questions])
            self.progress.note(f"deriving the gold of {names} by {methods}")
        scratch = self.root / "gold"
        scratch.mkdir()
        trees = {name: base.root for name, base in bases.items()}
        derived = derive_gold(suite, self.file.parent, open_questions, trees, scratch)
        self.problems.extend(
            PreflightRefusedError(f"question {question.id} cannot be graded: {why}")
            for question in open_questions
            if question.id in derived
            and not derived[question.id].refused
            and (why := ungradable(question, derived[question.id].items))
        )
        return known | derived
