"""The probes of a page put to a store: which runs they are about, and the answer to each.

Statistics are over rows that are not void; `count` and `share` are over all rows. A failed
cell counts: it has its score, which is 0, and its time, which is what was spent before it
failed. So a median time of an arm that fails fast is low: `failed` stands beside every value,
and whoever wants the survivors alone filters `outcome=ok` and says so.

Note: of many rows (`relations.connection`) the files are read as they are, and DuckDB adds up the floats of a
group in another order than from a table: a sum may then differ in its last digits. Nothing on a page prints
so many.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from benchctl.errors import EvaluationError, RunNotDeclaredError, RunsNotComparableError
from benchctl.expressions import Measured
from benchctl.store.measuring.catalogue import Catalogue
from benchctl.store.measuring.compile import compile_probe
from benchctl.store.measuring.measure import ask
from benchctl.store.measuring.sql_values import measure_sql
from benchctl.store.relations.loaded import loaded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchctl.expressions import Probe
    from benchctl.store.measuring.compile import Compiled
    from benchctl.store.reader import Store, StoredRun

__all__ = ["measure", "runs_of"]


def measure(
    store: Store,
    run_id: str,
    probes: Sequence[Probe],
    *,
    declared: frozenset[str] = frozenset(),
    generation: int | None = None,
) -> dict[Probe, Measured]:
    """Return the answer to each probe over run `run_id`, all from one query (and one for what filters presuppose).

    `declared` are the other runs that probes may name; `generation` takes the grades up to that one, None the
    newest. What is wrong with one probe stands in its own `Measured.error`. Raises RunUnknownError for `run_id`, StoreDamagedError for a run that is not as its
    manifest says.
    """
    runs = {run_id: store.run(run_id)}
    answers: dict[Probe, Measured] = {}
    about: dict[Probe, tuple[str, ...]] = {}
    asked: dict[str | None, list[Probe]] = defaultdict(list)
    for probe in dict.fromkeys(probes):
        asked[probe.run].append(probe)
    for same in asked.values():
        try:
            about |= dict.fromkeys(same, runs_of(store, same[0], run_id, declared | {run_id}, runs))
        except EvaluationError as error:
            answers |= dict.fromkeys(same, Measured(None, error=error))
    names = Catalogue(runs)
    if statements := [probe for probe in about if probe.query]:
        answers |= measure_sql(runs[run_id], statements, names, generation)
    compiled: list[Compiled] = []
    for probe, of_runs in about.items():
        if probe.query:
            continue
        try:
            compiled.append(compile_probe(probe, of_runs, names.relation))
        except EvaluationError as error:
            answers[probe] = Measured(None, error=error)
    if compiled:
        used = dict.fromkeys(name for item in compiled for name in item.universe.runs)
        chosen = [runs[name] for name in used]
        with loaded(
            chosen, names.views(chosen, [item.reads for item in compiled]), generation=generation
        ) as connection:
            answers |= ask(connection, compiled)
    return {probe: answers[probe] for probe in probes}


def runs_of(
    store: Store, probe: Probe, run_id: str, declared: frozenset[str], runs: dict[str, StoredRun]
) -> tuple[str, ...]:
    """Return the runs that a probe is about, adding the ones it names to `runs`."""
    wanted = tuple(dict.fromkeys(probe.runs)) or (run_id,)
    for name in wanted:
        if name not in declared:
            raise RunNotDeclaredError(
                f"`@{name}` is not declared here",
                expected=", ".join(sorted(declared)),
                next_step="add it to the page's `also`",
            )
        if name not in runs:
            runs[name] = store.run(name)
    if len(wanted) > 1:
        _refuse_incomparable([runs[name] for name in wanted])
    return wanted


def _refuse_incomparable(runs: Sequence[StoredRun]) -> None:
    """Raise RunsNotComparableError, naming what differs, where runs may not be pooled."""
    first, *others = ((run.id, run.record.comparability) for run in runs)
    for name, terms in others:
        differing = sorted(
            key for key in first[1].keys() | terms.keys() if first[1].get(key) != terms.get(key)
        )
        if differing:
            raise RunsNotComparableError(
                f"runs {first[0]} and {name} cannot be pooled: they differ in {', '.join(differing)}",
                next_step="measure each of them alone",
            )
