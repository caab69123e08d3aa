"""The arm `graphify`: build graphify's graph of the tree, and read the `calls` edges into the target.

The graph is built inside the cell, from a copy, because graphify writes beside what it reads. The target
is the node at its definition's place, and a caller is the definition at its node's place: graphify's own
labels are ambiguous by design.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

TARGET = re.compile(r"calls the (?:function|method) `([\w.]+)`, defined in `([^`]+)`")


def places(tree: Path, path: str) -> dict[int, str]:
    """Return the qualname of the function around each line of a file, definitions and decorators included."""
    found: dict[int, str] = {}

    def walk(node: ast.AST, around: tuple[str, ...], function: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                dotted = (*around, child.name)
                inner = function if isinstance(child, ast.ClassDef) else ".".join(dotted)
                first = min([child.lineno, *(mark.lineno for mark in child.decorator_list)])
                found.update(dict.fromkeys(range(first, (child.end_lineno or first) + 1), inner))
                walk(child, dotted, inner)
            else:
                walk(child, around, function)

    walk(ast.parse((tree / path).read_bytes()), (), "<module>")
    return found


def build(tree: Path, scratch: Path) -> dict:
    """Return the graph."""
    copy = scratch / "graphify-tree"
    shutil.copytree(tree, copy)
    done = subprocess.run(
        ["graphify", "extract", ".", "--code-only"],
        cwd=copy,
        env={**os.environ, "HOME": str(scratch)},
        capture_output=True,
        text=True,
        check=False,
    )
    graph = copy / "graphify-out" / "graph.json"
    if done.returncode or not graph.is_file():
        raise SystemExit(f"graphify failed: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(graph.read_text(encoding="utf-8"))


def main() -> None:
    """Print the answer."""
    parser = argparse.ArgumentParser()
    for option in ("--tree", "--prompt", "--scratch"):
        parser.add_argument(option, type=Path, required=True)
    options = parser.parse_args()
    target = TARGET.search(options.prompt.read_text(encoding="utf-8"))
    if target is None:
        raise SystemExit("the prompt names no function")
    dotted, home = target.groups()
    graph = build(options.tree, options.scratch)
    files: dict[str, dict[int, str]] = {}

    def item(node: dict) -> str:
        path = node.get("source_file") or ""
        if not (options.tree / path).is_file() or not path.endswith(".py"):
            return ""
        if path not in files:
            files[path] = places(options.tree, path)
        line = int(str(node.get("source_location") or "L0").lstrip("L") or 0)
        return f"{path}::{files[path].get(line, '<module>')}"

    items = {node["id"]: item(node) for node in graph["nodes"]}
    wanted = {
        node
        for node, place in items.items()
        if place.startswith(f"{home}::") and f".{dotted}".endswith(f".{place.partition('::')[2]}")
    }
    callers = {
        items.get(edge["source"], "")
        for edge in graph.get("links") or graph.get("edges") or []
        if edge["relation"] == "calls" and edge["target"] in wanted
    }
    print(json.dumps(sorted(callers - {""})))


if __name__ == "__main__":
    main()
