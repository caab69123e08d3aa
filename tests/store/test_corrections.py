"""What a closed run is corrected by stands beside what it corrects, once, and moves the digest that pages pin."""

import shutil

import pytest
from small_run import AT, evidence, grade, plan, record, run_cell

from benchctl.errors import BackfillInvalidError, CellUnknownError, OptionInvalidError, RunOpenError
from benchctl.schema.usage import Usage
from benchctl.store.checking.verify import verify_run
from benchctl.store.disk.manifest import data_digest, newest_manifest
from benchctl.store.disk.rows import grade_json, grade_row
from benchctl.store.reader import Store
from benchctl.store.writing.corrections import (
    VOIDS,
    append_backfills,
    append_grades,
    append_voids,
    correct,
)
from benchctl.store.writing.tables import table_entries
from benchctl.store.writing.writer import RunWriter

CELLS = [cell.cell for cell in plan(4)]
NOTED = {"why": "seen later", "noted_at": AT}


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """Cells 0 and 1 have tokens from the agent, 2 and 3 none; cell 3 was a void outcome."""
    store = Store(tmp_path_factory.mktemp("store"))
    with RunWriter.create(store, record(cells=plan(4))) as writer:
        for nth, cell in enumerate(writer.unfinished):
            usage = Usage(input_tokens=10, output_tokens=5, source="agent") if nth < 2 else Usage()
            run_cell(writer, cell, 0.5, usage=usage, outcome="escape" if nth == 3 else "ok")
        writer.close()
    return store.run("r1")


@pytest.fixture
def run(sealed, tmp_path):
    shutil.copytree(sealed.path, tmp_path / "runs" / "r1")
    return Store(tmp_path).run("r1")


def void(cell, *, void=True, **more):
    return {"cell": cell, "void": void, **NOTED, **more}


def graded(cell, score):
    return grade_row({"cell": cell, "outcome": "ok"}, grade_json(grade(score)), 99)


def late(cell, **figures):
    return {"cell": cell, **NOTED, **figures}


def rows(run, table):
    return Store(run.path.parents[1]).run("r1").rows(table, "ORDER BY generation, cell")


def test_a_new_grade_is_a_file_of_its_own_and_moves_the_digest(run):
    manifest = append_grades(run, [graded(CELLS[2], 0.25), graded(CELLS[0], 0.75)])
    assert manifest.files_of_table("grades") == {1: "grades/g0001.parquet", 2: "grades/g0002.parquet"}
    assert manifest.previous == run.manifest.digest
    assert manifest.data != run.data_digest
    assert manifest.data == data_digest(manifest.tables)
    assert manifest.tables["grades"].rows == 4  # the newest grade of each cell
    assert manifest.tables["cells"] == run.manifest.tables["cells"]
    assert verify_run(run.path, "texts") == []
    found = [(row["cell"], row["generation"], row["score"]) for row in rows(run, "grades")]
    assert found[4:] == [(CELLS[0], 2, 0.75), (CELLS[2], 2, 0.25)]
    again = Store(run.path.parents[1]).run("r1")
    assert [row["score"] for row in again.cells()] == [0.75, 0.5, 0.25, 0.5]


def test_the_digest_is_over_the_newest_grades_whatever_files_they_are_in(run, sealed, tmp_path):
    """Grading two cells at once, or one after the other and one of them twice, gives the same newest rows."""
    other = tmp_path / "o" / "runs" / "r1"
    shutil.copytree(sealed.path, other)
    second = Store(tmp_path / "o").run("r1")
    append_grades(run, [graded(CELLS[0], 0.75)])
    append_grades(run, [graded(CELLS[0], 0.1), graded(CELLS[1], 0.2)])
    append_grades(second, [graded(CELLS[3], 0.75)])
    append_grades(second, [graded(CELLS[1], 0.2), graded(CELLS[0], 0.1)])
    append_grades(second, [graded(CELLS[3], 0.75)])
    one, two = newest_manifest(run.layout), newest_manifest(second.layout)
    assert one.tables["grades"] != two.tables["grades"]
    assert verify_run(run.path) == verify_run(second.path) == []


