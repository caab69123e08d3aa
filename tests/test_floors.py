"""The house's one enforced rule: imports go down only, and pure rooms touch no world."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LINT = Path(sys.executable).with_name("lint-imports")


def lint(folder):
    return subprocess.run([LINT, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False)


def test_every_import_goes_down():
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        (
            "schema/usage.py",
            "import benchctl.store.journals.journal",
            "Floors",
        ),  # a word that knows the store
        (
            "store/disk/layout.py",
            "import benchctl.workspace.process",
            "Floors",
        ),  # a sibling that knows its sibling
        ("grading/gold.py", "import subprocess", "Pure rooms touch no world"),
        ("stats/describe.py", "import time", "Pure rooms touch no world"),
    ],
)
def test_a_deliberate_upward_or_worldly_import_is_caught(tmp_path, file, line, contract):
    shutil.copytree(ROOT / "benchctl", tmp_path / "benchctl", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    broken = tmp_path / "benchctl" / file
    broken.write_text(broken.read_text() + f"\n{line}\n")
    # The copy must be the package that is linted, not the one installed.
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports_command; lint_imports_command()",
            "--no-cache",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode != 0
    assert f"{contract} BROKEN" in result.stdout
