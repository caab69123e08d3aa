"""Whatever a page holds or is called: no mode and no form of the claims commands prints what a CI runner obeys."""

import json
from pathlib import Path

import jsonschema
import pytest
from project_of_runs import make_project_of_runs

from benchctl.cli import exit_code

SCHEMAS = Path(__file__).resolve().parents[2] / "site" / "reference" / "schemas"
OBEYED = "::error::95 ##[group]x ##vso[task.x]"
EVIL = "::error::z.md"
PAGE = """<!-- benchctl: run=r9 -->

::error::95<!--= count --> cells ##[group]x and 24 cells.

::warning::96<!--= count --> cells ##[group]y, at least 97<!--= count --> cells, ::set-output name=a::b 5 %.

| ##[arm] | n | ::error::h |
|---|---|---|
| grep | 24 | ##[error]1 |
"""
TRUE = """<!-- benchctl: run=r9 -->

::warning::over 96<!--= count --> cells ##[group]y.
"""
CALLS = [
    ("fix", ["verify-claims", "--fix", "--", "PAGE"]),
    ("explain", ["verify-claims", "--explain", "95", "--", "PAGE"]),
    ("explain", ["verify-claims", "--explain", "96", "--", "PAGE"]),
    ("mutation", ["verify-claims", "--mutate", "--", "PAGE"]),
    ("claims", ["verify-claims", "--all", "--", "PAGE"]),
    ("suggestions", ["claims", "suggest", "--", "PAGE"]),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    made = tmp_path_factory.mktemp("runner")
    make_project_of_runs(made)
    return made


def obeyed(text):
    """Return what a runner would obey: `::word` behind white space at a line's start, `##[word]` anywhere."""
    lines = text.splitlines()
    return [line for line in lines if line.lstrip().startswith("::") or "##[" in line or "##vso[" in line]


@pytest.mark.parametrize("text", [PAGE, TRUE])
@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    ("schema", "words"), CALLS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_no_mode_prints_a_command(root, capsys, monkeypatch, *, text, form, schema, words):
    monkeypatch.chdir(root)
    for name in (EVIL, "##[x].md"):
        (root / name).write_text(text)
        at = words.index("--")
        exit_code([*words[:at], "--format", form, *(name if word == "PAGE" else word for word in words[at:])])
        out, err = capsys.readouterr()
        assert obeyed(out) == obeyed(err) == []
        if form == "json" and out:
            document = json.loads(out)
            jsonschema.Draft202012Validator(json.loads((SCHEMAS / f"{schema}.json").read_text())).validate(
                document
            )
            assert "##[" in json.dumps(document) or (text, schema) == (TRUE, "suggestions")


@pytest.mark.parametrize("words", [["verify-claims", EVIL], ["claims", "suggest", OBEYED], ["query", "select '##[a]' as \"::b\""],
                                   ["report", "r9", "--table", OBEYED], ["query", "select '##[a]' as b", "--format", "json"]])  # fmt: skip
def test_no_other_command_prints_one(root, capsys, monkeypatch, words):
    monkeypatch.chdir(root)
    exit_code(words)
    out, err = capsys.readouterr()
    assert out or err
    assert obeyed(out) == obeyed(err) == []
