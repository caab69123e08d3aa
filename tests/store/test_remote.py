"""A store behind a URL: fetched once and verified, written once and whole; on a loopback S3 server and in memory."""

import json
import logging
import os
import shutil
import stat
import threading
import uuid
from collections import Counter
from pathlib import Path

import pytest
from small_store import collect, merge, rows, shards, tree

from benchctl import open_store
from benchctl.cli import exit_code
from benchctl.errors import (
    BenchctlError,
    RemoteExtraMissingError,
    RemoteUnreachableError,
    RunDiffersError,
    RunOpenError,
    StoreDamagedError,
    StoreExistsError,
    StoreReadOnlyError,
    StoreUnwritableError,
    StoreUrlInvalidError,
)
from benchctl.store.checking.objects import verify_objects
from benchctl.store.reader import Store
from benchctl.store.remote import remote_store
from benchctl.store.remote.address import check_url, is_url, redacted
from benchctl.store.remote.bucket import Bucket
from benchctl.store.remote.remote_store import RemoteStore, open_store_at
from benchctl.store.survey import survey
from benchctl.store.writing.generation import add_generation
from benchctl.store.writing.writer import RunWriter

SECRET = "never-to-be-printed"


@pytest.fixture(scope="module")
def server():
    """Start moto's S3 on loopback, counting requests by what they are."""
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    requests = []
    real = DomainDispatcherApplication.__call__

    def counted(self, environ, start_response):
        query = environ.get("QUERY_STRING", "")
        requests.append((environ["REQUEST_METHOD"], environ["PATH_INFO"], "list-type" in query))
        return real(self, environ, start_response)

    patch = pytest.MonkeyPatch()
    patch.setattr(DomainDispatcherApplication, "__call__", counted)
    moto = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    moto.start()
    host, port = moto.get_host_and_port()
    moto.url, moto.requests = f"http://{host}:{port}", requests
    yield moto
    moto.stop()
    patch.undo()


