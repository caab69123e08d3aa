"""`benchctl merge`: what it prints, its exit codes, and that it says the same thing as JSON."""

import json
from pathlib import Path

import jsonschema
import pytest
from small_store import collect, shards

from benchctl.cli import exit_code
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter

SCHEMA = Path(__file__).resolve().parents[2] / "site" / "reference" / "schemas" / "merge.json"


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "benchctl.toml").write_text("")
    monkeypatch.chdir(tmp_path / "p")
    return Store(tmp_path / "p" / "data")


def told(capsys, *words):
    code = exit_code(["merge", *map(str, words)])
    out, err = capsys.readouterr()
    if "json" in words:
        out = json.loads(out)
        jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(out)
    return code, out, err


def test_shards_are_united_and_closed_in_the_projects_store(project, tmp_path, capsys):
    first, second = shards(tmp_path, [0, 1, 2, 3], [4, 5, 6, 7])
    code, out, _ = told(capsys, first.path, second.path, "--close")
    assert code == 0
    assert out.split("\n")[1].split()[:3] == ["r1", "added", "closed"]
    assert project.run("r1").state == "closed"
    code, out, _ = told(capsys, first.path, second.path, "--close")
    assert (code, "already here" in out) == (0, True)


def test_a_run_that_stays_open_is_an_error_only_where_it_was_to_be_closed(project, tmp_path, capsys):
    (first,) = shards(tmp_path, [0, 1])
    assert told(capsys, first.path)[0] == 0
    code, out, err = told(capsys, first.path, "--close", "--format", "json")
    assert code == 3
    assert (out["runs"][0]["unfinished"], out["runs"][0]["slug"]) == (6, "cells-unfinished")
    assert "[cells-unfinished]" in err
    assert project.run("r1").state == "open"


def test_a_dry_run_says_what_would_be_done(project, tmp_path, capsys):
    source = collect(tmp_path / "a")
    code, out, err = told(capsys, source.path, "--dry-run", "--format", "json")
    assert (code, out["ok"], out["dry_run"], out["written"]) == (0, True, True, False)
    assert [run["action"] for run in out["runs"]] == ["added"]
    assert "nothing was written" in err
    assert not project.path.exists()


def test_another_content_is_refused_with_3_and_the_json_is_whole(project, tmp_path, capsys):
    collect(project.path)
    source = collect(tmp_path / "a", scores={0: 1.0})
    collect(tmp_path / "a", "r2")
    code, out, err = told(capsys, source.path, "--format", "json")
    assert (code, out["ok"], out["written"]) == (3, False, False)
    assert [(run["run"], run["action"], run["slug"]) for run in out["runs"]] == [
        ("r1", "refused", "run-differs"),
        ("r2", "added", None),
    ]
    assert "[run-differs]" in err
    assert project.names() == ("r1",)


def test_damage_ends_with_1_and_is_left_out_only_when_told(project, tmp_path, capsys):
    source = collect(tmp_path / "a")
    collect(tmp_path / "a", "r2")
    (source.runs_dir / "r1" / "rows" / "cells.parquet").write_bytes(b"x")
    assert told(capsys, source.path)[0] == 1
    assert not project.path.exists()
    code, out, err = told(capsys, source.path, "--skip-damaged")
    assert code == 1
    assert "[store-damaged]" in err
    assert "refused" in out
    assert project.names() == ("r2",)


def test_several_refusals_are_each_said_and_the_gravest_code_wins(project, tmp_path, capsys):
    collect(project.path)
    source = collect(tmp_path / "a", scores={0: 1.0})
    collect(tmp_path / "a", "r2")
    (source.runs_dir / "r2" / "rows" / "cells.parquet").write_bytes(b"x")
    code, _, err = told(capsys, source.path)
    assert code == 3
    assert "[store-damaged]" in err
    assert "2 of 2 runs were not merged into" in err


def test_a_living_writer_ends_it_with_3(project, tmp_path, capsys):
    (source,) = shards(tmp_path, [0])
    with RunWriter.resume(source, "r1"):
        code, _, err = told(capsys, source.path)
    assert code == 3
    assert "[run-busy]" in err
    assert not project.path.exists()


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        (["nowhere"], "merge-source"),
        (["."], "merge-source"),  # a project without a run
        (["nix://x/y"], "store-url-invalid"),
        ([".", "--into", "benchctl.toml"], "option-invalid"),
        ([], "option-invalid"),
    ],
)
def test_what_cannot_be_merged_ends_with_2(project, capsys, words, slug):
    code, _, err = told(capsys, *words)
    assert code == 2
    assert f"[{slug}]" in err
    assert not project.path.exists()


def test_into_names_a_store_a_project_or_a_url(project, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    collect(tmp_path / "a")
    for into in (tmp_path / "b", tmp_path / "p", "memory://cli/into"):
        code, out, _ = told(capsys, tmp_path / "a", "--into", into, "--format", "json")
        assert (code, out["runs"][0]["state"]) == (0, "closed")
    assert Store(tmp_path / "b").names() == project.names() == ("r1",)
    code, out, _ = told(capsys, "memory://cli/into", "--format", "json")
    assert out["runs"][0]["action"] == "present"
