"""An arm as a suite writes it: what an agent is told, and what it is given."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from benchctl.schema.fields import AgentFolder, Seconds, Spoken, Strict, Variable, Word
from benchctl.schema.names import Name
from benchctl.schema.sandbox import SandboxLevel

__all__ = ["Arm", "Index", "ToolServer"]


class ToolServer(Strict):
    """A server of tools that speaks the Model Context Protocol on its standard streams."""

    argv: Annotated[tuple[Word, ...], Field(min_length=1)]
    """The command. It may hold `{python}`, `{tree}`, `{agent}`, `{scratch}` and `{indexes}`, the folder
    with the arm's indexes, one folder each."""

    tools: Annotated[tuple[Spoken, ...], Field(min_length=1)]
    """Those that the arm grants of it; preflight starts the server and refuses the arm where one is not
    offered."""

    env: dict[Variable, Word] = Field(default_factory=dict)
    """Variables of the server; their values may hold what `argv` may."""

    wall_s: Seconds = 30.0
    """How long it may take to list its tools at preflight."""


class Index(Strict):
    """An index that an arm's tools read, over the tree of one repository: built by `argv`, or given as `files`.

    Preflight refuses one of another tree.
    """

    repo: Name
    """The repository that it covers."""

    argv: tuple[Word, ...] = ()
    """What builds it, in a copy of the run's tree before the first cell. It may hold `{python}`,
    `{tree}`, `{scratch}` and `{index}`, the new folder that it has to fill."""

    files: AgentFolder | None = None
    """The index as it was built before, a folder beside the suite."""

    facts: Word | None = None
    """A JSON file of the index that says what it is of."""

    covers: Word | None = None
    """A JSON pointer into `facts` to the list of the files that it covers; `*` stands for every element."""

    digests: Word | None = None
    """A JSON pointer into `facts` to the sha256 of those files, in the order of `covers`: preflight refuses an
    index of a file with other content."""

    commit: Word | None = None
    """A JSON pointer into `facts` to the commit it was built at."""

    over: tuple[Spoken, ...] = ()
    """Patterns of the files that it has to cover; without any, those are all that end like one it covers,
    and the evidence of the questions."""

    wall_s: Seconds = 600.0
    """How long its building may take."""

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        if bool(self.argv) == (self.files is not None):
            raise ValueError("an index needs either `argv` or `files`")
        if (self.covers or self.commit) and self.facts is None:
            raise ValueError("`covers` and `commit` point into `facts`, which is missing")
        if self.digests and not self.covers:
            raise ValueError("`digests` are those of the files of `covers`, which is missing")
        return self


class Arm(Strict):
    """One way of answering: what an agent is told and what it is given.

    All of it is public, and part of what makes two runs comparable.
    """

    title: str
    """What a person reads in place of the name."""

    note: str = ""
    """A remark for the reader of pages."""

    prompt: Spoken = "{prompt}"
    """The wording around the question, which stands for `{prompt}`."""

    requires: tuple[Spoken, ...] = ()
    """Commands that it may use, and without which it is refused."""

    install: str = ""
    """The next step of that refusal."""

    optional: bool = False
    """It may be refused without changing the exit code."""

    sandbox: SandboxLevel | None = None
    """The least containment that it asks for."""

    tools: tuple[Spoken, ...] = ()
    """The tools that it grants: the agent's own by name, or `server.tool`."""

    servers: dict[Name, ToolServer] = Field(default_factory=dict)
    """Servers of tools, by name."""

    indexes: dict[Name, Index] = Field(default_factory=dict)
    """Indexes that its tools read, by name."""

    effort: str = ""
    """The effort that the agent is asked for, in its own words."""

    instructions: str = ""
    """What is put back in where the instructions of the tree are left out."""

    git: bool = False
    """The tree gets a repository of one commit without a history."""

    first: bool = False
    """All cells of the arm come before the others: a control of drift."""

    def told(self) -> dict[str, object]:
        """Return what the arm tells or gives an agent beside its prompt, as far as it differs from nothing.

        A suite that uses none of it has the digests that it had before there was any.
        """
        names = {"tools", "servers", "indexes", "effort", "instructions", "git"}
        return self.model_dump(mode="json", include=names, exclude_defaults=True)