@pytest.fixture
def s3(server, tmp_path, monkeypatch):
    """Return the URL of an empty store in a bucket of its own."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "loopback")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    bucket = f"b{uuid.uuid4().hex}"
    filesystem().mkdir(bucket)
    server.requests.clear()
    return f"s3://{bucket}/some/prefix"


def filesystem():
    import s3fs

    return s3fs.S3FileSystem(skip_instance_cache=True, use_listings_cache=False)


@pytest.fixture
def memory(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return f"memory://{uuid.uuid4().hex}"


def uploaded(url, *sources):
    target = open_store_at(url)
    merge(target, *sources)
    return fresh(url)


def unfetched(url):
    """Return the store as another machine opens it."""
    shutil.rmtree(fresh(url).path)
    return fresh(url)


def fresh(url):
    """Return the store as the next process opens it; the client is kept, for it takes half a second."""
    store = open_store_at(url)
    return RemoteStore(store.bucket, store.path)


def kinds(server):
    """Return how many requests there were since the last look: lists, reads, writes."""
    found = Counter("list" if listing else method for method, _, listing in server.requests)
    server.requests.clear()
    return found


def test_what_is_uploaded_is_what_is_read(s3, tmp_path):
    source = collect(tmp_path / "a")
    store = uploaded(s3, source)
    assert store.names() == ("r1",)
    assert rows(store) == rows(source)
    run = store.run("r1")
    assert (run.data_digest, run.gold()) == (source.run("r1").data_digest, source.run("r1").gold())
    cell = run.record.cells[0].cell
    assert run.transcripts(cell) == source.run("r1").transcripts(cell)
    assert verify_objects(store) == {"r1": []}
    assert merge(store, source) == {"r1": "present"}
    back = Store(tmp_path / "back")
    assert merge(back, s3) == {"r1": "added"}
    assert tree(back.path) == tree(source.path)


def test_files_are_fetched_when_they_are_needed_and_once(s3, server, tmp_path):
    uploaded(s3, collect(tmp_path / "a"))
    store = unfetched(s3)
    server.requests.clear()
    store.run("r1")
    assert kinds(server) == {"list": 1, "GET": 2}  # the record and the manifest
    fetched = set(tree(store.path / "runs"))
    assert fetched == {"r1/run.json", "r1/manifest.json"}
    store.run("r1").cells()
    assert set(tree(store.path / "runs")) - fetched == {"r1/rows/cells.parquet", "r1/grades/g0001.parquet"}
    server.requests.clear()
    again = fresh(s3)
    assert again.run("r1").cells()
    assert kinds(server) == {"list": 1}


def test_uploads_that_have_not_ended_are_passed_over_and_cost_nothing(memory, tmp_path, monkeypatch):
    store = uploaded(memory, collect(tmp_path / "a"))
    for number in range(40):
        store.bucket._fs.pipe_file(f"{store.bucket._root}/runs/x{number}/run.json", b"{}")
    asked = []
    real = Bucket.listing
    monkeypatch.setattr(Bucket, "listing", lambda self, folder: asked.append(folder) or real(self, folder))
    monkeypatch.setattr(Bucket, "download", lambda *_: pytest.fail("no file of a run is needed"))
    assert {run.id for run in survey(fresh(memory)).runs} == {"r1"}
    assert asked == ["runs"]


def test_listing_costs_a_request_a_thousand_objects_and_the_terms_once(s3, server, tmp_path):
    source = Store(tmp_path / "a")
    for number in range(5):
        collect(source.path, f"r{number}")
    uploaded(s3, source)
    store = unfetched(s3)
    server.requests.clear()
    assert len(survey(store).runs) == 5
    assert kinds(server) == {"list": 1, "GET": 10}
    assert len(survey(fresh(s3)).runs) == 5
    assert kinds(server) == {"list": 1}


def read_all(store):
    run = store.run("r1")
    run.cells()
    run.gold()


@pytest.mark.parametrize("name", ["rows/cells.parquet", "run.json", "evidence/gold.json"])
@pytest.mark.parametrize("how", ["changed", "truncated", "missing"])
def test_an_object_that_is_another_is_refused_and_never_gets_its_name(s3, tmp_path, name, how):
    store = uploaded(s3, collect(tmp_path / "a"))
    key = f"{s3}/runs/r1/{name}"
    fs = filesystem()
    content = bytearray(fs.cat_file(key))
    content[len(content) // 2] ^= 1
    fs.rm_file(key)
    if how != "missing":
        fs.pipe_file(key, bytes(content if how == "changed" else content[:-1]))
    damages = verify_objects(store)["r1"]
    assert [damage.path for damage in damages] == [name]
    store = unfetched(s3)
    with pytest.raises(StoreDamagedError) as caught:
        read_all(store)
    assert name in str(caught.value.where)
    assert str(caught.value.where) == key
    assert str(store.path) not in str(caught.value)
    if name != "run.json":
        assert not (store.path / "runs" / "r1" / name).exists()
    with pytest.raises(StoreDamagedError):
        merge(Store(tmp_path / "b"), s3)
    assert not (tmp_path / "b").exists()


def test_an_added_object_is_named_and_a_broken_cache_is_fetched_anew(s3, tmp_path):
    store = uploaded(s3, collect(tmp_path / "a"))
    assert store.names() == ("r1",)  # it has looked, and must look again
    filesystem().pipe_file(f"{s3}/runs/r1/rows/more.parquet", b"x")
    filesystem().pipe_file(f"{s3}/runs/r2/run.json", b"{}")
    damages = verify_objects(store)
    assert [damage.path for damage in damages["r1"]] == ["rows/more.parquet"]
    assert "an upload that has not ended" in damages["r2"][0].what
    assert fresh(s3).names() == ("r1",)
    cells = store.run("r1").cells()
    cached = store.path / "runs" / "r1" / "rows" / "cells.parquet"
    cached.write_bytes(b"rotten")
    assert fresh(s3).run("r1").cells() == cells


def lying(store):
    """Let the cache say something else, and rightly so by its own manifest: a copy of the run is edited and sealed anew."""
    folder = store.path / "runs" / "r1"
    manifest = store.run("r1").manifest
    other = collect(store.path.parent / "other", scores=dict.fromkeys(range(8), 1.0)).run("r1")
    for name in ("grades/g0001.parquet", "manifest.json"):
        (folder / name).write_bytes((other.layout.folder / name).read_bytes())
    assert manifest.digest != other.manifest.digest


@pytest.mark.parametrize("kind", ["s3", "memory"])
def test_a_cache_that_tells_of_another_run_is_not_believed(kind, request, tmp_path):
    url = request.getfixturevalue(kind)
    source = collect(tmp_path / "a")
    store = uploaded(url, source)
    assert rows(store) == rows(source)
    lying(store)
    assert rows(fresh(url)) == rows(source)
    lying(store)
    (store.path / "runs" / "r1" / "manifest-0002.json").write_bytes(b"{}")
    assert rows(fresh(url)) == rows(source)


@pytest.mark.parametrize("name", ["run.json", "manifest.json"])
def test_a_term_that_was_cut_short_in_the_cache_is_fetched_anew_and_named_by_its_url_offline(
    s3, tmp_path, monkeypatch, name
):
    store = uploaded(s3, collect(tmp_path / "a"))
    cells = store.run("r1").cells()
    cached = store.path / "runs" / "r1" / name
    cached.write_bytes(cached.read_bytes()[:100])
    assert fresh(s3).run("r1").cells() == cells
    cached.write_bytes(cached.read_bytes()[:100])
    monkeypatch.setenv("BENCHCTL_OFFLINE", "1")
    with pytest.raises(BenchctlError) as caught:
        fresh(s3).run("r1")
    assert f"{s3}/runs/r1/{name}" in str(caught.value)
    assert str(store.path) not in str(caught.value)


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
@pytest.mark.parametrize("which", ["all", "store"])
def test_a_cache_that_others_may_write_is_not_used(memory, tmp_path, mode, which):
    store = uploaded(memory, collect(tmp_path / "a"))
    folder = store.path if which == "store" else store.path.parent
    folder.chmod(mode)
    remote_store._opened.cache_clear()
    with pytest.raises(StoreUnwritableError, match="this user's alone"):
        open_store_at(memory)
    folder.chmod(0o755)
    assert open_store_at(memory).names() == ("r1",)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.rename(tmp_path / "moved")
    folder.symlink_to(tmp_path / "moved")
    remote_store._opened.cache_clear()
    with pytest.raises(StoreUnwritableError, match="this user's alone"):
        open_store_at(memory)


def test_somebody_elses_cache_is_not_used(memory, tmp_path, monkeypatch):
    store = uploaded(memory, collect(tmp_path / "a"))
    monkeypatch.setattr(os, "geteuid", lambda: store.path.stat().st_uid + 1)
    with pytest.raises(StoreUnwritableError, match="this user's alone"):
        fresh(memory)


def test_offline_nothing_that_was_fetched_is_an_error(memory, tmp_path, monkeypatch, capsys):
    uploaded(memory, collect(tmp_path / "a"))
    shutil.rmtree(tmp_path / "cache")
    monkeypatch.setenv("BENCHCTL_OFFLINE", "1")
    remote_store._opened.cache_clear()
    (tmp_path / "benchctl.toml").write_text(f'store = "{memory}"\n')
    monkeypatch.chdir(tmp_path)
    for command in (["runs"], ["query", "select 1 from cells"], ["show", "r1"], ["verify-store"], ["status"]):
        assert exit_code(command) == 2, command
        assert "BENCHCTL_OFFLINE" in capsys.readouterr().err


def test_a_run_for_a_store_behind_a_url_is_refused_in_plain_words(memory, tmp_path, monkeypatch, capsys):
    (tmp_path / "benchctl.toml").write_text(f'store = "{memory}"\n')
    monkeypatch.chdir(tmp_path)
    assert exit_code(["run", "x"]) == 3
    assert f"a run cannot be written in the store {memory}" in capsys.readouterr().err


def test_what_a_library_says_is_one_line_without_its_query(s3, monkeypatch):
    from botocore.exceptions import ParamValidationError

    def refused(*_, **__):
        raise ParamValidationError(report="no\n  such\\n thing, url='http://h/x?X-Amz-Signature=hush'")

    bucket = Bucket(s3)
    monkeypatch.setattr(bucket._fs, "find", refused)
    with pytest.raises(RemoteUnreachableError) as caught:
        bucket.listing("runs")
    assert caught.value.what.endswith("Parameter validation failed: no such thing, url='http://h/x'")


def test_ordinary_commands_work_on_what_was_fetched(s3, tmp_path):
    source = collect(tmp_path / "a")
    store = uploaded(s3, source)
    run = store.run("r1")
    for name in run.manifest.files:
        from benchctl.store.disk.verified_file import trusted

        trusted(run.layout, run.manifest, name)
    copy = Store(store.path)
    assert rows(copy) == rows(source)
    assert tree(copy.runs_dir) == tree(source.runs_dir)


def test_a_further_generation_is_uploaded_seen_and_what_it_removes_goes(s3, server, tmp_path):
    source = collect(tmp_path / "a")
    store = uploaded(s3, source)
    cell = store.run("r1").record.cells[0].cell
    assert store.run("r1").transcripts(cell)
    layout = source.run("r1").layout
    add_generation(layout, {"evidence/more.json": b"1"}, remove={"evidence/transcripts.parquet": "room"})
    shutil.copytree(store.path, tmp_path / "elsewhere")
    assert merge(fresh(s3), source) == {"r1": "extended"}
    elsewhere = RemoteStore(store.bucket, tmp_path / "elsewhere")
    server.requests.clear()
    assert elsewhere.run("r1").manifest.generation == 2
    assert kinds(server) == {"list": 1, "GET": 1}  # the new manifest alone
    store = fresh(s3)
    assert store.run("r1").manifest.generation == 2
    assert verify_objects(store) == {"r1": []}
    assert not (store.path / "runs" / "r1" / "evidence" / "transcripts.parquet").exists()
    whole = uploaded(f"{s3}/again", source)
    assert whole.run("r1").manifest.generation == 2


@pytest.mark.parametrize("kind", ["s3", "memory"])
def test_an_object_is_created_once(kind, request, tmp_path):
    bucket = Bucket(request.getfixturevalue(kind))
    file = tmp_path / "f"
    file.write_text("one")
    bucket.create("x", file)
    file.write_text("two")
    with pytest.raises(StoreExistsError):
        bucket.create("x", file)
    bucket.prove_create_once("x", file)
    assert dict(bucket.read(["x", "y"])) == {"x": b"one"}


def test_of_racing_writers_exactly_one_creates_an_object(s3, tmp_path):
    won, buckets = [], [Bucket(s3) for _ in range(4)]

    def write(number, name):
        file = tmp_path / f"f{number}"
        file.write_text(str(number))
        try:
            buckets[number].create(name, file)
        except StoreExistsError:
            return
        won.append((name, str(number).encode()))

    for name in ("a", "b", "c", "d"):
        threads = [threading.Thread(target=write, args=(number, name)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(name for name, _ in won) == ["a", "b", "c", "d"]
    assert dict(buckets[0].read(["a", "b", "c", "d"])) == dict(won)


def test_a_store_that_replaces_what_is_there_is_not_written_to(memory, tmp_path, monkeypatch):
    from fsspec.implementations.memory import MemoryFileSystem

    def careless(self, lpath, rpath, **_):
        self.pipe_file(rpath, Path(lpath).read_bytes())

    monkeypatch.setattr(MemoryFileSystem, "put_file", careless)
    with pytest.raises(StoreReadOnlyError, match="replaces an object"):
        uploaded(memory, collect(tmp_path / "a"))
    assert fresh(memory).names() == ()


@pytest.mark.parametrize("moment", [1, 2, 5, 8, 9, 10])  # the last two are the manifests
def test_an_upload_that_is_cut_is_no_run_and_the_next_one_finishes_it(memory, tmp_path, monkeypatch, moment):
    source = collect(tmp_path / "a")
    add_generation(source.run("r1").layout, {"evidence/more.json": b"1"})
    real, calls = Bucket.create, []

    def cut(self, *arguments):
        calls.append(arguments)
        if len(calls) == moment:
            raise KeyboardInterrupt
        return real(self, *arguments)

    monkeypatch.setattr(Bucket, "create", cut)
    with pytest.raises(KeyboardInterrupt):
        uploaded(memory, source)
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert survey(fresh(memory)).runs == ()
    store = uploaded(memory, source)
    assert verify_objects(store) == {"r1": []}


def test_of_two_uploads_of_one_id_the_first_object_that_differs_decides(memory, tmp_path):
    first, second = collect(tmp_path / "a"), collect(tmp_path / "b", scores={0: 1.0})
    store = open_store_at(memory)
    layout = second.run("r1").layout
    store.bucket.create("runs/r1/run.json", layout.record)  # the same in both
    store.bucket.create("runs/r1/grades/g0001.parquet", layout.folder / "grades/g0001.parquet")
    with pytest.raises(RunDiffersError, match="another object is there"):
        merge(fresh(memory), first)
    assert merge(fresh(memory), second) == {"r1": "added"}
    with pytest.raises(RunDiffersError, match=r"the (cells|grades)"):
        merge(fresh(memory), first)


def test_a_writer_who_was_faster_is_found_out_at_the_object(memory, tmp_path, monkeypatch):
    first, second = collect(tmp_path / "a"), collect(tmp_path / "b", scores={0: 1.0})
    real = Bucket.create

    def slow(self, name, content):
        if name.endswith("g0001.parquet"):
            monkeypatch.setattr(Bucket, "create", real)
            real(self, name, second.run("r1").layout.folder / "grades/g0001.parquet")
        real(self, name, content)

    monkeypatch.setattr(Bucket, "create", slow)
    with pytest.raises(RunDiffersError, match=r"another object is there"):
        merge(open_store_at(memory), first)
    assert fresh(memory).names() == ()


def test_an_open_run_is_not_uploaded_and_nothing_is_collected_behind_a_url(s3, tmp_path):
    from small_run import record

    store = uploaded(s3, collect(tmp_path / "a"))
    (opened,) = shards(tmp_path, [0])
    with pytest.raises(RunOpenError):
        merge(store, opened)
    with pytest.raises(StoreReadOnlyError, match="cannot be written") as caught:
        RunWriter.create(store, record("r9"))
    assert f"--into {s3}" in caught.value.next_step
    with pytest.raises(StoreReadOnlyError):
        add_generation(store.run("r1").layout, {"x": b""})


def test_without_the_network_only_what_was_fetched_is_read_and_only_when_told(s3, tmp_path, monkeypatch):
    store = uploaded(s3, collect(tmp_path / "a"))
    cells = store.run("r1").cells()
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    dead = RemoteStore(Bucket(s3), store.path)
    with pytest.raises(RemoteUnreachableError, match="cannot be reached") as caught:
        dead.run("r1")
    assert SECRET not in str(caught.value)
    monkeypatch.setenv("BENCHCTL_OFFLINE", "1")
    assert dead.names() == ("r1",)
    assert dead.run("r1").cells() == cells
    with pytest.raises(RemoteUnreachableError, match="was not fetched before"):
        dead.run("r1").gold()
    assert dead.find("r2") is None


def test_a_bucket_that_is_not_there_is_no_empty_store(s3):
    assert fresh(s3).names() == ()
    with pytest.raises(RemoteUnreachableError, match="there is no nowhere"):
        open_store_at("s3://nowhere/x").names()


def test_wrong_credentials_are_said_without_them(s3, monkeypatch):
    from botocore.exceptions import NoCredentialsError

    def refused(*_, **__):
        raise NoCredentialsError

    bucket = Bucket(s3)
    monkeypatch.setattr(bucket._fs, "find", refused)
    with pytest.raises(RemoteUnreachableError, match="Unable to locate credentials"):
        bucket.listing("runs")


URLS = [
    ("s3://bucket/x/", "s3://bucket/x"),
    ("S3://bucket/x", "s3://bucket/x"),
    ("s3://bucket", "s3://bucket"),
    ("memory://x", "memory://x"),
    ("memory:///x", "memory:///x"),
    ("http://host:8080/a@b", "http://host:8080/a@b"),
    ("http://[::1]:8080/a", "http://[::1]:8080/a"),
]


@pytest.mark.parametrize(("url", "shown"), URLS)
def test_a_url_has_one_spelling(url, shown):
    assert check_url(url) == redacted(url) == shown


NO_PLACES = [
    "s3://key:hush@bucket/x",
    "s3://hush@bucket/x",
    "s3://key:hush/x",
    "s3://key:hush",
    "s3://key:1234/x",
    "s3:/key:hush@bucket/x",
    "s3:key:hush@bucket/x",
    "s3:key:hush",
    "s3:///key:hush@bucket/x",
    "s3://key:hu/sh@bucket/x",
    "s3://bucket/key:hush@x",
    "s3://key%3Ahush%40bucket/x",
    "S3://key:hush@bucket/x",
    " s3://key:hush@bucket/x",
    "simplecache::s3://key:hush@bucket/x",
    "https://host/x?X-Amz-Signature=hush",
    "https://host/x#hush",
    "https://key:hush@host/x",
    "https://host:80:hush/x",
    "file://key:hush@/x",
    "file:hush",
    "file:///x?hush",
    "key:hush",
    "s3://",
    "s3://\nhush",
]


@pytest.mark.parametrize("text", NO_PLACES)
def test_what_begins_like_a_url_and_is_none_is_refused_and_not_repeated(text):
    assert is_url(text)
    assert "hu" not in redacted(text)
    with pytest.raises(StoreUrlInvalidError) as caught:
        open_store_at(text)
    assert "hu" not in str(caught.value)


TAKERS = {
    "store in benchctl.toml": ["runs"],
    "run": ["run", "x"],
    "verify-store": ["verify-store"],
    "query": ["query", "select 1"],
    "export": ["export", "r1", "--to", "out"],
    "merge into": ["merge", "a", "--into"],
    "merge from": ["merge", "--into", "b"],
    "--project": ["runs", "--project"],
}


@pytest.mark.parametrize("taker", TAKERS)
def test_every_command_that_takes_a_place_refuses_what_is_none(tmp_path, monkeypatch, capsys, taker):
    monkeypatch.chdir(tmp_path)
    collect(tmp_path / "a")
    words = TAKERS[taker]
    for text in NO_PLACES:
        (tmp_path / "benchctl.toml").write_text(f"store = {json.dumps(text)}\n")
        given = [*words, text] if words[-1] in {"--into", "b", "--project"} else words
        before = sorted(tmp_path.rglob("*"))
        assert exit_code(given) == 2, given
        captured = capsys.readouterr()
        assert "hu" not in captured.out + captured.err, (given, captured)
        assert sorted(tmp_path.rglob("*")) == before
        with pytest.raises(StoreUrlInvalidError):
            open_store(text)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("s3://b", True), ("data", False), ("./a://b", False), ("/a", False), ("a/b:c", False)],
)
def test_a_url_is_told_from_a_path(text, is_one):
    assert is_url(text) is is_one
    assert is_one or redacted(text) == text


def test_a_file_url_is_a_folder(tmp_path):
    store = collect(tmp_path / "a b")
    opened = open_store_at(f"file://{str(store.path).replace(' ', '%20')}")
    assert type(opened) is Store
    assert opened.names() == ("r1",)


def test_a_missing_library_names_the_extra(monkeypatch):
    import fsspec

    def missing(*_, **__):
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr(fsspec.core, "url_to_fs", missing)
    with pytest.raises(RemoteExtraMissingError, match="Install s3fs") as caught:
        Bucket("s3://b/x")
    assert "benchctl[remote]" in caught.value.next_step


def test_an_unknown_scheme_is_an_error():
    with pytest.raises(StoreUrlInvalidError, match="nix"):
        Bucket("nix://b/x")


COMMANDS = [
    ["runs"],
    ["show", "r1"],
    ["show", "r1", "q1/grep/rg/none/1"],
    ["query", "select count(*) from cells"],
    ["report", "r1"],
    ["verify-store"],
    ["verify-store", "r1"],
]


def test_reading_commands_work_on_a_project_whose_store_is_behind_a_url(s3, tmp_path, monkeypatch, capsys):
    source = collect(tmp_path / "a")
    (tmp_path / "p").mkdir()
    (tmp_path / "l").mkdir()
    (tmp_path / "p" / "benchctl.toml").write_text(f'store = "{s3}"\n')
    (tmp_path / "l" / "benchctl.toml").write_text('store = "../a"\n')
    assert exit_code(["merge", str(source.path), "--project", str(tmp_path / "p"), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["into"], document["runs"][0]["action"]) == (s3, "added")
    for command in COMMANDS:
        outputs = []
        for project in "pl":
            monkeypatch.chdir(tmp_path / project)
            assert exit_code(command) == 0, command
            captured = capsys.readouterr()
            assert SECRET not in captured.out + captured.err
            outputs.append(captured.out)
        assert outputs[0] == outputs[1]
    monkeypatch.chdir(tmp_path / "p")
    assert exit_code(["run", "x"]) == 3
    assert "[store-read-only]" in capsys.readouterr().err


def test_a_store_on_a_web_server_is_read(tmp_path, monkeypatch):
    import http.server

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = collect(tmp_path / "a")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(tmp_path))

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{web.server_port}/a"
        store = fresh(url)
        assert rows(store) == rows(source)
        with pytest.raises(StoreReadOnlyError):
            merge(store, collect(tmp_path / "n", "r2"))
        web.shutdown()
    shutil.rmtree(tmp_path / "cache")
