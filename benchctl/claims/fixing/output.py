"""What `--fix` did, as text for people and as JSON for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from benchctl.claims.fixing.pages import FixedPage, FixReport
from benchctl.claims.fixing.places import Rewrite
from benchctl.claims.outputs.document import finding_document
from benchctl.report.escaping import visible

__all__ = ["FIX_SCHEMA", "to_json", "to_text"]

FIX_SCHEMA = "benchctl.fix/1"


def to_text(report: FixReport) -> str:
    """Return a line for each rewrite, block and refusal; "" where there is none of them."""
    return "".join(f"{visible(line)}\n" for page in report.pages for line in _lines(page))


def _lines(page: FixedPage) -> list[str]:
    fixed = page.fixed
    return [
        *(
            f"{page.path}:{each.line}:{each.column}: {each.old} -> {each.new} ({each.claim})"
            + (f"; {each.note}" if each.note else "")
            for each in fixed.rewrites
        ),
        *(
            f"{page.path}:{each.line}:1: table {each.table} of run {each.run} rendered anew"
            for each in fixed.blocks
        ),
        *(
            f"{page.path}:{each.line}:{each.column}: {each.literal or 'the page'} is left as it is: {each.message} [fix-refused]"
            for each in fixed.refused
        ),
    ]


def to_json(report: FixReport) -> dict[str, Any]:
    """Return the report in the shape that `--fix --format json` promises."""
    findings = {page.path: [finding_document(each) for each in page.findings] for page in report.claims.pages}
    runs = {page.path: page.run for page in report.claims.pages}
    return {
        "schema": FIX_SCHEMA,
        "ok": report.claims.ok,
        "pages": [
            {
                "path": page.path,
                "run": runs.get(page.path),
                "written": page.written,
                "rewrites": [_rewrite(each) for each in page.fixed.rewrites],
                "blocks": [asdict(each) for each in page.fixed.blocks],
                "refused": [{"slug": "fix-refused", **asdict(each)} for each in page.fixed.refused],
                "findings": findings.get(page.path, []),
            }
            for page in report.pages
        ],
    }


def _rewrite(each: Rewrite) -> dict[str, Any]:
    fields = ("line", "column", "end_column", "old", "new", "claim", "actual", "n", "note")
    return {name: getattr(each, name) for name in fields} | {"listed": len(each.places) > 1}
