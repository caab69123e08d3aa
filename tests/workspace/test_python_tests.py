"""What the tests of a Python tree need, as its own files say."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchctl.workspace import python_tests
from benchctl.workspace.python_tests import needs

TREE = Path("/tree")  # stands for the tree in the tables


def found(tmp_path, files):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    what, arguments, own = needs(tmp_path)
    assert own in ([], ["--editable", str(tmp_path)])
    return what, [word.replace(str(tmp_path), str(TREE)) for word in arguments], bool(own)


@pytest.mark.parametrize(
    ("files", "what", "arguments", "own"),
    [
        ({}, "pytest alone", ["pytest"], False),
        ({"pyproject.toml": "[project]\nname = 'x'\n"}, "pytest alone", ["pytest"], True),
        ({"setup.py": "not ( python"}, "pytest alone", ["pytest"], True),
        ({"setup.cfg": "[metadata]\nname = x\n"}, "pytest alone", ["pytest"], True),
        (
            {"pyproject.toml": "[project]\nname = 'x'\n[tool.uv]\npackage = false\n"},
            "pytest alone",
            ["pytest"],
            False,
        ),
        (
            {"pyproject.toml": "[tool.poetry]\nname = 'x'\npackage-mode = false\n"},
            "pytest alone",
            ["pytest"],
            False,
        ),
        ({"pyproject.toml": "not [ toml"}, "pytest alone", ["pytest"], False),
        (
            {"pyproject.toml": "[project.optional-dependencies]\ndocs = []\nTest = ['a']\ndev = []\n"},
            "the project's own Test, dev",
            ["--editable", "/tree[Test,dev]"],
            False,
        ),
        (
            {
                "pyproject.toml": "[project.optional-dependencies]\ntest = []\n",
                "requirements.txt": "a\n",  # the project's own word counts more
            },
            "the project's own test",
            ["--editable", "/tree[test]"],
            False,
        ),
        (
            {"setup.cfg": "[options.extras_require]\ntesting =\n  a\ndocs = b\n", "setup.py": ""},
            "the project's own testing",
            ["--editable", "/tree[testing]"],
            False,
        ),
        (
            {"setup.py": "E = {'dev': ['a'], 'docs': ['b']}\nsetup(extras_require=E)\n"},
            "the project's own dev",
            ["--editable", "/tree[dev]"],
            False,
        ),
        (
            {"setup.py": "from setuptools import setup\nsetup(name='x', extras_require={'test': ['a']})\n"},
            "the project's own test",
            ["--editable", "/tree[test]"],
            False,
        ),
        (
            {"setup.py": "setup(extras_require=read('extras'), name=x)\nextras_require = f(**{'test': 1})\n"},
            "pytest alone",
            ["pytest"],
            True,
        ),
        (
            {
                "pyproject.toml": "[project]\nname='x'\n[dependency-groups]\nlint = ['ruff']\n"
                "dev = ['a>1', {include-group = 'base'}]\nbase = ['b', {include-group = 'dev'}]\n"
            },
            "the project's own dev",
            ["a>1", "b"],  # groups that include each other come to an end
            True,
        ),
        (
            {
                "pyproject.toml": "[dependency-groups]\nDev = [{include-group = 'My.Tests'}]\nmy-tests = ['a']\n",
                "setup.cfg": "[metadata]\nname = x\n",
            },
            "the project's own dev",
            ["a"],
            True,
        ),
        (
            {
                "pyproject.toml": "[tool.poetry]\nname = 'x'\n[tool.poetry.dev-dependencies]\nold = '*'\n"
                "[tool.poetry.group.dev.dependencies]\npytest = '^7.1'\nnear = {path = 'near', develop = true}\n"
                "[tool.poetry.group.docs.dependencies]\nsphinx = '*'\n"
                "[tool.poetry.group.test.dependencies]\n"
                "a = {version = '>=1, <2', extras = ['x', 'y'], python = '^3.9', markers = \"os_name == 'posix'\"}\n"
                "b = [{version = '1', python = '<3.12'}, {version = '2'}]\nc = {url = 'https://h/c.whl'}\n"
                "d = {git = 'https://h/d.git', tag = 'v1'}\ne = {git = 'https://h/e.git'}\nf = {path = 'f'}\n"
            },
            "the project's own dev, test",
            [
                *("pytest>=7.1,<8", "--editable", "/tree/near", "old"),
                "a[x,y]>=1,<2; python_version >= '3.9' and python_version < '4' and (os_name == 'posix')",
                *("b==1; python_version < '3.12'", "b==2", "c @ https://h/c.whl"),
                *("d @ git+https://h/d.git@v1", "e @ git+https://h/e.git", "/tree/f"),
            ],
            True,
        ),
        (
            {
                "pyproject.toml": "[project]\nname = 'x'\n[tool.pdm.dev-dependencies]\nlint = ['ruff']\n"
                "test = ['a', '-e file:///${PROJECT_ROOT}/near#egg=near']\n[tool.uv]\ndev-dependencies = ['b>1']\n"
            },
            "the project's own test, dev",
            ["a", "--editable", "file:////tree/near#egg=near", "b>1"],
            True,
        ),
        (
            {
                "pyproject.toml": "[tool]\npoetry = 1\npdm = {dev-dependencies = {test = 1}}\nuv = {dev-dependencies = 2}\n"
            },
            "pytest alone",
            ["pytest"],
            False,
        ),
        (
            {
                "pyproject.toml": "[dependency-groups]\ntests = ['a']\n"
            },  # nothing that could be installed itself
            "the project's own tests",
            ["a"],
            False,
        ),
        (
            {"requirements.txt": "a\n", "requirements/test.txt": "b\n", "requirements-docs.txt": "c\n"},
            "requirements.txt, requirements/test.txt",
            ["--requirement", "/tree/requirements.txt", "--requirement", "/tree/requirements/test.txt"],
            False,
        ),
        (
            {"requirements-dev.txt": "a\n", "pyproject.toml": "[project]\nname = 'x'\n"},
            "requirements-dev.txt",
            ["--requirement", "/tree/requirements-dev.txt"],
            True,
        ),
        ({"setup.cfg": "[broken"}, "pytest alone", ["pytest"], False),
        ({"pyproject.toml": "project = 1\ndependency-groups = 2\n"}, "pytest alone", ["pytest"], False),
        ({"pyproject.toml": "[project]\noptional-dependencies = 3\n"}, "pytest alone", ["pytest"], False),
    ],
)
def test_its_own_extras_else_its_requirements_else_pytest_alone(tmp_path, files, what, arguments, own):
    assert found(tmp_path, files) == (what, arguments, own)


@pytest.mark.parametrize(
    ("told", "bounds"),
    [
        ("*", []),
        ("^1.2.3", [">=1.2.3", "<2"]),
        ("^0.2.3", [">=0.2.3", "<0.3"]),
        ("^0.0.3", [">=0.0.3", "<0.0.4"]),
        ("^0.0", [">=0.0", "<0.1"]),
        ("^0", [">=0", "<1"]),
        ("^1.0.0b1", [">=1.0.0b1", "<2"]),
        ("~1.2.3", [">=1.2.3", "<1.3"]),
        ("~1", [">=1", "<2"]),
        ("~=1.4", ["~=1.4"]),
        ("1.*", ["==1.*"]),
        (">= 1.2, <2 !=1.5", [">=1.2", "<2", "!=1.5"]),
        ("^7 || ^8", []),  # what pip cannot be told leaves the choice to it
        ("^x", []),
        (None, []),
    ],
)
def test_a_version_as_poetry_writes_it_becomes_one_for_pip(told, bounds):
    assert python_tests._versions(told) == bounds


class Pip:
    """Stands for the processes of a preparation: what is asked of pip, and what fails."""

    def __init__(self, fails):
        self.fails, self.asked = fails, []

    def call(self, argv):
        if "install" not in argv:
            return 0
        self.asked.append(argv[argv.index("install") + 1 :])
        return int(self.fails in self.asked[-1])


@pytest.mark.parametrize(
    ("fails", "asked", "code"),
    [
        ("nothing", [["--editable", "TREE", "pytest"]], 0),
        ("--editable", [["--editable", "TREE", "pytest"], ["pytest"]], 0),
        ("pytest", [["--editable", "TREE", "pytest"], ["pytest"]], 1),
    ],
)
def test_the_project_itself_is_installed_where_that_works(
    tmp_path, monkeypatch, capsys, *, fails, asked, code
):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    pip = Pip(fails)
    monkeypatch.setattr(python_tests.subprocess, "call", pip.call)
    monkeypatch.setattr(python_tests.venv.EnvBuilder, "create", lambda *_: None)
    assert python_tests.main("prepare", str(tmp_path), str(tmp_path / "venv")) == code
    assert [[word.replace(str(tmp_path), "TREE") for word in each] for each in pip.asked] == asked
    said = capsys.readouterr().out
    assert "installing pytest alone and the project itself" in said
    assert ("without the project itself" in said) == (len(asked) > 1)
