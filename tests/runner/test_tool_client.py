"""What a server of tools is asked, and every way in which it can be no server."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import tool_server

from benchctl.runner import tool_client

SERVER = tool_server.__file__
NAMES = ["callers", "read", "write"]


def ask(*command):
    with tempfile.NamedTemporaryFile("w", delete=False) as proof:
        proof.write("ours")
    done = subprocess.run(
        [sys.executable, "-I", "-S", tool_client.__file__, "0", proof.name, "--", *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert not Path(proof.name).exists()
    said = json.loads(done.stdout)
    assert said.pop("proof") == "ours"
    return done.returncode, said, done.stderr


def served(kind):
    return ask(sys.executable, SERVER, kind)


@pytest.mark.parametrize("kind", ["plain", "pages", "asks", "later", "lingers"])
def test_a_server_says_who_it_is_and_what_it_offers(kind):
    code, said, _ = served(kind)
    assert code == 0
    assert [tool["name"] for tool in said["tools"]] == NAMES
    assert (said["name"], said["version"]) == ("fake", "1.2")
    assert said["protocol"] == ("2027-01-01" if kind == "later" else tool_client.PROTOCOL)


# What it does instead, and how that is said.
FAILURES = {
    "dies": "it ended before it answered initialize, with exit status 3",
    "banner": "its standard output holds what is no message: Welcome to the server!",
    "error": "it answers tools/list with the error Method not found",
    "closes": "it ended before it answered tools/list, with exit status 0",
    "no result": "it answers tools/list without a result",
    "unknown": "it speaks the unknown revision 'next' of the protocol",
    "twice": "it offers the tool 'callers' twice",
    "nameless": "it answers tools/list with something that is no tool",
    "endless": "its list of tools has no end after 1000 pages",
}


@pytest.mark.parametrize("kind", FAILURES)
def test_whatever_is_no_server_is_said(kind):
    code, said, _ = served(kind)
    assert code == 1
    assert said == {"error": FAILURES[kind]}


def test_what_a_server_says_on_standard_error_is_passed_on():
    assert "no index here" in served("dies")[2]


def test_a_command_that_cannot_be_started_is_said(tmp_path):
    code, said, _ = ask(str(tmp_path / "gone"))
    assert code == 1
    assert said == {"error": "it cannot be started: No such file or directory"}


def test_a_line_that_is_json_and_no_message_is_none(tmp_path):
    started = '{"jsonrpc": "2.0", "x": %s}'
    for line in (
        "[1]",
        "7",
        '{"id": 1}',
        *(started % no for no in ("NaN", "1e999", r'"\ud800"', r'{"\udfff": 1}')),
    ):
        script = tmp_path / "server.sh"
        script.write_text(f"printf '%s\\n' '{line}'\nexec sleep 600\n")
        assert "is no message" in ask("sh", str(script))[1]["error"]


def test_the_client_imports_nothing_of_this_program():
    """It runs behind a wall that hides every installed package."""
    assert "import benchctl" not in Path(tool_client.__file__).read_text()
    assert "from benchctl" not in Path(tool_client.__file__).read_text()
