"""An answer that the last commit deleted, looked for from inside a cell by every means that git has.

Each of the ways in which checkouts were seen to give it back is tried, in the cell of an arm with git and in
one without, behind every wall that this machine can build and behind none.
"""

import os
import shutil
import subprocess
import sys
import textwrap

import pytest

from benchctl.schema.suite import Repo
from benchctl.workspace import overlay
from benchctl.workspace.cells import cell_root, fresh_cell
from benchctl.workspace.corpus import resolve_corpus
from benchctl.workspace.git import git_environment
from benchctl.workspace.interpreter import interpreter_reads
from benchctl.workspace.process import run_process
from benchctl.workspace.sandbox import candidates, none
from benchctl.workspace.tree import write_base
from benchctl.workspace.wall import Sandbox

ANSWER = "the answer is forty-two and a half"
IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")

SEARCHES = """
git show HEAD:q/key.json
git show HEAD~1:q/key.json
git show HEAD^:q/key.json
git show {parent}:q/key.json
git cat-file -p {blob}
git cat-file -p {parent}
git checkout -- q
git checkout {parent} -- q/key.json
git restore --source={parent} q/key.json
git log --all -p --full-history -- q/key.json
git log -p --all --reflog
git log -g -p
git reflog show --all
git stash list -p
git fsck --unreachable --lost-found --no-reflogs
git rev-list --all --objects --reflog
git for-each-ref
git show-ref
git branch -a
git tag -n
git remote -v
git remote update
git fetch --all
git fetch {upstream} {parent}
git clone {upstream} copy
git -C {upstream} show {parent}:q/key.json
git --git-dir={upstream}/.git show {parent}:q/key.json
git worktree list
git submodule update --init
git notes show
git replace -l
git bundle create - --all
git archive HEAD
git archive {parent}
git grep forty-two {parent}
git blame q/key.json
git rev-parse --git-common-dir
git cat-file --batch-all-objects --batch
git verify-pack -v .git/objects/pack/*.idx
cat .git .git/config .git/objects/info/alternates .git/logs/HEAD .git/ORIG_HEAD .git/FETCH_HEAD
grep -r forty-two .
grep -ra forty-two ..
"""

LOOK = """
import os, subprocess, zlib
for line in {searches!r}.strip().splitlines():
    done = subprocess.run(line, shell=True, stdin=subprocess.DEVNULL, capture_output=True)
    print("$", line, done.returncode)
    print((done.stdout + done.stderr).decode(errors="replace"))
here = os.getcwd()
while True:
    here, before = os.path.dirname(here), here
    print("above", here, os.path.exists(here + "/.git"))
    if here == before:
        break
packs = []
for folder, _, names in os.walk(".git"):
    for name in names:
        data = open(folder + "/" + name, "rb").read()
        for start in range(len(data)):
            if data[start : start + 1] == b"x":
                try:
                    packs.append(zlib.decompressobj().decompress(data[start:]))
                except zlib.error:
                    pass
print("packed", b"".join(packs).decode(errors="replace"))
"""


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


@pytest.fixture
def upstream(tmp_path):
    """A repository as people have them: the key was in it, a branch, a tag, a stash and the reflog still know it."""
    root = tmp_path / "upstream"
    (root / "q").mkdir(parents=True)
    git(root, "init", "--quiet")
    (root / "code.py").write_text("x = 1\n")
    (root / "q" / "key.json").write_text(f'{{"gold": "{ANSWER}"}}\n')
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", f"add the key: {ANSWER}")
    git(root, "tag", "-a", "v1", "-m", ANSWER)
    git(root, "branch", "old")
    (root / "code.py").write_text(f"x = 2  # {ANSWER}\n")
    git(root, "stash")
    git(root, "rm", "--quiet", "q/key.json")
    git(root, "commit", "--quiet", "-m", "remove the key")
    return root


@pytest.fixture(params=["stacked", "copied"])
def place(request, monkeypatch):
    with cell_root() as root:
        if request.param == "copied":
            monkeypatch.setattr(overlay, "unavailable", lambda _: "not here")
        elif reason := overlay.unavailable(root):
            pytest.skip(reason)
        yield root


def base_of(upstream, place, **options):
    repo = Repo(kind="git", source="upstream", commit=git(upstream, "rev-parse", "HEAD"), **options)
    return write_base(resolve_corpus("it", repo, upstream.parent), place / "base")


def walls():
    yield Sandbox("none", none.wrap)
    for sandbox, missing in candidates():
        if missing is None and sandbox.level in ("bwrap", "landlock"):
            yield sandbox


