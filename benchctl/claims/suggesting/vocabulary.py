"""Words of a page and what they are called in a run: metrics, statistics, things that are counted. Pure text.

A word is evidence, never proof: only a person knows what a sentence means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchctl.claims.more_and_less import COMPARATIVE, FALLING, RISING

__all__ = [
    "COUNTED",
    "FLAGS",
    "METRICS_SAID",
    "RATIO",
    "SOLVED",
    "STATISTICS_SAID",
    "Word",
    "explicit_in",
    "is_soft",
    "words_in",
]

METRICS_SAID: dict[str, str] = {
    "input_tokens": r"(?:input|prompt)[ _-]tokens?",
    "output_tokens": r"(?:output|completion|generated|written)[ _-]tokens?|tokens? written",
    "total_tokens": r"(?:total|all|content)[ _-]tokens?|tokens?|toks?",
    "wall_s": r"wall(?:[ _-]?(?:clock|time|s))?(?: time)?|latenc(?:y|ies)|run[ -]?times?|durations?|elapsed|times?(?! (?:as|more|fewer|less))|took|takes|seconds|minutes"
    r"|hours|slow(?:er|est)?|fast(?:er|est)?|quick(?:er|est)?|speed(?:[ -]?up)?s?",
    "cpu_s": r"(?:cpu|processor)(?:[ _-](?:times?|seconds|s))?",
    "cost_usd": r"costs?|costing|prices?|dollars?|usd|spen[dt]|spending|bills?|cheap(?:er|est)?|expensive",
    "score": r"scor(?:e|es|ed|ing)|f1|quality|accura(?:cy|te)|grades?|pass@1|(?:pass(?:ing)?|success|solve[ds]?|resolve[ds]?|resolution)[ -]?(?:rates?|%)"
    r"|% (?:solved|passed|passing|resolved|correct)|solved \(%\)|passed \(%\)|resolved \(%\)",
    "precision": r"precision|precise",
    "recall": r"recall",
    "tool_calls": r"tool[ _-]calls?|calls?",
    "attempts": r"attempts?|retries|tries",
    "answer_items": r"items? answered|answer[ _-]items?|answered items?",
    "gold_items": r"gold[ _-]items?|gold|items? expected|expected items?",
    "hit_items": r"hit[ _-]items?|hits?|items? found|found items?",
    "changed_files": r"changed[ _-]files?|files? changed",
    "stdout_bytes": r"standard output|stdout",
    "stderr_bytes": r"standard error|stderr",
}  # fmt: skip
"""Metric -> the words that name it. A longer phrase wins over a shorter one inside it."""

FLAGS: dict[str, str] = {
    "answered=true": r"answer(?:s|ed|ing)?|replied|repl(?:y|ies)|respond(?:ed|s)?|responses?",
    "failed=true": r"fail(?:s|ed|ing|ure|ures)?|crash(?:ed|es)?|errors?",
    "void=true": r"void(?:ed|s)?",
    "outcome=ok": r"succe(?:ss|sses|eded|eds?)|finished|completed?|ok|passed",
    "outcome=timeout": r"time-?outs?|timed[ -]out|ran out of time",
    "tool_calls>0": r"called a tool|used (?:a|its|the) tools?|tool use",
}
"""Condition on a cell -> the words that say that it holds."""

SOLVED: dict[str, str] = {
    "score=1": r"solv(?:e|es|ed|ing)|resolv(?:e|es|ed|ing)|pass(?:es|ed|ing)?|succe(?:ss|sses|ssful|ssfully|eded|eds?)|correct(?:ly)?",
    "score=0": r"unsolved|unresolved|incorrect(?:ly)?",
}
"""Condition on a graded cell -> the words of a benchmark for it, some of which may mean a flag as well."""

STATISTICS_SAID: dict[str, str] = {
    "median": r"medians?|typical(?:ly)?",
    "mean": r"means?|averag(?:e|es|ed|ing)|avg|on average",
    "macro": r"macro(?:[ -]?(?:mean|average))?",
    "p10": r"p10|10th percentile",
    "p25": r"p25|25th percentile",
    "p50": r"p50|50th percentile",
    "p75": r"p75|75th percentile",
    "p90": r"p90|90th percentile|slowest tenth",
    "p95": r"p95|95th percentile",
    "p99": r"p99|99th percentile",
    "sum": r"totals?|totall?ed|sum(?:med|s)?|in all|altogether|overall|all together|all told|combined|(?:whole|entire|full) (?:run|benchmark|suite|study)",
    "max": r"max(?:imum)?|slowest|longest|largest|most|highest|worst|peak|up to",
    "min": r"min(?:imum)?|fastest|quickest|shortest|smallest|fewest|lowest|least",
    "sd": r"sd|std|standard deviation|spread",
    "iqr": r"iqr|interquartile range",
    "q1": r"q1|lower quartile|first quartile",
    "q3": r"q3|upper quartile|third quartile",
}  # fmt: skip
"""Statistic -> the words that name it."""

COUNTED: dict[str, str] = {
    "count": r"cells?|rows?|runs?|trials?|samples?|measurements?",
    "question.distinct": r"questions?|tasks?|issues?|problems?",
    "arm.distinct": r"arms?|set-?ups?|variants?|configurations?|conditions?|modes?",
    "agent.distinct": r"agents?|harness(?:es)?",
    "model.distinct": r"(?:language )?models?|llms?",
    "repo.distinct": r"repositor(?:y|ies)|repos?|projects?|code ?bases?",
    "class.distinct": r"classes|kinds of question",
    "rep.distinct": r"rep(?:s|etitions?|eats?|licat(?:e|es|ions?))|times each",
}
"""What a number of things counts -> the noun behind it."""

RATIO: dict[str, str] = {
    "times": r"\u00d7|x(?![a-z])|times|fold|twice|ratios?|factor|relative|multiples?|speed-?ups?|slow-?downs?|vs\.?|versus|compared (?:to|with)|against",
    "change": rf"{COMPARATIVE}|{RISING}|{FALLING}|sav(?:e|es|ed|ing|ings)|reduc\w+|cuts?|increas\w+|decreas\w+|improv\w+"
    r"|chang\w+|(?:up|down) (?:from|by)|gains?|gained|loss(?:es)?|lost|overhead|extra|difference|points?",
}  # fmt: skip
"""How two values are compared -> the words for it."""


_SOFT = re.compile(
    r"typical(?:ly)?|slowest(?: tenth)?|longest|largest|most|highest|worst|peak|up to|fastest|quickest|shortest|smallest|fewest|lowest|least"
    r"|in all|altogether|overall|all together|all told|combined|spread|(?:whole|entire|full) .*",
    re.IGNORECASE | re.DOTALL,
)
"""Words that hint at a statistic, and may as well compare, or speak of everything."""
_NUMBER_BEFORE = re.compile(r"[0-9]\s?$")


@dataclass(frozen=True, slots=True)
class Word:
    """A name that a text says: the words, and where they stand in it."""

    name: str
    text: str
    start: int
    end: int


def words_in(text: str, table: Mapping[str, str]) -> list[Word]:
    """Return what a text says of a table, in order; of names that overlap the longest words win."""
    found = [
        Word(name, match[0], match.start(), match.end())
        for name, pattern in table.items()
        for match in re.finditer(rf"(?<![A-Za-z0-9])(?:{pattern})(?![A-Za-z0-9])", text, re.IGNORECASE)
    ]
    return _apart(sorted(found, key=lambda word: (word.start - word.end, word.start)))


def is_soft(word: Word) -> bool:
    """Whether a word for a statistic may as well compare, as `fastest` does, or speak of everything."""
    return _SOFT.fullmatch(word.text) is not None


def explicit_in(text: str) -> dict[str, str]:
    """Return statistic -> word for each that a text names outright: `median`, not `fastest`, nor the `total` of `total tokens`."""
    metrics = words_in(text, METRICS_SAID)
    return {
        word.name: word.text
        for word in words_in(text, STATISTICS_SAID)
        if not is_soft(word)
        and not (word.text == "min" and _NUMBER_BEFORE.search(text[: word.start]))  # minutes
        and all(word.end <= other.start or other.end <= word.start for other in metrics)
    }


def _apart(longest_first: Iterable[Word]) -> list[Word]:
    kept: list[Word] = []
    for word in longest_first:
        if all(word.end <= other.start or other.end <= word.start for other in kept):
            kept.append(word)
    return sorted(kept, key=lambda word: word.start)
