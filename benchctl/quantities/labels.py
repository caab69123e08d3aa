"""Numbers that label a place or a setting: told by the words and the line they stand in.

A bare number is no claim after "section", "line", "Python", "seed", "port",
"issue", at the head of a list item or a heading, in a table's column of ranks,
as `n = 30`, as a citation. The lists are closed on purpose: a number that no
rule knows stays a claim, and its page must say what it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchctl.quantities.fold import HARD_SPACE

__all__ = ["Line", "is_level", "label_of", "statistic_end"]

_BEFORE: dict[str, str] = {
    **dict.fromkeys(
        ("section", "sections", "sec", "chapter", "chapters", "appendix", "figure", "figures", "fig", "table", "tables", "eq",
         "equation", "step", "steps", "phase", "phases", "stage", "layer", "level", "tier", "part", "day", "week", "month",
         "chapter", "page", "pages", "question", "row", "column", "option", "example", "appendix", "rule", "rules", "note",
         "point", "floor", "volume", "vol", "experiment", "type", "generation", "defect", "defects", "task",
         "requirement", "milestone", "footnote", "theorem", "lemma", "algorithm", "listing", "scenario", "study"), "section"
    ),
    "\u2116": "rank",
    **dict.fromkeys(("line", "lines"), "fileline"),
    **dict.fromkeys(("issue", "issues", "pr", "prs", "bug", "ticket", "gh", "discussion", "pull"), "issue"),
    **dict.fromkeys(("port", "ports"), "port"),
    **dict.fromkeys(("rank", "ranked", "no", "nr", "number"), "rank"),
    **dict.fromkeys(
        ("python", "cpython", "pypy", "ubuntu", "debian", "fedora", "macos", "ios", "windows", "android", "java", "node",
         "ruby", "php", "perl", "kernel", "linux", "postgres", "postgresql", "mysql", "sqlite", "duckdb", "version",
         "versions", "release", "django", "claude", "opus", "sonnet", "haiku", "gemini", "llama", "qwen", "mistral", "gemma",
         "deepseek", "grok", "gcc", "clang", "llvm", "cuda", "mkdocs", "click", "numpy", "pandas", "polars", "pytest",
         "apache", "mit", "bsd", "gpl", "agpl", "html", "css", "http", "tls", "sarif", "utf", "x64", "amd64", "arm64", "aarch64",
         "x86_64"), "version"
    ),
    **dict.fromkeys(("rtx", "gtx", "rx", "sam", "xeon", "ryzen", "epyc", "core", "tesla", "gpt", "iso", "rfc", "pep", "cve",
                     "arxiv", "http", "error", "rtx", "titan", "iphone", "pixel", "apollo", "boeing"), "ident"),
    **dict.fromkeys(("seed", "temperature", "top_p", "top_k", "code", "exit", "status"), "param"),
    **dict.fromkeys(("ref", "refs", "reference", "references"), "footnote"),
}  # fmt: skip
_MONTHS = frozenset(
    [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
    ]
)
_YEAR_WORDS = frozenset(
    [
        "in",
        "since",
        "until",
        "by",
        "during",
        "from",
        "year",
        "copyright",
        "early",
        "mid",
        "late",
        "spring",
        "summer",
        "autumn",
        "fall",
        "winter",
    ]
)
_PLURAL_OR_VERSION = frozenset({"version", "fileline"})
_LIST_HEAD = re.compile(r"\s*(?:[>*+-]\s+)*\s*")
_LIST_TAIL = re.compile(r"[.)](?=\s|\Z)")
_HEADING = re.compile(r"[ >]{0,6}#{1,6}[ \t]+[*_]{0,3}")
_HEADING_TAIL = re.compile(r"[.):](?=\s|\Z)|\s+[*_`]{0,3}[A-Z]|\s*\Z|\s*\n")
_HEADING_WORD = re.compile(r"[ >]{0,6}#{1,6}[ \t]+[*_]{0,3}[A-Z][a-z]+[ ]")
_CITED = re.compile(r"\](?!\()")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_AFTER_YEAR = re.compile(
    r"[.,;:)\]!?]|\s*\Z|\s*\n|[ ](?:and|or|to|by|the|we|it|was|is|are|when|as|on|at|for|with|but|they|this|that|edition)(?![a-z])"
)
_PARAMETER = re.compile(
    r"(?<![A-Za-z0-9_-])(?:n|N|k|K|m|seed|temperature|temp|top_p|top_k|nprobe|ef|efSearch|efConstruction|batch|batch_size|bs|lr|max_tokens"
    r"|num_ctx|threads|workers|jobs|reps|rep|shots|epochs|dim|depth|beam|alpha|beta|gamma|eps|epsilon|sigma|lambda|timeout|retries"
    r"|width|height|quantization|hops|n_jobs|version|port|df|schema)(?P<gap>[ ]?)=[ ]?\Z"
)
_STATISTICS = frozenset({"F(", "t(", "r(", "z(", "Q(", "\u03c7(", "\u00b2("})
_STATISTIC = re.compile(r"(?P<freedom>[0-9][0-9., ]{0,20})\)\s?(?:[<>=\u2264\u2265])")
_LEVEL = re.compile(
    r"[ \u00a0-](?:CIs?|HDI|confidence|credible|interval|intervals|quantile|percentile)(?![A-Za-z0-9_])"
)
_ALONE = ("", " ", "\n", "`", "(")
_NEXT_IS_NAME = re.compile(r"[ *_]{0,8}\|[ *_`\[]{0,8}[A-Za-z]")


@dataclass(slots=True)
class Line:
    """What the scanner knows of the line a number stands on."""

    start: int = 0
    last_rank: int = 0
    rank_line: int = -1

    def move_to(self, flat: str, position: int, at: int) -> None:
        """Advance to the line that holds `at`; `position` is where the scanner last looked."""
        newline = flat.rfind("\n", max(position, self.start), at)
        if newline >= 0:
            self.start = newline + 1


def label_of(flat: str, start: int, stop: int, end: int, line: Line) -> str:
    """Return the not-claim kind of the bare figures `flat[start:stop]`, told by their surroundings; "" for a claim."""
    before = flat[start - 1] if start else "\n"
    if before == "=" or (before == " " and flat[start - 2 : start - 1] == "="):
        if flat[start - 2 : start] == "==" and flat[start - 3 : start - 2].isalnum():
            return "version"
        return "param" if _PARAMETER.search(flat, max(0, start - 20), start) else ""
    if before == ":" and flat[start - 2 : start - 1] in _ALONE and 1 < stop - start < 6:
        return "port"
    if before == "[" and _CITED.match(flat, stop, end) and stop - start < 4:
        return "footnote"
    if before in "\u00a7^" or flat[start - 5 : start] == "<sup>":
        return _after_opening(flat, before, stop)
    return (
        _by_line(flat, start, stop, end, line)
        or _by_word(flat, start, stop, end)
        or _by_length(flat, start, stop)
    )


def is_level(flat: str, stop: int, end: int) -> bool:
    """Say whether a percent that ends at `stop` is the level of an interval: "95% CI"."""
    return _LEVEL.match(flat, stop, end) is not None


def statistic_end(flat: str, at: int, end: int) -> int:
    """Return the end of the degrees of freedom that start at `at` in `F(1, 138) < 1`; `at` where there are none."""
    before = flat[max(0, at - 3) : at - 2]
    named = flat[at - 2 : at] in _STATISTICS and (not before.isalnum() or before == "\u03c7")
    match = _STATISTIC.match(flat, at, end) if named else None
    return at if match is None else match.end("freedom")


def _after_opening(flat: str, before: str, stop: int) -> str:
    if before == "\u00a7":
        return "section"
    return "footnote" if flat[stop : stop + 1] in ("]", "<") else ""


def _by_line(flat: str, start: int, stop: int, end: int, line: Line) -> str:
    if start - line.start > 60:
        return ""
    head = flat[line.start : start]
    if _LIST_HEAD.fullmatch(head):
        return "list" if _LIST_TAIL.match(flat, stop, end) else ""
    if "#" in head and (
        (_HEADING.fullmatch(head) and _HEADING_TAIL.match(flat, stop, end))
        or (_HEADING_WORD.fullmatch(head) and flat[stop : stop + 1] == ":")
    ):
        return "section"
    return _rank(flat, start, stop, end, line) if head.strip(" *_") == "|" else ""


def _rank(flat: str, start: int, stop: int, end: int, line: Line) -> str:
    """Tell the column of ranks: 1, 2, 3 ... as the first cells of a table's rows, before a name."""
    digits = flat[start:stop]
    if not digits.isdigit() or len(digits) > 4 or not _NEXT_IS_NAME.match(flat, stop, end):
        return ""
    follows = line.rank_line >= 0 and flat.count("\n", line.rank_line, line.start) == 1
    expected = line.last_rank + 1 if follows else 1
    if int(digits) != expected:
        return ""
    line.last_rank, line.rank_line = expected, line.start
    return "rank"


