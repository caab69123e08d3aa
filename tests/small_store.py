"""Small stores to merge and to compare, made of `small_run`'s runs."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

from small_run import plan, record, run_cell

from benchctl.store.merging.act import merge_runs, refuse_refused
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter

_MADE: dict[str, Path] = {}


def collect(path, run="r1", cells=None, scores=None, *, close=True, **more):
    """Make a store whose run `run` has these cells (indices of the plan; default all) finished.

    A store of the same kind is collected once and copied then: each would have cost its fsyncs.
    """
    kind = repr((run, cells, scores, close, more))
    if kind not in _MADE:
        _MADE[kind] = Path(tempfile.mkdtemp(prefix="benchctl-tests-"))
        atexit.register(shutil.rmtree, _MADE[kind])
        the_plan = plan(8)
        with RunWriter.create(Store(_MADE[kind]), record(run, the_plan, **more)) as writer:
            finish(writer, the_plan, range(8) if cells is None else cells, scores)
            if close:
                writer.close()
    shutil.copytree(_MADE[kind] / "runs", Path(path) / "runs", dirs_exist_ok=True)
    return Store(path)


def finish(writer, the_plan, cells, scores=None):
    writer.gold("q1", ["a::b"])
    for index in cells:
        run_cell(writer, the_plan[index].cell, (scores or {}).get(index, 0.5))


def merge(target, *sources, **options):
    result = merge_runs(target, [str(s.path if isinstance(s, Store) else s) for s in sources], **options)
    refuse_refused(result, target.place)
    return {run.run: run.action for run in result.runs}


def tree(path):
    """Return every file below a folder by its bytes, links and all."""
    return {
        each.relative_to(path).as_posix(): str(each.readlink()) if each.is_symlink() else each.read_bytes()
        for each in sorted(Path(path).rglob("*"))
        if each.is_symlink() or each.is_file()
    }


def rows(store, run="r1"):
    return sorted(
        tuple(sorted((k, repr(v)) for k, v in row.items() if v is not None)) for row in store.run(run).cells()
    )


def shards(tmp_path, *parts):
    """Make stores that each collected other cells of one plan."""
    return [collect(tmp_path / f"s{n}", cells=part, close=False) for n, part in enumerate(parts)]
