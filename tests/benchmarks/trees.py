"""A base and a cell's tree of a synthetic repository of 10,000 files, beside what `git worktree add` takes for it."""

import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from benchctl.schema.suite import Repo
from benchctl.workspace import overlay
from benchctl.workspace.cells import cell_root, fresh_cell
from benchctl.workspace.corpus import resolve_corpus
from benchctl.workspace.git import git_environment
from benchctl.workspace.orphan_commit import commit_layer
from benchctl.workspace.tree import write_base

FILES = 10_000
TIMES = 5
IDENTITY = (
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@example.org",
    "-c",
    "init.defaultBranch=main",
    "-c",
    "gc.auto=0",
)


def git(root, *words):
    return subprocess.run(
        ["git", *IDENTITY, "-C", root, *words], env=git_environment(), check=True, capture_output=True
    ).stdout.decode()


def synthetic(folder, files):
    """Write and commit files as a project has them: some kB of lines each, forty to a folder."""
    dice = random.Random(5)
    words = ["".join(dice.choices("abcdefghijklmnopqrstuvwxyz_", k=dice.randint(2, 11))) for _ in range(3000)]
    for number in range(files):
        place = Path(folder, f"part{number // 1600}", f"pkg{number // 40}", f"file{number}.py")
        place.parent.mkdir(parents=True, exist_ok=True)
        lines = (" ".join(dice.choices(words, k=8)) for _ in range(dice.randint(5, 160)))
        place.write_text("\n".join(lines) + "\n")
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "all")
    git(folder, "repack", "-a", "-d", "--quiet")
    return git(folder, "rev-parse", "HEAD").strip()


def timed(work, after=lambda _: None, times=TIMES):
    """Return the median time of some work in seconds; what follows it is not timed."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        result = work()
        found.append(time.perf_counter() - start)
        after(result)
    return statistics.median(found)


def worktree(upstream, root):
    target = Path(tempfile.mkdtemp(dir=root)) / "tree"
    git(upstream, "worktree", "add", "--quiet", "--detach", str(target))
    return target


def drop(upstream, target):
    shutil.rmtree(target.parent)
    git(upstream, "worktree", "prune")


def measure(upstream, commit):
    repo = Repo(kind="git", source=str(upstream), commit=commit)
    size = sum(path.stat().st_size for path in Path(upstream).rglob("*.py"))
    with cell_root() as root:
        print(f"{FILES} files, {size / 2**20:.0f} MiB, at {root.parent}; medians of {TIMES}")
        floor = timed(lambda: worktree(upstream, root), lambda target: drop(upstream, target))
        line("git worktree add", floor, floor)
        line(
            "corpus resolved (every blob and tree hashed)",
            timed(lambda: resolve_corpus("it", repo, Path("/"))),
            floor,
        )
        corpus = resolve_corpus("it", repo, Path("/"))
        bases = []
        line(
            "base written and read back, once a run",
            timed(lambda: bases.append(write_base(corpus, root / f"base{len(bases)}"))),
            floor,
        )
        base = bases[-1]
        ways = [("stacked", base)] if base.layered else []
        kept, overlay.unavailable = overlay.unavailable, lambda _: "left out"
        ways.append(("copied", write_base(corpus, root / "closed")))
        overlay.unavailable = kept
        for way, of in ways:
            cells(way, of, root, floor)


def cells(way, base, root, floor):
    line(f"{way}: the base looked at", timed(base.check), floor)
    made = []

    def one(**options):
        made.append(fresh_cell(base, root, **options))
        return made[-1].__enter__()

    def over(_):
        made.pop().__exit__(None, None, None)

    line(f"{way}: a cell's tree", timed(one, over), floor)
    line(f"{way}: a cell's tree, and its end", timed(lambda: over(one())), floor)
    with fresh_cell(base, root) as cell:
        for number in range(20):
            (cell.tree / base.files[number * 7].path).write_text("changed\n")
        line(f"{way}: what changed, 20 files", timed(cell.changes), floor)
    line(
        f"{way}: the repository of one commit, once a run", timed(lambda: commit_layer(base), times=1), floor
    )
    line(f"{way}: a cell's tree with it", timed(lambda: one(git=True), over), floor)
    with fresh_cell(base, root, git=True) as cell:
        status = ["git", "-C", str(cell.tree), "status", "--porcelain"]
        line(
            f"{way}: the first `git status` in it",
            timed(lambda: subprocess.run(status, check=True), times=1),
            floor,
        )


def line(name, seconds, floor):
    print(f"{name:<58} {seconds * 1000:9.1f} ms  {seconds / floor:7.3f} of a worktree")


def main():
    for place in (os.environ.get("BENCHCTL_PLACES") or "/dev/shm").split(":"):
        if not os.access(place, os.W_OK):
            continue
        before, tempfile.tempdir = tempfile.tempdir, place
        upstream = tempfile.mkdtemp(prefix="upstream-")
        try:
            measure(upstream, synthetic(upstream, FILES))
        finally:
            shutil.rmtree(upstream)
            tempfile.tempdir = before


if __name__ == "__main__":
    main()