def test_the_entries_of_a_manifest_are_the_ones_that_are_read_anew(run):
    append_grades(run, [graded(CELLS[0], 0.1)])
    append_voids(run, [void(CELLS[1])])
    manifest = append_backfills(run, [late(CELLS[2], input_tokens=1, token_source="proxy")])
    anew = table_entries(run.layout, manifest)
    assert anew.keys() == {"cells", "attempts", "grades", "voids", "backfills"}
    assert anew.items() <= manifest.tables.items()


def test_a_void_is_written_once_and_can_be_taken_back(run):
    first = append_voids(run, [void(CELLS[1]), void(CELLS[0])])
    assert first.files_of_table("voids") == {2: "rows/voids-0002.parquet"}
    assert append_voids(run, [void(CELLS[0], why="again")]) == first
    back = append_voids(run, [void(CELLS[0], void=False), void(CELLS[1])])
    assert back.generation == 3
    assert [(row["cell"], row["generation"], row["void"]) for row in rows(run, "voids")] == [
        (CELLS[0], 2, True),
        (CELLS[1], 2, True),
        (CELLS[0], 3, False),
    ]
    assert back.tables["voids"].rows == 2
    assert verify_run(run.path) == []


def test_a_cell_that_is_void_by_how_it_ended_is_not_voided_again_and_never_counts(run):
    assert append_voids(run, [void(CELLS[3])]) == run.manifest
    with pytest.raises(OptionInvalidError, match="escape"):
        append_voids(run, [void(CELLS[3], void=False)])
    assert newest_manifest(run.layout) == run.manifest


def test_a_backfill_is_written_once_and_the_newest_group_stands_whole(run):
    tokens = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10, "token_source": "proxy"}
    first = append_backfills(run, [late(CELLS[2], **tokens)])
    assert append_backfills(run, [late(CELLS[2], **tokens)]) == first
    second = append_backfills(run, [late(CELLS[2], total_tokens=12, token_source="bill")])
    assert second.generation == 3
    cell = next(row for row in Store(run.path.parents[1]).run("r1").cells() if row["cell"] == CELLS[2])
    names = ("input_tokens", "output_tokens", "total_tokens", "token_source")
    assert [cell[name] for name in names] == [None, None, 12, "bill"]  # never a part of the older report
    assert verify_run(run.path) == []


def test_a_backfill_keeps_the_group_that_was_reported_in_time(run):
    append_backfills(run, [late(CELLS[0], cost_usd=0.5, cost_source="bill")])
    (row,) = rows(run, "backfills")
    assert (row["cost_usd"], row["input_tokens"], row["token_source"]) == (0.5, 10, "agent")
    cell = Store(run.path.parents[1]).run("r1").cell(CELLS[0])
    assert (cell["cost_usd"], cell["input_tokens"], cell["output_tokens"]) == (0.5, 10, 5)
    same = late(CELLS[0], cost_usd=0.5, cost_source="bill", input_tokens=10, output_tokens=5, total_tokens=15)
    assert append_backfills(run, [{**same, "token_source": "agent"}]).generation == 2


REFUSED = [
    (append_voids, [void("nope")], CellUnknownError, "no cell 'nope'"),
    (append_voids, [void(CELLS[0]), void(CELLS[0])], OptionInvalidError, "more than one row"),
    (append_voids, [void(CELLS[0], why=" ")], OptionInvalidError, "says nothing"),
    (append_voids, [void(CELLS[0], why="\u200b")], OptionInvalidError, "says nothing"),
    (append_voids, [void(CELLS[0], why="a\nb")], OptionInvalidError, "control character"),
    (append_backfills, [late(CELLS[2], cost_usd=-0.0, cost_source="p")], BackfillInvalidError, "is -0.0"),
    (append_backfills, [late(CELLS[2], cost_usd=-1.0, cost_source="p")], BackfillInvalidError, "is -1.0"),
    (append_backfills, [late(CELLS[2], input_tokens=-1, token_source="p")], BackfillInvalidError, "is -1"),
    (append_grades, [graded("nope", 1.0), graded("nor", 1.0)], CellUnknownError, "and 1 more"),
    (append_grades, [graded(CELLS[0], 1.0), graded(CELLS[0], 0.5)], OptionInvalidError, "more than one row"),
    (append_backfills, [late(CELLS[0], input_tokens=1, token_source="p")], BackfillInvalidError, "the tokens were reported by agent"),
    (append_backfills, [late(CELLS[2], input_tokens=1)], BackfillInvalidError, "without a token_source"),
    (append_backfills, [late(CELLS[2], cost_source="p")], BackfillInvalidError, "without a figure"),
    (append_backfills, [late(CELLS[2])], BackfillInvalidError, "no figure"),
    (append_backfills, [late(CELLS[2], cost_usd=1.0, cost_source="p", why="")], BackfillInvalidError, "says nothing"),
    (append_backfills, [late(CELLS[2], cost_usd=1.0, cost_source="p")] * 2, BackfillInvalidError, "more than one row"),
]  # fmt: skip


