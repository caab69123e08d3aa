"""A short slice of `pages.py` with bytes by chance: no traceback, whatever stands on a page."""

import os
import random

import pytest
from hostile_input import KINDS, Hostile
from project_of_runs import make_project_of_runs

INPUTS = int(os.environ.get("BENCHCTL_EXAMPLES", "300"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return Hostile(make_project_of_runs(tmp_path_factory.mktemp("fuzz")))


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_no_input_raises(hostile, kind):
    chance = random.Random(kind)
    for _ in range(INPUTS // len(KINDS)):
        hostile.put(bytes([kind]) + chance.randbytes(chance.randrange(1, 200)))
    assert hostile.tried >= INPUTS // len(KINDS)
