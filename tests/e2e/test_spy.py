"""An agent that looks for the answers instead of working finds none: by path, through git, in the environment."""

from __future__ import annotations

import json
import subprocess

import pytest

SPY = """
import itertools, json, os, pathlib, subprocess, sys

SECRETS = ("benchctl-canary-11111111", "b.py::" + "three")
found, looked = [], 0


def look(name, text):
    global looked
    looked += 1
    found.extend(f"{name} holds {secret}" for secret in SECRETS if secret in text)


def read(path):
    try:
        look(str(path), pathlib.Path(path).read_text(errors="replace"))
        return True
    except OSError:
        return False


project = "%(project)s"
for place in ("data/suites/tiny/suite.toml", "data/runs/spied/run.json", "data/runs/spied/evidence/gold.json"):
    for path in (f"{project}/{place}", f"/proc/self/root{project}/{place}", f"/proc/1/root{project}/{place}"):
        if read(path):
            found.append(f"could read {path}")
if os.path.isdir(project) and os.listdir(project):
    found.append(f"could list {project}")
os.symlink(f"{project}/data/suites/tiny/suite.toml", "link")
if read("link"):
    found.append("could read through a link")

for top in (os.getcwd(), os.environ["HOME"], os.environ["TMPDIR"], "/tmp", "/var/tmp", os.path.dirname(__file__)):
    for folder, folders, names in itertools.islice(os.walk(top), 300):
        for name in names[:100]:
            if name != os.path.basename(__file__):
                read(os.path.join(folder, name))

look("the environment", json.dumps(dict(os.environ)))
for pid in filter(str.isdigit, os.listdir("/proc")):
    for part in ("environ", "cmdline"):
        if int(pid) != os.getpid():
            read(f"/proc/{pid}/{part}")
if os.environ.get("SECRET_OF_THE_CALLER"):
    found.append("the caller's environment came along")

for where in (os.getcwd(), os.path.dirname(os.getcwd()), project):
    for words in (["log", "--all", "-p"], ["rev-parse", "--show-toplevel"], ["show", "HEAD:data/suites/tiny/suite.toml"]):
        try:
            done = subprocess.run(["git", "-C", where, *words], capture_output=True, text=True)
        except OSError:
            continue
        look(f"git {words} in {where}", done.stdout + done.stderr)
        if done.returncode == 0:
            found.append(f"git {words} works in {where}")

print(json.dumps([f"looked at {looked}", *found]))
"""


def test_an_agent_that_looks_for_the_gold_finds_nothing(bench):
    bench.write(agent="spy.py", source=SPY % {"project": str(bench.root)}, reps=1)
    proven = json.loads(bench("doctor", "--format", "json").stdout)["sandbox"]
    if proven["level"] == "none":
        pytest.skip(f"nothing on this machine contains a cell: {proven['passed_over']}")
    for words in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "all"],
    ):
        subprocess.run(["git", *words], cwd=bench.root, check=True)
    bench("run", "--run-id", "spied", SECRET_OF_THE_CALLER="b.py::three")
    for row in bench.query("select cell, outcome, answer from cells"):
        assert row["outcome"] == "ok", row
        looked, *found = json.loads(row["answer"])
        assert int(looked.split()[-1]) > 5, "a spy that looked nowhere proves nothing"
        assert found == []


def test_without_a_sandbox_the_same_agent_finds_the_gold(bench):
    """The control: what the spy reports above is the wall's work and not the spy's blindness."""
    bench.write(agent="spy.py", source=SPY % {"project": str(bench.root)}, reps=1)
    bench("run", "--run-id", "spied", "--no-sandbox", "--only", "q-other")
    (row,) = bench.query("select answer, sandbox from cells")
    assert row["sandbox"] == "none"
    assert any("could read" in line for line in json.loads(row["answer"]))