@pytest.mark.parametrize(("append", "given", "error", "what"), REFUSED)
def test_rows_that_cannot_be_are_refused_and_nothing_is_written(run, append, given, error, what):
    before = sorted(run.path.rglob("*"))
    with pytest.raises(error, match=what) as refused:
        append(run, given)
    assert "nothing was changed" in refused.value.next_step
    assert sorted(run.path.rglob("*")) == before
    assert newest_manifest(run.layout) == run.manifest


def test_no_rows_are_no_generation(run):
    for append in (append_grades, append_voids, append_backfills):
        assert append(run, []) == run.manifest


def test_a_correction_goes_on_from_the_run_as_it_is_now(run):
    append_voids(run, [void(CELLS[0])])
    assert append_voids(run, [void(CELLS[1])]).generation == 3  # `run` was looked up before the first


def test_evidence_is_never_touched(run):
    before = {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}
    append_voids(run, [void(CELLS[0])])
    append_grades(run, [graded(CELLS[0], 0.0)])
    assert {path: path.read_bytes() for path in before} == before
    assert evidence(CELLS[0]).outcome == "ok"


def test_a_backfill_of_dollars_leaves_the_tokens_that_an_earlier_one_filled_in(run):
    append_backfills(run, [late(CELLS[2], input_tokens=7, token_source="proxy")])
    made = append_backfills(run, [late(CELLS[2], cost_usd=0.5, cost_source="bill")])
    cell = Store(run.path.parents[1]).run("r1").cell(CELLS[2])
    assert (cell["input_tokens"], cell["token_source"], cell["cost_usd"]) == (7, "proxy", 0.5)
    assert append_backfills(run, [late(CELLS[2], cost_usd=0.5, cost_source="bill")]) == made


def decide(now):
    """Void every cell that counts, and say which these were, and of which generation."""
    found = [row["cell"] for row in now.cells() if not row["void"]]
    return (now.manifest.generation, found), [void(cell) for cell in found]


def test_what_is_said_is_what_was_written_though_somebody_else_came_first(run):
    """`run` was looked up before the other correction: what is decided about it is decided again, under the lock."""
    first = append_voids(run, [void(CELLS[1])])
    done = correct(run, VOIDS, decide)
    assert done.found == (2, [CELLS[0], CELLS[2]])
    assert (done.before, done.after.generation) == (first, 3)
    assert [row["cell"] for row in rows(run, "voids") if row["generation"] == 3] == done.found[1]
    last = correct(run, VOIDS, decide)
    assert last.found == (3, [])
    assert last.before == last.after == done.after, "nothing was left to write, and nothing is said"


def test_a_decision_that_nobody_overtook_is_made_once(run):
    asked = []
    done = correct(run, VOIDS, lambda now: (asked.append(now), decide(now))[1])
    assert asked == [run]
    assert done.after.previous == done.before.digest
    dry = correct(Store(run.path.parents[1]).run("r1"), VOIDS, decide, dry_run=True)
    assert (dry.after, newest_manifest(run.layout)) == (None, done.after)


def test_an_open_run_is_not_corrected(tmp_path):
    store = Store(tmp_path)
    with RunWriter.create(store, record(cells=plan(2))):
        pass
    with pytest.raises(RunOpenError, match="only a closed run"):
        correct(store.run("r1"), VOIDS, decide)
