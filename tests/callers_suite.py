"""The embedded suite as tests drive it: its gold methods and its arms, started as the suite starts them."""

import json
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "data" / "suites" / "callers-v1"
PROGRAMS = Path(sys.executable).parent


def write(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def derive(method, tree, target, **environment):
    """Return the finished process of one gold method."""
    command = [sys.executable, FOLDER / "gold" / f"{method}.py", "--tree", tree, "--target", target]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def derived(method, tree, target):
    done = derive(method, tree, target)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def answer(arm, tree, prompt, scratch, commands=PROGRAMS):
    """Return the finished process of one arm, started as the suite starts it, with a bare environment."""
    (scratch / "prompt.txt").write_text(prompt, encoding="utf-8")
    command = [sys.executable, "-I", "-S", FOLDER / "agents" / f"{arm}.py"]
    command += ["--tree", tree, "--prompt", scratch / "prompt.txt", "--scratch", scratch]
    path = f"{commands}{os.pathsep}/usr/bin{os.pathsep}/bin"
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={"PATH": path, "HOME": str(scratch)}
    )


def answered(arm, tree, prompt, scratch, commands=PROGRAMS):
    done = answer(arm, tree, prompt, scratch, commands)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
