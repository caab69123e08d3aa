"""Numbers that label a place or a setting: told by the words and the line they stand in.

A bare number is no claim after "section", "line", "Python", "seed", "port",
"issue", at the head of a list item or a heading, in a table's column of ranks,
as `n = 30`, as a citation. The lists are closed on purpose: a number that no
rule knows stays a claim, and its page must say what it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchctl.quantities.fold import WALL
from benchctl.quantities.references import counts_follow, reference_of, required_version
from benchctl.quantities.vocabulary import NAMING

__all__ = ["Line", "is_level", "label_of", "statistic_end"]

_LIST_HEAD = re.compile(rf"[\s{WALL}]*(?:[>*+-][ \t]+)*")
_LIST_TAIL = re.compile(r"[.)](?=\s|\Z)")
_HEADING = re.compile(r"[ >]{0,6}#{1,6}[ \t]+[*_]{0,3}")
_HEADING_TAIL = re.compile(r"[.):](?=\s)(?!\s*(?:[\n\u2029]|\Z))|[ \t]+[*_`]{0,3}[A-Z]")
_SECTION_NUMBER = re.compile(r"[1-9][0-9]?(?:\.[0-9]{1,2}){0,3}")
_HEADING_WORD = re.compile(r"[ >]{0,6}#{1,6}[ \t]+[*_]{0,3}[A-Z][a-z]+[ ]")
_EQUATION = re.compile(r"(?<![A-Za-z])(?:Eqs?\.?|eqs?\.?|[Ee]quations?)[ \u00a0]\(\Z")
_NUMBER_OF_EQUATION = re.compile(r"[0-9]{1,3}[a-z]?")
_PARTS = frozenset("章节節条條图圖表页頁步卷部课課")
_CITED = re.compile(r"\](?!\()")
_PARAMETER = re.compile(
    r"(?<![A-Za-z0-9_'-])(?:(?P<whole>n|N|k|K|m|seed)|temperature|temp|top_p|top_k|nprobe|ef|efSearch|efConstruction|batch|batch_size|bs|lr|max_tokens"
    r"|num_ctx|threads|workers|jobs|reps|rep|shots|epochs|dim|depth|beam|\u03b1|alpha|beta|gamma|eps|epsilon|sigma|lambda|timeout|retries"
    r"|width|height|quantization|hops|n_jobs|version|port|df|schema)(?P<gap>[ ]?)=[ ]?\Z"
)
_OUTCOME = re.compile(
    r"[ \u00a0\n](?:of (?:them|these|those|which) )?(?:failed|passed|solved|answered|timed out|succeeded|won|lost|correct|wrong|void|wins|losses)(?![A-Za-z_-])"
)
_PINNED = re.compile(r"[1-9][0-9]?\.[0-9]{1,2}")
_PIN = re.compile(r"(?P<name>(?<![A-Za-z0-9_])[A-Za-z0-9_.-]{1,20})[~=]=\Z")
_RESULTS = (
    "score",
    "mean",
    "median",
    "recall",
    "precision",
    "accuracy",
    "latency",
    "cost",
    "total",
    "sum",
    "max",
    "min",
    "f1",
)
_STATISTICS = frozenset({"F(", "t(", "r(", "z(", "Q(", "\u03c7(", "\u00b2("})
_STATISTIC = re.compile(r"(?P<freedom>[0-9][0-9., ]{0,20})\) ?(?:[<>=\u2264\u2265])")
_LEVEL = re.compile(
    r"[ \u00a0-](?:CIs?|HDI|confidence|credible|interval|intervals|quantile|percentile)(?![A-Za-z0-9_])"
)
_LONGEST_ITEM = 9
_LONGEST_COUNT = 10
_LISTENS = re.compile(
    rf"(?:\A|[\n`({WALL}]|(?<![A-Za-z])(?:on|at|to|from|via|ports?|localhost|listens|binds|and|or)[ ])[*_]{{0,2}}:\Z",
    re.IGNORECASE,
)
_NEXT_IS_NAME = re.compile(r"[ *_]{0,8}\|[ *_`\[]{0,8}[A-Za-z]")


@dataclass(slots=True)
class Line:
    """What the scanner knows of the line a number stands on."""

    start: int = 0
    opens: bool = True
    item: int = -1
    last_rank: int = 0
    rank_line: int = -1

    def move_to(self, flat: str, position: int, at: int) -> None:
        """Advance to the line that holds `at`; `position` is where the scanner last looked."""
        since = max(position, self.start)
        newline, wall = flat.rfind("\n", since, at), flat.rfind(WALL, since, at)
        if wall >= 0:
            self.item = -1
            self.opens = wall > newline
            self.start = (wall if self.opens else newline) + 1
        elif newline >= 0:
            self.opens = self.opens and not flat[self.start : newline].strip(" \t\r>")
            self.start = newline + 1


def label_of(flat: str, start: int, stop: int, end: int, line: Line) -> str:
    """Return the not-claim kind of the bare figures `flat[start:stop]`, told by their surroundings; "" for a claim."""
    before = flat[start - 1] if start else "\n"
    if before == " ":
        earlier = flat[start - 2 : start - 1]
        if earlier == "=":
            return _by_equals(flat, start, stop)
        if earlier == "\u00a7":
            return "section"
    elif before == "=":
        return _by_equals(flat, start, stop)
    elif before in "(:[\u00a7^\u7b2c" or flat[start - 5 : start] == "<sup>":
        opened = _by_opening(flat, before, start, stop, end)
        if opened or before not in "(:[":
            return opened
    return _by_line(flat, start, stop, end, line) or reference_of(flat, start, stop, end)


def _by_equals(flat: str, start: int, stop: int) -> str:
    pinned = _PIN.search(flat, max(0, start - 24), start)
    if pinned and pinned["name"]:
        return _by_pin(pinned["name"].lower(), flat[start:stop])
    parameter = _PARAMETER.search(flat, max(0, start - 20), start)
    if parameter is None:
        return required_version(flat, start, flat[start:stop])
    counted = counts_follow(flat, stop, len(flat)) or _OUTCOME.match(flat, stop)
    if counted:
        return ""  # "reps = 977 cells" counts
    return "" if parameter["whole"] and not flat[start:stop].replace(",", "").isdigit() else "param"


def _by_pin(name: str, digits: str) -> str:
    """Tell a pinned release (`numpy==2`, `pkg==1.10`) and a variable (`a==1`) from a result (`cells==48`)."""
    if len(name) == 1 or name in NAMING:
        return "" if digits[0] == "0" else "version"
    return "version" if _PINNED.fullmatch(digits) and not name.endswith(_RESULTS) else ""


def _by_opening(flat: str, before: str, start: int, stop: int, end: int) -> str:
    """Tell ports, citations, equations and footnotes, and what follows a section sign or a \u7b2c."""
    if before == "\u7b2c":
        return "section" if flat[stop : stop + 1] in _PARTS else "ordinal"
    if before == "(":
        named = _EQUATION.search(flat, max(0, start - 12), start) and flat[stop : stop + 1] == ")"
        return "section" if named and _NUMBER_OF_EQUATION.fullmatch(flat, start, stop) else ""
    if before == ":":
        is_port = (
            1 < stop - start < 6
            and flat[start:stop].isdigit()
            and _LISTENS.search(flat, max(0, start - 12), start)
        )
        return "port" if is_port else ""
    if before == "[":
        return (
            "footnote"
            if _CITED.match(flat, stop, end) and stop - start < 4 and flat[start:stop].isdigit()
            else ""
        )
    if before == "\u00a7":
        return "section"
    return "footnote" if flat[stop : stop + 1] in ("]", "<") else ""


def is_level(flat: str, stop: int, end: int) -> bool:
    """Say whether a percent that ends at `stop` is the level of an interval: "95% CI"."""
    return _LEVEL.match(flat, stop, end) is not None


def statistic_end(flat: str, at: int, end: int) -> int:
    """Return the end of the degrees of freedom that start at `at` in `F(1, 138) < 1`; `at` where there are none."""
    before = flat[max(0, at - 3) : at - 2]
    named = flat[at - 2 : at] in _STATISTICS and (not before.isalnum() or before == "\u03c7")
    match = _STATISTIC.match(flat, at, end) if named else None
    return at if match is None else match.end("freedom")


def _by_line(flat: str, start: int, stop: int, end: int, line: Line) -> str:
    if start - line.start > 60:
        return ""
    head = flat[line.start : start]
    if flat[stop : stop + 1] in (".", ")") and _LIST_HEAD.fullmatch(head):
        return _item(flat, start, stop, line) if _LIST_TAIL.match(flat, stop, end) else ""
    if "#" in head:
        return _heading(flat, head, start, stop, end)
    return _rank(flat, start, stop, end, line) if head.strip(" *_") == "|" else ""


def _item(flat: str, start: int, stop: int, line: Line) -> str:
    """Tell a list number from a wrapped line: it opens a block, goes on a list, or is 1.

    What is indented as far as an item's own text is that text.
    """
    digits = flat[start:stop]
    indent = start - line.start
    if not digits.isdigit() or len(digits) > _LONGEST_ITEM:
        return ""
    if not (line.opens or digits == "1" or flat[line.start : start].strip(" \t>") or indent <= line.item):
        return ""
    line.item = indent + len(digits)
    return "list"


def _heading(flat: str, head: str, start: int, stop: int, end: int) -> str:
    """Tell the number of a heading: `# 3. Results`, `## 2.1 Setup`, `# Part 2: x`, but not `# 48 Cells`."""
    numbered = _HEADING.fullmatch(head) and _HEADING_TAIL.match(flat, stop, end)
    named = _HEADING_WORD.fullmatch(head) and flat[stop : stop + 1] == ":"
    if not (numbered or named) or not _SECTION_NUMBER.fullmatch(flat, start, stop):
        return ""
    return "" if counts_follow(flat, stop, end, title=True) else "section"


def _rank(flat: str, start: int, stop: int, end: int, line: Line) -> str:
    """Tell the column of ranks: 1, 2, 3 ... as the first cells of a table's rows, before a name."""
    digits = flat[start:stop]
    if len(digits) >= _LONGEST_COUNT and digits.isdigit() and flat[stop : stop + 2].strip(" ") == "|":
        return "ident"  # the key of a row: nobody leaves a count of that size ungrouped
    if not digits.isdigit() or len(digits) > 4 or not _NEXT_IS_NAME.match(flat, stop, end):
        return ""
    follows = line.rank_line >= 0 and flat.count("\n", line.rank_line, line.start) == 1
    expected = line.last_rank + 1 if follows else 1
    if int(digits) != expected:
        return ""
    line.last_rank, line.rank_line = expected, line.start
    return "rank"
