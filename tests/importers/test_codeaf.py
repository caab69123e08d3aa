"""The study whose columns were appended over time: every era, under every header."""

import itertools
from pathlib import Path

import pytest
from import_files import own, read_file, rows_of

from benchctl.errors import ImportRaggedError
from benchctl.importers.codeaf import outcome

VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "imports"
ALL = "harness,issue,seconds,exit,changed_files,passed,failed,cost_usd,cost_source,codeaf_mode,nodes_failed"
OLD = ",".join(ALL.split(",")[:9])


def read(tmp_path, text):
    path = tmp_path / "results.csv"
    path.write_text(text)
    return read_file(path, "csv")


def by_cell(found, table):
    return {row["cell"]: row for row in rows_of(found, table)}


@pytest.mark.parametrize("name", ["results.csv", "newest-header.csv", "first-header.csv"])
def test_a_file_of_the_study_needs_no_options(name):
    found = read_file(VECTORS / name, "csv")
    assert found.record.dialect == "codeaf"
    assert found.record.key == ("harness", "issue", "codeaf_mode")
    names = [each.name for each in found.record.foreign]
    assert {"harness", "issue", "seconds", "exit", "passed", "failed", "codeaf_mode", "nodes_failed"} <= set(
        names
    )
    types = {each.name: each.type for each in found.record.foreign}
    assert (types["failed"], types["nodes_failed"], types["codeaf_mode"]) == ("BIGINT", "BIGINT", "VARCHAR")


def test_rows_of_every_era_under_the_oldest_header():
    cells = by_cell(read_file(VECTORS / "results.csv", "csv"), "cells")
    assert list(cells)[:5] == ["pi/20/node", "pi/21/node", "codeaf/20/node", "codeaf/21/node", "codeaf/20/do"]
    assert {cell: row["outcome"] for cell, row in cells.items() if row["outcome"] != "ok"} == {
        "codeaf/21/do": "timeout",
        "opencode/20/-": "exit_nonzero",
        "codeaf/22/node": "no_result",  # its exit is 0, and a node failed
    }
    assert cells["pi/20/node"]["cost_usd"] is None
    assert cells["pi/20/node"]["cost_source"] == "not-self-reported"
    assert cells["codeaf/21/node"]["cost_usd"] == 0.185
    assert cells["codeaf/20/node"]["question"] == "20"
    assert cells["codeaf/20/node"]["wall_s"] == 85.0


def test_a_mode_that_is_there_and_says_n_a_is_null_and_a_missing_one_is_node(tmp_path):
    rows = ["pi,1,5,0,1,1,0,n/a,not-self-reported", "pi,2,5,0,1,1,0,n/a,not-self-reported,n/a,n/a",
            "codeaf,3,5,0,1,1,0,0.1,self-reported,,"]  # fmt: skip
    for header in (ALL, OLD):
        found = read(tmp_path, "\n".join([header, *rows]) + "\n")
        assert [row["codeaf_mode"] for row in own(found)] == ["node", None, "node"]
        assert [row["nodes_failed"] for row in own(found)] == [None, None, None]


def test_a_header_without_the_costs_has_them_as_null():
    found = read_file(VECTORS / "first-header.csv", "csv")
    assert [row["cost_usd"] for row in rows_of(found, "cells")] == [None, None]
    assert [row["codeaf_mode"] for row in own(found)] == ["node", "node"]


def test_a_cost_that_was_not_reported_is_null(tmp_path):
    found = read(tmp_path, f"{OLD}\npi,1,5,0,1,1,0,not-self-reported,n/a\npi,2,5,0,1,1,0,0.5,self-reported\n")
    assert [row["cost_usd"] for row in rows_of(found, "cells")] == [None, 0.5]


@pytest.mark.parametrize(
    "row",
    [
        "pi,1,5,0,1,1",  # shorter than the first era
        "pi,1,5,0,1,1,0,0.5,self-reported,do,0,more",  # longer than the last
    ],
)
def test_a_row_of_no_era_is_refused(tmp_path, row):
    with pytest.raises(ImportRaggedError) as caught:
        read(tmp_path, f"{OLD}\npi,2,5,0,1,1,0,0.5,self-reported\n{row}\n")
    assert caught.value.where.line == 3


def test_columns_in_another_order_are_the_same_cells(tmp_path):
    rows = ["codeaf,1,5,0,1,1,0,0.1,self-reported,do,0", "pi,1,6,124,1,1,0,n/a,not-self-reported,n/a,n/a"]
    wanted = read(tmp_path, "\n".join([ALL, *rows]) + "\n")
    cells, grades = rows_of(wanted, "cells"), own(wanted)
    for order in itertools.islice(itertools.permutations(range(11)), 0, 5_000_000, 700_001):
        lines = [",".join(line.split(",")[at] for at in order) for line in (ALL, *rows)]
        found = read(tmp_path, "\n".join(lines) + "\n")
        assert rows_of(found, "cells") == cells
        assert own(found) == grades


def test_a_further_column_stays(tmp_path):
    found = read(tmp_path, f"{ALL},note\npi,1,5,0,1,1,0,n/a,n/a,n/a,n/a,slow\n")
    assert own(found)[0]["note"] == "slow"


@pytest.mark.parametrize(
    ("status", "nodes", "wanted"),
    [
        (0, None, "ok"),
        (0, 0, "ok"),
        (0, 1, "no_result"),
        (124, 2, "no_result"),  # whatever else the row says
        (124, 0, "timeout"),
        (1, None, "exit_nonzero"),
        (-9, None, "exit_nonzero"),
        (None, None, None),
        (None, 3, "no_result"),
    ],
)
def test_the_studys_own_rule(status, nodes, wanted):
    assert outcome(status, nodes) == wanted
