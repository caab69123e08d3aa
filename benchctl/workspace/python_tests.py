"""Makes a Python tree's tests ready to run, and runs them: a program of its own that is started inside of a cell.

usage: python_tests.py prepare|check TREE VENV

`prepare` makes a virtual environment with what the tests need: the project's own development extras or
groups, else its requirements files, else pytest alone, and the project itself where it is one. `check` runs pytest in it. Imports nothing but the
standard library, and nothing of this project: it stands behind a wall.
"""

from __future__ import annotations

import ast
import configparser
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["REQUIREMENTS", "WANTED", "Needs", "needs"]

WANTED = ("test", "tests", "testing", "dev", "develop", "development")
"""Names under which projects keep what their tests need, as extras or as dependency groups."""

REQUIREMENTS = (
    "requirements.txt",
    "requirements-dev.txt",
    "requirements_dev.txt",
    "dev-requirements.txt",
    "requirements-test.txt",
    "requirements-tests.txt",
    "requirements_test.txt",
    "test-requirements.txt",
    "requirements/dev.txt",
    "requirements/test.txt",
    "requirements/tests.txt",
    "tests/requirements.txt",
)


class Needs(NamedTuple):
    """What the tests of a tree need: in words, as arguments of `pip install`, and the tree itself where it is a project.

    `own` are the arguments for the tree itself; tests may do without it, as where its flat layout holds no package.
    """

    what: str
    arguments: list[str]
    own: list[str]


def needs(tree: Path) -> Needs:
    """Return what the tests of a tree need, as its own files say."""
    project, setup = _toml(tree / "pyproject.toml"), _setup_cfg(tree)
    extras = [name for name in _extras(tree, project, setup) if _plain(name) in WANTED]
    groups = {name: items for name, items in _groups(tree, project).items() if name in WANTED}
    itself = ["--editable", str(tree)] if _installable(tree, project, setup) else []
    if extras or groups:
        named = ["--editable", f"{tree}[{','.join(extras)}]"] if extras else []
        wanted = [word for items in groups.values() for item in items for word in item]
        what = f"the project's own {', '.join(dict.fromkeys([*extras, *groups]))}"
        return Needs(what, [*named, *wanted], [] if extras else itself)
    files = [name for name in REQUIREMENTS if (tree / name).is_file()]
    if files:
        words = [word for name in files for word in ("--requirement", str(tree / name))]
        return Needs(", ".join(files), words, itself)
    return Needs("pytest alone", ["pytest"], itself)


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _setup_cfg(tree: Path) -> configparser.ConfigParser:
    found = configparser.ConfigParser(interpolation=None)
    try:
        found.read(tree / "setup.cfg", encoding="utf-8")
    except (configparser.Error, OSError, ValueError):
        return configparser.ConfigParser()
    return found


def _table(table: object, *names: str) -> dict[str, Any]:
    """Return a table below another one, empty where there is none."""
    for name in names:
        table = table.get(name) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}


