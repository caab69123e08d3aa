"""Grades are joined to their cells by name, however they are read and in whatever order a generation has them."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_run import plan, record, run_cell

from benchctl.store.reader import Store
from benchctl.store.relations import cells_view, connection, loaded
from benchctl.store.sql.query import query_sql
from benchctl.store.writing.corrections import append_grades
from benchctl.store.writing.writer import RunWriter

CELLS = [cell.cell for cell in plan(6)]
GENERATION = st.lists(
    st.tuples(st.sampled_from(CELLS), st.sampled_from([0.0, 0.125, 0.5, 0.75, 1.0])),
    min_size=1,
    unique_by=lambda row: row[0],
)
EVERY = st.tuples(
    st.permutations(CELLS), st.lists(st.sampled_from([0.25, 0.875]), min_size=6, max_size=6)
).map(lambda drawn: list(zip(*drawn, strict=True)))
IN_ORDER = st.lists(st.sampled_from([0.375, 0.625]), min_size=6, max_size=6).map(
    lambda scores: list(zip(CELLS, scores, strict=True))
)


@given(generations=st.lists(st.one_of(GENERATION, EVERY, IN_ORDER), max_size=3))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_newest_grade_of_a_cell_is_found_by_its_name(tmp_path_factory, generations):
    store = Store(tmp_path_factory.mktemp("store"))
    with RunWriter.create(store, record("r1", plan(6))) as writer:
        for cell in writer.unfinished:
            run_cell(writer, cell, 0.3125)
        writer.close()
    wanted = dict.fromkeys(CELLS, 0.3125)
    for rows in generations:
        run = store.run("r1")
        given_ = {row["cell"]: row for row in run.rows("grades") if row["generation"] == 1}
        append_grades(
            run,
            [
                {**{k: v for k, v in given_[cell].items() if k != "run"}, "score": score}
                for cell, score in rows
            ],
        )
        wanted |= dict(rows)
    for many, small in ((200_000, 20_000), (0, 0)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loaded, "_LOADED", loaded.OrderedDict())
            patch.setattr(connection, "_MANY_ROWS", many)
            patch.setattr(cells_view, "_SMALL", small)
            assert dict(query_sql(store, "SELECT cell, score FROM cells").rows) == wanted
            found = {row["cell"]: row["score"] for row in store.run("r1").cells()}
            assert (list(found), found) == (CELLS, wanted)
