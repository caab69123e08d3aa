"""Pages in, kill rates out: whether a bound number, or what stands behind it, can be changed and pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.claims.examine import Examiner
from benchctl.claims.files import find_pages, read_page, shown_path
from benchctl.claims.mutation.held import HeldLookup
from benchctl.claims.mutation.mutant import KINDS, OF_DATA, Kind, Mutant, Place
from benchctl.claims.mutation.places import Places
from benchctl.claims.mutation.result import Changed, MutationReport, PageMutation, Tally
from benchctl.claims.mutation.sources import moved_sources
from benchctl.claims.mutation.textual import mutants_of, without_unit
from benchctl.claims.mutation.trial import Trial
from benchctl.claims.numbers import Atom
from benchctl.claims.sheet import Sheet
from benchctl.claims.tally import page_report
from benchctl.claims.verify import verify_pages

if TYPE_CHECKING:
    from benchctl.store.project import Project

__all__ = ["all_mutants", "mutate_pages", "mutate_text", "trial_of"]


def mutate_pages(
    project: Project, paths: Sequence[Path] = (), *, told: Callable[[PageMutation], None] = lambda _: None
) -> MutationReport:
    """Mutate the named pages, or those of the project's policy, as far as they declare a run.

    A page that has an error is not changed: what is false already says nothing about the checker. `told` hears of
    each page when it is done. Raises what `verify_pages` raises.
    """
    stands = {page.path: page for page in verify_pages(project, paths).pages if page.run is not None}
    examiner = Examiner.of(project)
    pages: list[PageMutation] = []
    for file, _ in find_pages(project, paths):
        report = stands.pop(shown_path(project, file), None)
        if report is None:
            continue
        pages.append(
            mutate_text(examiner, report.path, read_page(file)) if report.ok else PageMutation(report)
        )
        told(pages[-1])
    # What belongs to no file of its own, as a value that nobody uses, is wrong all the same.
    pages += [PageMutation(report) for report in stands.values() if not report.ok]
    return MutationReport(tuple(pages))


def mutate_text(examiner: Examiner, path: str, text: str) -> PageMutation:
    """Mutate one page's text; `path` is what messages call it. A page with an error comes back unchanged."""
    trial, sheet = trial_of(examiner, path, text)
    report = page_report(sheet)
    if not report.ok or report.run is None:
        return PageMutation(report, examinations=trial.examinations)
    mutants = all_mutants(sheet)
    false = [item for item in mutants if not item.equivalent]
    survived = trial.survivors(false)
    missed = {id(item) for item in survived}
    killed = {item.start for item in false if item.kind not in OF_DATA and id(item) not in missed}
    numbers = _bound(sheet, {item.start for item in false})
    untouched = [atom for atom in numbers if atom.start not in killed]
    survivors = [_told(sheet, item) for item in survived]
    told = {item.start for item in survived}
    survivors += [_untouched(sheet, atom) for atom in untouched if atom.start not in told]
    return PageMutation(
        report=report,
        numbers=len(numbers),
        seen=sum(atom.start in killed and atom.start not in told for atom in numbers),
        kinds=_kinds(mutants, missed),
        survivors=tuple(sorted(survivors, key=lambda item: (item.line, item.column))),
        equivalent=tuple(_told(sheet, item) for item in mutants if item.equivalent),
        unitless=len(without_unit(sheet)),
        examinations=trial.examinations,
    )


def trial_of(examiner: Examiner, path: str, text: str) -> tuple[Trial, Sheet]:
    """Return a page ready to be changed, and as it stands; what is measured for it is kept."""
    lookup = HeldLookup(examiner.lookup.store, examiner.lookup.definitions)
    trial = Trial(replace(examiner, lookup=lookup, terse=True), lookup, path, text)
    return trial, trial.examiner.examine(path, text)


def all_mutants(sheet: Sheet) -> list[Mutant]:
    """Return every change of a true page and of its data, equivalent ones among them."""
    return [*mutants_of(sheet), *moved_sources(sheet, Places(sheet))]


def _bound(sheet: Sheet, changed: Iterable[int]) -> list[Atom]:
    """Return the bound numbers; a retracted one that nothing of today can be written as is none of them."""
    starts = set(changed)
    retracted = {item.atom.start for item in sheet.retractions} - starts
    return [
        atom
        for atom in sheet.numbers.atoms
        if sheet.standing.get(atom.start) == "bound" and atom.start not in retracted
    ]


def _kinds(mutants: Sequence[Mutant], missed: set[int]) -> dict[Kind, Tally]:
    made = Counter(item.kind for item in mutants)
    same = Counter(item.kind for item in mutants if item.equivalent)
    lost = Counter(item.kind for item in mutants if id(item) in missed)
    return {
        kind: Tally(made[kind], made[kind] - same[kind] - lost[kind], same[kind], lost[kind])
        for kind in KINDS
        if made[kind]
    }


def _told(sheet: Sheet, item: Mutant) -> Changed:
    line, column = sheet.page.place(item.start)
    return Changed(
        line=line,
        column=column,
        end_column=column + max(1, item.end - item.start),
        kind=item.kind,
        literal=item.literal,
        changed_to=item.changed_to,
        claim=item.claim,
        sentence=sheet.record.sentence(item.start),
        why=item.equivalent,
    )


def _untouched(sheet: Sheet, atom: Atom) -> Changed:
    """Return a number of which every change is as true as it is."""
    nowhere = Place((), (), frozenset())
    return _told(sheet, Mutant("digit", atom.start, atom.end, atom.literal, "", nowhere))
