"""Trees from commits; each test is a way in which a checkout was seen to differ from what was committed."""

import os
import subprocess
from pathlib import Path

import pytest

from benchctl.errors import CorpusChangedError, PreflightRefusedError, SourceUnreachableError
from benchctl.schema.suite import Repo
from benchctl.workspace.corpus import resolve_corpus
from benchctl.workspace.git import head
from benchctl.workspace.tree import write_base

IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")


def git(root, *words, **options):
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return subprocess.run(
        ["git", *IDENTITY, "-C", root, *words], env=env, capture_output=True, text=True, check=True, **options
    ).stdout.strip()


def commit(root):
    git(root, "add", "--all", "--force")
    git(root, "commit", "--quiet", "--allow-empty", "-m", "a commit")
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def upstream(tmp_path):
    root = tmp_path / "upstream"
    root.mkdir()
    git(root, "init", "--quiet")
    (root / "src").mkdir()
    (root / "src" / "code.py").write_bytes(b"one = 1\r\ntwo = 2\n")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("src/code.py")
    return root


def resolved(root, **options):
    repo = Repo(kind="git", source=root.name, commit=options.pop("commit", None) or commit(root), **options)
    return resolve_corpus("it", repo, root.parent)


def written(corpus, tmp_path):
    base = write_base(corpus, tmp_path / "base")
    return {
        path.relative_to(base.root).as_posix(): path
        for path in sorted(base.root.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def test_the_tree_is_the_commits_byte_for_byte(upstream, tmp_path):
    corpus = resolved(upstream)
    files = written(corpus, tmp_path)
    assert list(files) == ["link", "run.sh", "src/code.py"]
    assert files["src/code.py"].read_bytes() == b"one = 1\r\ntwo = 2\n"
    assert files["run.sh"].stat().st_mode & 0o111 == 0o111
    assert files["src/code.py"].stat().st_mode & 0o111 == 0
    assert files["link"].readlink() == Path("src/code.py")
    assert corpus.version == git(upstream, "rev-parse", "HEAD")


def test_the_commit_counts_and_not_the_working_tree(upstream, tmp_path):
    first = commit(upstream)
    (upstream / "src" / "code.py").write_text("changed = True\n")
    (upstream / "new.py").write_text("")
    corpus = resolved(upstream, commit=first)
    assert [file.path for file in corpus.files] == ["link", "run.sh", "src/code.py"]
    assert b"one = 1" in written(corpus, tmp_path)["src/code.py"].read_bytes()


def test_a_key_deleted_in_the_last_commit_is_nowhere_in_the_tree(upstream, tmp_path):
    (upstream / "key.json").write_text("the answer")
    commit(upstream)
    (upstream / "key.json").unlink()
    files = written(resolved(upstream), tmp_path)
    assert not any(".git" in path for path in files)
    assert not any("the answer" in path.read_text() for path in files.values())


def test_attributes_that_leave_out_or_rewrite_files_do_nothing(upstream, tmp_path):
    (upstream / ".gitattributes").write_text(
        "src export-ignore\nversion.txt export-subst\n*.py text eol=crlf\n"
    )
    (upstream / "version.txt").write_text("$Format:%H$\n")
    (upstream / "lf.py").write_bytes(b"a\nb\n")
    files = written(resolved(upstream), tmp_path)
    assert "src/code.py" in files
    assert files["version.txt"].read_text() == "$Format:%H$\n"
    assert files["lf.py"].read_bytes() == b"a\nb\n"


def test_the_users_configuration_does_nothing(upstream, tmp_path, monkeypatch):
    home = tmp_path / "home"
    (home / "hooks").mkdir(parents=True)
    ran = tmp_path / "hook-ran"
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        (home / "hooks" / hook).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (home / "hooks" / hook).chmod(0o755)
    first = commit(upstream)
    (home / ".gitconfig").write_text(
        f"[core]\nautocrlf = true\nhooksPath = {home}/hooks\nfsmonitor = touch {ran}\n"
        f"excludesFile = {home}/ignored\n"
        f'[filter "x"]\nsmudge = touch {ran}\n'
    )
    monkeypatch.setenv("HOME", str(home))
    files = written(resolved(upstream, commit=first), tmp_path)
    (home / "ignored").write_text("*.new\n")
    (upstream / "untracked.new").write_text("")
    assert head(upstream) == (first, True)
    assert files["src/code.py"].read_bytes() == b"one = 1\r\ntwo = 2\n"
    assert not ran.exists()


def test_a_repository_named_by_the_environment_is_not_asked(upstream, tmp_path, monkeypatch):
    mine = commit(upstream)
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    (other / "other.txt").write_text("other")
    theirs = commit(other)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert head(upstream) == (mine, False)
    assert theirs != mine
    assert resolved(upstream, commit=mine).version == mine


def test_replaced_objects_do_not_replace(upstream, tmp_path):
    first = commit(upstream)
    blob = git(upstream, "rev-parse", f"{first}:src/code.py")
    forged = git(upstream, "hash-object", "-w", "--stdin", input="forged")
    git(upstream, "replace", blob, forged)
    assert b"one" in written(resolved(upstream, commit=first), tmp_path)["src/code.py"].read_bytes()


def test_nothing_is_written_into_the_repository(upstream, tmp_path):
    first = commit(upstream)

    def state():
        return {str(path): path.lstat().st_mtime_ns for path in upstream.rglob("*")}

    before = state()
    written(resolved(upstream, commit=first), tmp_path)
    head(upstream)
    assert state() == before


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside", "src/../../outside"])
def test_a_link_that_leaves_the_tree_is_refused_and_can_be_excluded(upstream, target):
    (upstream / "trap").symlink_to(target)
    with pytest.raises(CorpusChangedError, match="trap leaves the tree"):
        resolved(upstream)
    assert len(resolved(upstream, exclude=("trap",)).files) == 3


def test_a_submodule_is_refused_by_name_and_can_be_excluded(upstream):
    first = commit(upstream)
    git(upstream, "update-index", "--add", "--cacheinfo", f"160000,{first},vendor/lib")
    git(upstream, "commit", "--quiet", "-m", "submodule")
    second = git(upstream, "rev-parse", "HEAD")
    with pytest.raises(CorpusChangedError, match=r"submodules.*vendor/lib"):
        resolved(upstream, commit=second)
    assert len(resolved(upstream, commit=second, exclude=("vendor/**",)).files) == 3


def test_a_large_file_pointer_is_refused(upstream):
    (upstream / "big.bin").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
    with pytest.raises(CorpusChangedError, match=r"big\.bin is a Git LFS pointer"):
        resolved(upstream)


def test_a_missing_object_is_refused(upstream):
    first = commit(upstream)
    blob = git(upstream, "rev-parse", f"{first}:src/code.py")
    (upstream / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(CorpusChangedError, match=f"object {blob} is missing"):
        resolved(upstream, commit=first)


@pytest.mark.parametrize("name", [".GIT/config", "a/.git/hooks", "git~1/x", ".gi\u200ct/x"])
def test_a_path_that_some_system_takes_for_a_repository_is_refused(upstream, name):
    blob = git(upstream, "hash-object", "-w", "--stdin", input="x")
    # Made from trees by hand: git's own index refuses such names.
    tree = blob
    for depth, part in enumerate(reversed(name.split("/"))):
        kind = "100644 blob" if depth == 0 else "040000 tree"
        tree = git(upstream, "mktree", input=f"{kind} {tree}\t{part}\n")
    made = git(upstream, "commit-tree", tree, "-m", "hostile")
    with pytest.raises(CorpusChangedError, match="cannot be written safely"):
        resolved(upstream, commit=made)


def test_a_commit_that_is_not_there_is_refused(upstream):
    commit(upstream)
    with pytest.raises(PreflightRefusedError, match="is not in the git repository"):
        resolved(upstream, commit="0" * 40)


def test_a_url_is_read_from_what_was_fetched_before_and_nothing_is_fetched_here(tmp_path):
    repo = Repo(kind="git", source="https://example.org/x.git", commit="0" * 40)
    with pytest.raises(SourceUnreachableError, match="has not been fetched yet"):
        resolve_corpus("it", repo, tmp_path)


def test_a_damaged_object_is_refused(upstream):
    """Git reads a blob without looking whether it is the one that its name says."""
    first = commit(upstream)
    blob = git(upstream, "rev-parse", f"{first}:src/code.py")
    other = git(upstream, "hash-object", "-w", "--stdin", input="one = 666\n")
    objects = upstream / ".git" / "objects"
    place = objects / blob[:2] / blob[2:]
    place.chmod(0o644)
    place.write_bytes((objects / other[:2] / other[2:]).read_bytes())
    with pytest.raises(CorpusChangedError, match=f"object {blob} of the git repository .* is damaged"):
        resolved(upstream, commit=first)


def test_two_files_of_one_name_are_refused(upstream):
    blob = git(upstream, "hash-object", "-w", "--stdin", input="x")
    other = git(upstream, "hash-object", "-w", "--stdin", input="y")
    entries = b"".join(b"100644 a\0" + bytes.fromhex(oid) for oid in (blob, other))
    tree = subprocess.run(
        ["git", "-C", upstream, "hash-object", "-w", "-t", "tree", "--stdin", "--literally"],
        input=entries, capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    made = git(upstream, "commit-tree", tree, "-m", "hostile")
    with pytest.raises(CorpusChangedError, match="two files named a"):
        resolved(upstream, commit=made)


def test_a_file_and_a_folder_of_one_name_are_refused(upstream, tmp_path):
    blob = git(upstream, "hash-object", "-w", "--stdin", input="x")
    inner = git(upstream, "mktree", input=f"100644 blob {blob}\tf\n")
    entries = b"100644 a\0" + bytes.fromhex(blob) + b"40000 a\0" + bytes.fromhex(inner)
    tree = subprocess.run(
        ["git", "-C", upstream, "hash-object", "-w", "-t", "tree", "--stdin", "--literally"],
        input=entries, capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    made = git(upstream, "commit-tree", tree, "-m", "hostile")
    with pytest.raises(CorpusChangedError, match="same place"):
        written(resolved(upstream, commit=made), tmp_path)


def test_a_link_that_leaves_the_tree_by_way_of_another_is_refused(upstream, tmp_path):
    """Each of the two stays inside by its own text."""
    (upstream / "x").mkdir()
    (upstream / "x" / "up").symlink_to("..")
    (upstream / "out").symlink_to("x/up/../passwd")
    with pytest.raises(CorpusChangedError, match="out leaves the tree by way of another one"):
        written(resolved(upstream), tmp_path)


def test_a_link_to_itself_or_to_nothing_stays(upstream, tmp_path):
    (upstream / "loop").symlink_to("loop")
    (upstream / "dangling").symlink_to("src/not-there")
    assert {"loop", "dangling"} <= set(written(resolved(upstream), tmp_path))


def test_names_that_some_systems_take_for_one_are_reported(upstream):
    (upstream / "SRC").mkdir()
    (upstream / "SRC" / "other.py").touch()
    (upstream / "caf\u00e9").touch()
    (upstream / "cafe\u0301").touch()
    assert resolved(upstream).clashes == ("SRC", "cafe\u0301", "caf\u00e9", "src")


def test_the_tree_has_gits_own_name_where_nothing_is_left_out(upstream):
    first = commit(upstream)
    tree = git(upstream, "rev-parse", f"{first}^{{tree}}")
    assert resolved(upstream, commit=first).tree_oid == tree
    assert resolved(upstream, commit=first, exclude=("run.sh",)).tree_oid is None


def test_a_tree_with_modes_of_old_histories_is_written_and_has_no_such_name(upstream, tmp_path):
    blob = git(upstream, "hash-object", "-w", "--stdin", input="x")
    tree = subprocess.run(
        ["git", "-C", upstream, "hash-object", "-w", "-t", "tree", "--stdin", "--literally"],
        input=b"100664 a\0" + bytes.fromhex(blob), capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    corpus = resolved(upstream, commit=git(upstream, "commit-tree", tree, "-m", "old"))
    assert corpus.tree_oid is None
    assert written(corpus, tmp_path)["a"].stat().st_mode & 0o111 == 0


def test_many_and_large_blobs_do_not_block_each_other(upstream, tmp_path):
    for number in range(600):
        (upstream / "src" / f"{number}.txt").write_text("x" * number * 5)
    (upstream / "large.bin").write_bytes(bytes(range(256)) * 40_000)
    files = written(resolved(upstream), tmp_path)
    assert len(files) == 604
    assert files["large.bin"].stat().st_size == 256 * 40_000


def test_head_says_what_is_checked_out_and_whether_it_is_changed(upstream):
    assert head(upstream) == (None, None)  # no commit yet
    first = commit(upstream)
    assert head(upstream) == (first, False)
    (upstream / "data").mkdir()
    (upstream / "data" / "row").write_text("1")
    assert head(upstream) == (first, True)
    assert head(upstream, ignore=("data",)) == (first, False)


def test_head_of_no_repository_is_not_known(tmp_path):
    assert head(tmp_path) == (None, None)


def test_head_without_git_is_not_known(upstream, monkeypatch):
    commit(upstream)
    monkeypatch.setenv("PATH", "/nowhere")
    assert head(upstream) == (None, None)
