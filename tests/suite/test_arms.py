"""What each arm sees and what it cannot see, on a tree small enough to read."""

import shutil
from pathlib import Path

import pytest
from callers_suite import FOLDER, answer, answered, write

from benchctl.grading import GRADERS
from benchctl.grading.base import Key

ARMS = ("grep", "index", "hybrid")

TREE = {
    "pkg/__init__.py": "from .tools import send as send\n",
    "pkg/tools.py": '''
def send(x):
    """Use send(1)."""
    return x
''',
    "pkg/calls.py": """
import pkg
from pkg.tools import send
from pkg.tools import send as rename


def plain():
    return send(1)


def renamed():
    return rename(1)


def through_the_package():
    return pkg.send(1)


async def awaited():
    return send(5)


def outer():
    def inner():
        text = [
            1,
        ]
        return send(text)
    return inner


@send(1)
def decorated(
    a,
    b=2,
):
    return send(a)


class Box:
    first = send(0)

    def method(self):
        return send(2)


send(3)
""",
    "pkg/decoys.py": """
def hidden(send):
    return send(1)


def comment():
    # send(1)
    return 1


class Mailer:
    def send(self, x):
        return x

    def go(self):
        return self.send(1)


class Fax(Mailer):
    def call(self):
        return super().send(1)


def handed(m: Mailer):
    f = Fax()
    return m.send(1) + f.send(2) + Mailer().send(3) + Mailer.send(m, 4)
""",
}
RIGHT = {
    "pkg/calls.py::<module>",
    "pkg/calls.py::Box.method",
    "pkg/calls.py::awaited",
    "pkg/calls.py::decorated",
    "pkg/calls.py::outer.inner",
    "pkg/calls.py::plain",
    "pkg/calls.py::renamed",
    "pkg/calls.py::through_the_package",
}
ALIKE = {
    "pkg/decoys.py::Fax.call",
    "pkg/decoys.py::Mailer.go",
    "pkg/decoys.py::handed",
}
SHADOWED = {"pkg/decoys.py::hidden"}


def prompt(suite, kind="function", dotted="pkg.tools.send", path="pkg/tools.py"):
    rules = suite.questions[0].prompt.partition("\n\n")[2]
    return (
        f"List every function of this tree that calls the {kind} `{dotted}`, defined in `{path}`.\n\n{rules}"
    )


@pytest.mark.parametrize(
    ("arm", "answers"),
    [
        # Spelling: right where it is unmistakable; comments, docstrings and other things of the name are hits too.
        (
            "grep",
            (RIGHT - {"pkg/calls.py::renamed"})
            | ALIKE
            | SHADOWED
            | {"pkg/decoys.py::comment", "pkg/tools.py::send"},
        ),
        # Syntax: no comments and no strings, and still every name alike.
        ("index", (RIGHT - {"pkg/calls.py::renamed"}) | ALIKE | SHADOWED),
        # Imports and scopes: what is left is right.
        ("hybrid", RIGHT),
    ],
)
def test_what_an_arm_finds_of_a_function(arm, answers, suite, tmp_path):
    found = answered(arm, write(tmp_path / "tree", TREE), prompt(suite), tmp_path)
    assert set(found) == answers
    assert found == sorted(set(found))


def test_what_an_arm_that_reads_finds_of_a_method(suite, tmp_path):
    tree = write(tmp_path / "tree", TREE)
    asked = prompt(suite, "method", "pkg.decoys.Mailer.send", "pkg/decoys.py")
    assert set(answered("hybrid", tree, asked, tmp_path)) == ALIKE
    assert set(answered("index", tree, asked, tmp_path)) > ALIKE


@pytest.mark.parametrize("arm", ARMS)
def test_a_name_that_is_nowhere_is_an_empty_list(arm, suite, tmp_path):
    tree = write(tmp_path / "tree", TREE)
    assert answered(arm, tree, prompt(suite, dotted="pkg.tools.absent"), tmp_path) == []


@pytest.mark.parametrize("arm", [*ARMS, "graphify", "codegraph"])
def test_a_prompt_without_a_target_is_a_failure_and_no_answer(arm, tmp_path):
    done = answer(arm, tmp_path, "What is the weather?", tmp_path)
    assert done.returncode != 0
    assert done.stdout == ""


@pytest.mark.parametrize("arm", ARMS)
def test_an_arm_leaves_the_tree_as_it_was(arm, suite, tmp_path):
    tree = write(tmp_path / "tree", TREE)
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    answered(arm, tree, prompt(suite), tmp_path)
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("arm", ARMS)
def test_every_real_question_gets_an_answer_that_can_be_graded(arm, suite, trees, tmp_path):
    for question in suite.questions[::4]:
        done = answer(arm, trees[question.repo], question.prompt, tmp_path)
        grade = GRADERS["gold"].grade(Key(gold=("x::y",)), done.stdout)
        assert grade.answered, question.id


