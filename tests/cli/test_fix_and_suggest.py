"""`verify-claims --fix` and `claims suggest` at the door: exit codes, text, JSON."""

import json
from pathlib import Path

import jsonschema
import pytest
from synthetic_run import make_project

from benchctl.cli import exit_code

SCHEMAS = Path(__file__).parents[2] / "site" / "reference" / "schemas"
HEAD = "<!-- benchctl: run=demo-r1 -->\n\n"


@pytest.fixture
def page(tmp_path):
    make_project(tmp_path)
    return tmp_path / "page.md"


def call(page, *arguments):
    return exit_code([*arguments, str(page), "--project", str(page.parent)])


def test_a_false_number_is_written_anew(page, capsys):
    page.write_text(HEAD + "71<!--= count --> cells\n")
    assert call(page, "verify-claims", "--fix") == 0
    out = capsys.readouterr().out
    assert "page.md:3:1: 71 -> 72 (count)\n" in out
    assert "ok: 1 number on 1 page" in out
    assert page.read_text() == HEAD + "72<!--= count --> cells\n"
    assert call(page, "verify-claims") == 0


def test_what_is_left_is_said_and_fails(page, capsys):
    page.write_text(HEAD + "71<!--= count --> cells, at least 99<!--= count -->.\n")
    assert call(page, "verify-claims", "--fix") == 1
    out = capsys.readouterr().out
    assert "71 -> 72" in out
    assert "page.md:3:35: 99 is left as it is: it is a bound" in out
    assert "[fix-refused]" in out
    assert "number-false" in out
    assert "72<!--= count --> cells, at least 99<!--= count -->" in page.read_text()


def test_the_json_says_both(page, capsys):
    page.write_text(HEAD + "71<!--= count --> cells, at least 99<!--= count -->.\n")
    assert call(page, "verify-claims", "--fix", "--format", "json") == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(json.loads((SCHEMAS / "fix.json").read_text())).validate(document)
    assert document["ok"] is False
    (told,) = document["pages"]
    assert told["written"] is True
    assert [(each["old"], each["new"]) for each in told["rewrites"]] == [("71", "72")]
    assert [each["reason"] for each in told["refused"]] == ["bound"]
    assert [each["slug"] for each in told["findings"]] == ["number-false"]


def test_the_schema_knows_every_reason():
    from benchctl.claims.fixing.reasons import OF_FINDINGS, REASONS

    schema = json.loads((SCHEMAS / "fix.json").read_text())
    reason = schema["properties"]["pages"]["items"]["properties"]["refused"]["items"]["properties"]["reason"]
    assert reason["enum"] == sorted(REASONS)
    assert set(OF_FINDINGS.values()) <= set(REASONS)


@pytest.mark.parametrize("other", ["--accept", "--mutate", "--changed=HEAD", "--touched", "--format=sarif"])
def test_one_thing_at_a_time(page, other):
    page.write_text(HEAD + "71<!--= count --> cells\n")
    assert call(page, "verify-claims", "--fix", other) == 2
    assert "71" in page.read_text()


def test_drafts_are_printed_and_written(page, capsys):
    page.write_text(HEAD + "72 cells, and 5 monkeys.\n")
    assert call(page, "claims", "suggest") == 0
    out = capsys.readouterr().out
    assert "page.md:3:1: 72\n" in out
    assert "count\n" in out
    assert 'words behind "cells"' in out
    assert "no candidate" in out
    assert "2 unbound numbers, 1 without a candidate" in out
    assert call(page, "claims", "suggest", "--write", "--format", "json") == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(json.loads((SCHEMAS / "suggestions.json").read_text())).validate(document)
    assert document["written"] == 1
    assert page.read_text() == HEAD + "72<!--=? count --> cells, and 5 monkeys.\n"
    assert call(page, "verify-claims") == 1


def test_a_page_without_a_run_is_told_so(page, capsys):
    page.write_text("72 cells\n")
    assert call(page, "claims", "suggest") == 2
    assert "declares no run" in capsys.readouterr().err
    assert call(page, "claims", "suggest", "--run", "demo-r1") == 0
