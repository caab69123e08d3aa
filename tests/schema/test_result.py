"""The stored schema may only grow: the list of each released version stands here for ever."""

import dataclasses
import inspect
import re

import pytest

from benchctl.schema import result, run
from benchctl.schema.cell import Cell, CellInputs
from benchctl.schema.evidence import FINAL_FAILURES, OUTCOMES, VOID_OUTCOMES
from benchctl.schema.result import SCHEMA_VERSION, TABLES, VIEWS

VERSION_1 = {
    "cells": "cell key question class repo arm agent model rep order outcome failed void attempts wall_s cpu_s input_tokens output_tokens total_tokens cost_usd token_source cost_source tool_calls changed_files answer stdout_bytes stderr_bytes sandbox row_digest",
    "attempts": "cell attempt outcome started_at ended_at wall_s cpu_s exit_code input_tokens output_tokens cost_usd stragglers stdout_sha256 stderr_sha256 detail row_digest",
    "grades": "cell generation grader score answered precision recall answer_items gold_items hit_items facts note row_digest",
    "transcripts": "cell attempt stream text total_bytes dropped_bytes sha256",
    "tool_calls": "cell attempt index tool ok",
}
VERSION_2 = {
    **VERSION_1,
    "voids": "cell generation void why noted_at row_digest",
    "backfills": "cell generation input_tokens output_tokens total_tokens cost_usd token_source cost_source why noted_at row_digest",
}
VERSION_3 = {
    **VERSION_2,
    "cells": f"{VERSION_2['cells']} continuations prepare_s check_failed",
    "attempts": f"{VERSION_2['attempts']} parts total_s cap tool_calls events session pipes_held max_gap_s suspended_s clock_drift_s stalled_cpu_s stalled_io_s stalled_memory_s network_refused redactions kept",
}
VERSION_3["baselines"] = (
    "cell generation arm agent model probe outcome started_at wall_s input_tokens output_tokens total_tokens cost_usd token_source cost_source post_hoc row_digest"
)
VERSIONS = {1: VERSION_1, 2: VERSION_2, 3: VERSION_3}
TYPES = {
    "BIGINT": "rep order attempts attempt input_tokens output_tokens total_tokens tool_calls changed_files stdout_bytes stderr_bytes exit_code stragglers generation answer_items gold_items hit_items total_bytes dropped_bytes index continuations parts events network_refused probe",
    "DOUBLE": "wall_s cpu_s cost_usd score precision recall prepare_s total_s max_gap_s suspended_s clock_drift_s stalled_cpu_s stalled_io_s stalled_memory_s",
    "BOOLEAN": "failed void answered ok pipes_held check_failed post_hoc",
}
"""The type of every column of a released version by its name; what is not here is VARCHAR."""

LISTS = [(version, table) for version, tables in VERSIONS.items() for table in tables]


@pytest.mark.parametrize(("version", "table"), LISTS)
def test_columns_of_a_released_version_keep_their_place_and_name(version, table):
    names = [column.name for column in TABLES[table] if column.since <= version]
    assert names == VERSIONS[version][table].split()


def test_the_tables_of_a_released_version_are_all_there_and_in_their_order():
    for version, tables in VERSIONS.items():
        known = [name for name, columns in TABLES.items() if min(c.since for c in columns) <= version]
        assert known == list(tables)


def test_every_version_has_its_list_and_its_line_of_history():
    assert set(VERSIONS) == set(range(1, SCHEMA_VERSION + 1))
    told = inspect.getdoc(result).split("SCHEMA_VERSION and its history:")[1]
    assert re.findall(r"^(\d+)\. \d{4}-\d{2}: ", told, re.MULTILINE) == [str(v) for v in VERSIONS]
    assert max(run.RunRecord.model_fields["schema_version"].annotation.__args__) == run.RUN_SCHEMA


def test_columns_of_a_released_version_keep_their_type():
    wanted = {name: type_ for type_, names in TYPES.items() for name in names.split()}
    for table, names in VERSIONS[SCHEMA_VERSION].items():
        types = {column.name: column.type for column in TABLES[table]}
        assert {name: types[name] for name in names.split()} == {
            name: wanted.get(name, "VARCHAR") for name in names.split()
        }


def test_a_default_is_a_value_of_its_column():
    import duckdb

    with duckdb.connect() as connection:
        for columns in TABLES.values():
            for column in columns:
                (value,) = connection.execute(
                    f"SELECT typeof(CAST({column.default} AS {column.type}))"
                ).fetchone()
                assert value == column.type


def test_a_column_added_later_stands_behind_and_has_a_default():
    for columns in TABLES.values():
        versions = [column.since for column in columns]
        assert versions == sorted(versions)
        assert max(versions) <= SCHEMA_VERSION


def test_every_column_says_what_it_means_and_names_are_unique():
    for columns in (*TABLES.values(), *VIEWS.values()):
        assert len({column.name for column in columns}) == len(columns)
        assert all(column.meaning.endswith(".") for column in columns)


def test_the_contract_columns_are_there():
    names = {column.name for column in VIEWS["cells"]}
    assert {
        "run",
        "cell",
        *["question", "class", "repo", "arm", "agent", "model", "rep", "order", "outcome", "score"],
    } <= names


def test_outcomes_are_one_list():
    assert not VOID_OUTCOMES & FINAL_FAILURES
    assert VOID_OUTCOMES | FINAL_FAILURES | {"ok"} == set(OUTCOMES)


def test_a_cell_id_is_path_safe_and_keeps_its_parts_apart():
    assert Cell("q", "a", "s", "anthropic/claude", 1).id == "q/a/s/anthropic%2Fclaude/1"


INPUTS = CellInputs("p", "t", "a", "g", "c")


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(CellInputs)])
def test_each_input_is_part_of_the_key(field):
    cell = Cell("q", "a", "s", "m", 1)
    assert dataclasses.replace(INPUTS, **{field: "other"}).key(cell) != INPUTS.key(cell)


@pytest.mark.parametrize(
    "other", [Cell("x", "a", "s", "m", 1), Cell("q", "x", "s", "m", 1), Cell("q", "a", "s", "m", 2)]
)
def test_each_axis_is_part_of_the_key(other):
    assert INPUTS.key(other) != INPUTS.key(Cell("q", "a", "s", "m", 1))
