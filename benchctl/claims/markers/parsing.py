"""The comments of a page that bind its numbers: read strictly, so that none is overlooked.

Whatever begins like one of ours and does not parse is a problem of the page. Generated blocks
(`benchctl:begin`, `benchctl:end`) belong to `report.stamp`, charts (`benchctl:chart`) to `markers.charts`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from benchctl.claims.markers.grammar import GrammarError, Source, label_map, options, split_outside
from benchctl.claims.markers.nouns import (
    Assertion,
    Binding,
    Declaration,
    Exemption,
    Inline,
    Key,
    Listed,
    ListItem,
    Retraction,
    TableBinding,
)
from benchctl.claims.reading.inline import Problem
from benchctl.claims.reading.page import Comment, Page
from benchctl.schema.names import RUN_ID

__all__ = ["read_bindings", "read_declaration"]


_MOST_RUNS = 100
_SEMICOLON = re.compile(";")
_OF = re.compile(r";|\s+of\s+")
_EQUALS = re.compile(r"\s=\s")
_COMMA = re.compile(",")
_NONE = re.compile(r"none(?:[\s,:;\u2014\u2013-]+(?P<reason>\S.*))?", re.DOTALL)
_REASON = re.compile(r"reason\s*[=:]\s*(?:\"([^\"]*)\"|'([^']*)'|(.*))", re.DOTALL)
_OURS = re.compile(
    r"\s*(?P<word>benchctl|claims|assert|exempt|retracted|=)(?P<rest>.*)", re.IGNORECASE | re.DOTALL
)
_LIKE_OURS = re.compile(r"\s*(?P<word>[A-Za-z]+)\s*[:=]")
_STAMP = re.compile(r"\s*benchctl\s*:\s*(?:begin|end|chart)(?![A-Za-z0-9])", re.IGNORECASE)
_MISSPELT = re.compile(
    r"benchct|benchctrl|benchclt|bencctl|claim|cliams|calims|asserts|assertion|asert|assret"
    r"|exmpt|exempts|exemption|exept|retract|retraction|retracts|retrated|expr",
    re.IGNORECASE,
)


def read_bindings(page: Page) -> tuple[list[Binding], list[Problem]]:
    """Return the bindings of a page in order, and every comment that looks like one and is none."""
    bindings: list[Binding] = []
    problems: list[Problem] = []
    for comment in page.comments:
        if _STAMP.match(comment.text):
            continue
        try:
            binding = _read(comment)
        except GrammarError as error:
            problems.append(Problem(error.position, comment.end, error.what, f"write {error.expected}"))
            continue
        if binding is not None:
            bindings.append(binding)
    return bindings, problems


def _read(comment: Comment) -> Binding | None:
    ours = _OURS.match(comment.text)
    if not ours:
        like = _LIKE_OURS.match(comment.text)
        if like and _MISSPELT.fullmatch(like["word"]):
            what = f"`{like['word']}` is no marker"
            raise GrammarError(comment.start, what, "benchctl, claims, =, assert, exempt or retracted")
        return None
    for forbidden in ("|", "](", "--"):
        if forbidden in comment.text:
            what = f"the comment holds `{forbidden}`, which some renderers read as markup"
            raise GrammarError(comment.start, what, "the binding without it")
    rest = Source(ours["rest"], comment.start + 4 + ours.start("rest"))
    word = ours["word"]
    if word not in _READERS:
        raise GrammarError(comment.start, f"`{word}` is not written in small letters", f"`{word.lower()}`")
    return _READERS[word](comment, rest)


def _after_colon(rest: Source, example: str) -> Source:
    if not rest.text.startswith(":") or not rest.text[1:].strip():
        raise GrammarError(rest.start, "this marker is incomplete", example)
    return rest.cut(1, len(rest.text))


def _expressions(source: Source, separator: re.Pattern[str]) -> tuple[Source, ...]:
    found = tuple(split_outside(source, separator))
    for piece in found:
        if not piece.text:
            raise GrammarError(piece.start, "an expression is missing", "one expression for each number")
    return found


def _drafted(rest: Source) -> tuple[Source, bool]:
    """Return what follows a marker's word without the `?` of a draft, and whether there was one."""
    return (rest.cut(1, len(rest.text)), True) if rest.text.startswith("?") else (rest, False)


def _inline(comment: Comment, rest: Source) -> Inline:
    rest, draft = _drafted(rest)
    return Inline(comment.start, comment.end, _expressions(rest.cut(0, len(rest.text)), _SEMICOLON), draft)


def _assertion(comment: Comment, rest: Source) -> Assertion:
    rest, draft = _drafted(rest)
    body = _after_colon(rest, "<!--assert: score.mean[arm=a] >= score.mean[arm=b] -->")
    return Assertion(comment.start, comment.end, body, draft)


def _exemption(comment: Comment, rest: Source) -> Exemption:
    reason = _after_colon(rest, "<!--exempt: the reason why this is no result -->")
    if not re.search(r"\w", reason.text):
        raise GrammarError(rest.start, "the reason says nothing", "the reason in words")
    return Exemption(comment.start, comment.end, reason.text)


def _retraction(comment: Comment, rest: Source) -> Retraction:
    if not rest.text.strip():
        return Retraction(comment.start, comment.end)
    return Retraction(
        comment.start, comment.end, _after_colon(rest, "<!--retracted --> or <!--retracted: expr -->")
    )


