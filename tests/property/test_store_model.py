"""A run and whatever can happen to it, against a model of a few lines: names of cells, attempts, scores and voids."""

import os
import shutil
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from small_run import AT, evidence, grade, plan, record

from benchctl.errors import CellsUnfinishedError, RunBusyError, RunClosedError
from benchctl.schema.evidence import Stream
from benchctl.store.checking.verify import verify_run
from benchctl.store.disk.rows import grade_json, grade_row
from benchctl.store.journals.lines import encode
from benchctl.store.merging.act import merge_runs
from benchctl.store.reader import Store
from benchctl.store.writing.corrections import append_grades, append_voids
from benchctl.store.writing.writer import RunWriter

CELLS = tuple(cell.cell for cell in plan(3))
SCORES = st.sampled_from((0.0, 0.25, 0.5, 1.0))


class Run(RuleBasedStateMachine):
    """The model: `started` cell -> attempts, `ended` of them, `scores` and `voids` of cells, `at` writer -> its cell."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="benchctl-model-"))
        self.store = Store(self.folder / "data")
        self.started = dict.fromkeys(CELLS, 0)
        self.ended = Counter()
        self.scores, self.voids = {}, {}
        self.at = {}
        self.shared = self.closed = False

    def teardown(self):
        for writer in self.at:
            writer.__exit__(None, None, None)
        try:
            self.everything_is_as_the_model_says()
        finally:
            shutil.rmtree(self.folder)

    @initialize(writers=st.integers(1, 3))
    def begin(self, writers):
        """One writer that may be alone, or several that share the run."""
        self.shared = writers > 1
        self.at[RunWriter.create(self.store, record(cells=plan(3)), shared=self.shared)] = None
        for _ in range(writers - 1):
            self.at[RunWriter.resume(self.store, "r1", shared=True)] = None

    @precondition(lambda self: not self.closed)
    @rule(shared=st.booleans())
    def come(self, shared):
        """Another writer comes; it is let in where nobody is there, or all share."""
        if self.at and not (shared and self.shared):
            try:
                RunWriter.resume(self.store, "r1", shared=shared)
            except RunBusyError:
                return
            raise AssertionError("two writers of one run, and one of them wants it alone")
        if len(self.at) < 3:
            self.at[RunWriter.resume(self.store, "r1", shared=shared)] = None
            self.shared = shared

    @precondition(lambda self: None in self.at.values())
    @rule(first=st.integers(0, 2), cell=st.sampled_from(CELLS))
    def claim(self, first, cell):
        """Whoever has nothing to do tries to get a cell: one of them does, where nobody has it or has finished it."""
        for writer in (self._writer(first + place) for place in range(len(self.at))):
            if self.at[writer] is None:
                free = cell not in self.scores and cell not in self.at.values()
                assert writer.claim(cell, AT) == (self.started[cell] + 1 if free else None)
                if free:
                    self.started[cell] += 1
                    self.at[writer] = cell

    @precondition(lambda self: any(self.at.values()))
    @rule(which=st.integers(0, 2))
    def retry(self, which):
        writer, cell = self._busy(which)
        writer.end(evidence(cell, self.started[cell], outcome="timeout"))
        self.ended[cell] += 1
        self.started[cell] += 1
        assert writer.claim(cell, AT) == self.started[cell]

    @precondition(lambda self: any(self.at.values()))
    @rule(which=st.integers(0, 2), score=SCORES, text=st.sampled_from(("", "é\0\n", "x" * 5000)))
    def finish(self, which, score, text):
        writer, cell = self._busy(which)
        writer.finish(
            evidence(cell, self.started[cell], stdout=Stream(text, len(text.encode()))), grade(score)
        )
        self.scores[cell], self.at[writer] = score, None
        self.ended[cell] += 1

    @precondition(lambda self: any(self.at.values()))
    @rule(which=st.integers(0, 2), torn=st.integers(0, 400), zeroed=st.booleans())
    def crash(self, which, torn, zeroed):
        """A writer dies at once, or while it writes a line that nobody was told of."""
        writer = self._writer(which)
        del self.at[writer]
        line = encode({"event": "end", "ended": "x" * 400, "grade": None})[:torn]
        with writer._journal.path.open("ab") as file:
            file.write(bytes(len(line)) if zeroed else line)
        os.close(writer._journal._descriptor)
        writer._journal._descriptor = None
        writer._lock.release()

    @precondition(lambda self: self.at)
    @rule(which=st.integers(0, 2))
    def leave(self, which):
        """Whoever leaves closes the run where it is the last one and nothing is left to do."""
        writer = self._writer(which)
        self.closed = len(self.at) == 1 and len(self.scores) == len(CELLS)
        assert (writer.leave() is not None) == self.closed
        del self.at[writer]

    @precondition(lambda self: self.at and self.scores)
    @rule(which=st.integers(0, 2), unfinished=st.booleans())
    def close(self, which, unfinished):
        """Whoever closes must be alone, and gives nothing up where it may not."""
        writer = self._writer(which)
        left = len(self.scores) < len(CELLS) and not unfinished
        refusal = RunBusyError if len(self.at) > 1 else CellsUnfinishedError if left else None
        if refusal:
            with pytest.raises(refusal):
                writer.close(allow_unfinished=unfinished)
        else:
            assert writer.close(allow_unfinished=unfinished).run == "r1"
            self.closed = True
            del self.at[writer]

    @precondition(lambda self: self.closed and self.scores)
    @rule(score=SCORES)
    def regrade(self, score):
        cell = min(self.scores)
        row = grade_row({"cell": cell, "outcome": "ok"}, grade_json(grade(score)))
        append_grades(self.store.run("r1"), [row])
        self.scores[cell] = score

    @precondition(lambda self: self.closed and self.scores)
    @rule(void=st.booleans())
    def void(self, void):
        cell = max(self.scores)
        append_voids(self.store.run("r1"), [{"cell": cell, "void": void, "why": "so", "noted_at": AT}])
        self.voids[cell] = void

    @precondition(lambda self: not self.at)
    @rule()
    def merge(self):
        """The run goes over into another store, and is from there on that one."""
        target = Store(self.folder / f"data{len(list(self.folder.iterdir()))}")
        merge_runs(target, [str(self.store.path)])
        self.store = target

    @precondition(lambda self: self.closed)
    @rule()
    def come_late(self):
        with suppress(RunClosedError):
            RunWriter.resume(self.store, "r1")
            raise AssertionError("a closed run was opened")

    @invariant()
    def how_far_it_is(self):
        if not self.closed and self.store.names():
            run = self.store.run("r1")
            history = run.history()
            assert history.outcomes() == dict.fromkeys(self.scores, "ok")
            assert {cell: len(each) for cell, each in history.starts.items()} == self._with_starts()
            rows = Counter((table, row["cell"]) for table, row in history.rows(run.record, closing=False))
            for cell in CELLS:
                assert rows["cells", cell] == rows["grades", cell] == (cell in self.scores)
                assert rows["transcripts", cell] == 2 * self.ended[cell]

    def everything_is_as_the_model_says(self):
        if not self.store.names():
            return
        run = self.store.run("r1")
        rows = run.cells()
        expected = (
            {cell: self.scores.get(cell) for cell in self._with_starts()} if self.closed else self.scores
        )
        assert {row["cell"]: row["score"] for row in rows} == expected
        assert {row["cell"]: row["attempts"] for row in rows} == {
            cell: self.started[cell] for cell in expected
        }
        for row in rows:
            void = self.voids.get(row["cell"], row["cell"] not in self.scores)
            assert row["void"] == void
            assert row["outcome"] == ("ok" if row["cell"] in self.scores else "interrupted")
        assert verify_run(run.path) == []

    def _with_starts(self):
        return {cell: count for cell, count in self.started.items() if count}

    def _writer(self, which):
        return list(self.at)[which % len(self.at)]

    def _busy(self, which):
        busy = [(writer, cell) for writer, cell in self.at.items() if cell]
        return busy[which % len(busy)]


TestRun = Run.TestCase
TestRun.settings = settings(
    max_examples=int(os.environ.get("BENCHCTL_EXAMPLES", "300")),
    stateful_step_count=12,
    deadline=None,
    derandomize="BENCHCTL_EXAMPLES" not in os.environ,
    suppress_health_check=list(HealthCheck),
)
