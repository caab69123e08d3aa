"""Later generations, imported runs and further tables: each thing that can be wrong has its own name."""

import json
import shutil
from dataclasses import replace

import duckdb
import pytest
from results_file import imported_run
from small_run import AT, plan, record, run_cell

from benchctl.errors import StoreDamagedError
from benchctl.schema.canonical import digest, sha256_hex
from benchctl.schema.result import Column
from benchctl.store.checking.verify import verify_run
from benchctl.store.disk.entries import data_digest, file_entry
from benchctl.store.disk.manifest import newest_manifest, read_manifest
from benchctl.store.disk.parquet import read_rows
from benchctl.store.disk.rows import columns_of, grade_json, grade_row, signed_row
from benchctl.store.disk.sealing import seal_table
from benchctl.store.reader import Store
from benchctl.store.writing.corrections import append_backfills, append_grades, append_voids
from benchctl.store.writing.generation import add_generation
from benchctl.store.writing.tables import table_entries
from benchctl.store.writing.writer import RunWriter

CELLS = [cell.cell for cell in plan(2)]
NOTED = {"why": "seen later", "noted_at": AT}
VOIDS, BACKFILLS, GRADES = "rows/voids-0002.parquet", "rows/backfills-0003.parquet", "grades/g0002.parquet"


def corrected(store):
    """Return a run of four generations: closed, a void, a backfill, a regrade."""
    from small_run import grade

    from benchctl.schema.usage import Usage

    with RunWriter.create(store, record(cells=plan(2))) as writer:
        for cell in writer.unfinished:
            run_cell(writer, cell, 0.5, usage=Usage())
        writer.close()
    run = store.run("r1")
    append_voids(run, [{"cell": CELLS[0], "void": True, **NOTED}])
    append_backfills(run, [{"cell": CELLS[1], "cost_usd": 0.5, "cost_source": "bill", **NOTED}])
    row = grade_row({"cell": CELLS[0], "outcome": "ok"}, grade_json(grade(0.25)))
    append_grades(run, [row])
    return store.run("r1")


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    return corrected(Store(tmp_path_factory.mktemp("store")))


@pytest.fixture
def run(sealed, tmp_path):
    shutil.copytree(sealed.path, tmp_path / "runs" / "r1")
    return Store(tmp_path).run("r1")


def edit(path, sql):
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("CREATE TABLE t AS SELECT * FROM read_parquet(?)", [str(path)])
        connection.execute(sql)
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")


def reseal(run, name):
    """Make the newest manifest agree with a file, and its own table entries: the way a forger would."""
    manifest = newest_manifest(run.layout)
    files = {**manifest.files, name: file_entry(run.path / name)}
    manifest = replace(manifest, files=files)
    if "table" not in name:
        tables = {**manifest.tables, **table_entries(run.layout, manifest)}
        manifest = replace(manifest, tables=tables, data=data_digest(tables))
    previous = None
    for number in range(1, manifest.generation + 1):  # earlier generations list the file too
        each = manifest if number == manifest.generation else read_manifest(run.layout, number)
        own = {n: (files[n] if n == name else e) for n, e in each.files.items()}
        own |= {run.layout.manifest(n).name: file_entry(run.layout.manifest(n)) for n in range(1, number)}
        forged = replace(each, files=own, previous=previous)
        run.layout.manifest(number).write_bytes(forged.to_bytes())
        previous = forged.digest


def test_a_run_of_four_generations_is_sound(run):
    assert [verify_run(run.path, depth) for depth in ("files", "rows", "texts")] == [[], [], []]
    reseal(run, VOIDS)
    assert verify_run(run.path) == []


