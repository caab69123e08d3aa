"""Runs a container engine's client for one cell, and sees to it that the container ends with the cell.

Run as `python -I -S container_client.py READY_FD SPEC COMMAND…`; it imports nothing of benchctl. SPEC is JSON:
`env`, what the client needs of its caller's environment, and `name`, the container's. The client's standard
input is a pipe that only this process holds: the guard in the container ends everything when it closes, of
whatever. READY_FD gets a line when the guard has said that the command was started.
"""

# ruff: noqa: T201

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from types import FrameType

__all__ = ["main"]

_NEVER_BEGAN = 125
"""docker-run(1), podman-run(1): the exit status where the engine itself failed."""


def main(words: list[str]) -> int:
    """Run the client to its end and return the exit status of the command."""
    ready, spec, argv = int(words[0]), json.loads(words[1]), words[2:]
    os.set_inheritable(ready, False)  # noqa: FBT003 - the system's own signature
    try:
        client = subprocess.Popen(argv, env={**os.environ, **spec["env"]}, stdin=subprocess.PIPE)
    except OSError as error:
        os.write(ready, b"failed\n")
        print(f"container: {error}", file=sys.stderr)
        return _NEVER_BEGAN

    def end(number: int, _: FrameType | None) -> None:
        # The command first gets the signal that we got; the engine passes it on to the first process inside.
        client.send_signal(number)

    signal.signal(signal.SIGTERM, end)
    code = client.wait()
    os.write(ready, b"failed\n" if code == _NEVER_BEGAN else b"exit-code: that of the command\n")
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
