"""The repository of one commit that an arm with git is given."""

import os
import subprocess

import pytest

from benchctl.errors import PreflightRefusedError
from benchctl.schema.suite import Repo
from benchctl.workspace import git as git_room
from benchctl.workspace import mounts, orphan_commit, overlay
from benchctl.workspace.cells import cell_root, fresh_cell
from benchctl.workspace.corpus import resolve_corpus
from benchctl.workspace.git import git_environment
from benchctl.workspace.tree import write_base

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


@pytest.fixture(params=["stacked", "copied"])
def root(request, monkeypatch):
    with cell_root() as place:
        if request.param == "copied":
            monkeypatch.setattr(overlay, "unavailable", lambda _: "not here")
        elif reason := overlay.unavailable(place):
            pytest.skip(reason)
        yield place


def upstream(tmp_path, algorithm="sha1"):
    place = tmp_path / "upstream"
    place.mkdir()
    git(place, "init", "--quiet", f"--object-format={algorithm}")
    (place / "src").mkdir()
    (place / "src" / "code.py").write_bytes(b"one = 1\r\ntwo = 2\n")
    (place / "run.sh").write_text("#!/bin/sh\n")
    (place / "run.sh").chmod(0o755)
    (place / "link").symlink_to("src/code.py")
    (place / ".gitattributes").write_text("*.py text eol=crlf\n*.bin filter=lfs\nsrc export-ignore\n")
    (place / "data.bin").write_bytes(b"\0\1")
    (place / 'od"d näme\n\t.txt').write_text("x")
    git(place, "-c", "core.autocrlf=false", "add", "--all")
    # Stored as they are: the attributes would have changed them on the way in.
    blob = git(place, "hash-object", "-w", "--no-filters", "src/code.py")
    git(place, "update-index", "--cacheinfo", f"100644,{blob},src/code.py")
    git(place, "commit", "--quiet", "-m", "a commit")
    return place, git(place, "rev-parse", "HEAD"), git(place, "rev-parse", "HEAD^{tree}")


def written(root, tmp_path, commit, **options):
    repo = Repo(kind="git", source="upstream", commit=commit, **options)
    return write_base(resolve_corpus("it", repo, tmp_path), root / "bases" / "it")


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_the_tree_has_the_name_that_the_pinned_commits_has(root, tmp_path, algorithm):
    _, commit, tree = upstream(tmp_path, algorithm)
    base = written(root, tmp_path, commit)
    layer = orphan_commit.commit_layer(base)
    assert base.tree_oid == git(layer, "rev-parse", "HEAD^{tree}") == tree
    assert git(layer, "rev-parse", "HEAD") != commit
    with fresh_cell(base, root, git=True) as cell:
        assert git(cell.tree, "rev-parse", "HEAD^{tree}") == tree


def test_the_same_tree_gives_the_same_commit_everywhere(root, tmp_path):
    _, commit, _ = upstream(tmp_path)
    base = written(root, tmp_path, commit)
    layer = orphan_commit.commit_layer(base)
    assert orphan_commit.commit_layer(base) == layer
    again = write_base(
        resolve_corpus("it", Repo(kind="git", source="upstream", commit=commit), tmp_path),
        root / "more" / "it",
    )
    assert git(orphan_commit.commit_layer(again), "rev-parse", "HEAD") == git(layer, "rev-parse", "HEAD")