@pytest.mark.parametrize(
    "name", [VOIDS, BACKFILLS, GRADES, "manifest.json", "manifest-0002.json", "manifest-0004.json"]
)
@pytest.mark.parametrize("depth", ["files", "rows"])
def test_a_flipped_or_truncated_file_of_any_generation_is_named(run, name, depth):
    path = run.path / name
    good = path.read_bytes()
    for content in (good[: len(good) // 2], good[:-1], good.replace(good[10:11], b"\xfe", 1)):
        path.write_bytes(content)
        assert [damage.path for damage in verify_run(run.path, depth)] == [name]


@pytest.mark.parametrize("name", [VOIDS, BACKFILLS, GRADES])
def test_a_missing_a_renamed_and_a_swapped_file_have_their_own_words(run, name):
    path = run.path / name
    path.rename(run.path / "other")
    assert [(damage.path, damage.what) for damage in verify_run(run.path)] == [
        (name, "missing"),
        ("other", f"added; its bytes are those of {name}"),
    ]
    (run.path / "other").unlink()
    assert [(damage.path, damage.what) for damage in verify_run(run.path)] == [(name, "missing")]


def test_swapped_files_are_both_named(run):
    one, two = run.path / VOIDS, run.path / BACKFILLS
    content = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(content)
    assert {damage.path for damage in verify_run(run.path)} == {VOIDS, BACKFILLS}


def test_a_missing_manifest_of_the_chain_is_named(run):
    run.layout.manifest(2).unlink()
    assert [str(damage) for damage in verify_run(run.path)] == [
        "manifest-0002.json: a manifest generation is missing; expected generations 1 to 4"
    ]


def test_a_missing_last_manifest_leaves_files_that_say_whose_they_are(run):
    run.layout.manifest(4).unlink()
    run.layout.manifest(3).unlink()
    found = {damage.path: damage.what for damage in verify_run(run.path)}
    assert found[BACKFILLS] == "added; it is of generation 3, and manifest-0003.json is missing"
    assert found[GRADES] == "added"


def test_reordered_manifests_are_named(run):
    two, three = run.layout.manifest(2).read_bytes(), run.layout.manifest(3).read_bytes()
    run.layout.manifest(2).write_bytes(three)
    run.layout.manifest(3).write_bytes(two)
    (damage,) = verify_run(run.path)
    assert str(damage) == (
        "manifest-0002.json: the manifest is generation 3 of run 'r1'; expected generation 2 of run 'r1'"
    )


def test_a_manifest_that_lets_go_of_a_file_without_a_word_is_named(run):
    manifest = newest_manifest(run.layout)
    forged = replace(manifest, files={n: e for n, e in manifest.files.items() if n != VOIDS})
    run.layout.manifest(4).write_bytes(forged.to_bytes())
    (run.path / VOIDS).unlink()
    assert [(d.path, d.what) for d in verify_run(run.path)] == [
        ("manifest-0004.json", f"it neither keeps {VOIDS} nor says that it was removed")
    ]
    with pytest.raises(StoreDamagedError, match="neither keeps"):
        newest_manifest(run.layout)


def test_a_manifest_that_forgets_a_removal_is_named(run):
    add_generation(run.layout, {}, remove={"evidence/transcripts.parquet": "room"})
    made = add_generation(run.layout, {"a": b""})
    run.layout.manifest(6).write_bytes(replace(made, removed={}).to_bytes())
    (damage,) = verify_run(run.path)
    assert damage.what == "it no longer says that evidence/transcripts.parquet was removed"


FORGED = [
    (VOIDS, "UPDATE t SET void = false", "own digest"),
    (VOIDS, "INSERT INTO t SELECT * FROM t", "more than once"),
    (VOIDS, "UPDATE t SET cell = 'nobody'", "of no cell"),
    (VOIDS, "UPDATE t SET generation = 7", "another generation"),
    (VOIDS, "ALTER TABLE t DROP COLUMN why", "why"),
    (BACKFILLS, "UPDATE t SET cost_usd = 0.1", "own digest"),
    (BACKFILLS, "UPDATE t SET generation = 2", "another generation"),
    (GRADES, "UPDATE t SET generation = 3", "another generation"),
    (GRADES, "UPDATE t SET score = 1", "own digest"),
]


@pytest.mark.parametrize(("name", "sql", "what"), FORGED)
def test_rows_of_a_later_generation_that_were_forged_with_the_whole_chain(run, name, sql, what):
    edit(run.path / name, sql)
    try:
        reseal(run, name)
    except StoreDamagedError:  # columns that no table has; the file digests alone are made to agree
        manifest = newest_manifest(run.layout)
        files = {**manifest.files, name: file_entry(run.path / name)}
        run.layout.manifest(4).write_bytes(replace(manifest, files=files).to_bytes())
    assert any(what in str(damage) or "neither keeps" in str(damage) for damage in verify_run(run.path))


def test_rows_that_the_manifest_does_not_count_are_found(run):
    manifest = newest_manifest(run.layout)
    tables = {**manifest.tables, "voids": replace(manifest.tables["voids"], sha256="0" * 64)}
    run.layout.manifest(4).write_bytes(replace(manifest, tables=tables, data=data_digest(tables)).to_bytes())
    assert [damage.path for damage in verify_run(run.path)] == [VOIDS]
    assert verify_run(run.path, "files") == []


def test_what_texts_are_digested_for(run):
    """A text changed, its file's digests made to agree, the seal inside of the file kept: only `texts` sees it."""
    path, name = run.layout.table("transcripts"), "evidence/transcripts.parquet"
    with duckdb.connect(config={"threads": 1}) as connection:
        (said,) = connection.execute(
            "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'benchctl.rows'::BLOB", [str(path)]
        ).fetchone()
        connection.execute("CREATE TABLE t AS SELECT * FROM read_parquet(?)", [str(path)])
        connection.execute("UPDATE t SET text = 'other'")
        kept = f"KV_METADATA {{'benchctl.rows': '{said.decode()}'}}"
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet, {kept})")
    reseal(run, name)
    assert verify_run(run.path, "rows") == []
    assert [damage.path for damage in verify_run(run.path, "texts")] == [name]


@pytest.fixture
def imported(tmp_path):
    own = {"tool": ("VARCHAR", ["rg", "ag"] * 3), "hits": ("BIGINT", [0, None, 2, 3, 4, 5])}
    return imported_run(Store(tmp_path), "imp", own)


def forge_import(run, change):
    data = json.loads(run.layout.record.read_bytes())
    change(data["imported"])
    run.layout.record.write_text(json.dumps(data))
    files = {**run.manifest.files, "run.json": file_entry(run.layout.record)}
    run.layout.manifest().write_bytes(replace(run.manifest, files=files).to_bytes())


IMPORTED = [
    (lambda said: said.update(sha256="0" * 64), "evidence/source.csv", "as run.json says"),
    (lambda said: said.update(rows=7), "rows/cells.parquet", "6 rows; expected 7"),
    (lambda said: said["foreign"].pop(), "rows/foreign.parquet", "the columns are not those"),
    (lambda said: said.update(kept="evidence/source.json"), "evidence/source.json", "not in the manifest"),
]


@pytest.mark.parametrize(("change", "path", "what"), IMPORTED)
def test_an_imported_run_is_held_to_its_record(imported, change, path, what):
    assert verify_run(imported.path, "texts") == []
    forge_import(imported, change)
    (damage,) = verify_run(imported.path)
    assert damage.path == path
    assert what in str(damage)


@pytest.mark.parametrize(
    ("sql", "what"),
    [("DELETE FROM t WHERE tool = 'rg'", "missing"), ("UPDATE t SET hits = 0", "digest")],
)
def test_own_columns_that_were_changed_are_found(imported, sql, what):
    path = imported.layout.table("foreign")
    edit(path, sql)
    files = {**imported.manifest.files, "rows/foreign.parquet": file_entry(path)}
    imported.layout.manifest().write_bytes(replace(imported.manifest, files=files).to_bytes())
    (damage,) = verify_run(imported.path)
    assert damage.path == "rows/foreign.parquet"
    assert what in str(damage)


def further(run, **change):
    """Add a further table whose description says something else than it is."""
    columns = (Column("price", "DOUBLE", "p"),)
    scratch = run.path.parent / "scratch"
    entry = seal_table([{"price": 1.5}], columns, scratch / "p.parquet", scratch=scratch, metadata={})
    source = b"price\n1.5\n"
    said = {
        "columns": [{"name": "price", "type": "DOUBLE"}],
        "sha256": sha256_hex(source),
        "bytes": len(source),
        "rows": 1,
    }
    files = {
        "tables/prices.parquet": scratch / "p.parquet",
        "tables/prices.json": json.dumps({**said, **change}).encode(),
        "tables/prices.source.csv": source,
    }
    add_generation(run.layout, files, tables={"tables/prices": replace(entry, rows=change.get("counted", 1))})


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({}, None),
        ({"columns": [{"name": "price", "type": "BIGINT"}]}, "columns price DOUBLE"),
        ({"sha256": "0" * 64}, "is not in the run"),
        ({"rows": 2}, "1 rows; expected 2"),
        ({"counted": 3}, "expected 3 rows"),
        ({"columns": 1}, "not the description"),
    ],
)
def test_a_further_table_agrees_with_its_description_and_the_manifest(run, change, what):
    further(run, **change)
    found = verify_run(run.path)
    assert [what in str(damage) for damage in found] == ([True] if what else [])


