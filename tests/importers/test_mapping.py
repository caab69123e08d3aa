"""Which column is what: by name, by --map, or its own."""

import pytest
from import_files import own, read_file, rows_of

from benchctl.errors import ImportDomainError, ImportKeyError, ImportMappingError


def read(tmp_path, text, **terms):
    path = tmp_path / "results.csv"
    path.write_text(text)
    return read_file(path, "csv", terms)


def filled(row):
    return {name: value for name, value in row.items() if value is not None}


def test_a_standard_name_in_any_case_is_that_column_and_no_own_one(tmp_path):
    found = read(tmp_path, "Question,ARM,score,points\nq1,a,1,7\n")
    assert found.record.mapped == {"arm": "ARM", "question": "Question", "score": "score"}
    assert [each.name for each in found.record.foreign] == ["points"]
    (cell,), (grade,) = rows_of(found, "cells"), rows_of(found, "grades")
    assert filled(cell) == {"cell": "q1/a", "order": 0, "question": "q1", "arm": "a"}
    assert grade == {"cell": "q1/a", "generation": 1, "grader": "imported", "score": 1.0}


def test_a_mapped_column_stays_under_its_own_name_too(tmp_path):
    found = read(tmp_path, "task,s\nq1,2\n", mapped={"task": "question", "s": "wall_s"})
    assert filled(rows_of(found, "cells")[0]) == {"cell": "q1", "order": 0, "question": "q1", "wall_s": 2.0}
    assert own(found) == [{"task": "q1", "s": 2}]


def test_a_whole_number_that_names_a_question_is_its_text(tmp_path):
    found = read(tmp_path, "question,n\n 20,1\n021,2\n")
    assert [row["question"] for row in rows_of(found, "cells")] == [
        " 20",
        "021",
    ]  # a column of texts: as written
    found = read(tmp_path, "question,n\n 20,1\n21,2\n")
    assert [row["question"] for row in rows_of(found, "cells")] == ["20", "21"]


def test_a_target_that_is_no_standard_column_is_a_new_name(tmp_path):
    found = read(tmp_path, "question,score\nq1,87.5\n", mapped={"score": "points"})
    assert own(found) == [{"points": 87.5}]
    assert rows_of(found, "grades") == []


def test_a_misspelt_standard_name_is_hinted_at(tmp_path):
    found = read(tmp_path, "q,s\nq1,1\n", mapped={"q": "quesiton"})
    assert any("near are question" in note for note in found.record.notes)


@pytest.mark.parametrize(
    ("header", "row", "shadows"),
    [
        ("question,failed", "q,12", "failed"),  # a count
        ("question,outcome", "q,pass", "outcome"),  # other words
        ("question,wall_s", "q,1m", "wall_s"),  # a unit
        ("question,key", "q,k1", "key"),  # benchctl's is a digest
        ("question,outcome,failed", "q,ok,true", "failed"),  # benchctl's follows from the outcome
        ("question,rep", "q,1.5", "rep"),  # no whole number
    ],
)
def test_a_column_that_only_sounds_standard_keeps_its_name_and_says_so(tmp_path, header, row, shadows):
    found = read(tmp_path, f"{header}\n{row}\n")
    assert shadows in [each.name for each in found.record.foreign]
    assert shadows not in found.record.mapped
    assert any(note.startswith(f"`{shadows}` stays the file's own") for note in found.record.notes)


def test_failed_and_void_follow_from_the_outcome(tmp_path):
    found = read(tmp_path, "question,outcome\na,ok\nb,timeout\nc,interrupted\nd,\n")
    assert [(row["outcome"], row["failed"], row["void"]) for row in rows_of(found, "cells")] == [
        ("ok", False, False),
        ("timeout", True, False),
        ("interrupted", False, True),
        (None, None, None),
    ]


def test_an_order_of_its_own_is_kept(tmp_path):
    found = read(tmp_path, "question,order\na,5\nb,3\n")
    assert [row["order"] for row in rows_of(found, "cells")] == [5, 3]


def test_the_first_of_doubled_names_is_the_standard_one(tmp_path):
    found = read(tmp_path, "question,score,score\na,0.5,0.25\n")
    assert rows_of(found, "grades")[0]["score"] == 0.5
    assert own(found) == [{"score_1": 0.25}]


@pytest.mark.parametrize(
    ("mapped", "says"),
    [
        ({"sceonds": "wall_s"}, "seconds"),  # near names
        ({"seconds": "wall_s", "n": "wall_s"}, "both to fill"),
        ({"q": "wall_s"}, "`wall_s` is DOUBLE"),
        ({"q": "outcome"}, "is no outcome"),
        ({"q": "run"}, "cannot be a column's name"),
        ({"q": "N"}, "cannot be called 'N'"),  # but for its case
    ],
)
def test_a_mapping_that_cannot_be_is_refused(tmp_path, mapped, says):
    with pytest.raises(ImportMappingError) as caught:
        read(tmp_path, "q,seconds,n\nx,1,2\n", mapped=mapped)
    assert says in str(caught.value)


