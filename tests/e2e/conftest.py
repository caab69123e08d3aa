"""A tiny project in a temporary folder, driven through the real command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

SUITE = """
schema = 1
name = "tiny"
title = "Who calls target?"
canary = "benchctl-canary-11111111-2222-4333-8444-555555555555"

[repos.corpus]
kind = "directory"
source = "corpus"

[arms.plain]
title = "Plain"
{arms}

[agents.script]
files = "agents"
argv = ["{{python}}", "-I", "-S", "{{agent}}/{agent}", "{{tree}}", "{{prompt_file}}"]

[caps]
wall_s = {wall_s}

[run]
reps = {reps}
seed = 11
allow_no_sandbox = true
{run}

[[questions]]
id = "q-target"
repo = "corpus"
class = "callers"
prompt = "Which functions of this small tree call the function named target, wherever they stand?"
gold = {{ items = ["a.py::one", "b.py::two", "b.py::three"] }}

[[questions]]
id = "q-other"
repo = "corpus"
class = "callers"
prompt = "And which of them call the one that is named other, if there are any such at all?"
gold = {{ items = ["b.py::two"] }}
"""

ANSWER = """
import json, pathlib, re, sys
tree, prompt = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
name = "target" if "target" in prompt else "other"
found, inside = [], None
for path in sorted(tree.glob("*.py")):
    for line in path.read_text().splitlines():
        if match := re.match(r"def (\\w+)", line):
            inside = match[1]
        elif f"{name}(" in line:
            found.append(f"{path.name}::{inside}")
print(json.dumps(found))
"""


SLOW = "import time\ntime.sleep(0.3)\n" + "print('[\"a.py::one\"]')\n"


@dataclass
class Bench:
    root: Path

    @property
    def suite_dir(self) -> Path:
        return self.root / "data" / "suites" / "tiny"

    def write(self, *, agent="answer.py", source=ANSWER, arms="", reps=2, wall_s=20, run=""):
        agents = self.suite_dir / "agents"
        agents.mkdir(parents=True, exist_ok=True)
        (agents / agent).write_text(source)
        corpus = self.suite_dir / "corpus"
        corpus.mkdir(exist_ok=True)
        (corpus / "a.py").write_text("def one():\n    target()\n")
        (corpus / "b.py").write_text("def two():\n    target()\n    other()\n\ndef three():\n    target()\n")
        (self.root / "benchctl.toml").write_text('title = "Tiny"\ndefault_suite = "tiny"\n')
        text = SUITE.format(agent=agent, arms=arms, reps=reps, wall_s=wall_s, run=run)
        (self.suite_dir / "suite.toml").write_text(text)
        return self

    def argv(self, *words):
        return [sys.executable, "-m", "benchctl", *words]

    def env(self, **more):
        return {**os.environ, "CI": "1", **more}

    def __call__(self, *words, code=0, **env):
        done = subprocess.run(
            self.argv(*words), cwd=self.root, env=self.env(**env), capture_output=True, text=True, check=False
        )
        assert code is None or done.returncode == code, (
            f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        )
        return done

    def start(self, *words):
        return subprocess.Popen(
            self.argv(*words),
            cwd=self.root,
            env=self.env(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for(self, condition, *processes, timeout_s=60):
        """Wait until something is so, which it must be before any of the processes ends."""
        until = time.monotonic() + timeout_s
        while not condition():
            assert time.monotonic() < until, "it never happened"
            for process in processes:
                assert process.poll() is None, process.communicate()
            time.sleep(0.01)

    def write_slow(self, **more):
        """Write the suite with an agent that takes a third of a second."""
        return self.write(agent="slow.py", source=SLOW, **more)

    def status(self, run):
        (found,) = json.loads(self("status", run, "--format", "json").stdout)["runs"]
        return found

    def query(self, sql):
        return json.loads(self("query", sql, "--format", "json").stdout)

    def events(self, run):
        """Return the events in a run's journals so far, torn last lines left out."""
        lines = []
        for path in sorted((self.root / "data" / "runs" / run / "journal").glob("*.jsonl")):
            for line in path.read_text().splitlines():
                try:
                    lines.append(json.loads(line)["r"])
                except ValueError:
                    continue
        return lines


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path).write()