def test_a_further_table_without_its_description_is_named(run):
    add_generation(run.layout, {"tables/prices.json": b"{}"})
    (damage,) = verify_run(run.path)
    assert "rows or their description is missing" in damage.what


def test_rows_are_looked_into_once_for_each_manifest(run, monkeypatch):
    from benchctl.store.checking import verify

    looked = []
    real = verify.Contents
    monkeypatch.setattr(verify, "Contents", lambda *given: looked.append(given) or real(*given))
    fresh = append_voids(run, [{"cell": CELLS[1], "void": True, **NOTED, "why": f"never seen {run.path}"}])
    assert verify_run(run.path) == []
    assert verify_run(run.path) == []
    assert [manifest.digest for _, manifest, _ in looked] == [fresh.digest]
    assert verify_run(run.path, "texts") == []
    assert len(looked) == 2, "deeper than before"
    path = run.path / "rows/cells.parquet"
    path.write_bytes(path.read_bytes()[:-9] + b"x" + path.read_bytes()[-8:])
    assert [damage.path for damage in verify_run(run.path)] == ["rows/cells.parquet"], "bytes are read always"


def test_what_was_not_found_sound_is_looked_into_again(run, monkeypatch):
    from benchctl.store.checking import verify

    path = run.path / "rows/cells.parquet"
    sound = path.read_bytes()
    append_voids(run, [{"cell": CELLS[1], "void": True, **NOTED, "why": f"broken once {run.path}"}])
    path.write_bytes(sound[:-1])
    assert verify_run(run.path)
    path.write_bytes(sound)
    looked = []
    real = verify.Contents
    monkeypatch.setattr(verify, "Contents", lambda *given: looked.append(given) or real(*given))
    assert verify_run(run.path) == []
    assert looked


