"""A run collected on real processes, then corrected; and what its page says of it."""

from __future__ import annotations

import json

import pytest

ABSOLUTE = """
import json, pathlib, sys
tree = pathlib.Path(sys.argv[1])
print(json.dumps([f"{tree}/a.py::one", f"{tree}/b.py::two", f"{tree}/c.py::nine"]))
"""
PAGE = """---
benchctl:
  run: first
---
# A page

The mean score is 0.78<!--= score.mean -->, over 2<!--= score.n --> cells.
"""


@pytest.fixture
def collected(bench):
    bench.write(source=ABSOLUTE, reps=1)
    bench("run", "tiny", "--run-id", "first", "--no-page")
    return bench


def scores(bench):
    return [row["score"] for row in bench.query("select score from cells order by question")]


def test_an_answer_that_names_its_tree_is_graded_again_as_it_was(collected):
    assert scores(collected) == [0.5, pytest.approx(2 / 3)]
    answer = collected.query("select answer from cells order by question")[0]["answer"]
    assert "/benchctl-" in answer, "the agent named a tree that is gone by now"
    done = collected("regrade", "first")
    assert "none of 2 grades moves; nothing is written" in done.stdout
    assert collected("verify-store").stdout == "first: sound\n"


def test_a_page_is_stale_after_a_correction_until_it_is_read_again(collected):
    page = collected.root / "README.md"
    page.write_text(PAGE.replace("0.78", "0.58"))
    collected("verify-claims", "--accept")
    done = collected("void", "first", "q-other/plain/script/none/1", "--why", "its key is wrong")
    assert "2 cells counted before, 1 now" in done.stdout
    assert "1 page pinned to the data before: README.md" in done.stderr
    report = json.loads(collected("verify-claims", "--format", "json", code=1).stdout)
    verdicts = [finding["verdict"] for finding in report["pages"][0]["findings"]]
    assert "stale-data" in verdicts
    assert "false" in verdicts
    page.write_text(PAGE.replace("0.78", "0.67").replace("over 2", "over 1"))
    collected("verify-claims", "--accept")
    collected("verify-claims")
    lifted = collected("void", "first", "--all", "--lift", "--why", "the key was right")
    assert "1 cell counted before, 2 now" in lifted.stdout


def test_a_folder_that_is_not_the_runs_own_is_not_corrected(collected):
    runs = collected.root / "data" / "runs"
    (runs / "first").rename(runs / "second")
    done = collected("regrade", "second", code=1)
    assert "[store-damaged]" in done.stderr, "another run's folder is not corrected"
    unknown = collected("regrade", "first", code=2)
    assert "[run-unknown]" in unknown.stderr
