"""The first process of a cell in a container: starts the command, and ends all of it when nobody waits any more.

Run as `python -I -S guard.py SOCKET PORT COMMAND…` with a pipe as its standard input; it imports nothing of
benchctl but the relay beside it, and that only where SOCKET is not empty. The command has no standard input.
"""

# A single-file command; pathlib would double the time it takes to start.
# ruff: noqa: PTH100, PTH120, T201

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from types import FrameType

__all__ = ["main"]

_OUR_OWN = 125
_NOT_ITS_OWN = 124
"""What a command's own 125 becomes: with that one the engine says that it never began."""


def _end_with_input() -> None:
    """Wait for the end of standard input, and end every process that we can see."""
    while os.read(0, 4096):
        continue
    os.kill(-1, signal.SIGKILL)
    os._exit(137)


def main(words: list[str]) -> int:
    """Run the command to its end; return its exit status."""
    path, port, argv = words[0], int(words[1]), words[2:]
    threading.Thread(target=_end_with_input, daemon=True).start()
    if path:
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        import relay  # type: ignore[import-not-found]  # beside this file in the container

        relay.start(path, port)
    try:
        command = subprocess.Popen(argv, stdin=subprocess.DEVNULL)
    except OSError as error:
        print(f"guard: {error}", file=sys.stderr)
        return 127

    def pass_on(number: int, _: FrameType | None) -> None:
        command.send_signal(number)

    signal.signal(signal.SIGTERM, pass_on)
    code = command.wait()
    if code < 0:
        return 128 - code
    return _NOT_ITS_OWN if code == _OUR_OWN else code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
