"""A page whose numbers nothing binds, with what each of them is: `{expr|places|unit}` in the order they stand."""

from __future__ import annotations

import re

from claims_page import lookup_value

from benchctl.claims.answers.lookup import Lookup
from benchctl.expressions import parse_definitions
from benchctl.quantities.format import format_number

TEMPLATE = """<!-- benchctl: run=r9 also=r8 -->

# What a graph costs

The run has {count|0} cells: {question.distinct|0} questions, {arm.distinct|0} arms, {agent.distinct|0} agents and {rep.distinct|0} repetitions.

Grep read {total_tokens.median[arm=grep]|0} tokens in the median, graphify {total_tokens.median[arm=graphify]|0}, which is
{ratio(total_tokens.median[arm=graphify], total_tokens.median[arm=grep])|2|x} as many. The index arm took {wall_s.median[arm=index]|1} s.

Hybrid answered {count[answered=true, arm=hybrid]|0} of {count[arm=hybrid]|0} cells and scored {score.mean[arm=hybrid]|3} on average;
with codex alone its mean score was {score.mean[arm=hybrid, agent=codex]|3}.

- Claude's mean latency: {wall_s.mean[agent=claude]|2} s, codex's {wall_s.mean[agent=codex]|2} s.
- The slowest cell of graphify took {wall_s.max[arm=graphify]|1} s.
- All in all the run read {total_tokens.sum|0} tokens.
- p90 of the wall time of grep: {wall_s.p90[arm=grep]|1} s
- input tokens of index (median): {input_tokens.median[arm=index]|0}

Graphify answered {answered_share(graphify)|1|%} of its cells, grep {answered_share(grep)|1|%}.

## Question by question

On q1 the mean score was {score.mean[question=q1]|3}, on q4 {score.mean[question=q4]|3}.
Timeouts: {count[outcome=timeout]|0} cells in all.

The click questions cost {wall_s.median[repo=click]|1} seconds at the median against {wall_s.median[repo=jinja2]|1} seconds for jinja2.
Wall time ranges over {wall_s.min|1}\u2013{wall_s.max|1} s.

## Codex

It scored a mean of {score.mean[agent=codex]|3} and called tools: {tool_calls.sum[agent=codex]|0} calls in total.
Grep needed {total_tokens.median[arm=grep, agent=codex]|0} tokens at the median.

## Hybrid against grep

The mean score rises from {score.mean[arm=grep]|3} to {score.mean[arm=hybrid]|3}, and hybrid costs {ratio(total_tokens.median[arm=hybrid], total_tokens.median[arm=grep])|2|x} the median tokens of grep.

## Nothing to say

The week has 5 days, and 12 monkeys wrote 7 plays.
"""

TABLE = """<!-- benchctl: run=r9 -->

## By arm

| Arm | tokens | wall (s) | Score | answered | \u00d7 grep |
|:----|-------:|---------:|------:|---------:|-------:|
"""
ROWS = (
    ("**Plain grep**", "grep"),
    ("index", "index"),
    ("Hybrid", "hybrid"),
    ("graphify", "graphify"),
)
ROW = (
    "| {label} | {{total_tokens.median[arm={arm}]|0}} | {{wall_s.median[arm={arm}]|1}} | {{score.macro[arm={arm}]|3}}"
    " | {{count[answered=true, arm={arm}]|0}} of {{count[arm={arm}]|0}}"
    " | {{ratio(total_tokens.median[arm={arm}], total_tokens.median[arm=grep])|2|x}} |\n"
)

SLOT = re.compile(r"\{([^{}|]+)\|(\d+)(?:\|([^{}]*))?\}")


def filled(project, template: str) -> tuple[str, list[str]]:
    """Return the page with today's values, and the expression of each number in order."""
    lookup = Lookup(project.store, parse_definitions(project.config.values))
    expressions: list[str] = []

    def value(match: re.Match[str]) -> str:
        expression, places, unit = match.groups()
        expressions.append(expression)
        run = "r8" if "run=r8 " in template else "r9"
        number = lookup_value(
            lookup, expression, run, agent="claude" if "where: agent=claude" in template else None
        )
        return format_number(
            number * 100 if unit == "%" and "100 *" not in expression else number,
            unit=unit,
            places=int(places),
        )

    return SLOT.sub(value, template), expressions


def table_template() -> str:
    """Return the page with a hand-written table."""
    return TABLE + "".join(ROW.format(label=label, arm=arm) for label, arm in ROWS)


