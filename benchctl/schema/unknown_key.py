"""What may stand in a table of a file that people write, for whoever wrote something else there."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel

__all__ = ["keys_of", "tables_in", "unknown_key"]


def unknown_key(model: type[BaseModel], path: Sequence[str | int]) -> str:
    """Return what to say of a key at `path` below `model` that its table does not have: the near one, and them all."""
    table, steps = model, iter(path[:-1])
    for step in steps:
        field = dict(keys_of(table)).get(str(step))
        table = next(tables_in(field), table)
        if get_origin(field) in (dict, tuple):
            next(steps, None)  # the name of an entry, or its number in a list
    names = [name for name, _ in keys_of(table)]
    near = difflib.get_close_matches(str(path[-1]), names, n=1, cutoff=0.5)
    meant = f"did you mean `{near[0]}`? " if near else ""
    return f"is no key of this table; {meant}one of {', '.join(sorted(names))}"


def keys_of(model: type[BaseModel]) -> Iterator[tuple[str, Any]]:
    """Yield each key of a table as it is written, and the annotation of its value."""
    for name, field in model.model_fields.items():
        yield field.alias or name, field.annotation


def tables_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the tables that an annotation leads to: itself, an optional one, those of a list or of named entries."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from tables_in(part)
