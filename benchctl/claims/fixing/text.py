"""One page fixed in memory: its false literals, then its stale blocks, then whatever is left is said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from benchctl.claims.examine import Examiner
from benchctl.claims.fixing.blocks import Renewed, renew_blocks
from benchctl.claims.fixing.places import Rewrite, applied
from benchctl.claims.fixing.planning import Planned, plan
from benchctl.claims.fixing.reasons import OF_FINDINGS, Refused
from benchctl.claims.fixing.trial import proven
from benchctl.claims.sheet import Sheet
from benchctl.claims.verdict import SLUGS

__all__ = ["FixedText", "Refusal", "fix_text"]

_MOST_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Refusal:
    """What was left as it is. `literal` is what the page prints there, `claim` the expression that says otherwise."""

    line: int
    column: int
    end_column: int
    literal: str
    claim: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class FixedText:
    """A page after fixing. Rewrites and blocks have their places on the page as it was, refusals on the new one."""

    text: str
    rewrites: tuple[Rewrite, ...]
    blocks: tuple[Renewed, ...]
    refused: tuple[Refusal, ...]


def fix_text(examiner: Examiner, path: str, text: str) -> FixedText:
    """Return a page with what can be put right put right; the same page, character for character, where nothing can.

    A second call changes nothing more. Raises what examining a page raises.
    """
    plainly = replace(examiner, terse=True)  # whose number a false one is, is of no use here

    def examine(changed: str) -> Sheet:
        return plainly.examine(path, changed)

    sheet = examine(text)
    done: list[Rewrite] = []
    refused: list[Refusal] = []
    for _ in range(_MOST_ROUNDS):
        planned = plan(sheet)
        wanted = [each.outcome for each in planned if isinstance(each.outcome, Rewrite)]
        kept, broken = proven(sheet, wanted, examine)
        refused = [_refusal(sheet, each, broken) for each in planned if each.outcome not in kept]
        if not kept:
            break
        done += kept
        sheet = examine(applied(sheet.page.text, kept))
    fresh, blocks = renew_blocks(sheet)
    if blocks:
        sheet = examine(fresh)
    return FixedText(fresh, tuple(done), blocks, (*refused, *_others(sheet)))


def _refusal(sheet: Sheet, planned: Planned, broken: dict[Rewrite, str]) -> Refusal:
    claim, outcome = planned.item.claim, planned.outcome
    why = outcome if isinstance(outcome, Refused) else Refused("creates", broken.get(outcome, ""))
    line, column = sheet.page.place(claim.start)
    return Refusal(
        line=line,
        column=column,
        end_column=max(column + 1, sheet.page.place(claim.end)[1]),
        literal=claim.atom.literal if claim.atom else "",
        claim=claim.expression.text,
        reason=why.reason,
        message=str(why),
    )


def _others(sheet: Sheet) -> Iterator[Refusal]:
    """Yield the errors about values that no rewriting of a literal puts right."""
    for finding in sheet.record.findings:
        reason = OF_FINDINGS.get(finding.slug)
        if reason is None and finding.slug not in SLUGS and finding.claim:
            reason = "expression"
        if reason and finding.severity == "error":
            yield Refusal(
                line=finding.line,
                column=finding.column,
                end_column=finding.end_column,
                literal=finding.literal,
                claim=finding.claim,
                reason=reason,
                message=str(Refused(reason, finding.message)),
            )