def test_there_is_one_packed_commit_and_nothing_beside_it(root, tmp_path):
    _, commit, _ = upstream(tmp_path)
    base = written(root, tmp_path, commit)
    with fresh_cell(base, root, git=True) as cell:
        assert git(cell.tree, "log", "--all", "--format=%an %ae %aI %s") == (
            "cell cell@localhost 2000-01-01T00:00:00+00:00 The tree"
        )
        listed = git(cell.tree, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
        reachable = git(cell.tree, "rev-list", "--objects", "--no-object-names", "--all").split()
        assert sorted(listed) == sorted(reachable)
        assert len(listed) == len(orphan_commit.objects_of(orphan_commit.commit_layer(base))) == 9
        inside = {path.name for path in (cell.tree / ".git").iterdir()}
        assert inside == {"HEAD", "config", "index", "info", "objects", "refs"}
        assert git(cell.tree, "remote") == git(cell.tree, "reflog") == git(cell.tree, "stash", "list") == ""
        assert git(cell.tree, "count-objects", "-v").splitlines()[0] == "count: 0"
        assert git(cell.tree, "fsck", "--full", "--unreachable", "--no-progress") == ""


def test_nothing_of_an_excluded_file_is_in_it(root, tmp_path):
    _, commit, tree = upstream(tmp_path)
    base = written(root, tmp_path, commit, exclude=("src/**",))
    with fresh_cell(base, root, git=True) as cell:
        assert base.tree_oid is None
        assert git(cell.tree, "rev-parse", "HEAD^{tree}") != tree
        assert "src" not in git(cell.tree, "ls-tree", "-r", "--name-only", "HEAD")
        assert git(cell.tree, "status", "--porcelain") == ""


def test_an_unchanged_tree_is_clean_and_no_filter_is_started(root, tmp_path):
    _, commit, _ = upstream(tmp_path)
    with fresh_cell(written(root, tmp_path, commit), root, git=True) as cell:
        assert git(cell.tree, "status", "--porcelain") == ""
        (cell.tree / "src" / "code.py").write_text("one = 2\n")
        assert git(cell.tree, "status", "--porcelain") == "M src/code.py"
        assert "+one = 2" in git(cell.tree, "diff")
        git(cell.tree, "checkout", "src/code.py")
        assert (cell.tree / "src" / "code.py").read_bytes() == b"one = 1\r\ntwo = 2\n"


def test_an_agent_may_commit_and_that_is_no_change_of_the_tree(root, tmp_path):
    _, commit, _ = upstream(tmp_path)
    base = written(root, tmp_path, commit)
    with fresh_cell(base, root, git=True) as cell:
        (cell.tree / "new.py").write_text("x = 1\n")
        git(cell.tree, "add", "new.py")
        plain = ["git", "-C", cell.tree, "commit", "--quiet", "-m", "mine"]
        subprocess.run(plain, env=git_environment(), check=True)  # no identity but the repository's own
        git(cell.tree, "gc", "--quiet")
        assert cell.changes().files == ("new.py",)
    with fresh_cell(base, root, git=True) as cell:
        assert git(cell.tree, "rev-list", "--count", "--all") == "1"
    assert len(orphan_commit.objects_of(orphan_commit.commit_layer(base))) == 9


def test_a_tree_without_one_has_none_and_what_an_agent_makes_is_a_change(root, tmp_path):
    _, commit, _ = upstream(tmp_path)
    with fresh_cell(written(root, tmp_path, commit), root) as cell:
        assert not (cell.tree / ".git").exists()
        git(cell.tree, "init", "--quiet", "--template=")
        assert ".git/HEAD" in cell.changes().files


def test_the_caller_and_its_configuration_say_nothing(root, tmp_path, monkeypatch):
    _, commit, tree = upstream(tmp_path)
    home = tmp_path / "home"
    (home / "template" / "hooks").mkdir(parents=True)
    (home / "template" / "hooks" / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (home / ".gitconfig").write_text(
        f"[init]\ntemplateDir = {home}/template\ndefaultBranch = other\n[core]\nautocrlf = true\n"
        "[user]\nname = Real Name\nemail = real@example.org\n"
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "upstream" / ".git"))
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(home / "template"))
    with fresh_cell(written(root, tmp_path, commit), root, git=True) as cell:
        assert git(cell.tree, "log", "--format=%T %an %D") == f"{tree} cell HEAD -> main"
        assert not (cell.tree / ".git" / "hooks").exists()


@pytest.mark.parametrize("harm", ["object", "tree", "hooks"])
def test_a_repository_that_holds_anything_else_is_refused(root, tmp_path, monkeypatch, harm):
    _, commit, _ = upstream(tmp_path)
    base = written(root, tmp_path, commit)
    write = orphan_commit._write

    def harmed(base, layer):
        held = write(base, layer)
        match harm:
            case "object":
                git(layer, "hash-object", "-w", "--stdin", input="the answer")
            case "tree":
                held = held | {b"more.py": ("100644", "0" * 40)}
            case "hooks":
                (layer / ".git" / "hooks").mkdir()
        return held

    monkeypatch.setattr(orphan_commit, "_write", harmed)
    with pytest.raises(PreflightRefusedError, match="repository of one commit"):
        orphan_commit.commit_layer(base)
    assert [path.name for path in base.root.parent.iterdir()] == ["it"]


def test_a_tree_of_another_name_than_the_commits_is_refused(root, tmp_path):
    import dataclasses

    _, commit, _ = upstream(tmp_path)
    base = dataclasses.replace(written(root, tmp_path, commit), tree_oid="0" * 40)
    with pytest.raises(PreflightRefusedError, match="that of the pinned commit"):
        orphan_commit.commit_layer(base)


def test_a_base_that_was_changed_meanwhile_is_refused(root, tmp_path):
    from benchctl.errors import CorpusChangedError

    _, commit, _ = upstream(tmp_path)
    base = written(root, tmp_path, commit)
    if base.layered:
        mounts.unmount(base.root)
    (base.root / "run.sh").write_text("other")
    with pytest.raises(CorpusChangedError, match=r"run\.sh"):
        orphan_commit.commit_layer(base)


def test_without_git_the_arm_is_refused(root, tmp_path, monkeypatch):
    _, commit, _ = upstream(tmp_path)
    base = written(root, tmp_path, commit)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(PreflightRefusedError, match="git is not installed"):
        orphan_commit.commit_layer(base)
    assert git_room.ask(base.root, "version") is None


def test_git_that_fails_says_why(root, tmp_path, monkeypatch):
    _, commit, _ = upstream(tmp_path)
    base = written(root, tmp_path, commit)
    monkeypatch.setattr(orphan_commit, "_WHO", "nobody at all")
    with pytest.raises(PreflightRefusedError, match="Missing < in ident string"):
        orphan_commit.commit_layer(base)
    assert os.listdir(base.root.parent) == ["it"]  # noqa: PTH208
