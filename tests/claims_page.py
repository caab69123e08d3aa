"""A page that uses every binding and is true: each `{{expr|places|unit}}` becomes the value as it is printed."""

from __future__ import annotations

import re

from benchctl.claims.answers.lookup import Lookup
from benchctl.expressions import parse_definitions
from benchctl.quantities.format import format_number
from benchctl.report.stamp import render_block
from benchctl.report.tables import named_table

RUN, EARLIER = "r9", "r8"

TEMPLATE = """---
title: Graphs and grep
benchctl:
  run: r9
  also: [r8]
  where: agent=claude
---
# What a graph costs

Grep took {{tok(grep)|0}}<!--= tok(grep) --> tokens, the graph **{{ratio(tok(graphify), tok(grep))|2|x}}**<!--= ratio(tok(graphify), tok(grep)) --> as many.
It called a tool in {{count[arm=graphify, tool_calls>0]|0}} of its {{count[arm=graphify]|0}}<!--= count[arm=graphify, tool_calls>0]; count[arm=graphify] --> cells
and answered {{answered_share(hybrid)|1|%}}<!--= answered_share(hybrid) --> of them; `{{wall_s.median[arm=index]|1|s}}`<!--= wall_s.median[arm=index] --> each.

- the slowest tenth of grep: {{wall_s.p90[arm=grep]|1}}<!--= wall_s.p90[arm=grep] --> s
- from {{score.mean[arm=grep]|3}} \u2192 {{score.mean[arm=hybrid]|3}}<!--= score.mean[arm=grep]; score.mean[arm=hybrid] -->,
  in r8 it was {{score.mean[arm=grep]@r8|3}}<!--= score.mean[arm=grep]@r8 -->
- the rule is 7<!--exempt: a rule of the method --> days, checked on 2026-11-30 with version 1.2.3

!!! note
    Indented text is read: {{count|0}}<!--= count --> cells, in {{wall_s.mean|1|min}}<!--= wall_s.mean --> each,
    {{wall_s.min|1}}\u2013{{wall_s.max|1|s}}<!--= wall_s.min; wall_s.max --> in all.

## By arm

<!--claims:table by=arm{"Plain grep"=grep} "tokens"=total_tokens.median "answered"="count[answered=true] of count" score=score.mean -->

| arm | tokens | answered | score |
|:----|-------:|---------:|------:|
| **Plain grep** | {{total_tokens.median[arm=grep]|0}} | {{count[answered=true, arm=grep]|0}} of {{count[arm=grep]|0}} | {{score.mean[arm=grep]|3}} |
| index | {{total_tokens.median[arm=index]|0}} | {{count[answered=true, arm=index]|0}} of {{count[arm=index]|0}} | {{score.mean[arm=index]|3}} |
| hybrid | {{total_tokens.median[arm=hybrid]|0}} | {{count[answered=true, arm=hybrid]|0}} of {{count[arm=hybrid]|0}} | {{score.mean[arm=hybrid]|3}} |
| graphify | {{total_tokens.median[arm=graphify]|0}} | {{count[answered=true, arm=graphify]|0}} of {{count[arm=graphify]|0}} | {{score.mean[arm=graphify]|3}} |

Every question was asked.<!--assert: all question: count > 0 --> The mean is no longer 0.123<!--retracted: score.mean -->.

<!--claims: {{tok(index)|0}} = tok(index); {{count[arm=grep]|0}} = count[arm=grep]; _ = "the year of the plan" -->
Index read {{tok(index)|0}} tokens in {{count[arm=grep]|0}} cells, as planned for the next 5 years.

## Generated

{{block}}

## The earlier run

<!-- benchctl: run=r8 where="agent=codex" -->

There grep took {{tok(grep)|0|tokens|r8|codex}}<!--= tok(grep) -->.
"""

_SLOT = re.compile(r"\{\{([^|{}]+(?:\|[^{}]*)?)\}\}")


def true_page(project) -> str:
    """Return the page with today's values."""
    lookup = Lookup(project.store, parse_definitions(project.config.values))

    def filled(match: re.Match[str]) -> str:
        expression, places, unit, run, agent, *_ = (*match[1].split("|"), "", "", "", "")
        if expression == "block":
            return render_block(named_table(project.store, RUN, "tokens", project.config))
        value = lookup_value(lookup, expression, run or RUN, agent or "claude")
        scaled = value * 100 if unit == "%" else value / 60 if unit == "min" else value
        return format_number(scaled, unit=unit or None, places=int(places))

    return _SLOT.sub(filled, TEMPLATE)


def lookup_value(lookup: Lookup, text: str, run: str = RUN, agent: str | None = None):
    """Return the value of an expression over a run."""
    from benchctl.expressions import parse_filters

    expression = lookup.read(text, parse_filters(f"agent={agent}") if agent else ())
    lookup.measure(run, expression.probes, frozenset({"r8", "r9"}))
    answer = lookup.answer(expression, run)
    if answer.error:
        raise answer.error
    return answer.value
