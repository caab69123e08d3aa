"""Whatever happens to a byte or a file of a closed run is found and named; whatever is sound is not."""

import os
import random
import shutil

import pytest
from small_run import plan, record, run_cell

from benchctl.errors import BenchctlError
from benchctl.store.checking.verify import verify_run
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter

SAMPLE = 60
"""Flips in each file: every byte of a smaller one, as many places of a bigger one."""

FLIPS = int(os.environ.get("BENCHCTL_FLIPS", "150"))
"""Flips over all files of a run, each file as often as its size deserves: some by default, more on request."""


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    with RunWriter.create(
        store, record(cells=plan(3), suite="schema = 1\n"), suite_text="schema = 1\n"
    ) as writer:
        for index, cell in enumerate(writer.unfinished):
            run_cell(writer, cell, index / 3)
        writer.gold("q1", ["a", "b"])
        writer.close()
    return store.run("r1")


@pytest.fixture
def run(sealed, tmp_path):
    shutil.copytree(sealed.path, tmp_path / "runs" / "r1")
    return Store(tmp_path).run("r1")


NAMES = (
    "manifest.json",
    "run.json",
    "evidence/suite.toml",
    "evidence/gold.json",
    "evidence/transcripts.parquet",
    "grades/g0001.parquet",
    "rows/attempts.parquet",
    "rows/cells.parquet",
)


def test_the_names_below_are_all_the_files_there_are(sealed):
    assert sorted(NAMES) == sorted(
        p.relative_to(sealed.path).as_posix() for p in sealed.path.rglob("*") if p.is_file()
    )
    assert verify_run(sealed.path) == []


