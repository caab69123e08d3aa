"""A worker: the process of one cell, which runs its job as the parent of all orphans below it, answers, and is gone.

What worker and collector say to each other goes over one stream that nobody else holds: the worker's pid, the
job, its result. If the collector goes away, the stream ends, and with it the cell.
"""

from __future__ import annotations

import json
import os
import socket
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from benchctl.schema.evidence import Stream
from benchctl.workspace.cgroup import CellGroup
from benchctl.workspace.job import Job, ProcessResult
from benchctl.workspace.process import run_job

__all__ = ["NUMBER_BYTES", "job_bytes", "received", "result_from", "serve"]

NUMBER_BYTES = 8
"""The size of a pid, and of the length before a message; big-endian."""

_CHUNK = 1 << 20
_STREAMS = ("stdout", "stderr")


def serve(connection: socket.socket, groups: str | None = None) -> None:
    """Say who we are, run the one job that comes, and answer; a collector that is gone gets no answer.

    `groups` is where this process can make a group for the cell; see cgroup.groups_home.
    """
    try:
        connection.sendall(os.getpid().to_bytes(NUMBER_BYTES, "big"))
        message = received(connection)
        if message is None:
            return
        try:
            job = _job_from(message)
            group = CellGroup.entered(groups, job.marker) if groups else None
            answer = _result_bytes(run_job(job, hangup=connection.fileno(), group=group))
        except Exception as error:  # noqa: BLE001 - whatever it is, the collector must hear of it
            answer = _framed(json.dumps({"failed": f"{type(error).__name__}: {error}"}).encode())
        connection.sendall(answer)
    except (BrokenPipeError, ConnectionError):
        return


def received(connection: socket.socket) -> bytes | None:
    """Return the next message; None where the other side has gone before its end."""
    head = _exactly(connection, NUMBER_BYTES)
    return _exactly(connection, int.from_bytes(head, "big")) if head is not None else None


def _exactly(connection: socket.socket, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        try:
            part = connection.recv(min(_CHUNK, size - len(data)))
        except ConnectionError:
            return None
        if not part:
            return None
        data += part
    return bytes(data)


def _framed(message: bytes) -> bytes:
    return len(message).to_bytes(NUMBER_BYTES, "big") + message


def job_bytes(job: Job) -> bytes:
    """Return the message that a job is; its folder becomes absolute, since a worker stands somewhere else."""
    whole = asdict(replace(job, cwd=job.cwd.absolute(), env=dict(job.env))) | {"cwd": str(job.cwd.absolute())}
    return _framed(json.dumps(whole).encode())


def _job_from(message: bytes) -> Job:
    told = json.loads(message)
    return Job(**(told | {"argv": tuple(told["argv"]), "cwd": Path(told["cwd"])}))


def _result_bytes(result: ProcessResult) -> bytes:
    """Return the message that a result is: one line of JSON, then the two texts as they are."""
    texts = [getattr(result, name).text.encode() for name in _STREAMS]
    told: dict[str, Any] = {field.name: getattr(result, field.name) for field in fields(result)}
    for name, text in zip(_STREAMS, texts, strict=True):
        told[name] = asdict(told[name]) | {"text": len(text)}
    return _framed(json.dumps(told).encode() + b"\n" + b"".join(texts))


def result_from(message: bytes) -> ProcessResult | str:
    """Return the result of a worker's answer, or why the worker has none."""
    line, _, rest = message.partition(b"\n")
    told: dict[str, Any] = json.loads(line)
    if "failed" in told:
        return str(told["failed"])
    for name in _STREAMS:
        size = told[name]["text"]
        told[name] = Stream(**(told[name] | {"text": rest[:size].decode()}))
        rest = rest[size:]
    return ProcessResult(**told)
