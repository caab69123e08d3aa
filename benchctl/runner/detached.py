"""A run that goes on without whoever launched it: what is known of it, and how its keeper is started.

The keeper is a fresh process in a session of its own, started by way of one that ends at once, so that no signal
to the launcher's terminal or process group reaches it. It writes down who launched it: what ends all processes
of the launcher's control group, as a service manager does, ends it too, and nothing here can change that.

Beside the runs, for each detached one: <run>.log (what its processes said), <run>.json (`Detached`), <run>.lock.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from benchctl.errors import RunBusyError, StoreUnwritableError, Where
from benchctl.workspace.living import Living

if TYPE_CHECKING:
    from benchctl.store.project import Project

__all__ = ["Detached", "Launcher", "Places", "every_detached", "launch", "places_of", "read_detached"]

_MOST_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Launcher:
    """Who launched a run: the process, the command that it was started from, its session and control group.

    `parent` and `cgroup` are None where the system does not say.
    """

    pid: int
    parent: str | None
    session: int
    cgroup: str | None

    @classmethod
    def here(cls) -> Self:
        """Return what launches from this process."""
        return cls(
            os.getpid(),
            _first_line(f"/proc/{os.getppid()}/comm"),
            os.getsid(0),
            (_first_line("/proc/self/cgroup") or "").rpartition(":")[2] or None,
        )


@dataclass(frozen=True, slots=True)
class Detached:
    """What is known of a detached run. `collector` is the child of now, or the last one.

    `code` is the exit code of the last collector, negative for the signal that killed it, and `ended_at` when
    the keeper was done; both None while it goes on. `restarted` counts how often a killed one was begun again.
    """

    run: str
    log: str
    argv: tuple[str, ...]
    launched_at: str
    launcher: Launcher
    keeper: Living
    restarts: int
    collector: Living | None = None
    restarted: int = 0
    ended_at: str | None = None
    code: int | None = None
    why: str | None = None

    @property
    def kept(self) -> bool:
        """Return whether somebody still sees to it that the run goes on after a kill."""
        return self.ended_at is None and self.keeper.alive

    @property
    def at_work(self) -> bool:
        """Return whether its collector lives, be it without its keeper."""
        return self.collector is not None and self.collector.alive


@dataclass(frozen=True, slots=True)
class Places:
    """The files of one detached run, in a folder beside the runs."""

    folder: Path
    run: str

    @property
    def log(self) -> Path:
        """Return the path of what its processes say."""
        return self.folder / f"{self.run}.log"

    @property
    def record(self) -> Path:
        """Return the path of what is known of it."""
        return self.folder / f"{self.run}.json"

    @property
    def lock(self) -> Path:
        """Return the path of the lock that its keeper holds."""
        return self.folder / f"{self.run}.lock"


def places_of(project: Project, run: str) -> Places:
    """Return where what is known of a detached run stands: beside the folder of the runs."""
    return Places(project.data / "detached", run)


def launch(places: Places, argv: list[str], cwd: Path, restarts: int) -> Detached:
    """Start a keeper for the command that collects a run, and return what it has written down.

    Raises RunBusyError where the run has a keeper already, StoreUnwritableError where it cannot write.
    """
    try:
        places.folder.mkdir(parents=True, exist_ok=True)
        ignored = places.folder / ".gitignore"
        if not ignored.exists():
            ignored.write_text("*\n", encoding="utf-8")
        log = os.open(
            places.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
    except OSError as error:
        raise StoreUnwritableError(
            f"cannot be written: {error.strerror}", where=Where(str(places.log))
        ) from error
    order = {
        "folder": str(places.folder.absolute()),
        "run": places.run,
        "argv": argv,
        "cwd": str(cwd),
        "restarts": restarts,
        "launcher": asdict(Launcher.here()),
    }
    try:
        said = _started(order, log)
    finally:
        os.close(log)
    found = read_detached(places)
    if said == "kept" and found:
        return found
    if said == "busy":
        pid = found.keeper.pid if found else "unknown"
        raise RunBusyError(
            f"run {places.run} is being collected, kept by process {pid}",
            where=Where(str(places.lock)),
            next_step=f"`benchctl status {places.run}` shows how far it is",
        )
    raise StoreUnwritableError(
        f"the keeper of run {places.run} did not start",
        where=Where(str(places.log)),
        next_step="read that file",
    )


def _started(order: dict[str, Any], log: int) -> str:
    """Start a keeper and return the word that it says of itself; nothing where it died before."""
    read, write = os.pipe()
    with os.fdopen(read, encoding="utf-8") as heard:
        try:
            first = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-m",
                    "benchctl.runner.keeper",
                    json.dumps({**order, "told": write}),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(write,),
                start_new_session=True,
            )
        finally:
            os.close(write)
        first.wait()
        return heard.read()


def read_detached(places: Places) -> Detached | None:
    """Return what is known of a detached run; None for one that never was, or of which nothing can be read."""
    try:
        with places.record.open("rb") as file:
            data = json.loads(file.read(_MOST_BYTES))
        keeper, collector = Living.read(data["keeper"]), Living.read(data["collector"])
        if keeper is None:
            return None
        launcher = Launcher(**data["launcher"])
        known = {
            **data,
            "argv": tuple(data["argv"]),
            "launcher": launcher,
            "keeper": keeper,
            "collector": collector,
        }
        return Detached(**known)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def every_detached(folder: Path) -> list[Detached]:
    """Return what is known of each detached run whose files stand in a folder, by run id."""
    runs = (path.name.removesuffix(".json") for path in sorted(folder.glob("*.json")))
    return [found for run in runs if (found := read_detached(Places(folder, run)))]


def _first_line(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()[0]
    except (OSError, IndexError):
        return None