def _plain(name: str) -> str:
    """Return a name as packaging compares names: `Test_Dev` is `test-dev`."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _installable(tree: Path, project: dict[str, Any], setup: configparser.ConfigParser) -> bool:
    poetry = _table(project, "tool", "poetry")
    if poetry.get("package-mode") is False or _table(project, "tool", "uv").get("package") is False:
        return False
    named = "name" in _table(project, "project") or "name" in poetry or setup.has_option("metadata", "name")
    return named or (tree / "setup.py").is_file()


def _extras(tree: Path, project: dict[str, Any], setup: configparser.ConfigParser) -> list[str]:
    found = [
        *_table(project, "project", "optional-dependencies"),
        *_table(project, "tool", "poetry", "extras"),
    ]
    if setup.has_section("options.extras_require"):
        found += setup.options("options.extras_require")
    return list(dict.fromkeys([*found, *_extras_of_setup(tree / "setup.py")]))


def _extras_of_setup(path: Path) -> Iterator[str]:
    """Yield the extras that stand in a setup.py as they are: in its call, or in a name that is set to them."""
    try:
        parsed = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return
    nodes = list(ast.walk(parsed))
    told = {
        target.id: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        if isinstance(node, ast.keyword) and node.arg == "extras_require":
            value = told.get(node.value.id) if isinstance(node.value, ast.Name) else node.value
            for key in value.keys if isinstance(value, ast.Dict) else ():
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value


def _groups(tree: Path, project: dict[str, Any]) -> dict[str, list[list[str]]]:
    """Return the dependency groups of a project by their plain names, each as arguments of pip."""
    found: dict[str, dict[str, list[str]]] = {}

    def add(name: str, *words: str) -> None:
        found.setdefault(_plain(name), {})[" ".join(words)] = list(words)

    declared = {_plain(name): items for name, items in _table(project, "dependency-groups").items()}
    for name in declared:
        for item in _group(declared, name, ()):
            add(name, item)
    tool = _table(project, "tool")
    listed = [
        *_table(tool, "pdm", "dev-dependencies").items(),
        ("dev", _table(tool, "uv").get("dev-dependencies")),
    ]
    for name, items in listed:
        for item in items if isinstance(items, list) else ():
            add(name, *_words(tree, str(item)))
    poetry = {name: _table(group, "dependencies") for name, group in _table(tool, "poetry", "group").items()}
    for name, wanted in [*poetry.items(), ("dev", _table(tool, "poetry", "dev-dependencies"))]:
        for package, told in wanted.items():
            for each in told if isinstance(told, list) else [told]:
                add(name, *_of_poetry(tree, package, each))
    return {name: list(items.values()) for name, items in found.items()}


def _group(groups: dict[str, Any], name: str, seen: tuple[str, ...]) -> Iterator[str]:
    """Yield the requirements of a dependency group (PEP 735), those of the groups it includes among them."""
    items = groups.get(name) if name not in seen else None
    for item in items if isinstance(items, list) else ():
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict) and isinstance(item.get("include-group"), str):
            yield from _group(groups, _plain(item["include-group"]), (*seen, name))


def _words(tree: Path, item: str) -> list[str]:
    """Return a dependency of PDM or uv as arguments of pip; PDM writes some of them as pip does, `-e file:///…`."""
    option, _, place = item.partition(" ")
    if option in ("-e", "--editable"):
        return ["--editable", place.strip().replace("${PROJECT_ROOT}", str(tree))]
    return [item]


def _of_poetry(tree: Path, package: str, told: object) -> list[str]:
    """Return a dependency of Poetry as arguments of pip."""
    table = told if isinstance(told, dict) else {"version": told}
    if isinstance(path := table.get("path"), str):
        return [*(["--editable"] if table.get("develop") else []), str(tree / path)]
    extras = table.get("extras")
    named = f"{package}[{','.join(map(str, extras))}]" if isinstance(extras, list) else package
    if isinstance(table.get("url"), str):
        return [f"{named} @ {table['url']}"]
    if isinstance(table.get("git"), str):
        at = next((f"@{table[key]}" for key in ("rev", "tag", "branch") if key in table), "")
        return [f"{named} @ git+{table['git']}{at}"]
    marks = [
        re.sub(r"^([<>=!~]+)(.*)", r"python_version \1 '\2'", each) for each in _versions(table.get("python"))
    ]
    marks += [f"({table['markers']})"] if isinstance(table.get("markers"), str) else []
    return [f"{named}{','.join(_versions(table.get('version')))}{'; ' if marks else ''}{' and '.join(marks)}"]


def _versions(told: object) -> list[str]:
    """Return the bounds of a version as Poetry writes it; none where it says nothing that pip could be told.

    Source: python-poetry.org/docs/dependency-specification.
    """
    if not isinstance(told, str) or "|" in told:
        return []
    parts = re.sub(r"([<>=!~^])\s+", r"\1", told).replace(",", " ").split()
    return [bound for part in parts if part != "*" for bound in _bounds(part)]


def _bounds(part: str) -> list[str]:
    if part[0] not in "^~" or part.startswith("~="):
        return [part if part[0] in "<>=!~" else f"=={part}"]
    version = part[1:]
    numbers = [int(each) for each in re.match(r"[\d.]*", version)[0].split(".") if each]  # type: ignore[index]
    kept = (
        min(2, len(numbers))
        if part[0] == "~"
        else 1 + next((at for at, each in enumerate(numbers) if each), len(numbers) - 1)
    )
    ends = [*numbers[: kept - 1], numbers[kept - 1] + 1] if numbers else []
    return [f">={version}", f"<{'.'.join(map(str, ends))}"] if ends else []


def _prepare(tree: Path, place: Path) -> int:
    venv.EnvBuilder(with_pip=True, symlinks=True).create(place)
    what, arguments, own = needs(tree)
    _say(f"installing {what}{' and the project itself' if own else ''}")
    pip = [str(place / "bin" / "python"), "-I", "-m", "pip", "--disable-pip-version-check", "install"]
    code = subprocess.call([*pip, *own, *arguments])
    if code and own:
        _say(f"that failed; installing {what} without the project itself")
        code = subprocess.call([*pip, *arguments]) if arguments else 0
    if code == 0 and not _has_pytest(place):
        _say("installing pytest, which these do not bring")
        code = subprocess.call([*pip, "pytest"])
    return code


def _has_pytest(place: Path) -> bool:
    probe = "import importlib.util, sys; sys.exit(importlib.util.find_spec('pytest') is None)"
    return subprocess.call([str(place / "bin" / "python"), "-I", "-c", probe]) == 0


def _say(text: str) -> None:
    sys.stdout.write(f"benchctl: {text}\n")
    sys.stdout.flush()


def main(what: str, tree: str, place: str) -> int:
    """Do one of the two and return its exit status."""
    if what == "prepare":
        return _prepare(Path(tree), Path(place))
    python = str(Path(place) / "bin" / "python")
    return subprocess.call([python, "-m", "pytest", "-q"], cwd=tree)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
