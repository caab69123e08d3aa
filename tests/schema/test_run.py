import pytest
from pydantic import ValidationError

from benchctl.schema.grade import Fact, Grade
from benchctl.schema.run import RefusalRecord, RunRecord


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
