"""What a suite gets wrong is said before anything runs, by `plan` and `run` in the same words."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

CANARY = "benchctl-canary-11111111-2222-4333-8444-555555555555"


def change(bench, old, new):
    file = bench.suite_dir / "suite.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def line_of(bench, words):
    lines = (bench.suite_dir / "suite.toml").read_text().splitlines()
    return next(number for number, line in enumerate(lines, start=1) if words in line)


def gold(bench, text):
    (bench.suite_dir / "gold").mkdir(exist_ok=True)
    (bench.suite_dir / "gold" / "k.txt").write_text(text)


MISTAKES = {
    "gold as agent files": ('files = "agents"', 'files = "gold"', "files = "),
    "the suite as agent files": ('files = "agents"', 'files = "."', "files = "),
    "no agent files": ('files = "agents"', 'files = "nope"', "files = "),
    "an unknown placeholder": ('"{tree}"', '"{treee}"', "argv = "),
    "an open placeholder": ('"{tree}"', '"{tree"', "argv = "),
    "no argv": ('argv = ["{python}"', 'argv = []\n# ["{python}"', "argv = "),
    "an unknown kind": ("[agents.script]", '[agents.script]\nkind = "oracle"', 'kind = "oracle"'),
    "another name": ('name = "tiny"', 'name = "other"', 'name = "other"'),
    "no source": ('source = "corpus"', 'source = "corpse"', "source = "),
    "a cap without end": ("wall_s = 20", "wall_s = inf", "wall_s = "),
    "a quoted answer": ("wherever they stand?", "such as a.py::one?", "gold = "),
    "a canary in a prompt": ("wherever they stand?", CANARY, "prompt = "),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_of_the_suite_is_the_same_for_plan_and_run(bench, case):
    gold(bench, CANARY)
    old, new, words_of_line = MISTAKES[case]
    change(bench, old, new)
    said = {
        words: bench(*words, code=2).stderr.rpartition("tiny: checking corpus\n")[2].rpartition("other: ")[2]
        for words in (("plan",), ("run", "--run-id", "r"))
    }
    for text in said.values():
        assert "[suite-invalid]" in text
        assert f"suite.toml:{line_of(bench, words_of_line)}" in text
    assert not (bench.root / "data" / "runs").exists()


def test_every_mistake_is_said_at_once(bench):
    change(bench, '"{tree}"', '"{treee}"')
    change(bench, 'source = "corpus"', 'source = "corpse"')
    errors = bench("plan", code=2).stderr
    assert "{treee}" in errors
    assert "corpse" in errors


def test_a_link_to_the_key_is_not_copied(bench):
    gold(bench, CANARY)
    (bench.suite_dir / "agents" / "k").symlink_to("../gold/k.txt")
    assert "the symbolic link k leads to no file" in bench("run", code=2).stderr


@pytest.mark.parametrize("name", ["notes.txt", "lib/.hidden", "deep/er/x.json"])
def test_a_key_among_the_agents_files_stops_the_run(bench, name):
    file = bench.suite_dir / "agents" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"note": CANARY.upper()}))
    errors = bench("run", code=3).stderr
    assert f"agents.script.files: {name} holds the canary" in errors
    assert "[leak-found]" in errors


def test_a_gold_file_without_the_canary_stops_the_run(bench):
    gold(bench, "a.py::one\n")
    (bench.suite_dir / "gold" / "empty").touch()
    (bench.suite_dir / "gold" / "picture").write_bytes(b"\x89PNG\0")
    errors = bench("run", "--run-id", "r", code=3).stderr
    assert "gold/k.txt does not hold the suite's canary" in errors
    assert CANARY in errors
    gold(bench, f"# {CANARY}\na.py::one\n")
    bench("run", "--run-id", "r")


@pytest.mark.parametrize("source", ["gold", "gold/deep", "."])
def test_a_corpus_of_the_gold_folder_is_refused(bench, source):
    gold(bench, CANARY)
    (bench.suite_dir / "gold" / "deep").mkdir()
    (bench.suite_dir / "gold" / "deep" / "x").write_bytes(b"\0nothing to scan")
    change(bench, 'source = "corpus"', f'source = "{source}"')
    for words in (("plan",), ("run",)):
        assert "holds files of the suite's gold folder" in bench(*words, code=3).stderr


def test_a_corpus_that_leaves_the_gold_out_may_stand_around_it(bench):
    gold(bench, CANARY)
    change(bench, 'source = "corpus"', 'source = "."\ninclude = ["corpus/**"]')
    bench("plan")


METHODS = """
[[gold_methods]]
title = "one"
argv = ["{{python}}", "{{gold}}/one.py"]
[[gold_methods]]
title = "two"
argv = ["{{python}}", "{{gold}}/two.py"]
"""


@pytest.fixture
def derived(bench):
    """A suite of which one question is derived, by methods that say what they are told to."""

    def go(one, two):
        gold(bench, CANARY)
        for name, body in (("one", one), ("two", two)):
            (bench.suite_dir / "gold" / f"{name}.py").write_text(f"# {CANARY}\n{body}\n")
        change(bench, '{ items = ["b.py::two"] }', '{ target = "x" }')
        change(bench, "[[questions]]", f"{METHODS.format()}\n[[questions]]")
        return bench

    return go


GOOD = "print('[\"b.py::two\"]')"


def test_methods_that_disagree_cost_a_question_and_no_exit_code(derived):
    done = derived(GOOD, "print('[]')")("run", "--run-id", "r")
    assert "question q-other: the gold methods disagree" in done.stderr
    assert "deriving the gold of q-other by one and two" in done.stderr


def test_a_method_that_breaks_ends_with_3_and_says_how(derived):
    bench = derived(GOOD, "raise SystemExit(9)")
    for words in (("--preflight-only",), (), (), ("--preflight-only",)):  # the third finds it complete
        done = bench("run", "--run-id", "r", *words, code=3)
        assert "question q-other: no gold: two ended with exit_nonzero (exit status 9)" in done.stderr
        assert "[combination-refused]" in done.stderr
    bench("run", "--run-id", "r", "--allow-refused")


def test_what_a_gold_method_prints_is_shown_and_not_obeyed(derived):
    hostile = "import sys; print(chr(27) + ']0;title' + chr(7), file=sys.stderr); raise SystemExit(1)"
    bench = derived(GOOD, hostile)
    for code, words in ((3, ("run",)), (3, ("run", "--only", "q-other"))):
        done = bench(*words, code=code)
        assert r"\u001b]0;title\u0007" in done.stderr
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", done.stderr + done.stdout)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [("plan",), ("--help",), ("plan", "--format", "json")])
def test_an_output_that_is_full_is_an_error_and_no_traceback(bench, words):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            bench.argv(*words), cwd=bench.root, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert "No space left on device [system-error]\n  next: make room" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_messages_that_nobody_can_read_do_not_stop_a_run(bench):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            bench.argv("run", "--run-id", "r", "--no-page"),
            cwd=bench.root,
            stderr=full,
            stdout=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 0
    assert bench.query("select count(*) as n from cells where outcome = 'ok'") == [{"n": 4}]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_missing_permission_is_said_with_the_file(bench):
    (bench.root / "data" / "runs").mkdir()
    (bench.root / "data" / "runs").chmod(0)
    done = bench("run", "--run-id", "r", code=2)
    (bench.root / "data" / "runs").chmod(0o755)
    assert "Permission denied" in done.stderr
