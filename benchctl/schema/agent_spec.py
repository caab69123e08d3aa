"""An agent as a suite writes it: an adapter by its kind, and what that adapter needs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from benchctl.schema.fields import AgentFolder, Endpoint, Spoken, Strict, Variable, Word
from benchctl.schema.names import Name
from benchctl.schema.written import Written

__all__ = ["AgentSpec", "Injected", "ReplyFields"]


class Injected(Strict):
    """A key that never enters a cell: the cell's proxy adds it on the way to one upstream.

    The agent finds the address of a plain-text door in the variable that this stands under.
    """

    upstream: Annotated[
        str, Written(r"https?://[^\s/@]+(/[^\s]*)?", "an http or https address without a user")
    ]
    """Where the door leads to."""

    header: Annotated[str, Written(r"[A-Za-z0-9-]+", "the name of an HTTP header")] = "authorization"
    """The header that what goes through gets."""

    prefix: str = ""
    """What stands before the key in it, such as `Bearer `."""

    secret: Variable
    """The caller's variable that holds the key."""


class ReplyFields(Strict):
    """Where a command says more than its answer: JSON pointers into one object.

    It is the last line of standard output that is one. What is not named is not reported.
    """

    file: Word | None = None
    """The object is this file below `{scratch}`, in place of a line of standard output."""

    answer: Word | None = None
    """The answer."""

    session: Word | None = None
    """The id that `continue_argv` goes on with."""

    error: Word | None = None
    """What the API said went wrong, of an attempt that is void for it."""

    input_tokens: Word | None = None
    """Tokens in, cache reads included."""

    output_tokens: Word | None = None
    """Tokens out."""

    total_tokens: Word | None = None
    """Tokens in all, where the two parts are not told."""

    cost_usd: Word | None = None
    """The dollars of the turn."""

    tool_calls: Word | None = None
    """How many tools were called."""

    cumulative: tuple[Literal["tokens", "cost", "tool_calls"], ...] = ()
    """What a session that is continued reports for the whole of it, and not for its last turn."""


class AgentSpec(Strict):
    """An agent: an adapter by its kind, and what that adapter needs."""

    kind: str = "command"
    """The adapter; `benchctl doctor` lists them."""

    title: str = ""
    """What a person reads in place of the name."""

    argv: tuple[Word, ...] = ()
    """The command. It may hold `{python}` (this interpreter), `{agent}` (the read-only folder with
    `files`), `{arm}`, `{model}`, `{question}`, `{tree}`, `{scratch}` (a folder the agent may write to),
    `{prompt_file}`, `{prompt}`, and what its arm gives: `{tools}`, `{effort}`, `{servers_file}`,
    `{instructions_file}`, `{indexes}`."""

    files: AgentFolder | None = None
    """A folder inside the suite's own, of which every cell gets a read-only copy."""

    models: Annotated[tuple[Spoken, ...], Field(min_length=1)] = ("none",)
    """The models it is run with."""

    arms: Annotated[tuple[Name, ...], Field(min_length=1)] | None = None
    """The arms it takes; all without it."""

    env: tuple[Variable, ...] = ()
    """Variables passed on from the caller's environment, by name alone."""

    optional: bool = False
    """It may be refused without changing the exit code."""

    continue_argv: tuple[Word, ...] = ()
    """What starts one more turn of a session, with `{session}` in it."""

    reply: ReplyFields | None = None
    """Where the command reports its session, usage and errors."""

    counts: dict[Literal["tool_calls", "events"], Spoken] = Field(default_factory=dict)
    """Regular expressions over its standard output, by the cap that they serve, counted while it runs:
    `tool_calls`, `events`."""

    network: tuple[Endpoint, ...] = ()
    """The hosts that it may reach."""

    inject: dict[Variable, Injected] = Field(default_factory=dict)
    """Keys that its proxy adds, by the variable that names the door."""

    secrets: tuple[Variable, ...] = ()
    """Variables whose values are taken out of all that is kept; without one of them the agent is refused."""

    accepts: tuple[Word, ...] = ()
    """A command that ends with 0 where `{model}` is accepted, and spends nothing: preflight asks it, with
    the agent's variables and network."""

    def further(self) -> dict[str, object]:
        """Return what decides a row beside the command itself, as far as it differs from nothing."""
        names = {"continue_argv", "reply", "counts", "network", "inject"}
        return self.model_dump(mode="json", include=names, exclude_defaults=True)
