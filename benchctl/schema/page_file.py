"""`<page>.claims.toml`: what a page says of itself beside its text: its own named values, and how strictly it is read."""

from __future__ import annotations

from pydantic import Field, NonNegativeInt

from benchctl.errors import PageFileInvalidError
from benchctl.schema.fields import Strict
from benchctl.schema.project import Advisory, NamedValues
from benchctl.schema.source import parse_toml

__all__ = ["PageFile", "parse_page_file"]


class PageFile(Strict):
    """A whole page file; every part of it may be left out.

    `max_unbound` None allows no unbound number; `errors` adds to what the project calls errors.
    """

    values: NamedValues = Field(default_factory=dict)
    max_unbound: NonNegativeInt | None = None
    errors: tuple[Advisory, ...] = ()


def parse_page_file(text: str, file: str) -> PageFile:
    """Return the page file of a TOML text. Raises PageFileInvalidError with every problem and its line."""
    return parse_toml(PageFile, text, file, PageFileInvalidError, "correct the file beside the page")
