"""benchctl.toml: a project's title, default suite, named values, tables and claim policy."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    Field,
    NonNegativeInt,
    PlainValidator,
    model_validator,
)

from benchctl.errors import ProjectInvalidError
from benchctl.schema.fields import Strict
from benchctl.schema.names import Name
from benchctl.schema.sandbox import SandboxSettings
from benchctl.schema.source import parse_toml

__all__ = [
    "Advisory",
    "ClaimPolicy",
    "NamedValues",
    "ProjectFile",
    "TableColumn",
    "TableSpec",
    "Value",
    "parse_project",
]

Advisory = Literal["impossible", "contradiction", "slack", "tie", "universal-unasserted"]
"""What is advice unless a policy calls it an error: verdicts, and the finding that nothing asserts a universal."""


class Value(Strict):
    """A named value: an expression, or one SELECT. Its key is `name` or `name(a, b)`; the parameters stand in it as `$a`.

    `unit` `fraction` makes a printed percent 100 times the value; without a unit a number compares
    as printed. `kind` "count" gets no rounding credit, "measure" does; None is what the expression says
    itself, and of SQL a measure.
    """

    expr: str | None = None
    sql: str | None = None
    unit: str | None = None
    kind: Literal["count", "measure"] | None = None
    note: str = ""

    @model_validator(mode="after")
    def _one_of_both(self) -> Value:
        if (self.expr is None) == (self.sql is None):
            raise ValueError("a named value is one of the two: `expr` or `sql`")
        return self


def _text_or_table(value: object) -> Value | str:
    """Return a named value; one error says what is wrong with it, and not one for each form that it might have had."""
    if isinstance(value, dict):
        return Value.model_validate(value)
    if isinstance(value, str | Value):
        return value
    raise ValueError("a named value is an expression in quotes, or a table with `expr` or `sql`")


NamedValues = dict[str, Annotated[Value | str, PlainValidator(_text_or_table)]]
"""A table `[values]`."""


def _glob(pattern: str) -> str:
    """Refuse what names no file inside the project, so that it cannot stop every command later."""
    if not pattern.strip() or pattern.startswith(("/", "~")) or "\0" in pattern:
        raise ValueError("has to be a path or a pattern inside the project, such as `site/**/*.md`")
    if any("**" in part and part != "**" for part in pattern.split("/")):
        raise ValueError("`**` stands for whole folders, as in `site/**/*.md`")
    return pattern


Glob = Annotated[str, AfterValidator(_glob)]


class TableColumn(Strict):
    """One column: a header and an expression that is evaluated once a row, the row's keys as filters.

    `of` prints a second expression behind it (`44 of 48`); `interval` prints the metric's default
    interval; `places` overrides the metric's decimals.
    """

    title: str
    value: str
    of: str | None = None
    unit: str | None = None
    places: Annotated[int, Field(ge=0, le=9)] | None = None
    interval: bool = False


class TableSpec(Strict):
    """A table over a run: a row for each combination of the `by` columns that occurs in it."""

    title: str
    by: Annotated[tuple[str, ...], Field(min_length=1)]
    where: str | None = None
    columns: Annotated[tuple[TableColumn, ...], Field(min_length=1)]
    note: str = ""


class ClaimPolicy(Strict):
    """What verify-claims reads without arguments, and how strictly.

    `max_unbound` allows pages, by their path, that many unbound numbers; claims.lock lets it only fall.
    """

    pages: tuple[Glob, ...] = ("README.md", "site/**/*.md")
    approx_pct: Annotated[float, Field(ge=0, le=50)] = 5.0
    errors: tuple[Advisory, ...] = ()
    max_unbound: dict[str, NonNegativeInt] = Field(default_factory=dict)


class ProjectFile(Strict):
    """A whole benchctl.toml; every table may be left out.

    `store` is the folder of suites and runs, or the URL of a store to read runs from (`s3://bucket/prefix`);
    the suites are then in `data/suites`.
    """

    title: str = "Benchmarks"
    default_suite: Name | None = None
    store: str = "data"
    values: NamedValues = Field(default_factory=dict)
    tables: dict[Name, TableSpec] = Field(default_factory=dict)
    claims: ClaimPolicy = ClaimPolicy()
    sandbox: SandboxSettings = SandboxSettings()


def parse_project(text: str, file: str) -> ProjectFile:
    """Return the project file of a TOML text. Raises ProjectInvalidError with every problem and its line."""
    return parse_toml(
        ProjectFile, text, file, ProjectInvalidError, "correct the file, and run the same command again"
    )
