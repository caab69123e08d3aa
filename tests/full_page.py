"""A page with a claim of every kind, true of `true_runs`: each `{{form | expression}}` becomes its value, as printed.

`form` is how many decimals, then what stands around them: `1 s`, `0`, `2×`, `$3`, `1k tokens`, `1 MiB`, `words`;
`down` and `up` before it round to that side, for bounds. An expression may be of another run: `{{0 | tok(grep) | r8}}`.
"""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

from benchctl.claims.answers.lookup import Lookup
from benchctl.expressions import parse_definitions, parse_filters
from benchctl.quantities.units import convert, family, normalise_unit
from benchctl.report.stamp import render_block
from benchctl.report.tables import named_table

__all__ = ["RUN", "filled", "full_page", "printed", "value_of"]

RUN = "coding-r9"

TEMPLATE = """---
title: What a code graph costs
benchctl:
  run: coding-r9
  also: [coding-r8]
  where: agent=claude
---
# Graphs read {{1× | x(graphify, grep)}}<!--= x(graphify, grep) --> what grep reads

All four<!--= arm.distinct --> arms were asked all six<!--= question.distinct --> questions.<!--assert: all question: count > 0 -->
Grep took {{0 | tok(grep)}}<!--= tok(grep) --> tokens, about {{0k | tok(index)}}<!--= tok(index) --> went to the index,
and the graph **{{1k | tok(graphify)}} tokens**<!--= tok(graphify) -->. A cell of grep ended after
{{2 | wall(grep)}}<!--= wall(grep) --> s, one of the graph after `{{1 s | wall(graphify)}}`<!--= wall(graphify) -->, which is
{{1 min | wall_s.sum[arm=graphify]}}<!--= wall_s.sum[arm=graphify] --> in all, and
{{0 ms | cpu_s.median[arm=grep]}}<!--= cpu_s.median[arm=grep] --> of processor time a cell.
It called a tool in {{0 | used(graphify)}} of its {{0 | cells(graphify)}}<!--= used(graphify); cells(graphify) -->
cells; {{0 | ok(hybrid)}} of {{0 | cells(hybrid)}} ({{0% | answered(hybrid)}})<!--= ok(hybrid); cells(hybrid); answered(hybrid) -->
of the hybrid's were answered, {{1 % | answered(grep)}}<!--= answered(grep) --> of grep's.

{{Words | no(hybrid)}}<!--= no(hybrid) --> cells of the hybrid have no answer, and
{{words | no(grep)}} of its {{words | cells(grep)}}<!--= no(grep); cells(grep) --> of grep's.
The mean score fell from {{3 | score_of(hybrid)}} → {{3 | score_of(grep)}}<!--= score_of(hybrid); score_of(grep) -->,
a change of {{3 | loss}} [{{3 | lo(loss)}}, {{3 | hi(loss)}}]<!--= loss; lo(loss); hi(loss) -->.
A cell reads {{0 | input_tokens.mean[arm=grep]}} ± {{0 | input_tokens.sd[arm=grep]}}<!--= input_tokens.mean[arm=grep]; input_tokens.sd[arm=grep] --> tokens.

## Ranges and bounds

- walls of the index: {{1 | wall_s.min[arm=index]}}–{{1 s | wall_s.max[arm=index]}}<!--= wall_s.min[arm=index]; wall_s.max[arm=index] -->
- at least {{down 0 | output_tokens.min}}<!--= output_tokens.min --> and at most {{up 0 | output_tokens.max}}<!--= output_tokens.max --> tokens out
- over {{down 1 s | wall_s.p90[arm=hybrid]}}<!--= wall_s.p90[arm=hybrid] --> at the slow end of the hybrid, under {{up 1 s | wall_s.q1[arm=hybrid]}}<!--= wall_s.q1[arm=hybrid] --> at its quick end
- between {{down 0 | count[arm=grep]}} and {{up 0 | count}}<!--= count[arm=grep]; count --> cells, whichever arm
- ~{{1 MiB | stdout_bytes.mean[arm=grep]}}<!--= stdout_bytes.mean[arm=grep] --> of output, {{2 MiB | stdout_bytes.max[arm=index]}}<!--= stdout_bytes.max[arm=index] --> at the most
- [a link to {{$3 | cost_usd.mean[arm=graphify]}}<!--= cost_usd.mean[arm=graphify] --> a cell](https://example.org/7/), {{1 % | cheaper}}<!--= cheaper --> off
- pooled over both runs: {{0 | both(index)}}<!--= both(index) -->,
  in the earlier one {{0 | tok(index) | coding-r8}}<!--= total_tokens.median[arm=index]@coding-r8 -->
- the rule is 7<!--exempt: a rule of the method --> days, checked on 2026-11-30 with version 1.2.3

!!! note "Indented text is read"
    {{0 | count[arm=grep, question=q1]}}<!--= count[arm=grep, question=q1] --> cells each, in
    {{1 | wall_s.mean}}<!--= wall_s.mean --> s each.

## By arm

<!--claims:table by=arm{"Plain grep"=grep} "tokens (k)"=total_tokens.median "answered"="count[answered=true] of count" "wall (ms)"=wall_s.median score=score.mean -->

| arm | tokens (k) | answered | wall (ms) | score |
|:----|-----------:|---------:|----------:|------:|
| **Plain grep** | {{kilo 1 | tok(grep)}} | {{0 | count[answered=true, arm=grep]}} of {{0 | count[arm=grep]}} | {{milli 0 | wall(grep)}} | {{3 | score.mean[arm=grep]}} |
| index | {{kilo 1 | tok(index)}} | {{0 | count[answered=true, arm=index]}} of {{0 | count[arm=index]}} | {{milli 0 | wall(index)}} | **{{3 | score.mean[arm=index]}}** |
| hybrid | {{kilo 1 | tok(hybrid)}} | {{0 | count[answered=true, arm=hybrid]}} of {{0 | count[arm=hybrid]}} | {{milli 0 | wall(hybrid)}} | {{3 | score.mean[arm=hybrid]}} |
| graphify | {{kilo 1 | tok(graphify)}} | {{0 | count[answered=true, arm=graphify]}} of {{0 | count[arm=graphify]}} | {{milli 0 | wall(graphify)}} | {{3 | score.mean[arm=graphify]}} |

Some arm is right more often than not,<!--assert: any arm: score.mean > 0.5 --> and none skipped a question.<!--assert: none question: count[arm=grep] = 0 -->
No cell ran an hour.<!--assert: wall_s.max < 3600 --> The mean is no longer 0.123<!--retracted: score.mean -->.

| per question | grep |
|---|---|
| first | {{2 s | wall_s.median[arm=grep, question=q1]}}<!--= wall_s.median[arm=grep, question=q1] --> |
| second | {{2 s | wall_s.median[arm=grep, question=q2]}}<!--= wall_s.median[arm=grep, question=q2] --> |

<!--claims: {{0 | tok(index)}} = tok(index); {{0 | count[arm=grep]}} = count[arm=grep]; {{1× | slower(graphify, grep)}} = slower(graphify, grep); _ = "the plan's own" -->
Index read {{0 | tok(index)}} tokens in {{0 | count[arm=grep]}} cells; grep is {{1× | slower(graphify, grep)}} as
fast as the graph, as planned for the next 5 years.

## Generated

{{block}}

## The earlier run

<!-- benchctl: run=coding-r8 where="agent=codex" -->

There grep took {{0 | tok(grep) | coding-r8 | codex}}<!--= tok(grep) --> tokens.
"""

