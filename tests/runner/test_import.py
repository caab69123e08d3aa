"""The story of an import: what is read at all, and an export of ours that comes back as it was."""

import json
import os
import socket
from pathlib import Path

import pytest
from results_file import make_import
from small_run import plan, record, run_cell

from benchctl.errors import ImportDiffersError, ImportUnreadableError
from benchctl.importers.base import ReadOptions
from benchctl.runner.import_ import Order, import_run, import_table
from benchctl.store.checking.verify import verify_run
from benchctl.store.frames import export as exporting
from benchctl.store.frames.opened import open_store
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter

FORMS = ("csv", "jsonl", "parquet")
ROWS = [
    {"tool": "rg", "task": "t1", "blank": "", "dash": "-", "digits": "7", "truth": "true", "padded": " s ", "n": 1.0},
    {"tool": "rg", "task": "t2", "blank": "x", "dash": "n/a", "digits": "007", "truth": "no", "padded": " ", "n": 2.5},
    {"tool": "ag", "task": "t1", "blank": None, "dash": None, "digits": None, "truth": None, "padded": None, "n": None},
]  # fmt: skip
OWN = ("blank", "dash", "digits", "truth", "padded", "n")


def order(path, form, run="back", **more):
    return Order(path, form, run, ReadOptions(path.name), {}, **more)


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "data")
    make_import(store, "imp", ROWS, {"agent": "tool", "question": "task"})
    return store


def exported(store, tmp_path, form, *runs):
    frame = open_store(store.path).table("cells", runs)
    exporting.export([frame], tmp_path / "out", form)
    return frame, tmp_path / "out" / f"cells.{form}"


@pytest.mark.parametrize("form", FORMS)
def test_an_export_of_an_import_comes_back_without_options(store, tmp_path, form):
    _, path = exported(store, tmp_path, form, "imp")
    found = import_run(store, order(path, form))
    assert found.record.key == ("cell",)
    before, after = (open_store(store.path).table("cells", (run,)) for run in ("imp", "back"))
    for old, new in zip(before, after, strict=True):
        assert new["source_run"] == "imp"
        for name in ("cell", "order", "agent", "question", *OWN):
            wanted = None if form == "csv" and old[name] == "" else old[name]
            assert (name, new[name]) == (name, wanted)
    assert verify_run(store.run("back").path) == []
    assert import_run(store, order(path, form)).state == "nothing to do"


@pytest.mark.parametrize("form", FORMS)
def test_an_export_of_collected_runs_comes_back_with_every_column(store, tmp_path, form):
    for run in ("r1", "r2"):
        with RunWriter.create(store, record(run, plan(4))) as writer:
            for number, cell in enumerate(writer.unfinished):
                run_cell(writer, cell, number / 3, answer=("-", "", None, "n/a")[number], wall_s=0.1 * number)
            writer.close()
    frame, path = exported(store, tmp_path, form, "r1", "r2")
    found = import_run(store, order(path, form))
    assert found.record.key == ("run", "cell")
    back = {row["cell"]: row for row in open_store(store.path).table("cells", ("back",))}
    assert len(back) == len(frame)
    for old in frame:
        new = back[f"{old['run']}/{old['cell']}"]
        for column in frame.columns[2:]:
            name = column.name
            wanted = None if form == "csv" and old[name] == "" else old[name]
            assert (name, new[name]) == (name, wanted)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_description_beside_is_believed_only_of_these_bytes(store, tmp_path, form):
    _, path = exported(store, tmp_path, form, "imp")
    beside = path.with_name(f"{path.name}.json")
    about = json.loads(beside.read_text())
    for said in ({**about, "sha256": "0" * 64}, {**about, "schema": "other/1"}, [], {**about, "columns": 7}):
        beside.write_text(json.dumps(said))
        assert import_run(store, order(path, form, dry_run=True)).record.null_texts == ("", "n/a", "-")
    beside.write_text(json.dumps(about))
    import_run(store, order(path, form))
    beside.unlink()
    with pytest.raises(ImportDiffersError, match="the description that stood beside the export"):
        import_run(store, order(path, form))


def test_what_is_asked_to_be_null_is_null_in_an_export_too(store, tmp_path):
    _, path = exported(store, tmp_path, "parquet", "imp")
    import_run(store, order(path, "parquet", null_texts=("-",)))
    assert [row["dash"] for row in open_store(store.path).table("cells", ("back",))] == [None, "n/a", None]


def test_an_export_can_be_a_further_table(store, tmp_path):
    _, path = exported(store, tmp_path, "csv", "imp")
    done = import_table(store, order(path, "csv", "imp"), "copy")
    assert {each.source: each.type for each in done.columns}["digits"] == "VARCHAR"
    assert import_table(store, order(path, "csv", "imp"), "copy").state == "nothing to do"


def pipe(path):
    os.mkfifo(path)


def listening(path):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))


@pytest.mark.parametrize(
    ("make", "what"),
    [(os.mkdir, "a folder"), (pipe, "a pipe"), (listening, "a socket"), (str, "no such file")],
)
@pytest.mark.parametrize("dry_run", [True, False])
def test_only_a_regular_file_is_read(store, tmp_path, make, what, dry_run):
    make(tmp_path / "x")
    with pytest.raises(ImportUnreadableError, match=what) as caught:
        import_run(store, order(tmp_path / "x", "csv", dry_run=dry_run))
    assert caught.value.next_step
    assert store.find("back") is None


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/stdin"])
def test_a_device_is_never_read(store, device):
    if device == "/dev/stdin" and Path(device).is_file():
        pytest.skip("standard input is a file here")
    with pytest.raises(ImportUnreadableError) as caught:
        import_run(store, order(Path(device), "csv"))
    assert "file" in caught.value.next_step


def test_a_link_to_a_file_is_that_file(store, tmp_path):
    (tmp_path / "x.csv").write_text("question,n\nq,1\n")
    (tmp_path / "link").symlink_to("x.csv")
    assert import_run(store, order(tmp_path / "link", "csv")).state == "imported"
