"""A mutation report as text for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from benchctl.claims.mutation.mutant import OF_DATA
from benchctl.claims.mutation.result import Changed, MutationReport, PageMutation
from benchctl.claims.outputs.document import finding_document
from benchctl.claims.outputs.text import to_text as claims_text
from benchctl.claims.result import ClaimsReport
from benchctl.quantities.format import counted, format_number
from benchctl.report.escaping import visible

__all__ = ["MUTATION_SCHEMA", "rate_text", "to_json", "to_text"]

MUTATION_SCHEMA = "benchctl.mutation/1"


def to_text(report: MutationReport) -> str:
    """Return what was wrong before any change, then a paragraph a survivor, a line a page, and a last line."""
    wrong = [page.report for page in report.pages if not page.report.ok]
    parts = [claims_text(ClaimsReport(tuple(wrong)))] if wrong else []
    parts += [_survivor(page, item) for page in report.pages for item in page.survivors]
    lines = [line for page in report.pages for item in page.equivalent for line in _equivalent(page, item)]
    lines += [line for page in report.pages for line in _page(page)]
    return "\n".join([*parts, *map(visible, lines), _sum(report)]) + "\n"


def _place(page: PageMutation, item: Changed) -> str:
    return f"{page.report.path}:{item.line}:{item.column}"


def _change(item: Changed) -> str:
    between = ", while " if item.kind in OF_DATA else " changed to "
    return f"{item.literal}{between}{item.changed_to}"


def _survivor(page: PageMutation, item: Changed) -> str:
    what = f"{_change(item)} ({item.kind})" if item.changed_to else item.literal
    said = "no finding" if item.changed_to else "no change of it can be found"
    lines = [f"{_place(page, item)}: survived: {what}: {said} [mutant-survived]"]
    lines += [f"    {item.sentence}"] if item.sentence else []
    lines += [f"    bound to {item.claim}"] if item.claim else []
    lines.append(f"  next: {item.why or 'bind the number to what its sentence says, or generate it'}")
    return "\n".join(map(visible, lines)) + "\n"


def _equivalent(page: PageMutation, item: Changed) -> Iterator[str]:
    yield f"{_place(page, item)}: equivalent: {_change(item)} ({item.kind}) is {item.why}"


def _page(page: PageMutation) -> Iterator[str]:
    report = page.report
    if not report.ok:
        yield f"{report.path}: not changed: it is false as it stands"
        return
    total = page.total
    made = ", ".join(f"{format_number(tally.mutants)} {kind}" for kind, tally in (page.kinds or {}).items())
    yield (
        f"{report.path}: run {report.run}: {counted(page.numbers, 'bound number')}, {report.generated} generated; "
        f"not mutated: {report.exempt} exempt, {report.not_claims} not claims"
    )
    yield (
        f"{report.path}: {counted(total.mutants, 'mutant')} ({made}): {format_number(total.killed)} killed, "
        f"{total.equivalent} equivalent, {total.survived} survived: {rate_text(page.rate)}"
    )
    if page.unitless:
        yield (
            f"note: {report.path}: {counted(page.unitless, 'printed unit')} that nothing checks, for the value has none; "
            "give it one under [values]"
        )


def rate_text(rate: float | None) -> str:
    """Return a kill rate as percent, never 100 % where anything survived."""
    if rate is None:
        return "nothing was changed"
    if rate == 1:
        return "100 %"
    return f"{min(99.99, int(rate * 10000) / 100):.2f} %"


def _sum(report: MutationReport) -> str:
    numbers = sum(page.numbers for page in report.pages)
    seen = sum(page.seen for page in report.pages)
    mutants = sum(page.total.mutants for page in report.pages)
    verdict = "ok" if report.ok else "failed"
    return (
        f"{verdict}: {format_number(seen)} of {counted(numbers, 'bound number')} on "
        f"{counted(len(report.pages), 'page')}, {counted(mutants, 'mutant')}"
    )


def to_json(report: MutationReport) -> dict[str, Any]:
    """Return the report in the shape that `--format json` promises."""
    return {"schema": MUTATION_SCHEMA, "ok": report.ok, "pages": [_page_json(page) for page in report.pages]}


def _page_json(page: PageMutation) -> dict[str, Any]:
    report = page.report
    return {
        "path": report.path,
        "run": report.run,
        "ok": page.ok,
        "bound": report.bound,
        "generated": report.generated,
        "exempt": report.exempt,
        "not_claims": report.not_claims,
        "numbers": page.numbers,
        "seen": page.seen,
        **asdict(page.total),
        "rate": page.rate,
        "kinds": {kind: asdict(tally) for kind, tally in (page.kinds or {}).items()},
        "survivors": [_changed_json(item) for item in page.survivors],
        "equivalents": [_changed_json(item) for item in page.equivalent],
        "unchecked_units": page.unitless,
        "examinations": page.examinations,
        "findings": [finding_document(item) for item in report.findings if item.severity == "error"],
    }


def _changed_json(item: Changed) -> dict[str, Any]:
    return asdict(item)