_SLOT = re.compile(r"\{\{([^{}]+)\}\}")
_FORM = re.compile(
    r"(?:(?P<side>down|up|kilo|milli) )?(?P<coin>\$?)(?P<places>\d)(?P<space> ?)(?P<scale>k?)(?P<unit>.*)"
)
_WORDS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
]  # fmt: skip
_TENS = {2: "twenty", 3: "thirty", 4: "forty", 5: "fifty"}


def full_page(project) -> str:
    """Return the page with today's values."""
    return filled(project, TEMPLATE)


def filled(project, template: str, run: str = RUN, agent: str = "claude") -> str:
    """Return a template with the values of a run, of one agent (of all for "")."""
    lookup = Lookup(project.store, parse_definitions(project.config.values))

    def value(match: re.Match[str]) -> str:
        form, *rest = (part.strip() for part in match[1].split(" | "))
        if form == "block":
            return render_block(named_table(project.store, run, "tokens", project.config))
        expression, its_run, its_agent = (*rest, "", "")[:3]
        return printed(lookup, form, expression, its_run or run, its_agent or agent)

    return _SLOT.sub(value, template)


def value_of(lookup: Lookup, text: str, run: str = RUN, agent: str = "claude"):
    """Return (value, unit) of an expression over a run and an agent ("" for both)."""
    expression = lookup.read(text, parse_filters(f"agent={agent}") if agent else ())
    lookup.measure(run, expression.probes, frozenset(lookup.runs))
    answer = lookup.answer(expression, run)
    if answer.error:
        raise answer.error
    return answer.value, expression.nature.unit


def printed(lookup: Lookup, form: str, expression: str, run: str = RUN, agent: str = "claude") -> str:
    """Return an expression's value as a form prints it: rounded half-even, or to one side."""
    value, unit = value_of(lookup, expression, run, agent)
    number = Decimal(repr(value))
    if form in ("words", "Words"):
        return _words(int(number)).capitalize() if form == "Words" else _words(int(number))
    found = _FORM.fullmatch(form)
    assert found, form
    glyph = found["unit"].split(" ")[0]
    if unit and family(unit) and family(glyph) == family(unit):
        number = convert(number, unit, normalise_unit(glyph))
    number = number / 1000 if found["scale"] or found["side"] == "kilo" else number
    number = number * 1000 if found["side"] == "milli" else number
    rounding = {"down": ROUND_FLOOR, "up": ROUND_CEILING}.get(found["side"] or "", ROUND_HALF_EVEN)
    rounded = number.quantize(Decimal(1).scaleb(-int(found["places"])), rounding)
    sign = "\N{MINUS SIGN}" if rounded < 0 else ""
    return f"{sign}{found['coin']}{abs(rounded):,f}{found['space']}{found['scale']}{found['unit']}"


def _words(number: int) -> str:
    tens, ones = divmod(number, 10)
    return _WORDS[number] if number <= 20 else _TENS[tens] + (f"-{_WORDS[ones]}" if ones else "")
