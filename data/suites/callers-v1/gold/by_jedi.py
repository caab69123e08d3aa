"""Gold, second method: who calls a function, by asking jedi where the name at each call leads.

    python by_jedi.py --tree DIR --target package.module:qualname

prints the sorted JSON list of `path::qualname`. Exit 2, with a message, when the target is not defined in
the tree or jedi is not installed.

jedi answers about whatever its search path finds first. Left alone it finds the installed package and not
the tree, and its answers are about other code. So the path is the tree and the standard library and
nothing else, a definition counts only by its place in a file of the tree, and jedi's cache is a throw-away
folder.

The other method shares no line with this one. benchctl-canary-662956e0-ed24-4796-854f-397faa1fccfb
"""

from __future__ import annotations

import argparse
import json
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    import jedi
    import parso
except ImportError as missing:
    print(f"by_jedi: {missing}; pip install 'jedi>=0.19.2'", file=sys.stderr)
    raise SystemExit(2) from None

Place = tuple[Path, int, int]
"""A definition's name: file, line from 1, column from 0."""

HOPS = 8
"""Longest chain of `a = b` followed."""


def open_project(root: Path) -> Any:
    """Return a jedi project that sees this tree and the standard library, and no installed package."""
    paths = sysconfig.get_paths()
    stdlib = [paths["stdlib"], str(Path(paths["stdlib"]) / "lib-dynload")]
    return jedi.Project(root, sys_path=[str(root), *stdlib], smart_sys_path=False)


def leaves(node: Any) -> Iterator[Any]:
    """Yield the leaves of a parso tree in source order."""
    leaf = node.get_first_leaf()
    last = node.get_last_leaf()
    while leaf is not None:
        yield leaf
        if leaf is last:
            return
        leaf = leaf.get_next_leaf()


def is_called(leaf: Any) -> bool:
    """Return whether a name is what stands right before a call's parenthesis, and not before a `def`'s."""
    if leaf.type != "name" or leaf.parent.type in {"funcdef", "classdef"}:
        return False
    holder = leaf.parent if leaf.parent.type == "trailer" else leaf
    if holder.parent is None or holder.parent.type not in {"atom_expr", "power", "decorator"}:
        return False
    after = holder.get_next_sibling()
    return after is not None and (
        (after.type == "trailer" and after.children[0] == "(")
        or (after.type == "operator" and after.value == "(")
    )


def dotted_tail(node: Any) -> Any:
    """Return the last name of `a` or `a.b.c`; None for anything else."""
    if node.type == "name":
        return node
    if node.type != "atom_expr" or node.children[0].type != "name":
        return None
    trailers = node.children[1:]
    if all(t.type == "trailer" and t.children[0] == "." for t in trailers):
        return trailers[-1].children[1]
    return None


def plain_assignment(name: Any) -> Any:
    """Return the last name of the right side where `name` is the left side of `a = b.c`; else None."""
    statement = name.search_ancestor("expr_stmt")
    if statement is None:
        return None
    left, *rest = statement.children
    if rest and rest[0].type == "annassign":
        rest = rest[0].children[2:]
    if left is not name or len(rest) != 2 or rest[0] != "=":
        return None
    return dotted_tail(rest[1])


def renamed_as(leaf: Any, names: set[str]) -> bool:
    """Return whether a name is a new one for something that is called one of `names`."""
    if leaf.parent.type in {"import_as_name", "dotted_as_name"} and leaf.parent.children[-1] is leaf:
        return leaf.parent.children[0].get_last_leaf().value in names
    source = plain_assignment(leaf)
    return source is not None and source.value in names


def enclosing(leaf: Any) -> str:
    """Return the qualname of the innermost `def` whose body holds the leaf, or `<module>`."""
    parts: list[str] = []
    inside_function = False
    node = leaf
    while node.parent is not None:
        child, node = node, node.parent
        if node.type in {"funcdef", "classdef"} and node.children[-1] is child:
            inside_function = inside_function or node.type == "funcdef"
            if inside_function:
                parts.append(node.name.value)
    return ".".join(reversed(parts)) or "<module>"


