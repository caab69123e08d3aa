"""The values of `benchctl import`'s options, read: lists as CSV has them, so that any name and text can be said."""

from __future__ import annotations

import csv

from benchctl.errors import OptionInvalidError

__all__ = ["mapping", "names", "refuse_misplaced", "split"]


def refuse_misplaced(kind: str, of_formats: dict[str, dict[str, str | None]]) -> None:
    """Raise OptionInvalidError for an option of another format: it would change nothing, silently."""
    for format_, options in of_formats.items():
        for name, value in options.items():
            if value is not None and format_ != kind:
                raise OptionInvalidError(
                    f"--{name} is an option of {format_}", next_step=f"leave it out for {kind}"
                )


def split(option: str, text: str) -> list[str]:
    """Return the parts of an option's value as CSV has them: one that holds a comma stands in quotes."""
    try:
        return next(csv.reader([text], strict=True), [""])
    except csv.Error as error:
        raise OptionInvalidError(f"{option}: {text!r} cannot be read: {error}") from error


def names(option: str, text: str) -> tuple[str, ...]:
    """Return the column names of a list. Raises OptionInvalidError where there is none."""
    named = tuple(name for name in split(option, text) if name)
    if not named:
        raise OptionInvalidError(f"{option} names no column", expected="such as a,b")
    return named


def mapping(values: tuple[str, ...]) -> dict[str, str]:
    """Return source -> name of `SOURCE=NAME,…` lists; the last `=` parts them. Raises OptionInvalidError."""
    mapped: dict[str, str] = {}
    for pair in (part for value in values for part in split("--map", value)):
        source, parted, target = pair.rpartition("=")
        if not (parted and source and target):
            raise OptionInvalidError(
                f"--map: {pair!r} is no mapping", expected="SOURCE=NAME, such as harness=agent"
            )
        if mapped.setdefault(source, target) != target:
            raise OptionInvalidError(f"--map: {source!r} is mapped twice", expected="one name for a column")
    return mapped
