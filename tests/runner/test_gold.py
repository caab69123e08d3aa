"""Gold derived by real methods, small enough to read."""

from __future__ import annotations

import pytest

from benchctl.runner.agent_files import folder_digest
from benchctl.runner.gold import derive_gold
from benchctl.schema.suite import parse_suite

SUITE = """
schema = 1
name = "g"
title = "G"
canary = "benchctl-canary-00000000-0000-4000-8000-000000000001"
repos.r = {{ kind = "directory", source = "r" }}
arms.a = {{ title = "A" }}
agents.s = {{ argv = ["x"] }}
{methods}
[[questions]]
id = "derived"
repo = "r"
class = "c"
prompt = "p"
gold = {{ target = "two words; $(x)", minimum = 2 }}
[[questions]]
id = "written"
repo = "r"
class = "c"
prompt = "p"
gold = {{ items = ["a"] }}
"""

METHODS = {
    "lists": "import json, os, sys; print(json.dumps(sorted(os.listdir(sys.argv[1]))))",
    "walks": "import json, pathlib, sys; print(json.dumps([p.name for p in pathlib.Path(sys.argv[1]).iterdir()]))",
    "shorter": "import json; print(json.dumps(['a']))",
    "crashes": "import sys; print('[]'); sys.exit('no such module')",
    "says nothing": "import sys; print('[]'); sys.exit(7)",
    "nests": "print('[' * 100000)",
    "halves": "import json; print(json.dumps(['\\ud800']))",
    "says its target": "import json, sys; print(json.dumps([sys.argv[2], 'x']))",
    "says its environment": "import json, os; print(json.dumps(sorted(set(os.environ) - {'LC_CTYPE'})))",
}


@pytest.fixture
def derive(tmp_path):
    def go(*names):
        (tmp_path / "gold").mkdir()
        blocks = []
        for number, name in enumerate(names):
            (tmp_path / "gold" / f"m{number}.py").write_text(METHODS[name])
            blocks.append(
                f'[[gold_methods]]\ntitle = "{name}"\nargv = ["{{python}}", "{{gold}}/m{number}.py", "{{tree}}", "{{target}}"]\n'
            )
        suite = parse_suite(SUITE.format(methods="".join(blocks)), "suite.toml")
        tree = tmp_path / "tree"
        tree.mkdir()
        for name in ("a", "b"):
            (tree / name).write_text("")
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        return derive_gold(suite, tmp_path, suite.questions, {"r": tree}, scratch)

    return go


def test_two_methods_that_agree_give_the_gold_and_written_gold_is_left_alone(derive):
    outcomes = derive("lists", "walks")
    assert list(outcomes) == ["derived"]
    assert outcomes["derived"].items == ("a", "b")
    assert outcomes["derived"].methods == ("lists", "walks")


@pytest.mark.parametrize(
    ("methods", "reason"),
    [
        (("lists", "shorter"), "the gold methods disagree: lists has 2; shorter has 1; only lists: b"),
        (("shorter", "shorter"), "the gold has 1 items, fewer than 2"),
        (
            ("lists", "crashes"),
            "no gold: crashes ended with exit_nonzero (exit status 1): no such module",
        ),
        (("lists", "says nothing"), "no gold: says nothing ended with exit_nonzero (exit status 7)"),
        (("lists", "nests"), "no gold: nests did not print JSON"),
        (
            ("halves", "lists"),
            "no gold: halves printed an item that is blank or cannot be written as UTF-8",
        ),
    ],
)
def test_a_gold_that_is_not_to_be_trusted_refuses_its_question(derive, methods, reason):
    outcome = derive(*methods)["derived"]
    assert outcome.refused == reason
    assert outcome.failed is reason.startswith("no gold"), "a method that broke is no rule of the suite"


def test_a_target_reaches_the_method_as_one_word(derive):
    assert derive("says its target", "says its target")["derived"].items == ("two words; $(x)", "x")


def test_a_method_sees_no_more_of_the_environment_than_a_cell(derive, monkeypatch):
    monkeypatch.setenv("SECRET", "x")
    assert set(derive("says its environment", "says its environment")["derived"].items) == {
        "BENCHCTL_CELL", "HOME", "LANG", "PATH", "PWD", "TMPDIR",
    }  # fmt: skip


def test_the_digest_of_a_folder_is_of_names_and_bytes_and_not_of_caches(tmp_path):
    (tmp_path / "a.py").write_text("1")
    before = folder_digest(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_text("x")
    assert folder_digest(tmp_path) == before
    (tmp_path / "a.py").write_text("2")
    changed = folder_digest(tmp_path)
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    assert len({before, changed, folder_digest(tmp_path)}) == 3
