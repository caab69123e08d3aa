"""Numbers with brackets that number the parts of a sentence: "(1) grep is cheap, (2) the graph is dear", "1) a; 2) b".

They are told by their sequence, from 1 on inside one block, and by what stands around each: a word behind it,
and before it a mark or a joining word (which the first does not need where its bracket opens). "grep failed (1)
and graphify failed (2)" counts.
"""

from __future__ import annotations

import re
from dataclasses import replace

from benchctl.quantities.fold import WALL
from benchctl.quantities.tokens import Token

__all__ = ["mark_enumerations"]

_JOINED = re.compile(
    rf"(?:(?:\A|[\n{WALL}])[ >*+-]*|[:;,.\u2014\u2013][ \n]|[:;\uff1a\u3001\u3002\uff0c]|(?<![a-z])(?:and|or)[ \n]|\u548c)\(?\Z"
)
_FOLLOWED = re.compile(r"\)(?:[ \n][*_`]{0,3}[A-Za-z]|[\u3040-\u9fff])")
_REACH = 24
_BRACKET_REACH = 80
_FEWEST = 2


def mark_enumerations(flat: str, tokens: list[Token]) -> list[Token]:
    """Return the tokens, those that number the parts of a sentence as kind "list"."""
    marked = tokens
    series: list[int] = []
    for index, token in enumerate(tokens):
        if (
            flat[token.end : token.end + 1] != ")"
            or not token.text.isdigit()
            or not _numbers_a_part(flat, token)
        ):
            continue
        expected = str(len(series) + 1)
        apart = bool(series) and WALL in flat[tokens[series[-1]].end : token.start]
        if token.text != expected or apart:
            series = []
        opened = flat[token.start - 1 : token.start] == "("
        if token.text == str(len(series) + 1) and ((opened and not series) or _goes_on(flat, token)):
            series.append(index)
        if len(series) >= _FEWEST:
            marked = list(tokens) if marked is tokens else marked
            for part in series if len(series) == _FEWEST else series[-1:]:
                marked[part] = replace(marked[part], kind="list", unit="", cmp="=")
    return marked


def _numbers_a_part(flat: str, token: Token) -> bool:
    if token.kind != "number" or _FOLLOWED.match(flat, token.end) is None:
        return False
    return flat[token.start - 1 : token.start] == "(" or not _is_inside(flat, token.start)


def _is_inside(flat: str, at: int) -> bool:
    """Say whether a bracket stands open before `at`: "(grep, 1) and" closes one that did not number anything."""
    lowest = max(0, at - _BRACKET_REACH)
    return flat.rfind("(", lowest, at) > flat.rfind(")", lowest, at)


def _goes_on(flat: str, token: Token) -> bool:
    return _JOINED.search(flat, max(0, token.start - _REACH), token.start) is not None
