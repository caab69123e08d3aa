"""The parts of an attempt: the start of its agent and the continuations of its session, all on one budget.

A part's seconds, bytes, tool calls, events, tokens and dollars are charged to the attempt, whatever became of
the part. What one part did not report is not known of the attempt either: a part is not the whole.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from benchctl.agents.base import Reply
from benchctl.schema.suite import Caps
from benchctl.schema.usage import Usage, figure_problem
from benchctl.workspace.process import ProcessResult

__all__ = ["Part", "Parts", "all_tokens"]

_LEAST_WALL_S = 1.0
"""What a continuation needs at least: less would start an agent only to end it, and pay for that."""

_TOKENS = ("input_tokens", "output_tokens", "total_tokens")
_KINDS = {
    **{f"usage.{name}": "tokens" for name in _TOKENS},
    "usage.cost_usd": "cost",
    "tool_calls": "tool_calls",
}
"""What a reply may report of the whole session, and how `Reply.cumulative` calls it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One start of the agent, and what its adapter read from it."""

    result: ProcessResult
    reply: Reply


class Parts:
    """The parts of one attempt so far."""

    def __init__(self, caps: Caps) -> None:
        self._caps = caps
        self._parts: list[Part] = []

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._parts)

    @property
    def all(self) -> tuple[Part, ...]:
        """Return them in order."""
        return tuple(self._parts)

    def add(self, part: Part) -> None:
        """Charge a part to the attempt."""
        self._parts.append(part)

    @property
    def session(self) -> str | None:
        """Return the session by the id that was said last."""
        said = [part.reply.session for part in self._parts if part.reply.session is not None]
        return said[-1] if said else None

    def left(self) -> Caps | None:
        """Return what the next part may use; None where one of the caps is used up, or nobody knows whether it is."""
        caps, spent = self._caps, self._spent()
        left: dict[str, Any] = {"wall_s": caps.wall_s - spent["wall_s"]}
        if left["wall_s"] < _LEAST_WALL_S and self._parts:
            return None
        for name in ("output_bytes", "tool_calls", "events", "tokens", "cost_usd"):
            cap = getattr(caps, name)
            if cap is None:
                continue
            used = spent[name]
            if used is None or used >= cap:
                return None
            left[name] = cap - used
        return Caps(**left)

    def broken(self) -> tuple[str, str] | None:
        """Return the cap that the parts went beyond and a sentence about it; None where they kept them all.

        The caps of the clock and of the output are held while a part runs, and are not looked at here.
        """
        spent = self._spent()
        for name in ("tool_calls", "events", "tokens", "cost_usd"):
            cap, used = getattr(self._caps, name), spent[name]
            if cap is not None and used is not None and used > cap:
                return name, f"{used:g} of at most {cap:g} {name.replace('_', ' ')}"
        return None

    def about(self, cap: str | None) -> str:
        """Return a sentence about the cap that ended the parts; an empty one where none did."""
        broken = self.broken()
        if broken is not None and broken[0] == cap:
            return broken[1]
        limit = getattr(self._caps, cap, None) if cap else None
        return "" if limit is None else f"ended at caps.{cap}, which is {limit:,.10g}"

    def result(self) -> ProcessResult:
        """Return the parts as one process: sums and extremes of all, the output and the end of the last."""
        results = [part.result for part in self._parts]
        last = results[-1]
        summed = {
            name: _total(getattr(result, name) for result in results)
            for name in (
                "cpu_s",
                "suspended_s",
                "clock_drift_s",
                "stalled_cpu_s",
                "stalled_io_s",
                "stalled_memory_s",
            )
        }
        return dataclasses.replace(
            last,
            wall_s=sum(result.wall_s for result in results),
            stragglers=sum(result.stragglers for result in results),
            started_at=results[0].started_at,
            pipes_held=any(result.pipes_held for result in results),
            max_gap_s=max(result.max_gap_s for result in results),
            counts=_counted(result.counts for result in results),
            redactions=_redacted(result.redactions for result in results),
            **summed,
        )

    def reply(self) -> Reply:
        """Return the parts as one reply: the last one's answer and error, what was used by all."""
        replies = [part.reply for part in self._parts]
        last = replies[-1]
        figures = {name: self._figure("tokens", f"usage.{name}") for name in _TOKENS}
        if _too_small(figures):
            figures["total_tokens"] = None
        cost = self._figure("cost", "usage.cost_usd")
        return Reply(
            answer=last.answer,
            usage=Usage(
                **figures,
                cost_usd=cost,
                source=_source(replies, "source", figures.values()),
                cost_source=_source(replies, "cost_source", (cost,)),
            ),
            tool_calls=self._figure("tool_calls", "tool_calls"),
            session=self.session,
            error=last.error,
            lacking=last.lacking,
        )

    def least_usd(self) -> float | None:
        """Return what the parts cost at least, where not all of them say; None where they do, or none does."""
        said = [part.reply.usage.cost_usd for part in self._parts]
        known = [cost for cost in said if cost is not None]
        if not known or self._figure("cost", "usage.cost_usd") is not None:
            return None
        return max(known) if "cost" in self._parts[-1].reply.cumulative else math.fsum(known)

    def doubts(self) -> tuple[str, ...]:
        """Return what the parts report and is not taken as said, because other figures of theirs contradict it."""
        found = [
            f"{name.rpartition('.')[2]} of the whole session fell from {max(said):g} to {said[-1]:g}"
            for name, kind in _KINDS.items()
            if (said := self._cumulative(kind, name)) and None not in said and said[-1] < max(said)
        ]
        figures = {name: self._figure("tokens", f"usage.{name}") for name in _TOKENS}
        if _too_small(figures):
            found.append(f"total_tokens {figures['total_tokens']} is less than input and output together")
        return tuple(found)

    def _figure(self, kind: str, name: str) -> Any:
        """Return a figure of all parts; None for one that is none, as what two of them are together may be.

        A cumulative one is what the last part says, and at least what an earlier one said.
        """
        said = self._cumulative(kind, name)
        if said:
            figure = None if said[-1] is None else max(each for each in said if each is not None)
        else:
            figure = _total(attrgetter(name)(part.reply) for part in self._parts)
        return None if figure_problem(name.rpartition(".")[2], figure) else figure

    def _cumulative(self, kind: str, name: str) -> list[Any]:
        """Return what each part said of the whole session so far; nothing where they speak of themselves."""
        replies = [part.reply for part in self._parts]
        return [attrgetter(name)(reply) for reply in replies] if kind in replies[-1].cumulative else []

    def _spent(self) -> dict[str, Any]:
        if not self._parts:
            return dict.fromkeys(("wall_s", "output_bytes", "tool_calls", "events", "tokens", "cost_usd"), 0)
        reply, results = self.reply(), [part.result for part in self._parts]
        return {
            "wall_s": sum(result.wall_s for result in results),
            "output_bytes": sum(result.stdout.total_bytes + result.stderr.total_bytes for result in results),
            "tool_calls": reply.tool_calls,
            "events": _total(result.counts.get("events") for result in results),
            "tokens": all_tokens(reply.usage),
            "cost_usd": reply.usage.cost_usd,
        }


def _too_small(figures: Mapping[str, int | None]) -> bool:
    """Return whether a total is less than what it is the total of."""
    total = figures["total_tokens"]
    return total is not None and total < (figures["input_tokens"] or 0) + (figures["output_tokens"] or 0)


def all_tokens(usage: Usage) -> int | None:
    """Return a turn's tokens in all: as reported, else the sum of its parts where both are known."""
    if usage.total_tokens is not None:
        return usage.total_tokens
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return usage.input_tokens + usage.output_tokens


def _total(values: Iterable[Any]) -> Any:
    """Return a sum; None where any was not measured."""
    known = list(values)
    return None if None in known else sum(known)


def _counted(counts: Iterable[Any]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)


def _redacted(redactions: Iterable[Any]) -> dict[str, int] | None:
    """Return the redactions of all parts; None where no part had a secret to look for."""
    known = [each for each in redactions if each is not None]
    return _counted(known) if known else None


def _source(replies: list[Reply], name: str, figures: Iterable[Any]) -> str | None:
    """Return who reported figures; None where there is none."""
    if all(figure is None for figure in figures):
        return None
    said = sorted({getattr(reply.usage, name) for reply in replies} - {None})
    return "+".join(said) or None
