"""The embedded suite keeps its own rules."""

import ast
import re
import tomllib
from collections import Counter

from callers_suite import FOLDER

TARGET = re.compile(r"calls the (function|method) `([\w.]+)`, defined in `([\w/.]+)`")


def test_five_questions_a_repository_and_two_for_practice(suite):
    counts = Counter(question.repo for question in suite.questions)
    assert counts == {"click": 5, "jinja2": 5, "mkdocs": 5, "gitpython": 2}
    assert [name for name, repo in suite.repos.items() if repo.practice] == ["gitpython"]
    assert suite.run.questions_per_repo == 4
    assert suite.run.reps == 3


def test_at_most_two_methods_in_five(suite):
    methods = Counter(question.repo for question in suite.questions if question.question_class == "method")
    assert max(methods.values()) <= 2


def test_every_prompt_is_the_same_rules_around_its_own_target(suite):
    rules = {question.prompt.partition("\n\n")[2] for question in suite.questions}
    assert len(rules) == 1
    for question in suite.questions:
        kind, dotted, path = TARGET.search(question.prompt).groups()
        module, _, qualname = question.gold.target.partition(":")
        assert kind == question.question_class
        assert dotted == f"{module}.{qualname}"
        assert path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") == module
        assert question.gold.minimum == 3


def test_arms_differ_in_their_program_alone(suite):
    """No arm's wording helps it: every arm is told the question and nothing else."""
    assert {arm.prompt for arm in suite.arms.values()} == {"{prompt}"}
    assert {arm for arm in suite.arms if not (FOLDER / "agents" / f"{arm}.py").is_file()} == set()
    assert {name for name, arm in suite.arms.items() if arm.optional} == {"graphify", "codegraph"}
    assert all(arm.install for arm in suite.arms.values() if arm.requires)


def test_the_canary_is_in_every_file_that_gives_answers_away_and_in_no_agent(suite):
    giving = [FOLDER / "suite.toml", FOLDER / "README.md", *sorted((FOLDER / "gold").glob("*.py"))]
    assert len(giving) == 4
    assert [file.name for file in giving if suite.canary not in file.read_text(encoding="utf-8")] == []
    assert [
        file for file in (FOLDER / "agents").iterdir() if suite.canary.encode() in file.read_bytes()
    ] == []


def test_the_gold_methods_share_nothing_but_the_command_line():
    """Two methods that share code make the same mistake twice."""
    ours = {"by_ast", "by_jedi"}
    functions = []
    for name in sorted(ours):
        tree = ast.parse((FOLDER / "gold" / f"{name}.py").read_text(encoding="utf-8"))
        imported = {
            part.split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for part in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
        }
        assert not imported & (ours | {"benchctl"})
        assert ("ast" in imported) == (name == "by_ast")
        functions.append(
            {
                ast.dump(node): node.name
                for node in ast.walk(tree)
                if isinstance(node, ast.FunctionDef) and node.name != "main"
            }
        )
    assert not functions[0].keys() & functions[1].keys()


def test_agents_need_nothing_but_python():
    allowed = {
        "__future__",
        "argparse",
        "ast",
        "collections",
        "json",
        "os",
        "pathlib",
        "re",
        "shutil",
        "subprocess",
    }
    for file in sorted((FOLDER / "agents").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
                assert {name.split(".")[0] for name in names} <= allowed, file.name


def test_the_readme_lists_the_targets_in_file_order(suite):
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \w+ \| `([\w.:]+)` \|", text, re.MULTILINE)
    assert listed == [question.gold.target for question in suite.questions]


def test_the_suite_is_plain_toml_with_one_agent():
    data = tomllib.loads((FOLDER / "suite.toml").read_text(encoding="utf-8"))
    assert list(data["agents"]) == ["script"]
    assert data["agents"]["script"]["argv"][:4] == ["{python}", "-I", "-S", "{agent}/{arm}.py"]