@pytest.mark.parametrize("with_git", [True, False])
@pytest.mark.parametrize("sandbox", list(walls()), ids=lambda sandbox: sandbox.level)
def test_a_deleted_key_is_found_by_no_git_command(upstream, place, sandbox, with_git):
    base = base_of(upstream, place)
    # Without a wall the user's own repository is on the same disk, and an agent that guesses its path can read it.
    elsewhere = place / "hidden" if sandbox.level == "none" else upstream
    words = {
        "parent": git(upstream, "rev-parse", "HEAD~1"),
        "blob": git(upstream, "rev-parse", "HEAD~1:q/key.json"),
        "upstream": elsewhere,
    }
    with fresh_cell(base, place, git=with_git) as cell:
        said = looked(sandbox, cell, LOOK.format(searches=SEARCHES.format(**words)))
        assert ANSWER not in said
        assert "True" not in "".join(line for line in said.splitlines() if line.startswith("above"))
        if with_git:
            assert "x = 1" in said.partition("packed")[2], "the packs were read at all"
            assert "$ git rev-parse --git-common-dir 0" in said
        else:
            assert "$ git rev-parse --git-common-dir 128" in said


def looked(sandbox, cell, script):
    env = {"PATH": os.environ["PATH"], "HOME": str(cell.home), "GIT_CONFIG_NOSYSTEM": "1"}
    argv = sandbox.wrap(
        [sys.executable, "-I", "-S", "-c", textwrap.dedent(script)],
        reads=interpreter_reads(),
        writes=(cell.tree, cell.scratch, cell.home, cell.tmp),
        cwd=cell.tree,
        env=env,
    )
    result = run_process(argv, cwd=cell.tree, env=env, wall_s=120.0, output_bytes=1 << 26)
    assert (result.outcome, result.stderr.text) == ("ok", "")
    return result.stdout.text


def test_the_search_finds_the_key_where_it_can_be_found(upstream, place):
    """The control: the same commands in a worktree, in a shallow clone and in one that shares objects."""
    words = {
        "parent": git(upstream, "rev-parse", "HEAD~1"),
        "blob": git(upstream, "rev-parse", "HEAD~1:q/key.json"),
        "upstream": upstream,
    }
    for number, make in enumerate(
        (
            ("worktree", "add", "--quiet", "--detach", "{}"),
            ("clone", "--quiet", "--shared", ".", "{}"),
            ("clone", "--quiet", "--depth=1", f"file://{upstream}", "{}"),
        )
    ):
        target = place / f"made-{number}"
        git(upstream, *(word.format(target) for word in make))
        done = subprocess.run(
            [sys.executable, "-c", LOOK.format(searches=SEARCHES.format(**words))],
            cwd=target,
            env=git_environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        assert ANSWER in done.stdout


def test_an_excluded_key_is_nowhere_either(upstream, place):
    (upstream / "q").mkdir()
    (upstream / "q" / "key.json").write_text(ANSWER)
    git(upstream, "add", "--all")
    git(upstream, "commit", "--quiet", "-m", "the key again")
    base = base_of(upstream, place, exclude=("q/**",))
    words = {
        "parent": "HEAD",
        "blob": git(upstream, "rev-parse", "HEAD:q/key.json"),
        "upstream": place / "no",
    }
    with fresh_cell(base, place, git=True) as cell:
        assert ANSWER not in looked(
            Sandbox("none", none.wrap), cell, LOOK.format(searches=SEARCHES.format(**words))
        )


def test_no_cell_is_registered_in_the_users_repository(upstream, place):
    before = sorted(path.relative_to(upstream) for path in upstream.rglob("*"))
    with fresh_cell(base_of(upstream, place), place, git=True):
        assert sorted(path.relative_to(upstream) for path in upstream.rglob("*")) == before
        assert git(upstream, "worktree", "list").count("\n") == 0


def test_a_tree_is_what_a_checkout_gives_to_the_byte(upstream, place, tmp_path):
    for number in range(300):
        file = upstream / f"d{number % 7}" / f"f{number}.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(bytes(range(256)) * (number % 5) + b"\r\n" * number)
    (upstream / "d0" / "run").write_text("#!/bin/sh\n")
    (upstream / "d0" / "run").chmod(0o755)
    (upstream / "to").symlink_to("d0/run")
    git(upstream, "-c", "core.autocrlf=false", "add", "--all")
    git(upstream, "commit", "--quiet", "-m", "more")
    git(upstream, "worktree", "add", "--quiet", "--detach", tmp_path / "checkout")
    with fresh_cell(base_of(upstream, place), place) as cell:
        compared = subprocess.run(
            ["diff", "-r", "--no-dereference", "--exclude=.git", cell.tree, tmp_path / "checkout"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (compared.returncode, compared.stdout) == (0, "")
        modes = [
            {p.relative_to(top): p.lstat().st_mode for p in top.rglob("*") if p.name != ".git"}
            for top in (cell.tree, tmp_path / "checkout")
        ]
        assert modes[0] == modes[1]
    shutil.rmtree(tmp_path / "checkout")
