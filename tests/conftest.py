"""What every test may rely on: this folder on the path, and an environment that changes nothing."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).resolve().parent))

settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("long", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(autouse=True, scope="session")
def _own_cache():
    """Remember nothing of the user's, and leave nothing there."""
    os.environ["XDG_CACHE_HOME"] = folder = tempfile.mkdtemp(prefix="benchctl-cache-")
    yield
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True, scope="session")
def _own_machine_lock():
    """Be no other's contender for this machine: several processes of tests collect runs at once."""
    os.environ["XDG_RUNTIME_DIR"] = folder = tempfile.mkdtemp(prefix="benchctl-runtime-")
    yield
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True, scope="session")
def _quiet_mkdocs():
    """Keep the theme's notices about other projects out of what is tested."""
    os.environ["NO_MKDOCS_2_WARNING"] = "1"
    os.environ["DISABLE_MKDOCS_2_WARNING"] = "true"
