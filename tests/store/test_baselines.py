"""Empty runs: kept with a run or added to it later, and the floors and content tokens that are taken from them."""

import pytest
from small_run import AT, evidence, grade, record, run_cell

from benchctl import errors
from benchctl.expressions import Probe
from benchctl.schema.usage import Usage
from benchctl.store.checking.verify import verify_run
from benchctl.store.measuring.question import measure
from benchctl.store.reader import Store
from benchctl.store.sql.query import query_sql
from benchctl.store.writing.corrections import append_backfills, append_baselines
from benchctl.store.writing.writer import RunWriter


def probe(arm="grep", number=1, tokens=4, **more):
    row = {
        "cell": f"baseline/{arm}/rg/none/{number}",
        "arm": arm,
        "agent": "rg",
        "model": "none",
        "probe": number,
        "outcome": "ok",
        "started_at": AT,
        "wall_s": 0.5,
        "input_tokens": tokens,
        "output_tokens": 1,
        "total_tokens": None if tokens is None else tokens + 1,
        "cost_usd": None,
        "token_source": "agent",
        "cost_source": None,
    }
    return {**row, **more}


def collected(tmp_path, *probes, close=True):
    """Return the store of a run of eight cells with 10 tokens in and 5 out each, and these probes."""
    store = Store(tmp_path)
    with RunWriter.create(store, record()) as writer:
        for row in probes:
            writer.baseline(row)
        for cell in writer.unfinished if close else writer.unfinished[:4]:
            run_cell(writer, cell)
        if close:
            writer.close()
    return store


def value(store, column, statistic, run="r1", **filters):
    from benchctl.expressions import Filter

    asked = Probe((column, statistic), tuple(Filter(name, "=", wanted) for name, wanted in filters.items()))
    return measure(store, run, [asked])[asked]


THREE = (
    probe(number=1, tokens=4),
    probe(number=2, tokens=8),
    probe(number=3, tokens=5),
    probe("index", 1, 30),
)


@pytest.mark.parametrize("close", [True, False], ids=["closed", "open"])
def test_an_empty_run_that_was_begun_after_the_first_cell_says_so(tmp_path, close):
    later = AT.replace("2026", "2027")
    store = collected(tmp_path, *THREE, probe("late", 1, 7, started_at=later), close=close)
    rows = query_sql(store, "SELECT arm, post_hoc, generation FROM baselines ORDER BY ALL").rows
    assert rows == [*[("grep", False, 1)] * 3, ("index", False, 1), ("late", True, 1)]


@pytest.mark.parametrize("close", [True, False], ids=["closed", "open"])
def test_content_tokens_are_those_above_the_floor_of_the_way_of_answering(tmp_path, close):
    store = collected(tmp_path, *THREE, close=close)
    assert value(store, "floor_tokens", "max", arm="grep").value == 5.0
    assert value(store, "content_tokens", "mean", arm="grep").value == 10 - 5 + 5
    assert value(store, "content_tokens", "mean", arm="index").value == 5, "never below nothing"
    assert value(store, "input_tokens", "floor", arm="grep").value == 5.0
    assert value(store, "content_tokens", "floor", arm="index").value == 30.0
    assert value(store, "input_tokens", "floor").value is None, "of two arms"
    rows = query_sql(
        store, "SELECT arm, probe, input_tokens, post_hoc, generation FROM baselines ORDER BY ALL"
    ).rows
    assert rows == [
        ("grep", 1, 4, False, 1),
        ("grep", 2, 8, False, 1),
        ("grep", 3, 5, False, 1),
        ("index", 1, 30, False, 1),
    ]
    assert not close or verify_run(store.run("r1").path) == []


def test_a_run_without_probes_has_no_table_of_them_and_no_content(tmp_path):
    store = collected(tmp_path)
    assert not (store.run("r1").path / "rows" / "baselines-0001.parquet").exists()
    assert query_sql(
        store, "SELECT count(*), count(content_tokens), count(floor_tokens) FROM cells"
    ).rows == [(8, 0, 0)]
    assert query_sql(store, "SELECT count(*) FROM baselines").rows == [(0,)]
    assert value(store, "content_tokens", "mean").value is None
    assert verify_run(store.run("r1").path) == []


