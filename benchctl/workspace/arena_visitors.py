"""What takes part in an attack from outside of its cell: a listener beside the proxy, and a visitor of the cell's server."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

__all__ = ["listening_elsewhere", "visiting"]

_ELSEWHERE = "127.0.0.2"
_LOOK_S, _VISIT_S = 0.01, 1.0


@contextlib.contextmanager
def listening_elsewhere(port: int) -> Iterator[tuple[str, int] | None]:
    """Listen at a port of this machine and an address of it that no proxy listens at; None where that cannot be."""
    try:
        here = socket.create_server((_ELSEWHERE, port))
    except OSError:
        yield None
        return
    with here:
        yield _ELSEWHERE, port


@contextlib.contextmanager
def visiting(tree: Path) -> Iterator[None]:
    """Visit, once and from outside, the server that a cell says it has: `port` in its tree is its word, `visited` ours."""
    over = threading.Event()

    def visit() -> None:
        while not over.wait(_LOOK_S):
            try:
                port = int((tree / "port").read_text(encoding="ascii"))
            except (OSError, ValueError):
                continue
            with contextlib.suppress(OSError, OverflowError):
                socket.create_connection(("127.0.0.1", port), timeout=_VISIT_S).close()
            with contextlib.suppress(OSError):
                (tree / "visited").touch()
            return

    visitor = threading.Thread(target=visit, name="arena-visitor", daemon=True)
    visitor.start()
    try:
        yield
    finally:
        over.set()
        visitor.join()
