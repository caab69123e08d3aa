import pytest
from small_run import plan, record, run_cell

from benchctl.store.reader import Store
from benchctl.store.relations import loaded as module
from benchctl.store.relations.loaded import loaded
from benchctl.store.writing.writer import RunWriter


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_LOADED", module.OrderedDict())
    store = Store(tmp_path)
    for name in ("r1", "r2", "r3", "r4", "r5"):
        with RunWriter.create(store, record(name, plan(1))) as writer:
            run_cell(writer, writer.unfinished[0])
            writer.close()
    return store


@pytest.fixture
def loads(monkeypatch):
    calls = []
    real = module.connect
    monkeypatch.setattr(
        module, "connect", lambda runs, tables, **more: (calls.append(tables), real(runs, tables, **more))[1]
    )
    return calls


def count(runs, *tables):
    with loaded(runs, tables or ("cells",)) as connection:
        return connection.execute("SELECT count(*) FROM cells").fetchone()[0]


def test_a_closed_run_is_loaded_once(store, loads):
    for _ in range(3):
        assert count([store.run("r1")]) == 1
    assert len(loads) == 1
    assert count([store.run("r1"), store.run("r2")]) == 2
    assert count([store.run("r1")], "cells", "attempts") == 1
    assert len(loads) == 3


def test_an_open_run_is_read_anew(store, loads):
    with RunWriter.create(store, record("open", plan(2))) as writer:
        for expected in (1, 2):
            run_cell(writer, writer.unfinished[0])
            assert count([store.run("open")]) == expected
            assert count([store.run("open"), store.run("r1")]) == expected + 1
    assert len(loads) == 4


def test_transcripts_are_not_kept(store, loads):
    count([store.run("r1")], "cells", "transcripts")
    count([store.run("r1")], "cells", "transcripts")
    assert len(loads) == 2


def test_only_the_last_few_are_kept_and_one_in_use_stays_usable(store, loads):
    with loaded([store.run("r1")], ("cells",)) as held:
        for name in ("r2", "r3", "r4", "r5"):
            count([store.run(name)])
        assert len(module._LOADED) == 4
        assert held.execute("SELECT count(*) FROM cells").fetchone() == (1,)
    count([store.run("r1")])
    assert len(loads) == 6