def test_a_further_table_whose_rows_were_changed_under_their_seal_is_found(run):
    further(run)
    path, name = run.path / "tables/prices.parquet", "tables/prices.parquet"
    with duckdb.connect(config={"threads": 1}) as connection:
        (said,) = connection.execute(
            "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'benchctl.rows'::BLOB", [str(path)]
        ).fetchone()
        kept = f"KV_METADATA {{'benchctl.rows': '{said.decode()}'}}"
        connection.execute(f"COPY (SELECT 99.0::DOUBLE AS price) TO '{path}' (FORMAT parquet, {kept})")
    manifest = newest_manifest(run.layout)
    files = {**manifest.files, name: file_entry(path)}
    run.layout.manifest(5).write_bytes(replace(manifest, files=files).to_bytes())
    assert [(damage.path, "1 rows, digest" in damage.what) for damage in verify_run(run.path)] == [
        (name, True)
    ]


def test_a_later_file_of_a_table_does_not_hide_the_rows_of_an_earlier_one(run):
    """The newest rows over both files count, each cell once: what is forged in the first moves the digest."""
    second = append_voids(run, [{"cell": CELLS[1], "void": True, **NOTED}])
    assert second.tables["voids"].rows == 2
    assert second.tables["grades"].rows == 2
    assert verify_run(run.path) == []
    edit(run.path / VOIDS, "UPDATE t SET void = false")
    rows = [dict(row) for row in _rows(run.path / VOIDS)]
    (run.path / VOIDS).unlink()
    seal_table(
        [signed_row("voids", {n: v for n, v in row.items() if n != "row_digest"}) for row in rows],
        columns_of("voids"),
        run.path / VOIDS,
        scratch=run.path.parent / "scratch",
        metadata={},
    )
    forged = Store(run.path.parents[1]).layout("r1")
    assert table_entries(forged, second)["voids"] != second.tables["voids"]


