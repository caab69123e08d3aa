"""benchctl.toml: a project's title, default suite, named values, tables and claim policy."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from benchctl.errors import ProjectInvalidError
from benchctl.schema.fields import Strict
from benchctl.schema.names import Name
from benchctl.schema.source import parse_toml

__all__ = ["ClaimPolicy", "ProjectFile", "TableColumn", "TableSpec", "Value", "parse_project"]


class Value(Strict):
    """A named expression. Its key is `name` or `name(a, b)`; the parameters stand in it as `$a`.

    `unit` `fraction` makes a printed percent 100 times the value; without a unit a number compares
    as printed.
    """

    expr: str
    unit: str | None = None
    note: str = ""


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
    """What verify-claims reads without arguments, and how strictly."""

    pages: tuple[str, ...] = ("README.md", "site/**/*.md")
    approx_pct: Annotated[float, Field(ge=0, le=50)] = 5.0
    errors: tuple[Literal["impossible", "contradiction", "slack", "tie"], ...] = ()


class ProjectFile(Strict):
    """A whole benchctl.toml; every table may be left out.

    `store` is the folder of suites and runs, or the URL of a store to read runs from (`s3://bucket/prefix`);
    the suites are then in `data/suites`.
    """

    title: str = "Benchmarks"
    default_suite: Name | None = None
    store: str = "data"
    values: dict[str, Value | str] = Field(default_factory=dict)
    tables: dict[Name, TableSpec] = Field(default_factory=dict)
    claims: ClaimPolicy = ClaimPolicy()


def parse_project(text: str, file: str) -> ProjectFile:
    """Return the project file of a TOML text. Raises ProjectInvalidError with every problem and its line."""
    return parse_toml(
        ProjectFile, text, file, ProjectInvalidError, "correct the file, and run the same command again"
    )