def _by_word(flat: str, start: int, stop: int, end: int) -> str:
    word, gap = _word_before(flat, start)
    if not word:
        return ""
    lower = word.lower()
    digits = flat[start:stop]
    if (
        lower in _MONTHS
        and (word[0].isupper() or _YEAR.fullmatch(digits))
        and digits.isdigit()
        and len(digits) in (1, 2, 4)
    ):
        return "datetime"
    if _YEAR.fullmatch(digits) and lower in _YEAR_WORDS and _AFTER_YEAR.match(flat, stop, end):
        return "datetime"
    label = _BEFORE.get(lower, "")
    if (
        lower in ("no", "nr")
        and flat[start - 2 : start - 1] != "."
        and flat[start - 1] != "."
        and "\u2116" not in word
    ):
        return ""
    if label in ("version", "ident") and not (
        word[0].isupper() or lower in ("version", "x64", "amd64", "arm64") or "." in digits
    ):
        return ""
    return label if gap or label == "rank" else ""


def _word_before(flat: str, start: int) -> tuple[str, bool]:
    at = start - 1
    if at >= 0 and flat[at] == "\u2116":
        return "\u2116", True
    while at >= 0 and start - at < 4 and flat[at] in " .\n*(>=~<\u2265" + HARD_SPACE:
        at -= 1
    stop = at + 1
    while at >= 0 and stop - at < 16 and (flat[at].isalnum() or flat[at] in "_\u2116"):
        at -= 1
    return flat[at + 1 : stop], stop < start


def _by_length(flat: str, start: int, stop: int) -> str:
    """Tell an id from a count: ten and more digits that nobody grouped for a reader."""
    return "ident" if stop - start >= 10 and flat[start:stop].isdigit() else ""
