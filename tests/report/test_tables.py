"""Tables over a stored run: figures that can be worked out by hand, and what stands beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic_run import RUN, Recipe, make_project

from benchctl.errors import ColumnUnknownError, RunUnknownError, TableUnknownError
from benchctl.expressions.values import parse_definitions
from benchctl.report.builtin import BUILTIN_TABLES
from benchctl.report.stamp import parse_blocks, render_block
from benchctl.report.tables import build_table, named_table, table_spec
from benchctl.report.terminal import to_text
from benchctl.schema.project import ProjectFile, TableColumn, TableSpec
from benchctl.store.reader import Store


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return make_project(tmp_path_factory.mktemp("sound"))


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    """Return a project whose first cell (click-q1, grep) timed out and whose second is void."""
    return make_project(tmp_path_factory.mktemp("marked"), Recipe(failed=True, void=True))


def _column(table, title):
    index = [column.title for column in table.columns].index(title)
    return [row[index] for row in table.rows]


def test_arms_come_in_the_authors_order_with_their_macro_score(sound):
    table = named_table(sound.store, RUN, "arms")
    assert [cell.text for cell in _column(table, "arm")] == ["grep", "index", "hybrid"]
    assert [cell.value for cell in _column(table, "score")] == [0.375, 0.625, 0.875]
    assert [cell.text for cell in _column(table, "answered")] == ["24 of 24"] * 3
    assert [cell.text for cell in _column(table, "median wall (s)")] == ["0.50", "0.75", "1.00"]


def test_a_score_has_its_interval_and_the_interval_its_scope(sound):
    table = named_table(sound.store, RUN, "arms")
    for cell in _column(table, "score"):
        assert cell.lo < cell.value < cell.hi
        assert cell.scope == "questions"
    assert any("95 % interval over questions" in note for note in table.notes)


@pytest.mark.parametrize("name", ["arms", "questions", "repos"])
def test_no_row_stands_without_n_and_failed(sound, name):
    table = named_table(sound.store, RUN, name)
    assert [column.title for column in table.columns][-2:] == ["failed", "n"]
    for row in table.rows:
        for cell in row[sum(column.key for column in table.columns) :]:
            assert None not in (cell.n, cell.failed, cell.void)


def test_failed_cells_count_and_void_cells_leave_every_denominator(marked):
    table = named_table(marked.store, RUN, "arms")
    assert [column.title for column in table.columns][-3:] == ["failed", "n", "void"]
    assert [cell.value for cell in _column(table, "failed")] == [1, 0, 0]
    assert [cell.value for cell in _column(table, "n")] == [23, 24, 24]
    assert [cell.value for cell in _column(table, "void")] == [1, 0, 0]
    assert _column(table, "answered")[0].text == "22 of 23"
    # Eleven questions as before and one that failed: (4 * 0.375 + 4 * 0.375 + (0 + 0.25 + 0.5 + 0.25)) / 12
    assert _column(table, "score")[0].value == pytest.approx(1 / 3)


def test_a_mean_over_fewer_values_than_the_row_says_so(marked):
    table = named_table(marked.store, RUN, "arms")
    assert _column(table, "precision")[0].text.endswith("(n=22)")
    assert "n=" not in _column(table, "precision")[1].text
    assert "n=" not in _column(table, "score")[0].text, "a void cell is no missing value"


def test_what_was_never_measured_is_a_dash_with_its_reason(marked):
    table = named_table(marked.store, RUN, "questions")
    cell = _column(table, "precision")[0]
    assert (cell.value, cell.text) == (None, "\u2013")
    assert cell.notes


def test_questions_and_repositories_have_a_row_each_with_each_arm(sound):
    assert len(named_table(sound.store, RUN, "questions").rows) == 36
    assert len(named_table(sound.store, RUN, "repos").rows) == 9


def test_a_projects_own_table_uses_its_values_and_wins_over_a_built_in(sound):
    spec = TableSpec(
        title="Mine",
        by=("repo",),
        where="arm=grep",
        note="A note.",
        columns=(
            TableColumn(title="gain", value="gain(hybrid)", unit="x", places=1),
            TableColumn(title="share", value="count[outcome=ok]", of="count"),
        ),
    )
    config = ProjectFile(values={"gain(a)": "score.mean[arm=$a] / score.mean"}, tables={"arms": spec})
    table = named_table(sound.store, RUN, "arms", config)
    assert table.title == "Mine"
    assert _column(table, "gain")[0].text == "2.3\u00d7"
    assert _column(table, "share")[0].text == "8 of 8"
    assert table.notes[:2] == ("A note.", "Only rows where arm=grep.")


def test_a_row_that_the_filter_empties_is_no_row(sound):
    spec = TableSpec(
        title="t", by=("arm",), where="arm!=grep", columns=(TableColumn(title="c", value="count"),)
    )
    assert [row[0].text for row in build_table(sound.store, RUN, "t", spec).rows] == ["index", "hybrid"]


def test_numbers_as_keys_sort_by_size(tmp_path):
    project = make_project(tmp_path, Recipe(reps=11, questions=1))
    spec = TableSpec(title="t", by=("rep",), columns=(TableColumn(title="c", value="count"),))
    rows = build_table(project.store, RUN, "t", spec).rows
    assert [row[0].text for row in rows] == [str(number) for number in range(1, 12)]


def test_an_open_run_has_a_table_and_no_digest(tmp_path):
    project = make_project(tmp_path, Recipe(left_open=True))
    table = named_table(project.store, RUN, "arms")
    assert table.data_digest is None
    assert "still open" in to_text(table)


def test_the_same_run_renders_the_same_bytes(sound):
    first, second = (render_block(named_table(sound.store, RUN, "questions")) for _ in range(2))
    assert first == second
    assert parse_blocks(first)[0].data == sound.store.run(RUN).data_digest


def test_a_run_without_its_suite_still_has_tables(tmp_path):
    project = make_project(tmp_path, Recipe(left_open=True))
    project.store.run(RUN).layout.suite.unlink()
    table = named_table(project.store, RUN, "arms")
    assert [row[0].text for row in table.rows] == ["grep", "hybrid", "index"]


def test_names_that_do_not_exist_are_errors_with_the_ones_that_do(sound):
    with pytest.raises(TableUnknownError) as caught:
        table_spec("arm")
    assert "arms, costs, questions, repos" in str(caught.value)
    with pytest.raises(RunUnknownError):
        named_table(sound.store, "demo-r2", "arms")
    spec = TableSpec(title="t", by=("arms",), columns=(TableColumn(title="c", value="count"),))
    with pytest.raises(ColumnUnknownError):
        build_table(sound.store, RUN, "t", spec)
    spec = TableSpec(title="t", by=("arm",), columns=(TableColumn(title="c", value="skore.mean"),))
    with pytest.raises(ColumnUnknownError):
        build_table(sound.store, RUN, "t", spec, parse_definitions({}))


def test_a_run_whose_suite_nobody_can_read_is_reported_and_says_so():
    old = Store(Path(__file__).parents[1] / "vectors" / "stores" / "schema-1")
    for name in BUILTIN_TABLES:
        table = named_table(old, "closed", name)
        assert len(table.rows) > 1
        assert table.notes[-1].startswith("The suite that the run keeps is none that this version reads")
        assert "/" not in table.notes[-1], "a stamped block is the same on every machine"
