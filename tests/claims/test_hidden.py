"""A column that was imported under the name of a statistic wins over it, and the reader is told once."""

import json

from click.testing import CliRunner
from results_file import imported_run

from benchctl.cli import cli
from benchctl.store.reader import Store

PAGE = """---
benchctl:
  run: x1
---
There are 9<!--= count[arm=a] --> and 9<!--= count[arm=a] --> and 9<!--= count.max -->, {count}<!--= size.max -->, 2<!--= size.count -->.
"""
BIG = 2**62 + 1


def verified(tmp_path, text):
    (tmp_path / "benchctl.toml").write_text('title = "t"\n')
    own = {"count": ("BIGINT", [9, 8]), "size": ("BIGINT", [BIG, 5]), "share": ("DOUBLE", [1.0, 1.0])}
    imported_run(Store(tmp_path / "data"), "x1", own, {"arm": ["a", "b"]})
    page = tmp_path / "page.md"
    page.write_text(text)
    call = ["verify-claims", str(page), "--project", str(tmp_path), "--format", "json"]
    done = CliRunner().invoke(cli, call)
    return done, json.loads(done.stdout)["pages"][0]["findings"]


def test_a_hidden_statistic_is_told_once_and_fails_nothing(tmp_path):
    done, findings = verified(tmp_path, PAGE.format(count=f"{BIG:,}"))
    assert [(each["slug"], each["severity"]) for each in findings] == [("statistic-hidden", "warning")]
    assert findings[0]["message"] == "`count` is a column that was imported, and not the statistic count"
    assert done.exit_code == 0


def test_a_whole_number_is_compared_to_its_last_digit(tmp_path):
    _, findings = verified(tmp_path, PAGE.format(count=f"{BIG - 1:,}"))
    (wrong,) = [each for each in findings if each["slug"] == "number-false"]
    assert f"size.max is {BIG:,}" in wrong["message"]
