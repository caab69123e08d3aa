"""Every JSON output is what the manual's schema says."""

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import jsonschema
import pytest

from benchctl.claims.finding import Finding

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "site" / "reference" / "schemas"
BENCHCTL = Path(sys.executable).with_name("benchctl")
DEMO = "callers-v1-demo"

OUTPUTS = [
    ("claims", ["verify-claims", "--all"]),
    ("mutation", ["verify-claims", "--mutate"]),
    ("explain", ["verify-claims", "--explain", "f1"]),
    ("fix", ["verify-claims", "--fix", "tests/vectors/bound.md"]),
    ("suggestions", ["claims", "suggest", "tests/vectors/unbound.md"]),
    ("plan", ["plan"]),
    ("baselines", ["baselines", "--only", "click-echo", "--baseline-reps", "1"]),
    ("runs", ["runs"]),
    ("status", ["status"]),
    ("table", ["report", DEMO]),
    ("show-cell", ["show", DEMO, "click-echo/grep/script/none/1"]),
    ("doctor", ["doctor"]),
    ("export", ["export", DEMO, "--to", "build/exported", "--force"]),
    ("verify-store", ["verify-store"]),
    ("merge", ["merge", ".", "--dry-run"]),
    ("gc", ["gc"]),
    ("import", ["import", "csv", "tests/vectors/imports/results.csv", "--run-id", "2026-08", "--dry-run"]),
    ("regrade", ["regrade", DEMO, "--dry-run"]),
    ("void", ["void", DEMO, "click-echo/grep/script/none/1", "--why", "to see what it does", "--dry-run"]),
    ("backfill", ["backfill", DEMO, "tests/vectors/late.csv", "--dry-run"]),
]


def schema(name):
    return json.loads((SCHEMAS / f"{name}.json").read_text())


@pytest.mark.parametrize(("name", "arguments"), OUTPUTS, ids=[name for name, _ in OUTPUTS])
def test_an_output_fits_its_schema(name, arguments):
    result = subprocess.run(
        [BENCHCTL, *arguments, "--format", "json"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    jsonschema.Draft202012Validator(schema(name)).validate(json.loads(result.stdout))


def test_every_schema_is_a_schema_and_is_tested_or_a_run():
    names = {path.stem for path in SCHEMAS.glob("*.json")}
    assert names == {name for name, _ in OUTPUTS} | {"run", "exported"}
    for name in names:
        jsonschema.Draft202012Validator.check_schema(schema(name))


def test_a_finding_has_one_form_and_every_field_of_it():
    said = [schema(name)["$defs"]["finding"] for name in ("claims", "explain", "fix", "mutation")]
    assert all(each == said[0] for each in said)
    shown = {field.name for field in fields(Finding)} - {"block"}
    assert set(said[0]["properties"]) == set(said[0]["required"]) == shown
    assert said[0]["additionalProperties"] is False


@pytest.mark.parametrize("field", ["ok", "pages"])
def test_a_schema_can_fail(field):
    document = {"schema": "benchctl.claims/1", "ok": True, "pages": [], "undeclared": [], "notes": []}
    jsonschema.Draft202012Validator(schema("claims")).validate(document)
    del document[field]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema("claims")).validate(document)
