"""`benchctl run --detach`: a run is launched, and watched until its first cell or its end."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.cli.console import Console, put, put_json, tell

if TYPE_CHECKING:
    from benchctl.runner.detached import Detached, Places
    from benchctl.store.project import Project

__all__ = ["RESTARTS", "detach"]

RESTARTS = 8
"""How often a killed collector is begun again where nobody says."""

_LOOK_S = 0.1


def detach(console: Console, project: Project, command: str, *, run: str, restarts: int, form: str) -> int:
    """Launch a run by the command line that collects it, and return once its cells start, or its exit code.

    What the run says meanwhile is said here too. Who stops waiting does not stop the run.
    """
    from benchctl.runner.detached import launch, places_of

    places = places_of(project, run)
    begin = places.log.stat().st_size if places.log.exists() else 0
    argv = [sys.executable, "-P", "-m", *shlex.split(command)]
    known = launch(places, argv, Path.cwd(), restarts)
    try:
        known = _watched(console, project, places, known, begin)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_interrupted(run)) from None
    if known.run in project.store.names():
        _print(project, known, form)
    if not known.kept:
        return known.code if known.code is not None and known.code >= 0 else 1
    _say(console, known)
    return 0


def _interrupted(run: str) -> str:
    return f"nobody waits for run {run} any more; it goes on\n  next: benchctl status {run}"


def _watched(console: Console, project: Project, places: Places, known: Detached, begin: int) -> Detached:
    """Repeat what the log says until the run is being collected or its keeper is done."""
    from benchctl.runner.detached import read_detached

    with places.log.open(encoding="utf-8", errors="replace") as log:
        log.seek(begin)
        while True:
            known = read_detached(places) or known
            started = _collecting(project, known)
            for line in log.read().splitlines():
                console.say(line) if known.code in (None, 0) else tell(line)
            if started or not known.kept:
                return known
            time.sleep(_LOOK_S)


def _collecting(project: Project, known: Detached) -> bool:
    """Return whether this very launch has got as far as a cell."""
    store = project.store
    if known.collector is None or known.run not in store.names():
        return False
    run = store.run(known.run)
    if run.state == "closed":
        return False
    progress = run.progress()
    return bool(progress.running) and known.collector.pid in [each.pid for each in progress.collectors]


def _print(project: Project, known: Detached, form: str) -> None:
    from benchctl.cli.run_status import STATUS_SCHEMA, run_status

    if form == "json":
        status = run_status(project.store.run(known.run), known)
        put_json({"schema": STATUS_SCHEMA, "runs": [status]})
    else:
        put(known.run)


def _say(console: Console, known: Detached) -> None:
    console.say(f"\nrun {known.run} goes on without this terminal, kept by process {known.keeper.pid}")
    if known.launcher.cgroup not in (None, "/"):
        console.say(f"what ends the whole control group {known.launcher.cgroup} ends it too")
    console.say(
        f"log   {known.log}\nnext  benchctl status {known.run}\n      kill {known.keeper.pid}   ends it"
    )
