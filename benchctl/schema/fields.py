"""What the files that people write have in common: strict models, and texts that can be used for what they are."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from benchctl.schema.written import Written

__all__ = [
    "GOLD_FOLDER",
    "AgentFolder",
    "Endpoint",
    "SchemaVersion",
    "Seconds",
    "Spoken",
    "Strict",
    "Variable",
    "Word",
]

GOLD_FOLDER = "gold"
"""The folder beside a suite.toml that holds its gold methods; no cell ever sees it."""

_LONGEST_S = 30 * 24 * 3600


class Strict(BaseModel):
    """A table of a file: an unknown key is an error, a quoted number is no number, and no number is infinite."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, populate_by_name=True, allow_inf_nan=False
    )


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("holds the character NUL, which no command line and no file name can")
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    return text


def _agent_folder(path: str) -> str:
    parts = path.removesuffix("/").split("/")
    if any(part in ("", ".", "..") or "\\" in part for part in parts):
        raise ValueError("has to be the path of a folder inside the suite's own, such as `agents`")
    if parts[0].casefold() == GOLD_FOLDER:
        raise ValueError(f"names `{GOLD_FOLDER}`, the folder that no agent may see")
    return path


def _whole(value: object) -> object:
    if type(value) is not int:
        raise ValueError("Input should be 1")
    return value


Word = Annotated[str, AfterValidator(_without_nul)]
"""A word of a command line, a path or a name that is handed to the system."""

Spoken = Annotated[Word, AfterValidator(_not_blank)]
"""A text that says something: it holds more than blanks."""

AgentFolder = Annotated[Word, AfterValidator(_agent_folder)]
"""A folder inside the suite's own that an agent may see: relative, without `..`, neither the whole nor its gold."""

Seconds = Annotated[float, Field(gt=0, le=_LONGEST_S)]
"""A limit on a time: at most thirty days, which every clock and timer of the system can hold."""

_PORT = r"([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])"

Endpoint = Annotated[
    str,
    Written(
        rf"(\*|(\*\.)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?):{_PORT}",
        "a host and its port, as `api.example.org:443`; `*.example.org:443` is every host below it",
    ),
]
"""A host and its port, such as `api.example.org:443`; `*.example.org:443` is every host below it, `*:443` every host."""

Variable = Annotated[str, Written(r"[A-Za-z_][A-Za-z0-9_]*", "the name of an environment variable")]
"""The name of an environment variable."""

SchemaVersion = Annotated[Literal[1], BeforeValidator(_whole)]
"""A file's `schema = 1`: Python takes `true` and 1.0 for it, and this does not."""
