"""What a false number was before its run's data moved: an earlier generation of the run, as claims.lock pinned it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchctl.claims.judging.print_of import Print
from benchctl.errors import BenchctlError, EvaluationError
from benchctl.expressions import evaluate
from benchctl.store.reader import Store, StoredRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchctl.claims.sheet import Judged, Sheet
    from benchctl.expressions import Measured, Probe, Value

__all__ = ["values_before"]

_MOST_GENERATIONS = 8


class _AsItWas(Store):
    """A store in which one run stands as an earlier manifest of it says: nothing that it names is ever rewritten."""

    def __init__(self, run: StoredRun, store: Store) -> None:
        super().__init__(store.path)
        self._run = run

    def run(self, run_id: str) -> StoredRun:
        return self._run if run_id == self._run.id else super().run(run_id)


def values_before(sheet: Sheet, false: Sequence[Judged]) -> dict[int, Value]:
    """Return, by id, the value of each false claim in the last generation of its run of which its number is true.

    Asked are the runs alone whose data claims.lock pins otherwise, the pinned generation first.
    """
    found: dict[int, Value] = {}
    for run in dict.fromkeys(item.claim.scope.run for item in false):
        items = [item for item in false if item.claim.scope.run == run and _is_its_own(item)]
        for earlier in _earlier(sheet, run) if items else ():
            known = _measured(sheet, earlier, [item for item in items if id(item) not in found])
            for item in items:
                value, printed = _value(item, known), Print.of(sheet, item)
                if value is not None and printed and printed.fits(value):
                    found.setdefault(id(item), value)
    return found


def _is_its_own(item: Judged) -> bool:
    """Whether a claim is about its scope's run alone: the generations of two runs are not of one time."""
    return all(probe.run is None for probe in item.claim.expression.probes)


def _earlier(sheet: Sheet, run: str) -> Iterator[StoredRun]:
    """Yield a run that moved under the page as it was before: as it is pinned, then the newest first."""
    from benchctl.store.disk.manifest import read_manifest

    pinned, stored = (sheet.pins or {}).get(run), sheet.lookup.runs.get(run)
    if not pinned or stored is None or stored.manifest is None or stored.data_digest == pinned:
        return
    last = stored.manifest.generation
    numbers = range(last - 1, max(0, last - 1 - _MOST_GENERATIONS), -1)
    try:
        manifests = [read_manifest(stored.layout, number) for number in numbers]
    except BenchctlError:
        return
    for manifest in sorted(manifests, key=lambda manifest: manifest.data != pinned):
        yield replace(stored, manifest=manifest)


def _measured(sheet: Sheet, run: StoredRun, items: Sequence[Judged]) -> Mapping[Probe, Measured]:
    from benchctl.store.measuring.question import measure

    probes = [probe for item in items for probe in item.claim.expression.probes]
    try:
        return measure(_AsItWas(run, sheet.lookup.store), run.id, probes)
    except BenchctlError:
        return {}


def _value(item: Judged, known: Mapping[Probe, Measured]) -> Value | None:
    expression = item.claim.expression
    if any(probe not in known for probe in expression.probes):
        return None
    try:
        return evaluate(expression.node, known, filters=expression.filters)
    except EvaluationError:
        return None
