"""The arm `hybrid`: let ripgrep choose the files, then read what each hit really is.

For a function it follows the file's imports (renamed ones, modules, one re-export deep) and leaves out
names that a parameter, an assignment or a nearer definition hides. For a method it believes `self`,
`cls` and `super()` inside the class and its subclasses, and objects whose annotation or constructor
names the class. A plain `a = b` is not followed.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

TARGET = re.compile(r"calls the (function|method) `([\w.]+)`, defined in `([^`]+)`")
DEFINES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def module_of(path: str) -> str:
    """Return the dotted name of a file."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


class File:
    """One file that may hold callers: its imports, its own definitions and its calls."""

    def __init__(self, tree: Path, path: str) -> None:
        self.path = path
        self.module = module_of(path)
        self.tree = ast.parse((tree / path).read_bytes())
        self.imports: dict[str, str] = {}
        self.bases: dict[str, list[str]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.name.partition(".")[0]
                    self.imports[alias.asname or first] = alias.name if alias.asname else first
            elif isinstance(node, ast.ImportFrom):
                origin = self.origin(node)
                self.imports.update({a.asname or a.name: f"{origin}.{a.name}" for a in node.names})
            elif isinstance(node, ast.ClassDef):
                self.bases[node.name] = [
                    last for base in node.bases if (last := spelled(base).rpartition(".")[2])
                ]
        self.own = {node.name for node in self.tree.body if isinstance(node, DEFINES)}

    def origin(self, node: ast.ImportFrom) -> str:
        """Return the absolute module of a `from` import."""
        if not node.level:
            return node.module or ""
        package = self.module.split(".")
        up = node.level - self.path.endswith("/__init__.py")
        return ".".join([*package[: len(package) - up], *([node.module] if node.module else [])])

    def calls(self) -> Iterator[tuple[ast.Call, tuple[ast.AST, ...]]]:
        """Yield every call with the definitions around it, outermost first."""

        def walk(
            node: ast.AST, around: tuple[ast.AST, ...]
        ) -> Iterator[tuple[ast.Call, tuple[ast.AST, ...]]]:
            if isinstance(node, ast.Call):
                yield node, around
            body = node.body if isinstance(node, DEFINES) else []
            for child in ast.iter_child_nodes(node):
                yield from walk(child, (*around, node) if child in body else around)

        return walk(self.tree, ())


def spelled(node: ast.AST) -> str:
    """Return a name as it is written, with its dots; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (left := spelled(node.value)):
        return f"{left}.{node.attr}"
    return ""


def qualname(around: tuple[ast.AST, ...]) -> str:
    """Return the innermost function's dotted name, or `<module>`."""
    while around and isinstance(around[-1], ast.ClassDef):
        around = around[:-1]
    return ".".join(node.name for node in around) or "<module>"  # type: ignore[attr-defined]


def hides(function: ast.AST, name: str) -> bool:
    """Return whether a function gives a name a meaning of its own other than by an import."""
    if isinstance(function, ast.ClassDef):
        return False
    arguments = function.args  # type: ignore[attr-defined]
    every = (
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    )
    if any(arg is not None and arg.arg == name for arg in every):
        return True
    return any(
        (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store))
        or (isinstance(node, DEFINES) and node is not function and node.name == name)
        for node in ast.walk(function)
    )


