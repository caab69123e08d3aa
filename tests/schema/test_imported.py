"""The record of an imported run: what it may leave open, and the columns that it describes."""

import pytest
from pydantic import ValidationError
from small_run import record

from benchctl.schema.imported import (
    ForeignColumn,
    ImportRecord,
    TableRecord,
    foreign_columns,
    table_columns,
)

OWN = (ForeignColumn(name="points", type="BIGINT", source="Points", null=1),)
IMPORTED = ImportRecord(
    format="csv", file="results.csv", kept="evidence/source.csv", sha256="0" * 64, bytes=10, rows=2,
    encoding="utf-8", key=("q",), mapped={}, null_texts=("",), foreign=OWN, notes=(),
)  # fmt: skip
OPEN = {"seed": None, "reps": None, "attempts": None, "sandbox": None, "machine": None}


def test_an_imported_run_may_leave_open_what_nobody_recorded():
    made = record(cells=(), schema_version=2, imported=IMPORTED, **OPEN)
    assert made.imported == IMPORTED


@pytest.mark.parametrize("term", OPEN)
def test_a_collected_run_may_not(term):
    with pytest.raises(ValidationError, match="without"):
        record(**{term: None})


@pytest.mark.parametrize(
    "more",
    [
        {"schema_version": 2},  # a collected run of the schema of imports
        {
            "schema_version": 1,
            "imported": IMPORTED,
            "cells": (),
        },  # an import that an older program would take for its own
        {"schema_version": 2, "imported": IMPORTED},  # an import with a plan
    ],
)
def test_a_record_is_of_one_kind(more):
    with pytest.raises(ValidationError):
        record(**more)


def test_the_columns_are_the_cell_and_the_files_own():
    assert [(each.name, each.type) for each in foreign_columns(IMPORTED)] == [
        ("cell", "VARCHAR"),
        ("points", "BIGINT"),
    ]


def test_a_table_has_the_files_columns_alone():
    table = TableRecord(
        table="prices", format="csv", file="prices.csv", kept="tables/prices.source.csv", sha256="0" * 64,
        bytes=1, rows=1, encoding=None, null_texts=(), columns=OWN, notes=(),
    )  # fmt: skip
    assert [(each.name, each.type) for each in table_columns(table)] == [("points", "BIGINT")]
    assert table.model_dump(by_alias=True)["schema"] == "benchctl.further-table/1"
