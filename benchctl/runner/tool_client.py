"""Asks a server of tools what it offers, from inside a cell's wall: `python -I -S tool_client.py VERSION PROOF -- COMMAND…`.

It is a file of its own that imports nothing of this program, because a wall hides all installed packages. It
starts the command, speaks the Model Context Protocol with it (JSON-RPC 2.0, one message a line, on the
server's standard streams), and prints one line: `{"protocol", "name", "version", "tools"}`, or `{"error"}`.
It calls no tool. Whoever starts it limits its time and ends what it leaves.

A server runs as the same user and might write to this program's output in its place. So `PROOF` is a file with a
word that goes into every answer as `proof`; it is read and removed before the server starts, and from then on the
memory of this program is closed to others.

Sources: modelcontextprotocol.io/specification/2025-06-18, basic/lifecycle (initialize, the version that a server
answers with, the initialized notification, shutdown by closing standard input), basic/transports (stdio) and
server/tools (tools/list, its cursor).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["ServerFailedError", "main", "offered"]

PROTOCOL = "2025-06-18"
"""The revision that is asked for. A server may answer with another; what is read here is the same in all of them."""

_REVISION = re.compile(r"\d{4}-\d{2}-\d{2}")
_LONGEST_LINE = 16 * 1024 * 1024
_MOST_PAGES = 1000
_LINGER_S = 2.0
_PR_SET_DUMPABLE = 4


class ServerFailedError(Exception):
    """The server does not speak the protocol, or says that it failed."""


class _Session:
    """One conversation with a started server."""

    def __init__(self, server: subprocess.Popen[bytes]) -> None:
        self._server = server
        self._last = 0

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a request. Raises ServerFailedError for an error, or for the end of the server."""
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        while True:
            for message in self._receive(method):
                if message.get("id") == self._last and "method" not in message:
                    return _result(method, message)
                self._answer(message)

    def notify(self, method: str) -> None:
        """Send what wants no answer."""
        self._send({"method": method})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._server.stdin is not None  # noqa: S101 - it was started with a pipe
        try:
            self._server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self._server.stdin.flush()
        except OSError as error:
            raise ServerFailedError(f"it closed its standard input{self._ending()}") from error

    def _receive(self, method: str) -> list[dict[str, Any]]:
        """Return the messages of the next line."""
        assert self._server.stdout is not None  # noqa: S101 - it was started with a pipe
        line = self._server.stdout.readline(_LONGEST_LINE)
        if not line:
            raise ServerFailedError(f"it ended before it answered {method}{self._ending()}")
        if not line.strip():
            return []
        try:
            said = json.loads(line)
            # Python reads NaN, infinity and halves of characters, which are no JSON: no digest is over them.
            json.dumps(said, ensure_ascii=False, allow_nan=False).encode()
        except (ValueError, RecursionError):
            said = None
        messages = said if isinstance(said, list) else [said]  # revision 2025-03-26 knows batches
        if not all(isinstance(message, dict) and message.get("jsonrpc") == "2.0" for message in messages):
            raise ServerFailedError(f"its standard output holds what is no message: {_clipped(line)}")
        return messages

    def _answer(self, message: dict[str, Any]) -> None:
        """Answer a request of the server: it may ask whether we live, and nothing else, for nothing else was offered."""
        if message.get("id") is None or "method" not in message:
            return
        if message["method"] == "ping":
            self._send({"id": message["id"], "result": {}})
        else:
            self._send({"id": message["id"], "error": {"code": -32601, "message": "not offered"}})

    def _ending(self) -> str:
        try:
            return f", with exit status {self._server.wait(_LINGER_S)}"
        except subprocess.TimeoutExpired:
            return ""


def _result(method: str, message: dict[str, Any]) -> dict[str, Any]:
    error, result = message.get("error"), message.get("result")
    if error is not None:
        said = error.get("message") if isinstance(error, dict) else error
        raise ServerFailedError(f"it answers {method} with the error {_clipped(str(said).encode())}")
    if not isinstance(result, dict):
        raise ServerFailedError(f"it answers {method} without a result")
    return result


def _clipped(line: bytes) -> str:
    text = line.decode(errors="replace").strip()
    return text if len(text) <= 200 else f"{text[:200]}…"


def offered(server: subprocess.Popen[bytes], version: str) -> dict[str, Any]:
    """Return what a server says of itself and of its tools. Raises ServerFailedError."""
    session = _Session(server)
    client = {"name": "benchctl", "version": version}
    hello = session.request(
        "initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}
    )
    protocol = hello.get("protocolVersion")
    if not isinstance(protocol, str) or not _REVISION.fullmatch(protocol):
        raise ServerFailedError(f"it speaks the unknown revision {protocol!r} of the protocol")
    session.notify("notifications/initialized")
    known = hello.get("serverInfo")
    info = known if isinstance(known, dict) else {}
    return {
        "protocol": protocol,
        "name": str(info.get("name", "")),
        "version": str(info.get("version", "")),
        "tools": _tools(session),
    }


def _tools(session: _Session) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    cursor: object = None
    for _ in range(_MOST_PAGES):
        page = session.request("tools/list", {} if cursor is None else {"cursor": cursor})
        tools = page.get("tools")
        for tool in tools if isinstance(tools, list) else [None]:
            if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
                raise ServerFailedError("it answers tools/list with something that is no tool")
            if tool["name"] in found:
                raise ServerFailedError(f"it offers the tool {tool['name']!r} twice")
            found[tool["name"]] = tool
        cursor = page.get("nextCursor")
        if cursor is None:
            return list(found.values())
    raise ServerFailedError(f"its list of tools has no end after {_MOST_PAGES} pages")


def main(words: list[str]) -> int:
    """Run the command behind `--` as a server; print what it offers. The exit status is 0 where it was understood."""
    version, proof_file, _, *command = words
    proof = _proof(proof_file)
    try:
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None, bufsize=-1
        ) as server:
            try:
                answer, code = offered(server, version), 0
            except ServerFailedError as error:
                answer, code = {"error": str(error)}, 1
            _end(server)
    except OSError as error:
        answer, code = {"error": f"it cannot be started: {error.strerror}"}, 1
    print(json.dumps({**answer, "proof": proof}))  # noqa: T201 - its answer is what it prints
    return code


def _proof(file: str) -> str:
    """Take the word that shows an answer to be ours, and keep it where no process of the same user can look."""
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    with open(file, encoding="utf-8") as opened:  # noqa: PTH123 - pathlib costs more to import than all of this
        proof = opened.read()
    os.unlink(file)  # noqa: PTH108
    return proof


def _end(server: subprocess.Popen[bytes]) -> None:
    """Close the server's standard input, which is how it is told to end; one that lingers is ended."""
    assert server.stdin is not None  # noqa: S101 - it was started with a pipe
    with contextlib.suppress(OSError):
        server.stdin.close()
    ends: tuple[Callable[[], None] | None, ...] = (None, server.terminate, server.kill)
    for end in ends:
        if end is not None:
            end()
        try:
            server.wait(_LINGER_S)
        except subprocess.TimeoutExpired:
            continue
        return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