GRAPHIFY = """#!/bin/sh
test "$*" = "extract . --code-only" || exit 9
mkdir -p graphify-out
cat > graphify-out/graph.json <<'END'
{"nodes": [
  {"id": "send", "label": "send()", "source_file": "pkg/tools.py", "source_location": "L2"},
  {"id": "other", "label": ".send()", "source_file": "pkg/decoys.py", "source_location": "L12"},
  {"id": "inner", "label": "inner()", "source_file": "pkg/calls.py", "source_location": "L24"},
  {"id": "decorated", "label": "decorated()", "source_file": "pkg/calls.py", "source_location": "L32"},
  {"id": "file", "label": "calls.py", "source_file": "pkg/calls.py", "source_location": "L1"},
  {"id": "go", "label": ".go()", "source_file": "pkg/decoys.py", "source_location": "L15"},
  {"id": "print", "label": "print()", "source_file": "", "source_location": null}
 ],
 "links": [
  {"source": "inner", "target": "send", "relation": "calls"},
  {"source": "decorated", "target": "send", "relation": "calls"},
  {"source": "file", "target": "send", "relation": "calls"},
  {"source": "print", "target": "send", "relation": "calls"},
  {"source": "go", "target": "other", "relation": "calls"},
  {"source": "go", "target": "send", "relation": "references"}
 ]}
END
"""

CODEGRAPH = """#!/bin/sh
test "$CODEGRAPH_TELEMETRY" = 0 || exit 9
case "$1" in
init) test -d "$2/pkg" && echo indexed ;;
callers) cat <<'END'
a notice before the answer
{"symbol": "send", "definitions": [
 {"definition": {"name": "send", "kind": "function", "filePath": "pkg/tools.py", "startLine": 2},
  "callers": [
   {"name": "inner", "kind": "function", "filePath": "pkg/calls.py", "startLine": 24, "relationships": ["calls"]},
   {"name": "calls.py", "kind": "file", "filePath": "pkg/calls.py", "startLine": 1, "relationships": ["calls"]},
   {"name": "plain", "kind": "function", "filePath": "pkg/calls.py", "startLine": 7, "relationships": ["imports"]}]},
 {"definition": {"name": "send", "kind": "method", "filePath": "pkg/decoys.py", "startLine": 12},
  "callers": [
   {"name": "go", "kind": "method", "filePath": "pkg/decoys.py", "startLine": 15, "relationships": ["calls"]}]}]}
END
;;
esac
"""


def stand_in(folder, name, script):
    folder.mkdir()
    (folder / name).write_text(script)
    (folder / name).chmod(0o755)
    return folder


def test_graphify_edges_into_the_target_become_items(suite, tmp_path):
    commands = stand_in(tmp_path / "bin", "graphify", GRAPHIFY)
    tree = write(tmp_path / "tree", TREE)
    found = answered("graphify", tree, prompt(suite), tmp_path, commands)
    assert found == ["pkg/calls.py::<module>", "pkg/calls.py::decorated", "pkg/calls.py::outer.inner"]
    assert not (tree / "graphify-out").exists()


def test_codegraph_callers_of_the_target_become_items(suite, tmp_path):
    commands = stand_in(tmp_path / "bin", "codegraph", CODEGRAPH)
    found = answered("codegraph", write(tmp_path / "tree", TREE), prompt(suite), tmp_path, commands)
    assert found == ["pkg/calls.py::<module>", "pkg/calls.py::outer.inner"]


@pytest.mark.parametrize("arm", ["graphify", "codegraph"])
def test_a_graph_tool_that_fails_is_a_failed_cell_with_its_own_words(arm, suite, tmp_path):
    commands = stand_in(tmp_path / "bin", arm, "#!/bin/sh\necho out of memory >&2\nexit 3\n")
    done = answer(arm, write(tmp_path / "tree", TREE), prompt(suite), tmp_path, commands)
    assert done.returncode != 0
    assert "out of memory" in done.stderr
    assert done.stdout == ""


@pytest.mark.slow
@pytest.mark.parametrize("arm", ["graphify", "codegraph"])
def test_the_real_graph_tool_answers_where_it_is_installed(arm, suite, trees, tmp_path):
    command = shutil.which(arm)
    if command is None:
        pytest.skip(f"{arm} is not installed: {suite.arms[arm].install}")
    question = next(question for question in suite.questions if question.id == "click-echo")
    links = tmp_path / "bin"
    links.mkdir()
    (links / arm).symlink_to(Path(command).resolve())
    found = answered(arm, trees["click"], question.prompt, tmp_path, links)
    assert "click/termui.py::secho" in found


def test_agents_are_given_no_way_to_the_gold():
    for file in (FOLDER / "agents").glob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert "gold" not in text
        assert "__file__" not in text
