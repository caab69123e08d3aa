import json

import pytest
from pydantic import ValidationError
from small_run import record

from benchctl.schema.grade import Fact, Grade
from benchctl.schema.imported import ForeignColumn, ImportRecord, foreign_columns
from benchctl.schema.run import RUN_SCHEMA, RefusalRecord, RunRecord
from benchctl.store.disk.record import record_bytes


def test_a_record_reads_back_as_it_was_written():
    refusal = RefusalRecord(reason="rg is not installed", arm="grep", required=False)
    assert RefusalRecord.model_validate_json(refusal.model_dump_json()) == refusal


def test_an_unknown_key_of_a_record_is_refused():
    with pytest.raises(ValidationError):
        RefusalRecord.model_validate({"reason": "x", "reasn": "y"})


def test_the_record_of_a_run_names_every_term():
    assert {"caps", "seed", "sandbox", "probes", "corpora", "refusals", "comparability", "goals"} <= set(
        RunRecord.model_fields
    )


def test_a_grade_keeps_its_reasons():
    grade = Grade(score=0.5, grader="gold", answered=True, facts=(Fact("a::b", "hit"),))
    assert grade.facts[0].state == "hit"


IMPORTED = ImportRecord(
    format="csv",
    file="results.csv",
    kept="evidence/source.csv",
    sha256="a" * 64,
    bytes=10,
    rows=2,
    encoding="utf-8",
    key=("issue",),
    mapped={"question": "issue"},
    null_texts=("",),
    foreign=(ForeignColumn(name="points", type="DOUBLE", source="Points", null=1),),
    notes=(),
)


def test_a_collected_run_goes_on_writing_the_first_schema_without_the_key_of_the_second():
    written = json.loads(record_bytes(record()))
    assert written["schema"] == 1
    assert "imported" not in written
    assert RunRecord.model_validate(written) == record()


def test_an_imported_run_says_where_it_came_from_and_reads_back():
    imported = record(cells=(), schema=2, imported=IMPORTED, seed=None, reps=None, sandbox=None, machine=None)
    written = json.loads(record_bytes(imported))
    assert (written["schema"], written["imported"]["file"], written["seed"]) == (2, "results.csv", None)
    assert RunRecord.model_validate(written) == imported


def test_a_record_of_a_later_schema_is_no_record():
    with pytest.raises(ValidationError):
        RunRecord.model_validate({**json.loads(record_bytes(record())), "schema": RUN_SCHEMA + 1})


def test_foreign_columns_keep_their_own_names_behind_the_cell():
    cell, own = foreign_columns(IMPORTED)
    assert (cell.name, cell.type) == ("cell", "VARCHAR")
    assert (own.name, own.type, own.null) == ("points", "DOUBLE", "no value")
    assert own.meaning == "`Points` of results.csv, as imported."