class Search:
    """The files of one tree, and where names in them lead."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self.files: dict[str, File | None] = {}

    def matching(self, pattern: str) -> list[str]:
        """Return the Python files that hold a pattern."""
        command = ["rg", "--no-config", "--files-with-matches", "--type=py", "-e", pattern, "."]
        found = subprocess.run(command, cwd=self.tree, capture_output=True, text=True, check=False)
        if found.returncode > 1:
            raise SystemExit(found.stderr.strip())
        return sorted(path.removeprefix("./") for path in found.stdout.splitlines())

    def file(self, path: str) -> File | None:
        """Return a file of the tree; None where there is none."""
        if path not in self.files:
            self.files[path] = File(self.tree, path) if (self.tree / path).is_file() else None
        return self.files[path]

    def home(self, dotted: str) -> str:
        """Return a dotted name as where it is defined, following one re-export."""
        module, _, last = dotted.rpartition(".")
        base = module.replace(".", "/")
        through = self.file(f"{base}.py") or self.file(f"{base}/__init__.py")
        if through is None or last in through.own:
            return dotted
        return through.imports.get(last, dotted)

    def leads(self, file: File, name: str) -> str:
        """Return the full name behind a dotted name at the top of a file."""
        first, _, rest = name.partition(".")
        start = f"{file.module}.{first}" if first in file.own else file.imports.get(first, "")
        return self.home(f"{start}.{rest}" if rest else start) if start else ""


def calls_function(
    search: Search, file: File, call: ast.Call, around: tuple[ast.AST, ...], target: str
) -> bool:
    """Return whether a call is one of a function."""
    name = spelled(call.func)
    if not name or any(hides(node, name.partition(".")[0]) for node in around):
        return False
    return search.leads(file, name) == target


def classes_like(search: Search, files: list[str], owner: str, method: str) -> set[str]:
    """Return the names of a class and of the subclasses that do not replace the method."""
    classes = [
        (file.bases[node.name], node)
        for file in filter(None, map(search.file, files))
        for node in ast.walk(file.tree)
        if isinstance(node, ast.ClassDef)
        and not any(isinstance(inside, DEFINES) and inside.name == method for inside in node.body)
    ]
    names = {owner}
    while more := {node.name for bases, node in classes if names & set(bases)} - names:
        names |= more
    return names


def calls_method(call: ast.Call, around: tuple[ast.AST, ...], owner: str, like: set[str]) -> bool:
    """Return whether a call is one of a method, by what is said about its object nearby."""
    if not isinstance(call.func, ast.Attribute):
        return False
    value = call.func.value
    nearest = next((node.name for node in reversed(around) if isinstance(node, ast.ClassDef)), "")
    if isinstance(value, ast.Call):
        made = spelled(value.func).rpartition(".")[2]
        return made in like or (made == "super" and nearest in like - {owner})
    name = spelled(value)
    if name in {"self", "cls"}:
        return nearest in like
    if name.rpartition(".")[2] in like:
        return True
    return name.isidentifier() and any(_is_made(node, name, like) for node in around)


def _is_made(function: ast.AST, name: str, like: set[str]) -> bool:
    for node in ast.walk(function):
        said = ""
        if isinstance(node, ast.arg) and node.arg == name and node.annotation is not None:
            said = ast.unparse(node.annotation)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            said = spelled(node.value.func) if name in map(spelled, node.targets) else ""
        if set(re.findall(r"\w+", said)) & like:
            return True
    return False


def main() -> None:
    """Print the answer."""
    parser = argparse.ArgumentParser()
    for option in ("--tree", "--prompt", "--scratch"):
        parser.add_argument(option, type=Path, required=True)
    options = parser.parse_args()
    asked = TARGET.search(options.prompt.read_text(encoding="utf-8"))
    if asked is None:
        raise SystemExit("the prompt names no function")
    kind, target, _home = asked.groups()
    rest, _, name = target.rpartition(".")
    search = Search(options.tree)
    paths = search.matching(rf"\b{re.escape(name)}\s*\(|\b{re.escape(name)} as \w")
    owner = rest.rpartition(".")[2]
    like = classes_like(search, search.matching(r"^\s*class "), owner, name) if kind == "method" else set()
    items = set()
    for file in filter(None, map(search.file, paths)):
        for call, around in file.calls():
            if kind == "function":
                found = calls_function(search, file, call, around, target)
            else:
                found = getattr(call.func, "attr", "") == name and calls_method(call, around, owner, like)
            if found:
                items.add(f"{file.path}::{qualname(around)}")
    print(json.dumps(sorted(items)))


if __name__ == "__main__":
    main()
