"""Nothing that is kept of a run holds a secret, in whatever way the agent gives it away; the rows say how often it did."""

from __future__ import annotations

import base64
import json
import os

import pytest

from benchctl.store.reader import Store

KEY = "sk-test-Ab/Cd+Ef=Gh0123456789xyz"
PASSWORD = "correct horse 'battery' staple"

BLABBER = """
import base64, json, os, pathlib, sys
key, password = os.environ["MODEL_API_KEY"], os.environ["PLAIN_NAME"]
print("starting with", key, file=sys.stderr)
print(json.dumps({"auth": f"Bearer {key}", "basic": base64.b64encode(f"user:{password}".encode()).decode()}))
tree = pathlib.Path(sys.argv[1])
(tree / "config.json").write_text(json.dumps({"inner": json.dumps({"key": key})}))
with open(tree / "a.py", "a") as file:
    file.write("KEY = " + repr(key) + "\\nPASSWORD = " + repr(password) + "\\n")
for at in range(0, len(key), 7):
    sys.stdout.write(key[at : at + 7])
    sys.stdout.flush()
print()
print(json.dumps(["a.py::one", f"x.py::{key}"]))
"""


TABLES = ("cells", "attempts", "grades", "transcripts")


def files(root):
    return {path: path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def told(data):
    """Return the secrets that bytes give away, as they are or in Base64."""
    return [
        value
        for value in (KEY, PASSWORD)
        if value.encode() in data
        or any(base64.b64encode(bytes(shift) + value.encode())[4:-4] in data for shift in range(3))
    ]


@pytest.fixture
def blabbing(bench):
    bench.write(agent="blabber.py", source=BLABBER, reps=1)
    suite = bench.suite_dir / "suite.toml"
    suite.write_text(
        suite.read_text().replace(
            "[agents.script]\n",
            '[agents.script]\nenv = ["MODEL_API_KEY", "PLAIN_NAME"]\nsecrets = ["PLAIN_NAME"]\n',
        )
    )
    return bench


def test_what_is_kept_of_a_run_holds_no_secret(blabbing):
    keys = {"MODEL_API_KEY": KEY, "PLAIN_NAME": PASSWORD, "OTHER_TOKEN": "never-shown-to-anybody"}
    done = blabbing("run", "tiny", "--run-id", "r1", "--no-sandbox", "--no-page", code=None, **keys)
    runs = blabbing.root / "data" / "runs"
    kept = files(runs)
    assert kept, done.stderr
    assert {str(path): told(data) for path, data in kept.items() if told(data)} == {}
    assert told((done.stdout + done.stderr).encode()) == []
    run = Store(blabbing.root / "data").run("r1")  # what is compressed on the disk
    rows = {table: repr([dict(row) for row in run.rows(table)]) for table in TABLES}
    assert {table: told(text.encode()) for table, text in rows.items() if told(text.encode())} == {}
    assert {"stdout", "stderr", "diff"} <= {row["stream"] for row in run.rows("transcripts")}
    for row in run.rows("transcripts"):
        assert "[redacted:" in row["text"], row["stream"]
    rows = blabbing.query("select redactions from attempts")
    assert len(rows) == 2
    for row in rows:
        counts = json.loads(row["redactions"]) if isinstance(row["redactions"], str) else row["redactions"]
        assert counts.keys() == {"MODEL_API_KEY", "PLAIN_NAME"}
        assert counts["MODEL_API_KEY"] >= 4
        assert counts["PLAIN_NAME"] >= 2
    for (text,) in [tuple(row.values()) for row in blabbing.query("select answer from cells")]:
        assert "[redacted:MODEL_API_KEY]" in text
    shown = blabbing(
        "show", "r1", blabbing.query("select cell from cells limit 1")[0]["cell"], "--format", "json"
    ).stdout
    assert "[redacted:MODEL_API_KEY]" in shown
    assert told(shown.encode()) == []


def test_a_journal_of_an_open_run_holds_no_secret_either(blabbing):
    blabbing.write(agent="blabber.py", source=BLABBER + "import time; time.sleep(1)\n", reps=5)
    suite = blabbing.suite_dir / "suite.toml"
    suite.write_text(
        suite.read_text().replace(
            "[agents.script]\n",
            '[agents.script]\nenv = ["MODEL_API_KEY", "PLAIN_NAME"]\nsecrets = ["PLAIN_NAME"]\n',
        )
    )
    os.environ |= {"MODEL_API_KEY": KEY, "PLAIN_NAME": PASSWORD}
    try:
        going = blabbing.start("run", "tiny", "--run-id", "r1", "--no-sandbox", "--no-page")
        blabbing.wait_for(lambda: any(event["event"] == "end" for event in blabbing.events("r1")), going)
        going.kill()
        going.communicate()
    finally:
        del os.environ["MODEL_API_KEY"], os.environ["PLAIN_NAME"]
    kept = files(blabbing.root / "data" / "runs")
    assert any(b"[redacted:MODEL_API_KEY]" in data for data in kept.values())
    assert {str(path): told(data) for path, data in kept.items() if told(data)} == {}
