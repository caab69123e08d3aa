"""What a command reports beside its answer, read by JSON pointers out of one object.

The object is a file that the command writes, or the last line of its standard output that is one. A pointer
that leads nowhere, or to something that is no such figure, reports nothing: it is never taken for 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from benchctl.agents.base import Reply, Transcript
from benchctl.agents.tolerant_json import UNUSABLE, object_lines, read_object
from benchctl.schema.pointers import pointed_at
from benchctl.schema.suite import ReplyFields
from benchctl.schema.usage import Usage, figure_problem

__all__ = ["SESSION", "read_reply"]

SESSION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:@/+=-]{0,199}")
"""What may be a session's id: it becomes a word of a command line, so it never looks like an option."""

_KINDS: Mapping[type, str] = {
    str: "a text, no number,",
    bool: "true or false, no number,",
    dict: "an object, no number,",
    list: "a list, no number,",
}

_TOKENS = ("input_tokens", "output_tokens", "total_tokens")


def read_reply(fields: ReplyFields, transcript: Transcript) -> Reply:
    """Return what a transcript says by these pointers. Never raises.

    Where `answer` points to nothing that says something there is no answer; where it is not named, standard
    output is the answer, without the object's own line.
    """
    if fields.file is not None:
        found, rest = read_object(transcript.files.get(fields.file, "")), transcript.stdout
    else:
        found, rest = _last_object(transcript.stdout)
    answer = rest.strip() or None if fields.answer is None else _text(_at(found, fields.answer))
    tokens = {name: cast("int | None", _figure(found, fields, name)) for name in _TOKENS}
    cost = _figure(found, fields, "cost_usd")
    return Reply(
        answer=answer,
        usage=Usage(
            **tokens,
            cost_usd=None if cost is None else float(cost),
            source="agent" if any(value is not None for value in tokens.values()) else None,
            cost_source=None if cost is None else "agent",
        ),
        tool_calls=cast("int | None", _figure(found, fields, "tool_calls")),
        session=_session(_at(found, fields.session)),
        error=_error(_at(found, fields.error)),
        cumulative=frozenset(fields.cumulative),
        lacking=tuple(_lacking(found, fields)),
    )


def _last_object(stdout: str) -> tuple[Any, str]:
    """Return the object on the last line that is one, and the output without that line."""
    lines = object_lines(stdout)
    for index in range(len(lines) - 1, -1, -1):
        if lines[index].lstrip().startswith("{") and (found := read_object(lines[index])) is not UNUSABLE:
            return found, "".join([*lines[:index], *lines[index + 1 :]])
    return UNUSABLE, stdout


def _at(found: Any, pointer: str | None) -> Any:
    """Return the value that a pointer leads to; `UNUSABLE` where there is none."""
    return UNUSABLE if pointer is None else next(pointed_at(found, pointer), UNUSABLE)


def _text(value: Any) -> str | None:
    """Return a value as text; None where it says nothing."""
    if value is UNUSABLE or value is None:
        return None
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except TypeError:  # a part of it could not be had
        return None
    return text.strip() or None


def _figure(found: Any, fields: ReplyFields, name: str) -> int | float | None:
    value = _at(found, getattr(fields, name))
    known = value is not UNUSABLE and figure_problem(name, value) is None
    return cast("int | float | None", value) if known else None


def _lacking(found: Any, fields: ReplyFields) -> Iterator[str]:
    """Yield why a figure that `reply` names, or the session, was not reported; that no error was is as it should be."""
    for name in (*_TOKENS, "cost_usd", "tool_calls", "session"):
        pointer = getattr(fields, name)
        if pointer is None:
            continue
        value = _at(found, pointer)
        if value is UNUSABLE or value is None:
            yield f"reply.{name}: nothing at {pointer}"
        elif name == "session" and _session(value) is None:
            yield f"reply.{name}: no id of a session at {pointer}"
        elif name != "session" and figure_problem(name, value) is not None:
            what = _KINDS.get(type(value), "no such number")
            yield f"reply.{name}: {what} at {pointer}"


def _session(value: Any) -> str | None:
    return value if isinstance(value, str) and SESSION.fullmatch(value) else None


def _error(value: Any) -> str | None:
    """Return an API's own words; false, 0, null and nothing are no error."""
    if value is UNUSABLE or not value:
        return None
    return "the agent says that it failed" if value is True else _text(value)
