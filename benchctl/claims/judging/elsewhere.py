"""The other runs of the store: of which of them a false number, or a false assertion, is true."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import islice
from typing import TYPE_CHECKING

from benchctl.claims.judging.print_of import Print

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchctl.claims.markers.scope import Scope
    from benchctl.claims.sheet import Asserted, Judged, Sheet

__all__ = ["helped", "other_runs_of", "so_elsewhere", "stale_runs"]

_MOST_RUNS = 50
_MOST_SCOPES = 20
"""Of how many scopes with something false help is sought: each is asked of every other run, by filters of its own."""


def helped(scopes: Iterable[Scope]) -> frozenset[Scope]:
    """Return the scopes, the first twenty that hold something false, of which help is sought."""
    return frozenset(islice(dict.fromkeys(scopes), _MOST_SCOPES))


def stale_runs(sheet: Sheet, false: Sequence[Judged]) -> dict[int, list[str]]:
    """Return, by id of each false claim, the other runs of the store of which its number is true, best first.

    The same expressions are measured over each other run, one call a run. The best run is the one that
    explains most of the telling numbers of the same table or paragraph, and a run that explains fewer of them
    is left out; of equal ones, what the page declares comes first.
    """
    found: dict[int, list[str]] = defaultdict(list)
    for scope, items in _by_scope(false).items():
        prints = [Print.of(sheet, item) for item in items]
        blocks = [_block(sheet, item) for item in items]
        evidence: Counter[tuple[int, str]] = Counter()
        for run in other_runs_of(sheet, scope):
            wanted = (probe for item in items for probe in item.claim.expression.probes)
            if not sheet.try_measure(scope, wanted, run):
                continue
            for item, printed, block in zip(items, prints, blocks, strict=True):
                if printed and printed.fits(sheet.lookup.answer(item.claim.expression, run).value):
                    found[id(item)].append(run)
                    evidence[block, run] += printed.telling
        for item, block in zip(items, blocks, strict=True):
            found[id(item)] = _best(found[id(item)], block, evidence)
    return {key: runs for key, runs in found.items() if runs}


def _best(runs: list[str], block: int, evidence: Counter[tuple[int, str]]) -> list[str]:
    most = max((evidence[block, run] for run in runs), default=0)
    return [run for run in runs if evidence[block, run] == most]


def _block(sheet: Sheet, item: Judged) -> int:
    """Return where the table or paragraph of a number begins."""
    page, start = sheet.page, item.claim.start
    around = page.table_at(start) or page.block_at(start)
    return around.start if around else start


def so_elsewhere(sheet: Sheet, false: Sequence[Asserted]) -> dict[int, list[str]]:
    """Return, by id of each false assertion, the other runs in which it holds: those that the page declares first."""
    found: dict[int, list[str]] = defaultdict(list)
    scopes: dict[Scope, list[Asserted]] = defaultdict(list)
    within = helped(asserted.scope for asserted in false)
    for asserted in false:
        if asserted.scope in within:
            scopes[asserted.scope].append(asserted)
    for scope, items in scopes.items():
        for run in other_runs_of(sheet, scope):
            wanted = (probe for item in items for probe in item.expression.probes)
            if not sheet.try_measure(scope, wanted, run):
                continue
            for item in items:
                if sheet.lookup.answer(item.expression, run).value is True:
                    found[id(item)].append(run)
    return dict(found)


def other_runs_of(sheet: Sheet, scope: Scope) -> list[str]:
    """Return the other runs of the store, at most 50, those that the page declares first."""
    return sheet.lookup.other_runs(scope.run, scope.declared)[:_MOST_RUNS]


def _by_scope(items: Iterable[Judged]) -> dict[Scope, list[Judged]]:
    grouped: dict[Scope, list[Judged]] = defaultdict(list)
    for item in items:
        grouped[item.claim.scope].append(item)
    return grouped