def test_a_value_of_the_wrong_type_is_named_by_its_line(tmp_path):
    with pytest.raises(ImportMappingError) as caught:
        read(tmp_path, "q,s\na,1\nb,2\nc,x\nd,y\n", mapped={"s": "wall_s"})
    assert str(caught.value.where) == "results.csv:4"


@pytest.mark.parametrize(
    ("column", "value", "next_step"),
    [
        ("score", "87.5", "`--map score=points`"),
        ("score", "-0.1", "`--map score=points`"),
        ("wall_s", "-1", "`--map wall_s=own_wall_s`"),
    ],
)
def test_a_value_outside_of_its_metric_is_named_by_its_line(tmp_path, column, value, next_step):
    with pytest.raises(ImportDomainError) as caught:
        read(tmp_path, f"question,{column}\na,1\nb,{value}\n")
    assert str(caught.value.where) == "results.csv:3"
    assert next_step in str(caught.value)


def test_the_key_may_be_named_by_source_or_by_standard_name(tmp_path):
    text = "task,try,s\nq,1,5\nq,2,6\n"
    for key in (("task", "try"), ("question", "rep")):
        found = read(tmp_path, text, mapped={"task": "question", "try": "rep"}, key=key)
        assert found.record.key == ("task", "try")
        assert [row["cell"] for row in rows_of(found)] == ["q/1", "q/2"]


def test_the_fewest_further_columns_that_name_the_rows_are_named(tmp_path):
    rows = "\n".join(f"q,{a},{b},same" for a in (1, 2) for b in (1, 2))
    with pytest.raises(ImportKeyError) as caught:
        read(tmp_path, f"question,a,b,c\n{rows}\n")
    assert "`--key question,a,b` names every row" in str(caught.value)


def rows_of_a_matrix(measured):
    for number, (task, rep) in enumerate((task, rep) for task in range(8) for rep in range(3)):
        for agent in ("a", "b"):
            yield f"{agent},t{task},{rep},{number % 2},{measured(2 * number + (agent == 'b'))},ok"


@pytest.mark.parametrize(
    "measured",
    [
        lambda n: 1000 + n if n % 7 else "n/a",  # partly null
        lambda n: 1000 + n,  # another one in every row
        lambda n: 1000 + n // 3,
        lambda n: n % 11,
    ],
)
def test_no_measurement_is_added_to_a_key_that_labels_complete(tmp_path, measured):
    with pytest.raises(ImportKeyError) as caught:
        read(tmp_path, "agent,task,try,score,tokens,status\n" + "\n".join(rows_of_a_matrix(measured)) + "\n")
    assert "`--key agent,task,try` names every row" in caught.value.next_step
    assert "tokens" not in caught.value.next_step


def test_where_labels_do_not_suffice_a_number_is_added(tmp_path):
    with pytest.raises(ImportKeyError) as caught:
        read(tmp_path, "agent,task,n\na,t,1\na,t,2\na,u,3\n")
    assert "`--key agent,n` names every row" in caught.value.next_step


def test_a_long_text_names_no_row(tmp_path):
    found = read(tmp_path, f"task,reply\na,{'x' * 500}\nb,{'x' * 500}\n")
    assert found.record.key == ("task",)


def test_null_and_an_empty_text_have_names_of_their_own(tmp_path):
    found = read(tmp_path, "a,b\nx,n/a\nx,y\n", key=("a", "b"))
    assert [row["cell"] for row in rows_of(found)] == ["x/-", "x/y"]


def test_a_target_is_standard_in_any_case(tmp_path):
    found = read(tmp_path, "q,s\nq1,0.5\n", mapped={"q": "Question", "s": "SCORE"})
    assert found.record.mapped == {"question": "q", "score": "s"}


def test_whole_numbers_that_a_double_cannot_hold_do_not_become_one_silently(tmp_path):
    wide = "9007199254740993"  # 2 ** 53 + 1
    found = read(tmp_path, f"question,wall_s\na,{wide}\n")
    assert own(found) == [{"wall_s": int(wide)}]
    with pytest.raises(ImportMappingError) as caught:
        read(tmp_path, f"q,s\na,1\nb,{wide}\n", mapped={"s": "wall_s"})
    assert str(caught.value.where) == "results.csv:3"
    found = read(tmp_path, f"q,s\na,0.5\nb,{wide}\n")
    assert "s: 1 value with more digits than a DOUBLE holds: kept as the nearest one" in found.record.notes
