"""Options that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchctl.errors import OptionInvalidError

if TYPE_CHECKING:
    from benchctl.planning.selection import Selection
    from benchctl.schema.suite import Caps, Suite
    from benchctl.store.project import Project

__all__ = [
    "axes",
    "caps_of",
    "find_project",
    "listed_names",
    "output_format",
    "project_options",
    "selection_of",
    "suite_name",
    "terms",
]

_F = TypeVar("_F", bound=Callable[..., Any])


class _ProjectFolder(click.Path):
    """A folder on this machine: what begins like a URL is refused, and not repeated, for it may hold a password."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from benchctl.store.remote.address import is_url, redacted

        if is_url(str(value)):
            raise OptionInvalidError(
                f"--project {redacted(str(value))} is no folder",
                expected="a project's folder; one with a colon in its name is written ./a:b",
            )
        return super().convert(value, param, ctx)


def project_options(command: _F) -> _F:
    """Add --project, -q and -v."""
    for option in (
        click.option("-v", "--verbose", is_flag=True, help="Say more on standard error."),
        click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors on standard error."),
        click.option(
            "--project",
            "project_dir",
            type=_ProjectFolder(exists=True, file_okay=False, path_type=Path),
            default=Path(),
            metavar="DIR",
            help="The project's folder; default: here or above.",
        ),
    ):
        command = option(command)
    return command


def output_format(*formats: str) -> Callable[[_F], _F]:
    """Add --format with these choices, the first of them the default."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="Output format.",
    )


def find_project(folder: Path) -> Project:
    """Return the project that a folder stands in."""
    from benchctl.store.project import Project

    return Project.find(folder)


def suite_name(project: Project, name: str | None) -> str:
    """Return the named suite, or the project's default one."""
    chosen = project.config.default_suite if name is None else name
    if chosen is None:
        raise OptionInvalidError(
            "no SUITE is named and benchctl.toml has no default_suite",
            expected=f"one of: {', '.join(project.suite_names()) or 'no suite exists'}",
            next_step="name one, or set default_suite in benchctl.toml",
        )
    return chosen


def axes(command: _F) -> _F:
    """Add the options that choose a part of the matrix."""
    names: dict[str, Any] = {"metavar": "NAMES", "multiple": True}
    for option in (
        click.option("--practice", is_flag=True, help="Run the practice questions, which never count."),
        click.option("--models", help="Only these models, separated by commas.", **names),
        click.option("--agents", help="Only these agents.", **names),
        click.option("--arms", help="Only these arms.", **names),
        click.option("--only", help="Only these questions.", **names),
    ):
        command = option(command)
    return command


def terms(command: _F) -> _F:
    """Add the options that change the terms of a run."""
    for option in (
        click.option("--caps", metavar="NAME=VALUE", multiple=True, help="Another cap, such as wall_s=60."),
        click.option(
            "--continuations",
            type=click.IntRange(0, 20),
            help="Another number of further turns for a session without a result.",
        ),
        click.option("--seed", type=int, help="Another seed for the order of cells."),
        click.option("--reps", type=click.IntRange(1, 1000), help="Another number of repetitions."),
    ):
        command = option(command)
    return command


def listed_names(option: str, values: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the names that an option lists, separated by commas and given once or more often; None where it is not given.

    Raises OptionInvalidError where it is given and names nothing.
    """
    split = tuple(
        dict.fromkeys(name.strip() for value in values for name in value.split(",") if name.strip())
    )
    if values and not split:
        raise OptionInvalidError(
            f"{option} names nothing",
            expected="at least one name, several separated by commas",
            next_step=f"name one, or leave {option} out",
        )
    return split or None


def selection_of(
    only: tuple[str, ...],
    arms: tuple[str, ...],
    agents: tuple[str, ...],
    models: tuple[str, ...],
    *,
    practice: bool,
) -> Selection:
    """Return the selection that the options of `axes` describe."""
    from benchctl.planning.selection import Selection

    return Selection(
        listed_names("--only", only),
        listed_names("--arms", arms),
        listed_names("--agents", agents),
        listed_names("--models", models),
        practice=practice,
    )


def caps_of(suite: Suite, changes: tuple[str, ...]) -> Caps:
    """Return the suite's caps with changes such as `wall_s=60`. Raises OptionInvalidError."""
    from pydantic import ValidationError

    from benchctl.schema.suite import Caps

    values: dict[str, Any] = suite.caps.told()
    for change in (part for value in changes for part in value.split(",")):
        name, _, text = change.partition("=")
        if name not in Caps.model_fields:
            raise OptionInvalidError(
                f"--caps: no cap {name!r}", expected=f"one of {', '.join(Caps.model_fields)}, as NAME=VALUE"
            )
        values[name] = text
    try:
        return Caps.model_validate_strings({name: str(value) for name, value in values.items()})
    except ValidationError as error:
        first = error.errors()[0]
        raise OptionInvalidError(f"--caps: {first['loc'][0]}: {first['msg']}") from error
