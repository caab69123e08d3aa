"""The arm `codegraph`: build CodeGraph's index of the tree, and ask it for the target's callers.

The index is built inside the cell, from a copy, because CodeGraph writes into what it reads. Its answer
names a caller by file and first line; the qualname is read from there.
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


def codegraph(*words: str, scratch: Path) -> str:
    """Return what one codegraph command printed."""
    quiet = {
        "HOME": str(scratch),
        "CODEGRAPH_TELEMETRY": "0",
        "CODEGRAPH_NO_DOWNLOAD": "1",
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        ["codegraph", *words], env={**os.environ, **quiet}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"codegraph failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


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
    copy = options.scratch / "codegraph-tree"
    shutil.copytree(options.tree, copy)
    codegraph("init", str(copy), "-y", scratch=options.scratch)
    name = dotted.rpartition(".")[2]
    printed = codegraph(
        "callers", name, "-p", str(copy), "-f", home, "-j", "-l", "1000", scratch=options.scratch
    )
    answer = json.loads(printed[printed.index("{") :]) if "{" in printed else {}
    files: dict[str, dict[int, str]] = {}

    def function(node: dict) -> str:
        path = node["filePath"]
        if path not in files:
            files[path] = places(options.tree, path)
        return files[path].get(node["startLine"], "<module>")

    items = {
        f"{caller['filePath']}::{function(caller)}"
        for found in answer.get("definitions", [])
        if found["definition"]["filePath"] == home
        and f".{dotted}".endswith(f".{function(found['definition'])}")
        for caller in found["callers"]
        if "calls" in caller["relationships"]
    }
    print(json.dumps(sorted(items)))


if __name__ == "__main__":
    main()