def _claims(comment: Comment, rest: Source) -> Binding:
    if not comment.alone:
        raise GrammarError(
            comment.start, "this binding shares its line", "it alone on its line, above what it binds"
        )
    if table := re.match(r":table(?P<draft>\??)(?=\s|$)", rest.text):
        binding = _table(comment, rest.cut(table.end(), len(rest.text)))
        return replace(binding, draft=bool(table["draft"]))
    rest, draft = _drafted(rest)
    if draft and rest.text.startswith(":table"):
        raise GrammarError(rest.start, "the `?` of a draft stands in the wrong place", "claims:table? by=…")
    body = _after_colon(
        rest, "<!--claims: 2.0x = expr; 18 = expr --> or <!--claims:table by=… header=expr -->"
    )
    if re.match(r"\w+(?![\w.])(?! *=)", body.text) and rest.text[1:2].isalpha():
        raise GrammarError(
            rest.start, f"`claims{rest.text.split()[0]}` is no marker", "claims: or claims:table"
        )
    items = tuple(_item(piece) for piece in _expressions(body, _SEMICOLON))
    return Listed(comment.start, comment.end, items, draft)


def _item(piece: Source) -> ListItem:
    sides = split_outside(piece, _EQUALS)
    if len(sides) < 2 or not sides[0].text:
        raise GrammarError(
            piece.start, f"`{piece.text}` binds nothing", "number = expression, spaces around the `=`"
        )
    expression = piece.cut(sides[1].start - piece.start, len(piece.text))
    if sides[0].text != "_":
        return ListItem(sides[0], expression)
    reason = expression.text.strip("\"'").strip()
    if expression.text[:1] not in {'"', "'"} or not reason:
        raise GrammarError(piece.start, "an exempt number needs a reason in quotes", '_ = "the reason"')
    return ListItem(sides[0], None, reason)


def _table(comment: Comment, rest: Source) -> TableBinding:
    keys: tuple[Key, ...] = ()
    columns: dict[str, tuple[Source, ...]] = {}
    subset = False
    seen: set[str] = set()
    for option in options(rest):
        name = f'"{option.name}"' if option.quoted else option.name
        if name in seen or option.name in columns:
            raise GrammarError(option.start, f"{name} stands twice", "each header once")
        seen.add(name)
        if name == "by":
            keys = tuple(_key(piece) for piece in split_outside(option.value, _COMMA))
        elif name == "rows":
            if option.value.text != "subset":
                raise GrammarError(option.value.start, f"rows={option.value.text} is unknown", "rows=subset")
            subset = True
        else:
            columns[option.name] = _expressions(option.value, _OF)
    if not keys or not columns:
        missing = "by=" if not keys else "a column"
        raise GrammarError(
            comment.start, f"the table binding lacks {missing}", "by=arm and header=expression"
        )
    if len({key.column for key in keys}) < len(keys):
        raise GrammarError(comment.start, "a key stands twice in by=", "each column once")
    return TableBinding(comment.start, comment.end, keys, tuple(columns.items()), subset)


def _key(piece: Source) -> Key:
    found = re.fullmatch(r"(?P<column>[^\s{}]+)\s*(?:\{(?P<labels>.*)\})?", piece.text, re.DOTALL)
    if not found:
        raise GrammarError(piece.start, f"`{piece.text}` is no key", 'by=arm or by=arm{"Plain grep"=grep}')
    labels = piece.cut(*found.span("labels")) if found["labels"] is not None else None
    return Key(found["column"], label_map(labels) if labels else {})


def _declaration(comment: Comment, rest: Source) -> Declaration:
    body = _after_colon(
        rest, '<!-- benchctl: run=ID also=ID where="arm=grep" --> or <!-- benchctl: none: reason -->'
    )
    if not comment.alone:
        raise GrammarError(comment.start, "a declaration shares its line", "it alone on its line")
    if none := _NONE.fullmatch(body.text):
        return _without_run(comment.start, comment.end, none["reason"])
    values: dict[str, Source] = {}
    for option in options(body):
        if option.name not in ("run", "also", "where") or option.quoted:
            raise GrammarError(
                option.start, f"`{option.name}` is no part of a declaration", "run=, also= or where="
            )
        if option.name in values:
            raise GrammarError(option.start, f"`{option.name}` stands twice", "each once")
        values[option.name] = option.value
    if "run" not in values:
        raise GrammarError(comment.start, "the declaration names no run", "run=ID")
    also = split_outside(values["also"], _COMMA) if "also" in values else []
    return read_declaration(comment.start, comment.end, values["run"], tuple(also), values.get("where"))


def _without_run(start: int, end: int, written: str | None) -> Declaration:
    worded = _REASON.fullmatch((written or "").strip())
    reason = next((group for group in worded.groups() if group is not None), "") if worded else written or ""
    if not re.search(r"\w", reason):
        raise GrammarError(
            start, "`benchctl: none` gives no reason", "`benchctl: none` and why the page has no result"
        )
    return Declaration(start, end, none=reason.strip().strip("\"'"))


def read_declaration(
    start: int, end: int, run: Source, also: tuple[Source, ...], where: Source | None
) -> Declaration:
    """Return a declaration. Raises GrammarError for what cannot be a run id; "latest" is none."""
    if len(also) > _MOST_RUNS:
        raise GrammarError(also[_MOST_RUNS].start, "too many runs", f"at most {_MOST_RUNS} in `also`")
    for source in (run, *also):
        if not RUN_ID.fullmatch(source.text) or source.text.lower() == "latest":
            what = f"`{source.text}` is no run id" + ("; a page names its run" if source.text else "")
            raise GrammarError(source.start, what, "the id of one run")
    return Declaration(start, end, run.text, tuple(source.text for source in also), where)


_READERS: dict[str, Callable[[Comment, Source], Binding]] = {
    "benchctl": _declaration,
    "claims": _claims,
    "=": _inline,
    "assert": _assertion,
    "exempt": _exemption,
    "retracted": _retraction,
}
