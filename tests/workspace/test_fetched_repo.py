"""Repositories named by URL: fetched once, from loopback servers here, kept whole, and never with a secret in the address."""

import contextlib
import functools
import http.server
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import ClassVar

import pytest

from benchctl.errors import PreflightRefusedError, SourceRefusedError, SourceUnreachableError
from benchctl.schema.suite import Repo
from benchctl.workspace import fetched_repo
from benchctl.workspace.corpus import resolve_corpus
from benchctl.workspace.fetched_repo import fetch, fetched, is_url
from benchctl.workspace.git import git_environment

IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")


def git(root, *words, **options):
    done = subprocess.run(
        ["git", *IDENTITY, "-C", root, *words],
        env=git_environment(),
        capture_output=True,
        text=True,
        check=True,
        **options,
    )
    return done.stdout.strip()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "benchctl" / "repos"


@pytest.fixture
def upstream(tmp_path):
    root = tmp_path / "served" / "upstream"
    root.mkdir(parents=True)
    git(root, "init", "--quiet")
    for text in ("one", "two", "three"):
        (root / "code.py").write_text(f"{text}\n")
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "-m", text)
    return root


def head(root, which="HEAD"):
    return git(root, "rev-parse", which)


@contextlib.contextmanager
def daemon(folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        "git", "daemon", "--listen=127.0.0.1", f"--port={port}", f"--base-path={folder}", "--export-all", "--reuseaddr",
    ]  # fmt: skip
    process = subprocess.Popen(command, env=git_environment(), stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.05)
        yield f"git://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def plain_http(folder):
    """A server of files, which gives single commits to nobody: everything must be fetched."""
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def test_a_commit_is_fetched_from_a_path_alone_and_read_without_the_source(upstream, cache):
    source, commit = f"file://{upstream}", head(upstream)
    place = fetch(source, commit)
    assert place.parent == cache
    upstream.rename(upstream.with_name("gone"))
    assert fetched(source, commit) == fetch(source, commit) == place
    corpus = resolve_corpus("it", Repo(kind="git", source=source, commit=commit), Path("/nowhere"))
    assert [data for _, data in corpus.contents()] == [b"three\n"]
    assert corpus.version == commit


def test_only_the_pinned_commit_is_asked_for(upstream):
    place = fetch(f"file://{upstream}", head(upstream))
    assert git(place, "rev-list", "--count", "--all") == "1"
    assert git(place, "config", "--get-all", "gc.auto") == "0"


def test_an_older_commit_that_no_branch_ends_in_is_fetched_too(upstream):
    old, new = head(upstream, "HEAD~2"), head(upstream)
    source = f"file://{upstream}"
    assert fetch(source, new) == fetch(source, old)
    for commit, text in ((old, b"one\n"), (new, b"three\n")):
        corpus = resolve_corpus("it", Repo(kind="git", source=source, commit=commit), Path("/nowhere"))
        assert [data for _, data in corpus.contents()] == [text]


def test_a_git_server_on_the_loopback_is_fetched_from(upstream):
    with daemon(upstream.parent) as server:
        source = f"{server}/upstream/.git"
        place = fetch(source, head(upstream))
        with pytest.raises(SourceUnreachableError, match=f"commit {'0' * 40} cannot be fetched"):
            fetch(source, "0" * 40)
    assert fetched(source, head(upstream)) == place


def test_where_a_server_gives_no_single_commit_everything_is_fetched(upstream):
    git(upstream, "update-server-info")
    with plain_http(upstream.parent) as server:
        place = fetch(f"{server}/upstream/.git", head(upstream, "HEAD~1"))
    assert git(place, "show", f"{head(upstream, 'HEAD~1')}:code.py") == "two"


def test_a_server_that_is_not_there_is_a_refusal_with_gits_own_words(upstream):
    with pytest.raises(SourceUnreachableError, match=r"cannot be fetched from http://127\.0\.0\.1:1/x"):
        fetch("http://127.0.0.1:1/x.git", head(upstream))


def test_nothing_is_fetched_when_a_corpus_is_looked_at(upstream, cache):
    with pytest.raises(SourceUnreachableError, match="has not been fetched yet"):
        resolve_corpus(
            "it", Repo(kind="git", source=f"file://{upstream}", commit=head(upstream)), Path("/nowhere")
        )
    assert not cache.exists()


@pytest.mark.parametrize(
    "source",
    [
        "https://me:secret@example.org/x.git",
        "https://secret@example.org/x.git",  # a token in the place of a user
        "ssh://git:secret@example.org/x.git",
        "https://example.org/x.git?access_token=secret",
        "https://example.org/x.git#secret",
    ],
)
def test_an_address_with_a_secret_is_refused_and_not_repeated(source, cache):
    for call in (fetch, fetched):
        with pytest.raises(SourceRefusedError, match="holds credentials") as refused:
            call(source, "0" * 40)
        assert "secret" not in str(refused.value)
    assert not cache.exists()


@pytest.mark.parametrize(
    "source",
    [
        "ext::sh -c touch% /tmp/pwned",  # git's own way of starting any program
        "ext::sh://x",
        "fd::17",
        "ftp://example.org/x",
        "https://[::1/x",
        "git@example.org:x.git",  # what ssh takes for an address is written with its scheme
        "https://example.org/x\n.git",
        "ssh://-oProxyCommand=touch/x",
        "ssh://-l@example.org/x",
    ],
)
def test_an_address_that_is_more_than_an_address_is_refused(source, cache):
    assert is_url(source)
    with pytest.raises(SourceRefusedError):
        fetch(source, "0" * 40)
    assert not cache.exists()


@pytest.mark.parametrize("source", ["clone", "../clone", "/srv/git/x.git", "a@b", "C:/x"])
def test_a_path_is_no_address(source):
    assert not is_url(source)


