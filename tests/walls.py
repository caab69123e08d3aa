"""Which walls this machine can be expected to hold, found out without any of the code that builds them.

A test that asked our own sandbox whether it works would be skipped on the day it breaks.
"""

import shutil
import subprocess

import pytest

from benchctl.workspace.sandbox import candidates, landlock_exec

WALLS = {sandbox.level: sandbox for sandbox, _ in candidates()}


def why_no_bwrap():
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    done = subprocess.run(
        ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True, text=True, check=False
    )
    return None if done.returncode == 0 else f"bubblewrap is forbidden here: {done.stderr.strip()}"


def why_no_landlock():
    version = landlock_exec.abi()
    return None if version >= 3 else f"the kernel's Landlock has version {version}, which is less than 3"


def why_no_both():
    shared = ["bwrap", "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "true"]
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    if subprocess.run(shared, capture_output=True, check=False).returncode:
        return "bubblewrap is forbidden here, also without a network space of its own"
    version = landlock_exec.abi()
    return None if version >= 4 else f"the kernel's Landlock has version {version}, which knows no TCP"


REASONS = {"bwrap": why_no_bwrap(), "bwrap+landlock": why_no_both(), "landlock": why_no_landlock()}


def skip_without(level):
    """Return the mark that skips a test, saying why, where this machine cannot have a level."""
    return pytest.mark.skipif(REASONS[level] is not None, reason=str(REASONS[level]))


def every_level():
    """Return a parametrize value for each level with a wall: (level name, marks)."""
    return [pytest.param(level, id=level, marks=skip_without(level)) for level in WALLS]
