"""`benchctl verify-claims --explain`: the query behind a claim, its rows, its run and its verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.cli.console import Console, put, put_json

if TYPE_CHECKING:
    from benchctl.store.project import Project

__all__ = ["run"]


def run(project: Project, pages: tuple[Path, ...], claim: str, *, form: str, console: Console) -> None:
    """Print what stands behind each claim that `claim` names; whether it is true changes no exit code.

    Raises ClaimUnknownError where it names none.
    """
    from benchctl.claims.explaining.explain import explain
    from benchctl.claims.explaining.output import to_json, to_text
    from benchctl.quantities.format import counted

    found = explain(project, pages, claim)
    if form == "json":
        put_json(to_json(found))
    else:
        put(to_text(found), end="")
    console.detail(counted(len(found), "claim"))
