"""A claim in, everything behind it out."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.claims.examine import Examiner, check, says_nothing
from benchctl.claims.explaining.explanation import Asked, Explanation
from benchctl.claims.explaining.said import Place, Said, all_said, asked_of, meant, place_of
from benchctl.claims.explaining.words import in_words
from benchctl.claims.files import find_pages, read_page, shown_path
from benchctl.claims.finding import Finding
from benchctl.errors import ClaimUnknownError
from benchctl.expressions import Filter, Node, Probe, scoped, show, show_filters
from benchctl.expressions.tree import children, with_children
from benchctl.quantities.rounding import interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchctl.claims.sheet import Sheet
    from benchctl.store.measuring.explained import Explained
    from benchctl.store.project import Project

__all__ = ["explain"]

_GRAVITY = {"error": 0, "warning": 1, "note": 2}


def explain(project: Project, pages: Sequence[Path], claim: str, *, sample: int = 5) -> list[Explanation]:
    """Return what stands behind each claim that `claim` names on `pages`, by default on those of the policy.

    `claim` is `page.md:LINE[:COLUMN]`, a number as printed, an expression or a named value; an expression that none
    of the named `pages` binds is asked of their runs. `sample` is how many rows are shown of each question. Raises ClaimUnknownError, PageUnreadableError, NoPagesError,
    LockInvalidError, and ValueInvalidError for the project's named values.
    """
    place = place_of(claim)
    sheets = list(_sheets(project, _pages(project, pages, place)))
    said = [item for sheet in sheets for item in all_said(sheet)]
    try:
        found = meant(said, claim)
    except ClaimUnknownError:
        # Of a page that was named, an expression is worth its value even where nothing binds it.
        found = [item for sheet in sheets if (item := asked_of(sheet, claim))] if pages else []
        if not found:
            raise
    return [_explanation(item, sample) for item in found]


def _pages(project: Project, pages: Sequence[Path], place: Place | None) -> Sequence[Path]:
    """Return the page that a place names, as it stands or inside the project; else what was given."""
    if place is None:
        return pages
    for file in (Path(place.path), project.root / place.path):
        if file.is_file():
            return [file]
    return [Path(place.path)]


def _sheets(project: Project, pages: Sequence[Path]) -> Iterator[Sheet]:
    examiner = Examiner.of(project, show_all=True)
    for file, _ in find_pages(project, pages):
        sheet = examiner.read(shown_path(project, file), read_page(file))
        if not says_nothing(sheet):
            check(sheet)
            yield sheet


def _explanation(said: Said, sample: int) -> Explanation:
    sheet, expression, run = said.sheet, said.expression, said.scope.run
    line, column = sheet.page.place(said.start)
    _, end_column = sheet.page.place(said.end)
    usable = run not in sheet.unusable
    answer = sheet.lookup.answer(expression, run) if usable and _is_measured(said) else None
    low, high = _ends(said, sheet)
    stored = sheet.lookup.runs.get(run)
    return Explanation(
        path=sheet.page.path,
        line=line,
        column=column,
        end_column=max(end_column, column + 1),
        kind=said.kind,
        literal=said.literal,
        sentence="" if said.kind == "expression" else sheet.record.sentence(said.start),
        written=expression.text,
        claim=show(written_out(expression.node, said)),
        filters=show_filters(_everywhere(expression.probes)),
        run=run,
        data=stored.data_digest if stored else None,
        asked=tuple(_asked(said, sample)) if usable else (),
        value=answer.value if answer else None,
        n=answer.n if answer else None,
        unit=expression.nature.unit,
        low=low,
        high=high,
        findings=() if said.kind == "expression" else _findings(sheet, line, column),
    )


def _everywhere(probes: Sequence[Probe]) -> tuple[Filter, ...]:
    """Return the filters that hold for every question: those of the scope that no reference replaces, and shared own ones."""
    first = probes[0].filters if probes else ()
    return tuple(item for item in first if all(item in probe.filters for probe in probes))


def _is_measured(said: Said) -> bool:
    known = said.sheet.lookup.measured(said.scope.run)
    return all(probe in known for probe in said.expression.probes)


def written_out(node: Node, said: Said) -> Node:
    """Return a tree with the filters of its scope and its row in every reference."""
    if isinstance(node, Probe):
        return replace(scoped(node, said.expression.filters), outer=())
    return with_children(node, tuple(written_out(child, said) for child in children(node)))


def _ends(said: Said, sheet: Sheet) -> tuple[str | None, str | None]:
    """Return the ends of what a printed number stands for; None is open, and both where nothing is printed."""
    token = said.atom.token if said.atom else None
    if token is None or token.value is None or token.place is None:
        return None, None
    if token.cmp in (">", ">="):
        return f"{token.value:f}", None
    if token.cmp in ("<", "<="):
        return None, f"{token.value:f}"
    place = Decimal(0) if said.expression.nature.exact else token.place
    if token.cmp == "~":
        about = abs(token.value) * sheet.about
        place = max(place, 2 * about)
    low, high = interval(token.value, place)
    return f"{low:f}", f"{high:f}"


def _findings(sheet: Sheet, line: int, column: int) -> tuple[Finding, ...]:
    here = [item for item in sheet.record.findings if (item.line, item.column) == (line, column)]
    return tuple(sorted(here, key=lambda item: _GRAVITY[item.severity]))


def _asked(said: Said, sample: int) -> Iterator[Asked]:
    from benchctl.store.measuring.explained import explain as explain_probes

    sheet, run = said.sheet, said.scope.run
    known = sheet.lookup.measured(run)
    declared = said.scope.declared - sheet.unusable
    found = explain_probes(sheet.lookup.store, run, said.expression.probes, declared=declared, sample=sample)
    for probe in said.expression.probes:
        if probe in known:
            yield _of(said, probe, found)


def _of(said: Said, probe: Probe, found: Mapping[Probe, Explained]) -> Asked:
    answer = said.sheet.lookup.measured(said.scope.run)[probe]
    told = found.get(probe)
    runs = told.runs if told else (probe.runs or (said.scope.run,))
    stored = said.sheet.lookup.runs
    return Asked(
        reference=show(replace(probe, outer=(), group_by=None, interval=False)),
        words=in_words(probe, runs),
        runs={run: stored[run].data_digest if run in stored else None for run in runs},
        sql=told.sql if told else "",
        parameters=told.parameters if told else (),
        value=answer.value,
        n=answer.n,
        count=answer.count,
        failed=answer.failed,
        void=answer.void,
        columns=told.columns if told else (),
        rows=told.rows if told else (),
        groups=len(answer.groups),
        error=answer.error.what if answer.error else "",
    )
