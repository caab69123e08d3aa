"""What a header or a noun speaks of: time, tokens, money, a score; and which way of it is better.

Words alone, no data. A word that is not known here has no topic, and nothing is concluded from it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Literal

from benchctl.quantities.units import family

__all__ = [
    "KINDS",
    "METRIC_OF",
    "NARROWER",
    "SHARES",
    "WHOLES",
    "Better",
    "Topic",
    "better_of",
    "is_general",
    "is_share",
    "singular",
    "topic_of",
    "words_of",
]

Topic = Literal["time", "tokens", "money", "score", "rate", "memory", "failures", "answers", "calls"]
Better = Literal["higher", "lower"]

_WORD = re.compile(r"[^\W_]+")
_PER = re.compile(
    r"\b(?:per|/)\s*(?:s|sec|second|min|minute|h|hour)\b|/\s*(?:s|sec|min|h)\b|\bthroughput\b|\bqps\b|\brps\b|\btps\b"
)
_LONGEST = 200
_ARROWS: dict[str, Better] = {"\u2191": "higher", "\u2b06": "higher", "\u2193": "lower", "\u2b07": "lower"}

_TOPICS: dict[str, Topic] = {
    **dict.fromkeys(
        ("time", "wall", "latency", "duration", "elapsed", "runtime", "second", "minute", "walltime"), "time"
    ),
    **dict.fromkeys(("token", "tok"), "tokens"),
    **dict.fromkeys(("cost", "price", "usd", "dollar", "spend", "spending"), "money"),
    **dict.fromkeys(
        ("score", "f1", "accuracy", "acc", "precision", "recall", "mrr", "ndcg", "quality", "correctness"), "score"
    ),
    **dict.fromkeys(("memory", "rss", "ram"), "memory"),
    **dict.fromkeys(("failed", "failure", "error", "timeout", "fail", "crash", "crashed"), "failures"),
    **dict.fromkeys(("answered", "answer", "solved", "resolved", "passed"), "answers"),
    **dict.fromkeys(("call", "toolcall"), "calls"),
}  # fmt: skip
_BETTER: dict[Topic, Better] = {
    "time": "lower", "tokens": "lower", "money": "lower", "memory": "lower", "failures": "lower",
    "score": "higher", "rate": "higher", "answers": "higher",
}  # fmt: skip
KINDS: dict[str, Topic] = {"time": "time", "money": "money", "tokens": "tokens"}
"""Family of units, or kind of metric -> what it speaks of."""
METRIC_OF: dict[Topic, str] = {
    "time": "wall_s", "tokens": "total_tokens", "money": "cost_usd", "score": "score",
}  # fmt: skip
"""Topic -> the metric that is meant where nothing says which."""
_GENERAL = frozenset(
    {"median", "mean", "average", "avg", "typical", "p50", "macro", "micro", "overall", "wall", "clock", "walltime", "s", "ms", "sec", "min",
     "hour", "h", "usd", "total", "sum", "k", "m", "per", "cell", "question", "task", "run", "trial", "each", "the", "of", "to", "in", "and",
     "answered", "answer", "all", "arm", "ci", "95", "f1", "rate", "x", *_TOPICS}
)  # fmt: skip
"""Words of a header that make no narrower quantity of it. Build time, input tokens and p99 are narrower ones."""
_NOT_OF_IT = frozenset(
    {"gain", "delta", "diff", "difference", "change", "ratio", "speedup", "relative", "vs", "saved", "saving", "rank",
     "sd", "std", "stdev", "stderr", "se", "ci", "iqr", "variance", "limit", "cap", "budget", "lo", "hi", "zero"}
)  # fmt: skip
"""Words that make of a column of times one that is none: its spread, its change, what it is limited to."""
SHARES = frozenset({"rate", "share", "percent", "percentage", "pct", "proportion", "fraction"})

"""Words that make a share of a column."""
WHOLES = frozenset({"n", "count", "cell", "run", "trial", "test", "question", "attempt", "task", "total"})
"""Words of a column that counts everything a share may be of."""
NARROWER = frozenset(
    {"input", "output", "cached", "content", "reasoning", "prompt", "completion", "user", "cpu", "wall", "f1", "precision", "recall"}
)  # fmt: skip
"""Words that make another quantity of one: output tokens are no tokens in all."""


@lru_cache(maxsize=4096)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a header or phrase, folded and in the singular, in order."""
    return tuple(singular(word) for word in _WORD.findall(text.casefold()))


def singular(word: str) -> str:
    """Return a folded word without the `s` of its plural."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return (
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    )


@lru_cache(maxsize=4096)
def topic_of(text: str, unit: str = "") -> Topic | None:
    """Return what a header speaks of, its unit helping; None for a difference, a spread or a word unknown."""
    if len(text) > _LONGEST:
        return None
    if _PER.search(text.casefold()):
        return "rate"
    words = words_of(text)
    if _NOT_OF_IT.intersection(words) or "\u0394" in text or "\u00d7" in text:
        return None
    named = {_TOPICS[word] for word in words if word in _TOPICS}
    if len(named) > 1:
        # `tokens per answer`, `failed calls`: of two things it is neither.
        return None
    return named.pop() if named else KINDS.get(family(unit) or "")


def better_of(text: str, topic: Topic | None) -> Better | None:
    """Return which way is better: what an arrow in the header says, else what its topic does."""
    arrows = {way for arrow, way in _ARROWS.items() if arrow in text}
    if len(arrows) == 1:
        return arrows.pop()
    return _BETTER.get(topic) if topic else None


def is_general(words: Collection[str], said: Collection[str]) -> bool:
    """Say whether a header's words say no more than its topic does, and what a sentence `said` with it.

    "Slower" is said of the time of answering: a column of build times denies it only where building is spoken of.
    """
    return all(word in _GENERAL or word in said for word in words)


def is_share(text: str) -> bool:
    """Say whether a header speaks of a share of something: a rate, a percentage."""
    return "%" in text or bool(SHARES.intersection(words_of(text)))
