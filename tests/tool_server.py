"""A server of tools that behaves as its first argument says: what preflight has to tell apart."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

TOOLS = [
    {"name": "callers", "description": f"Who calls, in {Path.cwd()}", "inputSchema": {"type": "object"}},
    {"name": "read", "description": "Reads", "inputSchema": {"type": "object"}},
    {"name": "write", "description": "Writes", "inputSchema": {"type": "object"}},
]


def say(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tools(kind, params):
    if kind == "pages":
        at = int(params.get("cursor", 0))
        return {"tools": TOOLS[at : at + 1], **({"nextCursor": str(at + 1)} if at < 2 else {})}
    if kind == "endless":
        at = int(params.get("cursor", 0))
        return {"tools": [{"name": f"t{at}"}], "nextCursor": str(at + 1)}
    if kind == "twice":
        return {"tools": [TOOLS[0], TOOLS[0]]}
    if kind == "nameless":
        return {"tools": [{"description": "?"}]}
    if kind == "fickle":
        return {"tools": [{**TOOLS[0], "description": f"Who calls, in session {os.urandom(8).hex()}"}]}
    return {"tools": [] if kind == "none" else TOOLS}


def greet(kind, message):
    if kind == "asks":
        say({"id": "own-1", "method": "ping"})
        say({"id": "own-2", "method": "sampling/createMessage", "params": {}})
        say({"method": "notifications/message", "params": {"level": "info", "data": "hello"}})
        answers = [json.loads(sys.stdin.readline()) for _ in range(2)]
        assert [answer["id"] for answer in answers] == ["own-1", "own-2"]
        assert "result" in answers[0]
        assert answers[1]["error"]["code"] == -32601
    revision = {"unknown": "next", "later": "2027-01-01"}.get(kind, message["params"]["protocolVersion"])
    info = {"name": "fake", "version": "1.2"}
    result = {"protocolVersion": revision, "capabilities": {"tools": {}}, "serverInfo": info}
    say({"id": message["id"], "result": result})


def listed(kind, message):
    if kind == "error":
        say({"id": message["id"], "error": {"code": -32601, "message": "Method not found"}})
    elif kind == "closes":
        sys.exit(0)
    elif kind == "no result":
        say({"id": message["id"]})
    else:
        say({"id": message["id"], "result": tools(kind, message.get("params", {}))})


def begin(kind):
    if kind == "dies":
        print("no index here", file=sys.stderr)
        sys.exit(3)
    if kind == "silent":
        time.sleep(600)
    if kind == "banner":
        print("Welcome to the server!", flush=True)
    if kind == "child":
        os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "600")


def main(kind):
    begin(kind)
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "initialize":
            greet(kind, message)
        elif message.get("method") == "tools/list":
            listed(kind, message)
    if kind == "lingers":
        time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1])