class Tree:
    """The parsed files of a tree, and jedi's view of them."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.project = open_project(self.root)
        self.environment = jedi.InterpreterEnvironment()
        self.sources = {path: path.read_bytes() for path in sorted(self.root.rglob("*.py"))}
        self.parsed: dict[Path, Any] = {}
        self.scripts: dict[Path, Any] = {}

    def names(self, path: Path) -> Iterator[Any]:
        """Yield the name leaves of a file of the tree."""
        if path not in self.parsed:
            self.parsed[path] = parso.parse(self.sources[path])
        return (leaf for leaf in leaves(self.parsed[path]) if leaf.type == "name")

    def mentioning(self, names: set[str]) -> list[Path]:
        """Return the files that spell one of the names: no other can hold a call."""
        words = [name.encode() for name in names]
        return [path for path, source in self.sources.items() if any(word in source for word in words)]

    def other_names(self, name: str) -> set[str]:
        """Return every name under which something called `name` may be reached, `name` included."""
        names = {name}
        while True:
            more = {
                leaf.value
                for path in self.mentioning(names)
                for leaf in self.names(path)
                if leaf.value not in names and renamed_as(leaf, names)
            }
            if not more:
                return names
            names |= more

    def script(self, path: Path) -> Any:
        """Return jedi's script for a file of the tree."""
        if path not in self.scripts:
            self.scripts[path] = jedi.Script(path=path, project=self.project, environment=self.environment)
        return self.scripts[path]

    def definitions(self, module: str, qualname: str) -> set[Place]:
        """Return where the tree defines a function: more than once for overloads and branches."""
        base = self.root.joinpath(*module.split("."))
        path = next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p in self.sources), None)
        if path is None:
            return set()
        *scope, last = qualname.split(".")
        return {
            (path, *leaf.start_pos)
            for leaf in self.names(path)
            if leaf.value == last
            and leaf.parent.type == "funcdef"
            and leaf.parent.name is leaf
            and dotted_place(leaf.parent) == [*scope, last]
        }

    def leads_to(self, path: Path, line: int, column: int, hops: int = 0) -> set[Place]:
        """Return the definitions of functions to which the name at a place leads, along plain assignments."""
        found: set[Place] = set()
        for name in self.script(path).goto(line, column, follow_imports=True, follow_builtin_imports=False):
            home = name.module_path
            if home is None or home not in self.sources or name.line is None:
                continue
            found.add((home, name.line, name.column))
            if name.type != "statement" or hops >= HOPS:
                continue
            here = (name.line, name.column)
            leaf = next(leaf for leaf in self.names(home) if leaf.start_pos == here)
            source = plain_assignment(leaf)
            if source is not None:
                found |= self.leads_to(home, *source.start_pos, hops + 1)
        return found


def dotted_place(funcdef: Any) -> list[str]:
    """Return the names of the blocks around a definition, and its own."""
    parts = []
    node = funcdef
    while node is not None:
        if node.type in {"funcdef", "classdef"}:
            parts.append(node.name.value)
        node = node.parent
    return parts[::-1]


def callers(root: Path, target: str) -> list[str]:
    """Return the sorted items. Raises LookupError when the tree does not define the target."""
    module, _, qualname = target.partition(":")
    tree = Tree(root)
    wanted = tree.definitions(module, qualname)
    if not wanted:
        raise LookupError(f"the tree defines no function {target}")
    names = tree.other_names(qualname.rpartition(".")[2])
    return sorted(
        {
            f"{path.relative_to(tree.root).as_posix()}::{enclosing(leaf)}"
            for path in tree.mentioning(names)
            for leaf in tree.names(path)
            if leaf.value in names and is_called(leaf) and tree.leads_to(path, *leaf.start_pos) & wanted
        }
    )


def main() -> int:
    """Print the list; 0, or 2 with a message."""
    parser = argparse.ArgumentParser(description="callers of a function, by jedi")
    parser.add_argument("--tree", type=Path, required=True)
    parser.add_argument("--target", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="jedi-cache-") as cache:
        jedi.settings.cache_directory = cache
        try:
            print(json.dumps(callers(options.tree, options.target), indent=1))
        except (LookupError, OSError) as error:
            print(f"by_jedi: {error}", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