def _rows(path):
    with duckdb.connect() as connection:
        return list(read_rows(connection, path, columns_of("voids")))


def test_an_import_of_two_thousand_columns_is_sound(tmp_path):
    own = {f"column {number}": ("BIGINT", [number] * 2) for number in range(2000)}
    run = imported_run(Store(tmp_path), "wide", own)
    assert verify_run(run.path, "texts") == []


SUITE = """name = "callers-v1"
title = "Callers"

[arms.grep]
title = "grep"

[[questions]]
id = "q1"
prompt = "Who calls b?"

[[goals]]
id = "cheap"
title = "it costs less"
assertion = "cost_usd.mean < 1"
"""
GOALS = ({"id": "cheap", "title": "it costs less", "assertion": "cost_usd.mean < 1"},)
TERMS = {
    "goals": GOALS,
    "arms": {"grep": {"title": "grep", "note": ""}},
    "prompts": {"q1": digest("Who calls b?")},
    "comparability": {"caps": digest({"wall_s": 60.0}), "attempts": "2", "sandbox": "bwrap"},
}
CHANGED = [
    (lambda said: said.update(goals=[]), "goals"),
    (lambda said: said["goals"][0].update(assertion="cost_usd.mean < 9"), "goals"),
    (lambda said: said.update(suite_title="Others"), "suite_title"),
    (lambda said: said["arms"]["grep"].update(title="better"), "arms.grep.title"),
    (lambda said: said["arms"].update(index={"title": "index"}), "arms"),
    (lambda said: said["prompts"].update(q1=digest("another")), "prompts"),
    (lambda said: said["caps"].update(wall_s=61.0), "caps"),
    (lambda said: said.update(attempts=3), "attempts"),
    (lambda said: said.update(sandbox="none"), "sandbox"),
]


@pytest.mark.parametrize("state", ["open", "closed"])
@pytest.mark.parametrize(("change", "term"), CHANGED)
def test_terms_that_were_changed_afterwards_are_named(tmp_path, state, change, term):
    store = Store(tmp_path)
    with RunWriter.create(store, record(cells=plan(2), suite=SUITE, **TERMS), suite_text=SUITE) as writer:
        if state == "closed":
            for cell in writer.unfinished:
                run_cell(writer, cell, 0.5)
            writer.close()
    run = store.run("r1")
    assert verify_run(run.path) == []
    said = json.loads(run.layout.record.read_bytes())
    change(said)
    run.layout.record.write_text(json.dumps(said))
    if run.manifest:
        files = {**run.manifest.files, "run.json": file_entry(run.layout.record)}
        run.layout.manifest().write_bytes(replace(run.manifest, files=files).to_bytes())
    found = [str(damage) for damage in verify_run(run.path)]
    assert any(f"run.json: its {term}" in damage for damage in found), found


def test_the_suite_of_an_open_run_is_held_to_its_record_and_nothing_is_closed_over_it(tmp_path):
    store = Store(tmp_path)
    with RunWriter.create(store, record(cells=plan(1), suite=SUITE), suite_text=SUITE) as writer:
        layout = store.layout("r1")
        run_cell(writer, writer.unfinished[0], 0.5)
        layout.suite.write_text(SUITE + "# changed")
        with pytest.raises(StoreDamagedError, match=r"suite\.toml"):
            writer.close()
    assert not layout.manifest().exists()
    assert [damage.path for damage in verify_run(layout.folder)] == ["evidence/suite.toml"]
    with pytest.raises(StoreDamagedError, match=r"suite\.toml"):
        RunWriter.resume(store, "r1")
    layout.suite.unlink()
    assert [(d.path, d.what) for d in verify_run(layout.folder)] == [("evidence/suite.toml", "missing")]
    layout.suite.write_text(SUITE)
    assert "run.json: its goals" in str(verify_run(layout.folder)[0])  # what this record was given has none
    with RunWriter.resume(store, "r1") as writer:
        writer.close()