def test_a_user_that_is_no_secret_may_stand_in_an_ssh_address():
    assert fetched_repo._place("ssh://git@example.org/group/x.git", "1" * 40).name.startswith("x-")


def test_a_damaged_copy_is_fetched_anew(upstream):
    source, commit = f"file://{upstream}", head(upstream)
    place = fetch(source, commit)
    blob = git(place, "rev-parse", f"{commit}:code.py")
    for pack in place.glob("objects/pack/*"):
        pack.unlink()
    for name in git(upstream, "rev-list", "--objects", "--no-object-names", "-n1", commit).split():
        kind = git(upstream, "cat-file", "-t", name)
        data = subprocess.run(
            ["git", "-C", upstream, "cat-file", kind, name], capture_output=True, check=True
        ).stdout
        if name != blob:
            subprocess.run(
                ["git", "-C", place, "hash-object", "-w", "-t", kind, "--stdin", "--literally"],
                input=data,
                check=True,
                capture_output=True,
            )
    assert fetched(source, commit) == place  # the commit and its tree are there, a file of it is not
    assert fetch(source, commit) == place
    assert git(place, "show", f"{commit}:code.py") == "three"


def test_something_else_in_its_place_is_replaced(upstream):
    source, commit = f"file://{upstream}", head(upstream)
    place = fetched_repo._place(source, commit)
    place.mkdir(parents=True)
    (place / "junk").write_text("junk")
    fetch(source, commit)
    assert not (place / "junk").exists()


def test_what_a_killed_fetch_left_is_swept(upstream, cache):
    source, commit = f"file://{upstream}", head(upstream)
    stale = cache / f"{fetched_repo._place(source, commit).stem}-new-abc"
    stale.mkdir(parents=True)
    fetch(source, commit)
    assert not stale.exists()


def test_the_users_configuration_sends_the_request_nowhere_else(upstream, tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f'[url "file://{tmp_path}/other"]\n\tinsteadOf = file://{upstream}\n')
    monkeypatch.setenv("HOME", str(home))
    fetch(f"file://{upstream}", head(upstream))


class Guarded(Quiet):
    """Wants a password for everything, and remembers whether it was told one."""

    told: ClassVar[list[str | None]] = []

    def do_GET(self):
        self.told.append(self.headers.get("Authorization"))
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.end_headers()


def test_a_password_of_the_users_is_told_to_nobody(tmp_path, monkeypatch):
    """curl looks for one in ~/.netrc, whatever git is configured to."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".netrc").write_text("machine 127.0.0.1 login me password hunter2hunter2\n")
    (home / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(Guarded, "told", [])
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Guarded) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            with pytest.raises(SourceUnreachableError):
                fetch(f"http://127.0.0.1:{server.server_address[1]}/x.git", "1" * 40)
        finally:
            server.shutdown()
            thread.join()
    assert Guarded.told
    assert set(Guarded.told) == {None}


def test_a_repository_of_the_longer_names_is_fetched_too(tmp_path):
    root = tmp_path / "long"
    root.mkdir()
    git(root, "init", "--quiet", "--object-format=sha256")
    (root / "code.py").write_text("one\n")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "one")
    source, commit = f"file://{root}", head(root)
    assert len(commit) == 64
    assert fetch(source, commit) == fetched(source, commit) == fetch(source, commit)
    corpus = resolve_corpus("it", Repo(kind="git", source=source, commit=commit), tmp_path)
    assert [data for _, data in corpus.contents()] == [b"one\n"]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (None, "the server does not have it"),
        ("", "the server does not have it"),
        ("remote: no such thing", "remote: no such thing"),
        (
            "fatal: detected dubious ownership in repository at '/x'\nTo add an exception, call:\nfatal: Could not read\n\nor so",
            "fatal: detected dubious ownership in repository at '/x'",
        ),
    ],
)
def test_of_what_git_says_the_reason_is_passed_on(said, reason):
    assert fetched_repo._reason(said) == reason


def test_a_tag_is_told_from_a_commit_that_is_not_there(upstream, tmp_path):
    git(upstream, "tag", "--annotate", "v1", "--message", "x")
    tag, commit = head(upstream, "v1"), head(upstream)
    for source in (str(upstream), f"file://{upstream}"):
        fetching = fetch(source, tag) if is_url(source) else None
        assert fetching is None or fetching.is_dir()
        with pytest.raises(PreflightRefusedError, match="names no commit of the git repository") as raised:
            resolve_corpus("it", Repo(kind="git", source=source, commit=tag), tmp_path)
        assert f"write commit = {commit!r}" in str(raised.value.next_step)


def test_many_that_fetch_at_once_take_turns(upstream):
    code = "import sys; from benchctl.workspace.fetched_repo import fetch; print(fetch(*sys.argv[1:]))"
    command = [sys.executable, "-c", code, f"file://{upstream}", head(upstream)]
    racers = [
        subprocess.Popen(command, env=dict(os.environ), stdout=subprocess.PIPE, text=True) for _ in range(6)
    ]
    said = {racer.communicate()[0] for racer in racers}
    assert [racer.returncode for racer in racers] == [0] * 6
    assert len(said) == 1


def test_without_git_nothing_is_fetched(upstream, monkeypatch):
    commit = head(upstream)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SourceUnreachableError) as refused:
        fetch(f"file://{upstream}", commit)
    assert "install git" in str(refused.value)


def test_a_server_that_never_answers_is_not_waited_for_without_end(monkeypatch):
    monkeypatch.setattr(fetched_repo, "_PATIENCE_S", 0.3)
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(SourceUnreachableError, match="nothing came of it"),
    ):
        fetch(f"git://127.0.0.1:{silent.getsockname()[1]}/x", "0" * 40)
