import json
from dataclasses import replace

import pytest
from small_run import plan, record, run_cell

from benchctl.errors import StoreDamagedError, StoreNewerError
from benchctl.schema.canonical import digest
from benchctl.store.checking.verify import verify_run
from benchctl.store.disk.manifest import Manifest, file_entry, newest_manifest, read_manifest
from benchctl.store.disk.walk import listed_files
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter


@pytest.fixture
def run(tmp_path):
    store = Store(tmp_path)
    with RunWriter.create(store, record(cells=plan(2))) as writer:
        for cell in writer.unfinished:
            run_cell(writer, cell, 0.5)
        writer.close()
    return store.run("r1")


def add_generation(run, manifest=None, **change):
    """Write a further generation the way a later command would: all files anew, the digest of the one before."""
    manifest = manifest or run.manifest
    new = replace(manifest, generation=manifest.generation + 1, previous=manifest.digest, **change)
    path = run.layout.manifest(new.generation)
    files = {name: file_entry(file) for name, file in listed_files(run.layout, new.generation).items()}
    new = replace(new, **{"files": files, **change})
    path.write_bytes(new.to_bytes())
    return new


def test_a_manifest_reads_back_as_it_was_and_only_from_its_own_bytes(run):
    content = run.layout.manifest().read_bytes()
    assert read_manifest(run.layout, 1) == run.manifest
    assert run.manifest.to_bytes() == content
    for other in (
        content + b"\n",
        content.replace(b" ", b"  ", 1),
        b" " + content,
        content[:-1],
        b"",
        b"[]",
        b"null",
    ):
        run.layout.manifest().write_bytes(other)
        with pytest.raises(StoreDamagedError, match="not what its own digest says"):
            read_manifest(run.layout, 1)


def test_a_manifest_lists_every_file_but_itself(run):
    assert sorted(run.manifest.files) == [
        "evidence/gold.json",
        "evidence/transcripts.parquet",
        "grades/g0001.parquet",
        "rows/attempts.parquet",
        "rows/cells.parquet",
        "run.json",
    ]
    assert (run.manifest.generation, run.manifest.previous) == (1, None)


def test_a_manifest_of_another_run_is_not_this_runs(run, tmp_path):
    (tmp_path / "runs" / "r2").mkdir()
    for path in ("run.json", "manifest.json"):
        (tmp_path / "runs" / "r2" / path).write_bytes((run.path / path).read_bytes())
    with pytest.raises(StoreDamagedError, match="generation 1 of run 'r1'"):
        Store(tmp_path).run("r2")


def test_the_newest_generation_is_the_one_that_counts(run):
    second = add_generation(run)
    assert newest_manifest(run.layout) == second
    assert "manifest.json" in second.files
    assert verify_run(run.path) == []
    third = add_generation(run, second)
    assert third.previous == second.digest
    assert newest_manifest(run.layout) == third
    assert verify_run(run.path) == []


def test_a_generation_that_does_not_follow_the_one_before_is_refused(run):
    add_generation(run, replace(run.manifest, benchctl="forged"))
    with pytest.raises(StoreDamagedError, match="the digest of the generation before"):
        newest_manifest(run.layout)


def test_a_missing_generation_is_named(run):
    second = add_generation(run)
    add_generation(run, second)
    run.layout.manifest(2).unlink()
    assert [(damage.path, damage.what) for damage in verify_run(run.path)] == [
        ("manifest-0002.json", "a manifest generation is missing")
    ]


@pytest.mark.parametrize("change", [{"schema": "benchctl.manifest/3"}, {"rows_schema": 99}])
def test_a_newer_store_is_refused_and_not_called_damaged(run, change):
    data = json.loads(run.layout.manifest().read_bytes())
    del data["digest"]
    data |= change
    data["digest"] = digest(data)
    run.layout.manifest().write_text(json.dumps(data))
    with pytest.raises(StoreNewerError, match="update benchctl"):
        newest_manifest(run.layout)
    with pytest.raises(StoreNewerError):
        verify_run(run.path)


def test_an_unreadable_manifest_is_damage(run):
    run.layout.manifest().unlink()
    run.layout.manifest().mkdir()
    with pytest.raises(StoreDamagedError, match="cannot be read"):
        read_manifest(run.layout, 1)


def test_a_manifest_with_one_field_wrong_is_damage_whatever_its_digest(run):
    for name in Manifest.__dataclass_fields__.keys() - {"removed"}:
        data = json.loads(run.layout.manifest().read_bytes())
        del data["digest"], data[name]
        data["digest"] = digest(data)
        path = run.layout.manifest()
        before = path.read_bytes()
        path.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n")
        with pytest.raises(StoreDamagedError):
            read_manifest(run.layout, 1)
        path.write_bytes(before)
