"""What `show` says of a cell: what happened in it, and what it wrote, as it is."""

from __future__ import annotations

import subprocess

import pytest

AGENT = """
import os, pathlib, sys
tree = pathlib.Path(sys.argv[1])
(tree / "new.txt").write_text("no newline")
text = (tree / "a.py").read_text()
(tree / "a.py").write_text(text.replace("one", "uno"))
for number in range(3):
    print("TOOL", number)
print(os.environ["MY_SECRET"], file=sys.stderr)
print('["a.py::one"]')
"""
CELL = "q-other/plain/script/none/1"
CHECK = '["{python}", "-c", "import sys; print(1); sys.exit(sys.argv[0] + \' does not like it\')"]'


@pytest.fixture
def collected(bench):
    bench.write(source=AGENT, reps=1)
    path = bench.suite_dir / "suite.toml"
    text = path.read_text()
    for old, new in (
        (
            "[agents.script]",
            '[agents.script]\nsecrets = ["MY_SECRET"]\nenv = ["MY_SECRET"]\ncounts = { tool_calls = "^TOOL" }',
        ),
        ("wall_s = 20", "wall_s = 20\ntool_calls = 2"),
        ("[arms.plain]", f"[repos.corpus.check]\nargv = {CHECK}\n[arms.plain]"),
    ):
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    bench("run", "--run-id", "r", "--no-page", code=1, MY_SECRET="sesame-open-sesame")
    return bench


def test_what_happened_in_a_cell_is_said(collected):
    said = collected("show", "r", CELL)
    for words in (
        "3 of at most 2 tool calls",
        "ended by caps.tool_calls",
        "taken out of what it wrote: MY_SECRET 1 ×",
        "the last of its check, which failed\n-c does not like it",
    ):
        assert words in said.stdout
    (streams,) = [line for line in said.stdout.splitlines() if line.strip().startswith("streams: ")]
    assert [word.split()[0] for word in streams.split(": ")[1].split(", ")] == [
        "check",
        "check_stderr",
        "diff",
        "stderr",
        "stdout",
    ]
    assert f"benchctl show r {CELL} --stream NAME" in said.stderr


def test_a_stream_is_printed_as_it_is_and_its_diff_can_be_applied(collected, tmp_path):
    diff = collected("show", "r", CELL, "--stream", "diff")
    assert diff.stderr == ""
    tree = tmp_path / "tree"
    tree.mkdir()
    for path in (collected.suite_dir / "corpus").iterdir():
        (tree / path.name).write_bytes(path.read_bytes())
    subprocess.run(["git", "apply"], cwd=tree, input=diff.stdout, text=True, check=True)
    assert (tree / "new.txt").read_text() == "no newline"
    assert "def uno" in (tree / "a.py").read_text()
    assert collected("show", "r", CELL, "--stream", "stdout").stdout.startswith("TOOL 0\n")
    assert collected("show", "r", CELL, "--stream", "check", "--attempt", "1").stdout == "1\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("r", CELL, "--stream", "nix"),
            "expected: one of check (attempt 1), check_stderr (attempt 1), diff",
        ),
        (("r", CELL, "--stream", "stdout", "--attempt", "2"), "has no stream 'stdout' in attempt 2"),
        (("r", "--stream", "stdout"), "--stream without CELL"),
        (("r", CELL, "--attempt", "1"), "--attempt without --stream"),
        (("r", "no/such/cell/at/1", "--stream", "stdout"), "no/such/cell/at/1"),
    ],
)
def test_a_stream_that_is_not_there_is_answered_with_those_that_are(collected, words, said):
    assert said in collected("show", *words, code=2).stderr
