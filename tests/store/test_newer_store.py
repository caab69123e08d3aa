"""A store of a later program: every command says so, and touches nothing."""

import json

import pytest
from small_run import plan, record, run_cell

from benchctl.cli import exit_code
from benchctl.errors import StoreNewerError
from benchctl.schema.canonical import digest, sha256_hex
from benchctl.schema.result import SCHEMA_VERSION
from benchctl.schema.run import RUN_SCHEMA
from benchctl.store.checking.verify import verify_run
from benchctl.store.disk.manifest import MANIFEST_SCHEMA
from benchctl.store.journals.journal import JOURNAL_SCHEMA, Journal
from benchctl.store.reader import Store
from benchctl.store.writing.writer import RunWriter

SUITE = """schema = 1
name = "callers-v1"
title = "Callers"
canary = "benchctl-canary-00000000-0000-4000-8000-000000000000"

[repos.click]
kind = "directory"
source = "corpus"

[arms.grep]
title = "grep"

[agents.rg]
argv = ["true"]

[run]
allow_no_sandbox = true

[[questions]]
id = "q1"
repo = "click"
class = "callers"
prompt = "Which functions of this tree call the one that is named b?"
gold = { items = ["a::b"] }
"""
PAGE = "---\nbenchctl:\n  run: r1\n---\n# A page\n\nIt has 2<!--= count --> cells.\n"
CELL = plan(1)[0].cell


def forged(path, **change):
    """Write a manifest as a later program would: sound by its own digest."""
    data = {**json.loads(path.read_bytes()), **change}
    del data["digest"]
    data["digest"] = digest(data)
    path.write_text(json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def later_manifest(layout):
    forged(layout.manifest(), schema="benchctl.manifest/9")


def later_rows(layout):
    forged(layout.manifest(), rows_schema=9)


def later_grades(layout):
    """A further generation whose grades have a column that nobody here knows."""
    first = json.loads(layout.manifest().read_bytes())
    (layout.folder / "grades" / "g0002.parquet").write_bytes(b"PAR1 of a later program")
    layout.manifest(2).write_text(json.dumps(first))
    forged(layout.manifest(2), generation=2, previous=first["digest"], rows_schema=9)


def later_record(layout):
    """An open run, for a closed one's record is sealed by its manifest."""
    layout.record.write_text(json.dumps({**json.loads(layout.record.read_text()), "schema": 9}))


def later_journal(layout):
    """A later program went on with the open run, in a journal whose events nobody here knows."""
    with Journal(layout.journal) as journal:
        journal.append({"event": "open", "record": sha256_hex(layout.record.read_bytes()), "journal": 9})
        journal.append({"event": "verdict", "cell": CELL})


CLOSED = {"manifest": later_manifest, "rows": later_rows, "grades": later_grades}
OPEN = {"record": later_record, "journal": later_journal}
LATER = {**CLOSED, **OPEN}


def write_project(root):
    (root / "benchctl.toml").write_text('default_suite = "callers-v1"\n')
    suite = root / "data" / "suites" / "callers-v1"
    (suite / "corpus").mkdir(parents=True)
    (suite / "corpus" / "a.py").write_text("def b():\n    pass\n")
    (suite / "suite.toml").write_text(SUITE)
    return Store(root / "data")


@pytest.fixture(scope="module")
def plan_digest(tmp_path_factory):
    """Return the digest of the plan that `benchctl run` makes of this suite."""
    root = tmp_path_factory.mktemp("planned")
    store = write_project(root)
    exit_code(("run", "--project", str(root), "--run-id", "r1", "--no-sandbox", "--no-page", "-q"))
    return store.run("r1").record.plan_digest


@pytest.fixture(params=LATER)
def project(request, tmp_path, monkeypatch, plan_digest):
    store = write_project(tmp_path)
    (tmp_path / "README.md").write_text(PAGE)
    (tmp_path / "late.csv").write_text(f"cell,total_tokens,source\n{CELL},7,proxy\n")
    terms = {"plan_digest": plan_digest, "sandbox": "none"}
    with RunWriter.create(store, record("r1", plan(2), **terms)) as writer:
        run_cell(writer, CELL)
        if request.param in CLOSED:
            writer.close(allow_unfinished=True)
    LATER[request.param](store.layout("r1"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def everything(folder):
    """Return every file and folder with its bytes and its times; whoever looks at an open run signs its lock."""
    found = {}
    for path in sorted(path for path in folder.rglob("*") if path.name != "lock"):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else None
        found[path.relative_to(folder).as_posix()] = (content, status.st_mtime_ns, status.st_ino)
    return found


REFUSED = [
    ("show", "r1"),
    ("show", "r1", CELL),
    ("status", "r1"),
    ("report", "r1"),
    ("verify-store",),
    ("verify-store", "r1"),
    ("run", "--run-id", "r1", "--no-sandbox"),
    ("run", "--run-id", "r1", "--resume", "--no-sandbox"),
    ("regrade", "r1"),
    ("regrade", "r1", "--dry-run"),
    ("void", "r1", CELL, "--why", "the disk was full"),
    ("backfill", "r1", "late.csv"),
    ("gc", "r1"),
]
TOLD = [("runs",), ("status",), ("query", "SELECT count(*) FROM cells")]


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_a_command_that_needs_the_run_refuses_it_and_touches_nothing(project, capsys, words, request):
    before = everything(project)
    code = exit_code(words)
    out, err = capsys.readouterr()
    if words[0] == "gc" and request.node.callspec.params["project"] in OPEN:
        assert (code, "[run-not-closed]" in err) == (3, True), "whose it is does not matter, it is open"
        assert everything(project) == before
        return
    assert code == 2
    assert "[store-newer]" in err
    assert "newer benchctl" in err
    assert "update benchctl; nothing has been changed" in err
    assert out == "" or (words[0] == "verify-store" and out.startswith("r1: newer: "))
    assert everything(project) == before


@pytest.mark.parametrize("words", TOLD, ids=" ".join)
def test_a_command_over_the_store_names_the_newer_run_and_touches_nothing(project, capsys, words, request):
    before = everything(project)
    code = exit_code(words)
    out, err = capsys.readouterr()
    if words == ("runs",) and request.node.callspec.params["project"] == "journal":
        assert (code, "open" in out) == (0, True), "a list reads no journal, and open it is"
        return
    assert code == 1
    assert "newer benchctl" in out + err
    assert "r1" in err
    assert everything(project) == before


def test_verify_claims_says_it_at_the_claim_and_touches_nothing(project, capsys):
    before = everything(project)
    assert exit_code(("verify-claims", "--format", "json")) == 1
    (page,) = json.loads(capsys.readouterr().out)["pages"]
    assert "store-newer" in [finding["slug"] for finding in page["findings"]]
    assert page["bound"] == 1
    assert everything(project) == before


def test_to_resume_whatever_is_open_takes_no_run_of_a_later_program(project, capsys):
    before = everything(project)
    assert exit_code(("run", "--resume", "--no-sandbox")) == 2
    assert capsys.readouterr().out == ""
    assert everything(project) == before


def test_the_store_says_it_itself(project):
    store = Store(project / "data")
    with pytest.raises(StoreNewerError, match="newer benchctl"):
        RunWriter.resume(store, "r1")
    with pytest.raises(StoreNewerError, match="newer benchctl"):
        verify_run(store.layout("r1").folder)


def test_later_is_later_than_this_program():
    assert max(SCHEMA_VERSION, RUN_SCHEMA, JOURNAL_SCHEMA, int(MANIFEST_SCHEMA.rpartition("/")[2])) < 9
