"""The arm `grep`: search for the name before a parenthesis, and read upwards to the `def` it stands in.

Text only: no syntax tree, no imports, no types. It finds what is spelled like a call and is wrong where
spelling misleads.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections import defaultdict
from pathlib import Path

TARGET = re.compile(r"calls the (?:function|method) `([\w.]+)`, defined in `([^`]+)`")
BLOCK = re.compile(r"^(\s*)(?:async\s+)?(def|class)\s+(\w+)")


def hits(tree: Path, name: str) -> dict[str, list[int]]:
    """Return the line numbers, from 1, of what looks like a call, by file."""
    pattern = rf"\b{re.escape(name)}\s*\("
    command = [
        "rg",
        "--no-config",
        "--no-heading",
        "--line-number",
        "--null",
        "--type=py",
        "-e",
        pattern,
        ".",
    ]
    found = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if found.returncode > 1:
        raise SystemExit(found.stderr.strip())
    lines: dict[str, list[int]] = defaultdict(list)
    for row in found.stdout.splitlines():
        path, _, rest = row.partition("\0")
        number, _, text = rest.partition(":")
        if not re.search(rf"\b(?:def|class)\s+{re.escape(name)}\s*\(", text):
            lines[path.removeprefix("./")].append(int(number))
    return lines


def enclosing(lines: list[str], number: int) -> str:
    """Return the dotted names of the blocks around a line, by indentation."""
    names: list[str] = []
    kinds: list[str] = []
    depth = len(lines[number - 1]) - len(lines[number - 1].lstrip())
    for line in reversed(lines[: number - 1]):
        block = BLOCK.match(line)
        if block and len(block[1]) < depth:
            depth = len(block[1])
            if names or block[2] == "def":
                names.append(block[3])
                kinds.append(block[2])
    return ".".join(reversed(names)) if "def" in kinds else "<module>"


def main() -> None:
    """Print the answer."""
    parser = argparse.ArgumentParser()
    for option in ("--tree", "--prompt", "--scratch"):
        parser.add_argument(option, type=Path, required=True)
    options = parser.parse_args()
    target = TARGET.search(options.prompt.read_text(encoding="utf-8"))
    if target is None:
        raise SystemExit("the prompt names no function")
    items = set()
    for path, numbers in hits(options.tree, target[1].rpartition(".")[2]).items():
        lines = (options.tree / path).read_text(encoding="utf-8").splitlines()
        items |= {f"{path}::{enclosing(lines, number)}" for number in numbers}
    print(json.dumps(sorted(items)))


if __name__ == "__main__":
    main()