SECOND = """---
title: Does an index pay?
benchctl:
  run: r9
  where: agent=claude
---
# Does an index pay?

We asked {question.distinct|0} questions of {repo.distinct|0} repositories. With claude, each arm was measured {count[arm=grep]|0} times.

## Tokens

The median cell consumed {total_tokens.median|0} tokens. For `index` the figure is **{total_tokens.median[arm=index]|0}**, for `hybrid`
**{total_tokens.median[arm=hybrid]|0}**; the most expensive graphify cell needed {total_tokens.max[arm=graphify]|0} tokens.
Compared with grep, index reads {ratio(total_tokens.median[arm=index], total_tokens.median[arm=grep])|2|x} the tokens.

> On average, grep writes {output_tokens.mean[arm=grep]|1} output tokens a cell, hybrid {output_tokens.mean[arm=hybrid]|1}.

## Time

Typical wall time was {wall_s.median[arm=grep]|2} s (grep), {wall_s.median[arm=index]|2} s (index) and {wall_s.median[arm=hybrid]|2} s (hybrid).
The 90th percentile of graphify's latency is {wall_s.p90[arm=graphify]|1} s, and its whole run took {wall_s.sum[arm=graphify]|0} seconds in total.

## Quality

Index reached a mean score of {score.mean[arm=index]|3} \u00b1 {score.sd[arm=index]|3}.
Of the {count[arm=grep]|0} grep cells {count[answered=true, arm=grep]|0} were answered; {count[failed=true]|0} cells failed overall.
In jinja2, the average score is {score.mean[repo=jinja2]|3}; in click it is {score.mean[repo=click]|3}.
On question q2, hybrid scored {score.mean[arm=hybrid, question=q2]|3}.
{answered_share(index)|1|%} of the index cells were answered.

!!! note
    The graphify arm made {tool_calls.sum[arm=graphify]|0} tool calls altogether; grep made {tool_calls.sum[arm=grep]|0}.

| Arm | Question | F1 |
|-----|----------|---:|
| grep | q1 | {score.macro[arm=grep, question=q1]|3} |
| grep | q2 | {score.macro[arm=grep, question=q2]|3} |
| hybrid | q1 | {score.macro[arm=hybrid, question=q1]|3} |

| | grep | index |
|---|---:|---:|
| median tokens | {total_tokens.median[arm=grep]|0} | {total_tokens.median[arm=index]|0} |
| mean score | {score.mean[arm=grep]|3} | {score.mean[arm=index]|3} |
"""

THIRD = """<!-- benchctl: run=r8 -->

# Results of the August run

Total spend aside, {count|0} trials were run by {agent.distinct|0} agents over {repo.distinct|0} projects.
`hybrid` wins on quality with a mean of {score.mean[arm=hybrid]|3} (grep: {score.mean[arm=grep]|3}; index: {score.mean[arm=index]|3}), and graphify is in between at {score.mean[arm=graphify]|3}.

1. Latency. The median cell of hybrid finishes after {wall_s.median[arm=hybrid]|1} s; the fastest graphify cell after {wall_s.min[arm=graphify]|1} s.
2. Volume. Index consumes {total_tokens.mean[arm=index]|0} tokens per cell on average, against {total_tokens.mean[arm=grep]|0} for grep.
3. Reliability. {count[failed=true]|0} cells failed, {count[failed=true, agent=codex]|0} of them with codex.

Codex took {wall_s.mean[agent=codex]|1} s on average and claude {wall_s.mean[agent=claude]|1} s.
For q3 the mean wall time was {wall_s.mean[question=q3]|1} s; grep alone needed {wall_s.mean[question=q3, arm=grep]|1} s.

Output tokens: mean {output_tokens.mean|1}, median {output_tokens.median|1}, max {output_tokens.max|0}.

In click, {100 * count[repo=click, answered=true] / count[repo=click]|1|%} of the cells were answered; in jinja2 {100 * count[repo=jinja2, answered=true] / count[repo=jinja2]|1|%}.

| Agent | cells | mean score | median wall, s | tool calls (total) |
|---|---|---|---|---|
| claude | {count[agent=claude]|0} | {score.mean[agent=claude]|3} | {wall_s.median[agent=claude]|1} | {tool_calls.sum[agent=claude]|0} |
| codex | {count[agent=codex]|0} | {score.mean[agent=codex]|3} | {wall_s.median[agent=codex]|1} | {tool_calls.sum[agent=codex]|0} |
"""
