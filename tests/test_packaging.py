"""The wheel is what users get: it must hold the templates, the types marker and the entry points."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import benchctl

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
def test_the_wheel_holds_everything_a_user_needs(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, ROOT],
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"benchctl/py.typed", "benchctl/cli/__init__.py"} <= names
    templates = {
        f"benchctl/templates/{path.relative_to(ROOT / 'templates').as_posix()}"
        for path in (ROOT / "templates").rglob("*")
        if path.is_file() and path.name != ".keep"
    }
    assert templates
    assert templates <= names
    assert f"{benchctl.__version__}-py3" in wheel.name
