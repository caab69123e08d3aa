"""One turn: the agent's command composed, walled in and run on what is left of its budget, and its reply read."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchctl.agents import AGENTS
from benchctl.agents.base import Transcript
from benchctl.runner.contamination import canary_counts
from benchctl.runner.environment import cell_environment
from benchctl.runner.invocations import planned_invocation
from benchctl.runner.parts import Part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchctl.agents.base import Reply
    from benchctl.runner.setting import Setting
    from benchctl.schema.suite import Caps
    from benchctl.workspace.proxy import CellProxy

__all__ = ["below", "run_turn"]

_REPORT_BYTES = 4 * 1024 * 1024
"""What is read of a file in which an agent reports: an object of figures is smaller by far."""

_SAFE = os.O_NOFOLLOW | os.O_CLOEXEC
_ENTER = stat.S_IRUSR | stat.S_IXUSR


def run_turn(
    setting: Setting,
    caps: Caps,
    *,
    session: str | None,
    prepared: Path | None,
    proxy: CellProxy | None,
    fresh: bool = True,
) -> Part | None:
    """Run one turn within `caps`: the first, or one more of `session` in the same home and folder.

    None where there cannot be one, because something stands in the place of its prompt: the agent has put it there
    in a turn before, or a step in a cell that is not `fresh`; or because the agent has shut a folder of its own, in
    which no wall could be built again.
    """
    ready, planned, folder, spec = setting.ready, setting.planned, setting.folder, setting.spec
    adapter = AGENTS[spec.kind]
    invocation = planned_invocation(ready.suite, planned, setting.places(), session=session)
    writes = (folder.tree, folder.scratch, folder.home, folder.tmp)
    if session is not None and not all(map(_enterable, writes)):
        return None
    try:
        _write_files(folder.scratch, invocation.files)
    except OSError:
        if fresh and session is None:
            raise
        return None
    for name in adapter.reports(spec):
        _forget(folder.scratch, name)
    env = cell_environment(
        spec,
        invocation,
        home=str(folder.home),
        tmp=str(folder.tmp),
        commands=ready.commands(planned),
        prepared=str(prepared) if prepared else None,
        proxy=proxy.environment if proxy else None,
    )
    argv = setting.walled(
        invocation.argv,
        env,
        reads=ready.reads(planned),
        writes=writes,
        proxy=proxy,
    )
    result = setting.start(
        argv,
        cwd=Path(folder.tree),
        env=env,
        wall_s=caps.wall_s,
        output_bytes=caps.output_bytes,
        marker=setting.marker,
        counts={**spec.counts, **canary_counts(ready.needles)},
        limits={name: limit for name in spec.counts if (limit := getattr(caps, name)) is not None},
        secrets=setting.secrets,
    )
    reports = {
        name: setting.said(text)
        for name in adapter.reports(spec)
        if (text := _report(folder.scratch, name)) is not None
    }
    said = Transcript(result.stdout.text, result.stderr.text, result.exit_code, reports, result.counts)
    return Part(result, _clean(setting, adapter.read(spec, said)))


def _clean(setting: Setting, reply: Reply) -> Reply:
    """Return a reply without secrets: what was escaped in the output is not in what was read from it.

    A session that is, or holds, a secret is none: it would be kept, and stand in a command line.
    """
    answer, error, session = (
        None if text is None else setting.said(text) for text in (reply.answer, reply.error, reply.session)
    )
    return replace(reply, answer=answer, error=error, session=session if session == reply.session else None)


def _enterable(folder: Path) -> bool:
    """Return whether a folder is there, is one, and lets its owner in: what an agent did to its own is not the host's fault."""
    try:
        mode = folder.lstat().st_mode
    except OSError:
        return False
    return stat.S_ISDIR(mode) and mode & _ENTER == _ENTER


def _write_files(scratch: Path, files: Mapping[str, str]) -> None:
    """Write the files of a turn. Raises OSError where an agent has put something else in their place."""
    for name, text in files.items():
        with below(scratch, name, make=True) as (folder, last):
            with suppress(FileNotFoundError):
                os.unlink(last, dir_fd=folder)
            descriptor = os.open(last, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE, 0o600, dir_fd=folder)
            with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - see `below`
                file.write(text)


def _forget(scratch: Path, name: str) -> None:
    """Remove what a turn before has reported: it is not this one's."""
    with suppress(OSError), below(scratch, name) as (folder, last):
        os.unlink(last, dir_fd=folder)


def _report(scratch: Path, name: str) -> str | None:
    """Return the text of a file that an agent wrote; None where there is none, or something else in its place."""
    try:
        with below(scratch, name) as (folder, last):
            descriptor = os.open(last, os.O_RDONLY | os.O_NONBLOCK | _SAFE, dir_fd=folder)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - see `below`
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            data = file.read(_REPORT_BYTES + 1)
    except OSError:
        return None
    return data.decode("utf-8", "replace") if len(data) <= _REPORT_BYTES else None


@contextmanager
def below(root: Path, name: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
    """Give the folder of a file below `root` as a descriptor, and the file's name in it; no link is followed.

    An agent may put links where the collector, which sees the whole machine, reads and writes. Raises OSError.
    """
    *folders, last = name.split("/")
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | _SAFE)
    try:
        for each in folders:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(each, 0o700, dir_fd=here)
            inner = os.open(each, os.O_RDONLY | os.O_DIRECTORY | _SAFE, dir_fd=here)
            os.close(here)
            here = inner
        yield here, last
    finally:
        os.close(here)
