from __future__ import annotations

import pytest

from benchctl.planning.world import World
from benchctl.schema.run import CorpusRecord
from benchctl.schema.suite import parse_suite

TEXT = """
schema = 1
name = "tiny"
title = "Tiny"
canary = "benchctl-canary-00000000-0000-4000-8000-000000000001"

[repos.alpha]
kind = "directory"
source = "alpha"
[repos.beta]
kind = "directory"
source = "beta"
[repos.drill]
kind = "directory"
source = "drill"
practice = true

[arms.grep]
title = "Plain grep"
requires = ["rg"]
install = "pip install ripgrep"
[arms.index]
title = "Index"
prompt = "Use the index. {prompt}"
[arms.graph]
title = "Graph"
requires = ["graphify"]
install = "pip install graphify"
optional = true

[agents.script]
argv = ["{python}", "{agent}/a.py"]
[agents.model]
argv = ["big"]
models = ["m1", "m2"]
arms = ["index"]
optional = true

[caps]
wall_s = 10
[run]
reps = 2
seed = 7
attempts = 2
questions_per_repo = 2

[[gold_methods]]
title = "one"
argv = ["{python}", "{gold}/one.py"]
[[gold_methods]]
title = "two"
argv = ["{python}", "{gold}/two.py"]
"""

QUESTION = """
[[questions]]
id = "{id}"
repo = "{repo}"
class = "callers"
prompt = "Who calls {id}?"
gold = {gold}
"""

DERIVED = '{ target = "x", minimum = 2 }'


@pytest.fixture
def suite():
    written = '{ items = ["a", "b"] }'
    questions = [
        *((f"a{number}", "alpha", DERIVED) for number in range(1, 5)),
        *((f"b{number}", "beta", written) for number in range(1, 4)),
        ("d1", "drill", written),
    ]
    blocks = "".join(QUESTION.format(id=name, repo=repo, gold=gold) for name, repo, gold in questions)
    expected = '[[questions]]\nid = "d2"\nrepo = "drill"\nclass = "where"\nprompt = "Where?"\ngrader = "path"\nexpected = ["a.py"]\n'
    return parse_suite(TEXT + blocks + expected, "suite.toml")


@pytest.fixture
def world(suite):
    return World(
        commands=frozenset({"rg", "big", "graphify"}),
        corpora={
            name: CorpusRecord(
                repo=name, kind="directory", version=None, tree_digest=f"sha256:{name}", files=1, bytes=1
            )
            for name in suite.repos
        },
        sandbox="bwrap",
        agent_files={"script": "sha256:s"},
    )
