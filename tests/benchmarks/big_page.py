"""A page of any size that is true of `big_store`'s run: tables by question, and sentences that bind their numbers."""

import random

from benchctl.quantities.format import format_number
from benchctl.store.sql.query import query_sql

_PROSE = (
    "The harness reads the corpus once and keeps what the agent wrote; a cell that fails keeps its time, and its "
    "score is nothing. What follows was read off the rows, not remembered: see [the method](method.md) and `run.json`. "
)
_COLUMNS = {
    "tokens": ("total_tokens.median", 0),
    "wall (s)": ("wall_s.median", 2),
    "score": ("score.mean", 3),
    "ok": ("count[outcome=ok]", 0),
    "cells": ("count", 0),
}
_SQL = """
select question, arm, median(total_tokens), median(wall_s), avg(score), count(*) filter (outcome = 'ok'), count(*)
from cells where run = 'run-0000' group by all order by question, arm
"""


def _row(values):
    return [
        format_number(value, places=places)
        for value, (_, places) in zip(values, _COLUMNS.values(), strict=True)
    ]


def _table(arm, rows):
    columns = " ".join(f'"{name}"={expression}' for name, (expression, _) in _COLUMNS.items())
    lines = [f"<!--claims:table by=question rows=subset {columns} -->", ""]
    lines = [f'<!-- benchctl: run=run-0000 where="arm={arm}" -->', "", *lines]
    lines += ["| question | " + " | ".join(_COLUMNS) + " |", "|---" * (len(_COLUMNS) + 1) + "|"]
    lines += [f"| {question} | {' | '.join(_row(values))} |" for question, values in rows]
    return lines


def _sentence(question, arm, values):
    tokens, _, score, ok, cells = _row(values)
    at = f"question={question}, arm={arm}"
    return (
        f"On {question} the arm {arm} took {tokens}<!--= total_tokens.median[{at}] --> tokens and scored "
        f"**{score}**<!--= score.mean[{at}] -->: {ok} of {cells}<!--= count[{at}, outcome=ok]; count[{at}] --> ended."
    )


def write_page(store, *, numbers, size, seed=1):
    """Return a page of about `size` characters that binds about `numbers` numbers, a third of them in sentences."""
    random.seed(seed)
    found = [(row[0], row[1], row[2:]) for row in _answers(store)]
    random.shuffle(found)
    lines = ["---", "benchctl:", "  run: run-0000", "---", "# A large page", ""]
    in_tables, per_table = numbers * 2 // 3, 28
    position = 0
    for number in range(max(1, in_tables // (per_table * len(_COLUMNS)))):
        arm = ("grep", "index", "graph", "none")[number % 4]
        rows = [(question, values) for question, has, values in found if has == arm]
        chosen = rows[(number // 4 * per_table) % len(rows) :][:per_table]
        lines += [f"## Part {'abcdefghij'[number % 10]}", "", *_table(arm, chosen), ""]
    lines += ["# In sentences", ""]
    for position in range((numbers - in_tables) // 4):
        question, arm, values = found[position % len(found)]
        lines += [_sentence(question, arm, values), ""]
    text = "\n".join(lines)
    fill = max(0, size - len(text)) // len(_PROSE)
    paragraphs = "\n\n".join(_PROSE * 4 for _ in range(fill // 4))
    return f"{text}\n## Prose\n\n{paragraphs}\n"


def _answers(store):
    return [tuple(row) for row in query_sql(store, _SQL).rows]