NO_FLOOR = [
    (probe(outcome="timeout"),),
    (probe(tokens=None),),
    (probe(token_source="proxy"),),  # the cells were counted by the agent itself
    (probe(number=1), probe(number=2, token_source="proxy")),  # two counts are none
    (probe(token_source=None),),
    (probe("index"),),
]


@pytest.mark.parametrize("probes", NO_FLOOR, ids=range(len(NO_FLOOR)))
def test_what_was_not_measured_by_the_same_source_is_no_floor(tmp_path, probes):
    store = collected(tmp_path, *probes)
    assert query_sql(
        store, "SELECT count(content_tokens), count(floor_tokens) FROM cells WHERE arm = 'grep'"
    ).rows == [(0, 0)]


def test_probes_may_be_added_afterwards_and_say_so(tmp_path):
    store = collected(tmp_path, *THREE)
    before = store.run("r1")
    manifest = append_baselines(before, [probe(number=1, tokens=2), probe(number=2, tokens=2)])
    assert (manifest.generation, manifest.previous is not None) == (2, True)
    assert manifest.data != before.data_digest
    assert verify_run(store.run("r1").path) == []
    assert value(store, "floor_tokens", "max", arm="grep").value == 2.0, "the newest of each name: 2, 2, 5"
    said = query_sql(
        store, "SELECT count(*), count(*) FILTER (post_hoc), max(generation) FROM baselines"
    ).rows
    assert said == [(6, 2, 2)]


def test_probes_added_to_a_run_that_had_none(tmp_path):
    store = collected(tmp_path)
    append_baselines(store.run("r1"), [probe(tokens=3)])
    assert verify_run(store.run("r1").path) == []
    assert query_sql(store, "SELECT arm, sum(content_tokens) FROM cells GROUP BY arm ORDER BY arm").rows == [
        ("grep", 48.0),
        ("index", None),
    ]
    assert append_baselines(store.run("r1"), []).generation == 2
    with pytest.raises(errors.OptionInvalidError, match="more than one row"):
        append_baselines(store.run("r1"), [probe(), probe()])


def test_late_usage_counts_in_the_content(tmp_path):
    store = Store(tmp_path)
    with RunWriter.create(store, record()) as writer:
        writer.baseline(probe(token_source="proxy"))
        for cell in writer.unfinished:
            attempt = writer.claim(cell, AT)
            writer.finish(evidence(cell, attempt, usage=Usage()), grade())
        writer.close()
    late = {"cell": "q1/grep/rg/none/1", "input_tokens": 9, "output_tokens": 1, "total_tokens": 10, "token_source": "proxy", "why": "late", "noted_at": AT, "cost_usd": None, "cost_source": None}  # fmt: skip
    append_backfills(store.run("r1"), [late])
    assert query_sql(
        store, "SELECT cell, content_tokens FROM cells WHERE content_tokens IS NOT NULL"
    ).rows == [("q1/grep/rg/none/1", 6.0)]


def test_a_probe_is_recorded_once_whoever_measures_it(tmp_path):
    store = Store(tmp_path)
    with RunWriter.create(store, record()) as writer:
        writer.baseline(probe(tokens=4))
        writer.baseline(probe(tokens=400))
    with RunWriter.resume(store, "r1") as writer:
        assert {name: row["input_tokens"] for name, row in writer.baselines.items()} == {
            "baseline/grep/rg/none/1": 4
        }


def test_a_forged_probe_is_found(tmp_path):
    import duckdb

    store = collected(tmp_path, *THREE)
    path = store.run("r1").path / "rows" / "baselines-0001.parquet"
    other = tmp_path / "x.parquet"
    duckdb.sql(
        f"COPY (SELECT * REPLACE (input_tokens + 1 AS input_tokens) FROM '{path}') TO '{other}' (FORMAT parquet)"
    )
    path.write_bytes(other.read_bytes())
    assert verify_run(store.run("r1").path) != []
