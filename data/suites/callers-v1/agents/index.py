"""The arm `index`: every call in the syntax trees whose last name is the target's.

It knows calls from comments and functions from classes, and nothing of imports, scopes or types: two
functions of one name are one to it, and a renamed one is lost.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

TARGET = re.compile(r"calls the (?:function|method) `([\w.]+)`, defined in `([^`]+)`")


def calls(node: ast.AST, around: tuple[str, ...], function: str) -> Iterator[tuple[str, str]]:
    """Yield (last name, innermost function) of every call below a node."""
    if isinstance(node, ast.Call):
        last = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
        if last:
            yield last, function
    inner = around
    within = function
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        inner = (*around, node.name)
        within = function if isinstance(node, ast.ClassDef) else ".".join(inner)
    body = getattr(node, "body", None)
    inside = {id(child) for child in body} if isinstance(body, list) and inner is not around else set()
    for child in ast.iter_child_nodes(node):
        if id(child) in inside:
            yield from calls(child, inner, within)
        else:
            yield from calls(child, around, function)


def main() -> None:
    """Print the answer."""
    parser = argparse.ArgumentParser()
    for option in ("--tree", "--prompt", "--scratch"):
        parser.add_argument(option, type=Path, required=True)
    options = parser.parse_args()
    target = TARGET.search(options.prompt.read_text(encoding="utf-8"))
    if target is None:
        raise SystemExit("the prompt names no function")
    name = target[1].rpartition(".")[2]
    items = set()
    for path in sorted(options.tree.rglob("*.py")):
        source = path.read_bytes()
        if name.encode() not in source:
            continue
        place = path.relative_to(options.tree).as_posix()
        items |= {
            f"{place}::{where}" for last, where in calls(ast.parse(source), (), "<module>") if last == name
        }
    print(json.dumps(sorted(items)))


if __name__ == "__main__":
    main()