@pytest.mark.parametrize("name", NAMES)
def test_one_flipped_bit_is_found_and_its_file_named(run, name):
    path, dice = run.path / name, random.Random(name)
    good = path.read_bytes()
    places = range(len(good)) if len(good) <= SAMPLE else sorted(dice.sample(range(len(good)), SAMPLE))
    for place in places:
        damaged = bytearray(good)
        damaged[place] ^= 1 << dice.randrange(8)
        path.write_bytes(damaged)
        found = verify_run(run.path)
        assert [damage.path for damage in found] == [name], (place, damaged[place])
        if name != "manifest.json":
            assert run.manifest.files[name].sha256 in found[0].expected
    path.write_bytes(good)
    assert verify_run(run.path) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_bit_of_a_byte_matters(run, name):
    path = run.path / name
    good = path.read_bytes()
    for place in (0, len(good) // 2, len(good) - 1):
        for bit in range(8):
            damaged = bytearray(good)
            damaged[place] ^= 1 << bit
            path.write_bytes(damaged)
            assert [damage.path for damage in verify_run(run.path)] == [name]


@pytest.mark.parametrize("name", NAMES)
def test_a_truncated_file_is_found_whatever_is_left_of_it(run, name):
    path = run.path / name
    good = path.read_bytes()
    for length in sorted({0, 1, len(good) // 2, len(good) - 1}):
        path.write_bytes(good[:length])
        assert [damage.path for damage in verify_run(run.path)] == [name], length
    path.write_bytes(good + b"\0")
    assert [damage.path for damage in verify_run(run.path)] == [name]


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_file_is_named(run, name):
    (run.path / name).unlink()
    assert [(damage.path, damage.what) for damage in verify_run(run.path)] == [(name, "missing")]


@pytest.mark.parametrize(
    "name",
    [
        "notes.txt",
        "rows/more.parquet",
        "manifest.json~",
        ".hidden",
        "deep/er/file",
        "rows/.cells.parquet.tmp",
    ],
)
def test_an_added_file_is_named(run, name):
    path = run.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    assert [str(damage) for damage in verify_run(run.path)] == [
        f"{name}: added; expected no file of that name"
    ]


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_renamed_file_is_missing_under_one_name_and_recognised_under_the_other(run, name):
    (run.path / name).rename(run.path / "other")
    assert [(damage.path, damage.what) for damage in verify_run(run.path)] == [
        (name, "missing"),
        ("other", f"added; its bytes are those of {name}"),
    ]


def test_a_renamed_manifest_is_a_missing_manifest(run):
    (run.path / "manifest.json").rename(run.path / "manifest.old")
    assert [(damage.path, damage.what) for damage in verify_run(run.path)] == [("manifest.json", "missing")]


def test_two_swapped_files_are_both_named(run):
    cells, attempts = run.path / NAMES[7], run.path / NAMES[6]
    content = cells.read_bytes()
    cells.write_bytes(attempts.read_bytes())
    attempts.write_bytes(content)
    assert [damage.path for damage in verify_run(run.path)] == [NAMES[6], NAMES[7]]


@pytest.mark.parametrize("name", NAMES)
def test_a_link_in_place_of_a_file_is_no_file(run, name, tmp_path):
    path = run.path / name
    path.rename(tmp_path / "outside")
    path.symlink_to(tmp_path / "outside")
    found = verify_run(run.path)
    assert [damage.path for damage in found] == [name]
    assert found[0].what == "not a regular file"


def test_a_link_to_a_folder_is_an_added_file_and_never_walked(run, tmp_path):
    (run.path / "more").symlink_to(tmp_path)
    assert [(damage.path, damage.what) for damage in verify_run(run.path)] == [("more", "added")]


def test_a_folder_in_place_of_a_file(run):
    (run.path / NAMES[7]).unlink()
    (run.path / NAMES[7]).mkdir()
    assert [(damage.path, damage.what) for damage in verify_run(run.path)] == [(NAMES[7], "missing")]


def test_rows_that_the_data_digest_does_not_name_are_found_behind_right_file_digests(run):
    from dataclasses import replace

    from benchctl.store.disk.manifest import TableEntry, data_digest

    tables = {**run.manifest.tables, "cells": TableEntry(3, "0" * 64)}
    for forged, path in (
        (replace(run.manifest, tables=tables, data=data_digest(tables)), NAMES[7]),
        (replace(run.manifest, data="sha256:" + "0" * 64), "manifest.json"),
    ):
        run.layout.manifest().write_bytes(forged.to_bytes())
        assert [damage.path for damage in verify_run(run.path)] == [path]


@pytest.mark.parametrize("name", NAMES[4:])
def test_no_flip_gets_as_far_as_a_query(run, name):
    """DuckDB alone reads on: the control shows that the digest is what stops it."""
    import duckdb

    path, dice, silent = run.path / name, random.Random(7), 0
    table = {"grades": "grades", "evidence": "transcripts"}.get(name.split("/")[0], path.stem)
    good = path.read_bytes()
    for _ in range(12):
        damaged = bytearray(good)
        damaged[dice.randrange(len(good))] ^= 1 << dice.randrange(8)
        path.write_bytes(damaged)
        try:
            with duckdb.connect() as connection:
                connection.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
            silent += 1
        except (duckdb.Error, UnicodeDecodeError):
            pass
        with pytest.raises(BenchctlError, match="sha256"):
            run.rows(table)
    assert silent > 0


def test_of_flips_over_all_files_none_is_silent_though_most_are_for_duckdb_alone(run):
    """The control reads each damaged table without our check: it must let some through, or the test tests nothing."""
    paths = [run.path / name for name in NAMES]
    good = {path: path.read_bytes() for path in paths}
    sound = {path: _rows(path) for path in paths if path.suffix == ".parquet"}
    dice, silent, other, tables = random.Random(20261130), 0, 0, 0
    for path in dice.choices(paths, [len(good[each]) for each in paths], k=FLIPS):
        damaged = bytearray(good[path])
        place = dice.randrange(len(damaged))
        damaged[place] ^= 1 << dice.randrange(8)
        path.write_bytes(damaged)
        assert [damage.path for damage in verify_run(run.path)] == [path.relative_to(run.path).as_posix()], (
            place
        )
        if path in sound:
            tables += 1
            found = _rows(path)
            silent += found is not None
            other += found not in (None, sound[path])
            with pytest.raises(BenchctlError, match="sha256"):
                run.rows(TABLE_OF[path.relative_to(run.path).as_posix()])
        path.write_bytes(good[path])
    assert verify_run(run.path) == []
    print(
        f"{FLIPS} flips, 0 silent; control, DuckDB alone: {tables} flips in tables, {silent} without an error,"
        f" {other} of these with other rows"
    )
    assert silent > 0


TABLE_OF = {
    "evidence/transcripts.parquet": "transcripts",
    "grades/g0001.parquet": "grades",
    "rows/attempts.parquet": "attempts",
    "rows/cells.parquet": "cells",
}


def _rows(path):
    """Return what DuckDB alone reads; None where it says that something is wrong."""
    import duckdb

    try:
        with duckdb.connect(config={"threads": 1}) as connection:
            return connection.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
    except (duckdb.Error, UnicodeDecodeError):
        return None


def test_the_last_file_truncated_at_any_byte_is_found(run):
    path = run.path / "manifest.json"
    good = path.read_bytes()
    for length in range(len(good)):
        path.write_bytes(good[:length])
        assert [damage.path for damage in verify_run(run.path)] == ["manifest.json"], length
        with pytest.raises(BenchctlError):
            Store(run.path.parents[1]).run("r1")
