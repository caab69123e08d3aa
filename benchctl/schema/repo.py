"""A corpus as a suite names it: the tree that questions are asked about, and what is done in it outside of a cell's clock."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import model_validator

from benchctl.schema.fields import Endpoint, Seconds, Spoken, Strict, Word
from benchctl.schema.written import Written

__all__ = ["Repo", "Step"]

_COMMIT = (
    "a full commit of 40 hex digits (64 in a repository with SHA-256), as `git rev-parse HEAD` prints it"
)
_DIGEST = "`sha256:` and 64 hex digits"


class Step(Strict):
    """A command of the suite's own that runs in a cell, outside of its clock."""

    kind: Literal["command", "python-tests"] = "command"
    """`python-tests` makes a virtual environment with what the tree's tests need: the project's own
    development extras or groups, else its requirements files, else pytest alone, and the project itself where that
    can be installed. `command` is any other, in `argv`."""

    argv: tuple[Word, ...] = ()
    """The command. It may hold `{python}`, `{tree}`, `{scratch}` and `{question}`."""

    wall_s: Seconds = 600.0
    """How long it may take."""

    network: tuple[Endpoint, ...] = ()
    """The hosts that it may reach."""

    @model_validator(mode="after")
    def _something_to_start(self) -> Self:
        if (self.kind == "command") != bool(self.argv):
            raise ValueError("a step needs `argv`, or another `kind` than command, not both")
        return self


class Repo(Strict):
    """A corpus: the tree a question is asked about."""

    kind: Literal["package", "git", "directory"]
    """`package` is an installed distribution, checked against its RECORD; `git` a repository at a commit;
    `directory` a tree on this disk."""

    distribution: Spoken | None = None
    """Of a package: its name."""

    version: Spoken | None = None
    """Of a package: the exact version that is demanded; without it the one found is recorded."""

    source: Spoken | None = None
    """Of a git repository its path or URL, of a directory its path; a relative one starts at the suite's
    folder."""

    commit: Annotated[str, Written("[0-9a-f]{40}([0-9a-f]{24})?", _COMMIT)] | None = None
    """Of a git repository: the commit whose tree is taken."""

    digest: Annotated[str, Written("sha256:[0-9a-f]{64}", _DIGEST)] | None = None
    """The digest that the tree has to have."""

    include: tuple[Spoken, ...] = ("**",)
    """Patterns of the files that are taken."""

    exclude: tuple[Spoken, ...] = ()
    """Patterns of the files that are left out again."""

    practice: bool = False
    """Questions about it tune a set-up and never count."""

    harness: tuple[Spoken, ...] = ()
    """Patterns of the benchmark's own source: whatever of a question or its key stands there is a leak,
    be it one line."""

    prepare: Step | None = None
    """What makes a cell's tree ready before its clock starts."""

    check: Step | None = None
    """What runs in the tree when the agent has stopped."""

    @model_validator(mode="after")
    def _fields_of_kind(self) -> Self:
        needed = {"package": ("distribution",), "git": ("source", "commit"), "directory": ("source",)}[
            self.kind
        ]
        for field in needed:
            if getattr(self, field) is None:
                raise ValueError(f"a {self.kind} repository needs `{field}`")
        return self
