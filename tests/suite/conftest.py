import importlib.metadata
import shutil

import pytest
from callers_suite import FOLDER

from benchctl.schema.suite import parse_suite


@pytest.fixture(scope="session")
def folder():
    return FOLDER


@pytest.fixture(scope="session")
def suite():
    return parse_suite((FOLDER / "suite.toml").read_text(encoding="utf-8"), "suite.toml")


@pytest.fixture(scope="session")
def trees(tmp_path_factory, suite):
    """The installed corpora, Python files only, each in a tree of its own."""
    made = {}
    for name, repo in suite.repos.items():
        root = tmp_path_factory.mktemp(name)
        top = repo.include[0].partition("/")[0]
        for file in importlib.metadata.files(repo.distribution):
            if file.parts[0] == top and file.suffix == ".py":
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file.locate(), root / file)
        made[name] = root
    return made
