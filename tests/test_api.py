"""What a program may import is listed, typed, light, and does what the manual shows."""

import ast
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import benchctl

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "site" / "guide").glob("*.md"))]
HEAVY = {
    "duckdb",
    "pandas",
    "polars",
    "pyarrow",
    "numpy",
    "pydantic",
    "altair",
    "jinja2",
    "mkdocs",
    "git",
    "fsspec",
    "click",
}
SCRIPT = """
from __future__ import annotations

import benchctl
from benchctl import Column, Frame, OpenedRun, OpenedStore


def slowest(place: str) -> str | None:
    store: OpenedStore = benchctl.open_store(place)
    try:
        run: OpenedRun = store.run("r1")
    except benchctl.BenchctlError as error:
        return error.next_step
    cells: Frame = run.cells(generation=1)
    columns: tuple[Column, ...] = cells.columns
    units: dict[str, str | None] = {column.name: column.unit for column in columns}
    rows = sorted(cells, key=lambda row: row["wall_s"])
    answered: int = len(store.query("select 1"))
    digest: str | None = cells.digest
    return f"{rows[-1]} {units} {answered} {digest} {benchctl.__version__}"
"""


def names_of_init():
    tree = ast.parse((ROOT / "benchctl" / "__init__.py").read_text())
    guarded = [node for node in tree.body if isinstance(node, ast.If)]
    return {
        alias.name for node in guarded for each in node.body for alias in each.names if alias.name != "Any"
    }


def test_what_is_public_is_listed_typed_and_there():
    listed = set(benchctl.__all__)
    assert len(listed) == len(benchctl.__all__)
    assert listed == names_of_init() | {"__version__"}
    assert listed == set(benchctl._HOMES) | {"__version__"}
    for name in listed:
        assert name in dir(benchctl)
    for name, home in benchctl._HOMES.items():
        assert getattr(benchctl, name) is getattr(importlib.import_module(home), name)
        assert getattr(benchctl, name).__module__ == home, "a class or function stands where it is said to"
    with pytest.raises(AttributeError, match="nosuch"):
        _ = benchctl.nosuch


def test_every_public_name_and_method_has_a_sentence():
    for name in benchctl._HOMES:
        thing = getattr(benchctl, name)
        assert thing.__doc__, name
        for method, found in vars(thing).items():
            if not method.startswith("_") and callable(found):
                assert found.__doc__, f"{name}.{method}"


def modules_after(code):
    script = f"{code}\nimport sys, json\nprint(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(json.loads(result.stdout.splitlines()[-1]))


def test_importing_is_light_and_a_name_brings_only_what_it_needs():
    assert not HEAVY & modules_after("import benchctl")
    assert not HEAVY & modules_after("import benchctl; benchctl.BenchctlError; benchctl.Column")
    assert not {"pandas", "polars", "pyarrow", "fsspec", "altair"} & modules_after(
        "import benchctl\nfor row in benchctl.open_store('data').cells('callers-v1-demo'): pass"
    )


def test_a_strict_type_checker_reads_a_users_script(tmp_path):
    assert (ROOT / "benchctl" / "py.typed").is_file()
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import benchctl\nx: int = benchctl.open_store('data').cells('a').digest\n")
    result = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file=",
            "--follow-imports=silent",
            "--cache-dir",
            tmp_path,
            script,
            wrong,
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1, result.stderr
    errors = [line for line in result.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 1, result.stdout
    assert "wrong.py:2" in errors[0]


def blocks():
    for page in PAGES:
        found = re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
        if found:
            yield pytest.param(found, id=page.name)


PYTHON = list(blocks())


def test_the_manual_shows_the_api():
    assert "python.md" in {parameter.id for parameter in PYTHON}


@pytest.mark.parametrize("found", PYTHON)
def test_the_python_of_a_page_runs_from_top_to_bottom(found, tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.txt").write_text("needle\n")
    (tmp_path / "prompt").write_text("Where is `needle`?")
    result = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-c",
            "\n".join(found),
            str(tmp_path / "tree"),
            str(tmp_path / "prompt"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout
