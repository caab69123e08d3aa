"""What a sentence asserts is so in the run."""

from __future__ import annotations

from benchctl.claims.sheet import Asserted, Sheet
from benchctl.expressions import Over, evaluate_groups

__all__ = ["check"]


def check(sheet: Sheet) -> None:
    """Evaluate every assertion; a false one says for whom it is false."""
    for asserted in sheet.assertions:
        if asserted.scope.run in sheet.unusable:
            continue
        expression = asserted.expression
        answer = sheet.lookup.answer(expression, asserted.scope.run)
        place = (asserted.start, asserted.end)
        if answer.error is not None:
            sheet.record.fail(answer.error, *place, claim=expression.text)
        elif not isinstance(answer.value, bool):
            message = f"`{expression.text}` is {answer.value!r}, neither true nor false"
            sheet.record.find(
                "value-no-number",
                *place,
                message,
                claim=expression.text,
                next_step="compare it with something",
            )
        elif not answer.value:
            hint = _whom(sheet, asserted)
            sheet.record.find(
                "assertion-false",
                *place,
                f"`{expression.text}` is not so",
                claim=expression.text,
                n=answer.n,
                hint=hint,
            )
        elif sheet.show_all:
            sheet.record.find(
                "number-true", *place, f"`{expression.text}` is so", claim=expression.text, n=answer.n
            )


def _whom(sheet: Sheet, asserted: Asserted) -> str:
    node = asserted.expression.node
    if not isinstance(node, Over) or node.how not in ("all", "none"):
        return ""
    measured = sheet.lookup.measured(asserted.scope.run)
    groups = evaluate_groups(node, measured, filters=asserted.expression.filters)
    wrong = [name or "null" for name, value in groups.items() if value is (node.how == "none")]
    return f"not so for {node.column} {', '.join(wrong[:8])}{' …' if len(wrong) > 8 else ''}"
