"""A process that collects a run of trivial cells until somebody kills it, and says what it has done for good.

usage: quick_runner.py PROJECT RUN
Prints `ready` when the first cell may start, `done CELL` once a cell's result cannot be lost any more, `closed`
once the run is closed. The agent writes a line to `starts.log` in the project whenever it is really started.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchctl.runner.collect import collect
from benchctl.runner.options import RunOptions
from benchctl.store.project import Project

AGENT = """
import os, random, sys, time
with open(sys.argv[1], "a") as log:
    log.write(sys.argv[2] + "\\n")
time.sleep(random.random() * float(sys.argv[3]))
print('["a.py::one"]')
print('{"usd": 0.25}')
"""

SUITE = """
schema = 1
name = "tiny"
title = "Trivial cells"
canary = "benchctl-canary-11111111-2222-4333-8444-555555555555"

[repos.corpus]
kind = "directory"
source = "corpus"

[arms.plain]
title = "Plain"

[agents.quick]
argv = {argv}
reply = {{ cost_usd = "/usd" }}

[run]
reps = {reps}
seed = 3
allow_no_sandbox = true

{questions}
"""

QUESTION = """
[[questions]]
id = "q{number}"
repo = "corpus"
class = "callers"
prompt = "Which functions call the function that is named target number {number}, wherever they stand?"
gold = {{ items = ["a.py::one"] }}
"""


def write_project(root, *, questions, reps, longest_s):
    """Write a project whose cells take up to `longest_s` seconds."""
    suite = root / "data" / "suites" / "tiny"
    (suite / "corpus").mkdir(parents=True)
    (suite / "corpus" / "a.py").write_text("def one():\n    target()\n")
    (root / "benchctl.toml").write_text('title = "Tiny"\n')
    argv = ["{python}", "-I", "-S", "-c", AGENT, str(root / "starts.log"), "{question}", str(longest_s)]
    asked = "".join(QUESTION.format(number=number) for number in range(1, questions + 1))
    (suite / "suite.toml").write_text(SUITE.format(argv=json.dumps(argv), reps=reps, questions=asked))


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Aloud:
    """A progress that tells what cannot be lost any more."""

    def note(self, text):
        pass

    def begin(self, *_):
        say("ready")

    def starting(self, cell):
        pass

    def ended(self, cell, *_, **__):
        say(f"done {cell.cell}")

    def close(self):
        pass


def main(root, run):
    project = Project.find(Path(root))
    suite, file = project.read_suite("tiny")
    collect(project, suite, file, RunOptions(run_id=run, no_sandbox=True), Aloud())
    say("closed")


if __name__ == "__main__":
    main(*sys.argv[1:])
