"""Trees from a repository by URL, through the command line: looked for, fetched, worked on with git, and what was done kept."""

import json
import shutil
import subprocess

import pytest

from benchctl.workspace.git import git_environment

AGENT = """
import pathlib, subprocess, sys
tree = pathlib.Path(sys.argv[1])
def git(*words):
    done = subprocess.run(["git", "-C", tree, *words], capture_output=True, text=True)
    return f"{words[0]} {done.returncode} {done.stdout}{done.stderr}"
print(git("log", "--all", "--format=%s"), file=sys.stderr)
print(git("show", "HEAD:key.json"), file=sys.stderr)
(tree / "a.py").write_text("changed\\n")
print(git("status", "--porcelain"), file=sys.stderr)
print('["a.py::one"]')
"""


def git(root, *words):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *identity, "-C", root, *words],
        env=git_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def project(bench, tmp_path):
    """The tiny suite, asked about a repository whose last commit deleted the key."""
    bench.write(agent="worker.py", source=AGENT, reps=1, arms="git = true")
    upstream = tmp_path / "upstream"
    shutil.copytree(bench.suite_dir / "corpus", upstream)
    git(upstream, "init", "--quiet")
    (upstream / "key.json").write_text("the deleted key\n")
    git(upstream, "add", "--all")
    git(upstream, "commit", "--quiet", "-m", "the key")
    git(upstream, "rm", "--quiet", "key.json")
    git(upstream, "commit", "--quiet", "-m", "no key")
    file = bench.suite_dir / "suite.toml"
    named = f'kind = "git"\nsource = "file://{upstream}"\ncommit = "{git(upstream, "rev-parse", "HEAD")}"'
    file.write_text(file.read_text().replace('kind = "directory"\nsource = "corpus"', named))
    return bench, upstream


def test_a_plan_says_that_nothing_was_fetched_and_fetches_nothing(project, tmp_path):
    bench, _ = project
    done = bench("plan", "tiny", code=3, XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert "has not been fetched yet" in done.stderr
    assert not (tmp_path / "cache" / "benchctl" / "repos").exists()


def test_a_run_fetches_once_and_its_cells_have_one_commit_and_a_diff(project, tmp_path):
    bench, upstream = project
    cache = str(tmp_path / "cache")
    done = bench("run", "tiny", "--run-id", "r", "--no-page", XDG_CACHE_HOME=cache)
    assert "looking for commit" in done.stderr
    upstream.rename(upstream.with_name("gone"))
    plan = json.loads(bench("plan", "tiny", "--format", "json", XDG_CACHE_HOME=cache).stdout)
    assert "GIT_CONFIG_NOSYSTEM" in plan["cells"][0]["env"]
    rows = bench.query("select stream, text from transcripts order by stream")
    said = {row["stream"]: row["text"] for row in rows}
    assert said["stderr"].startswith("log 0 The tree\n")
    assert "the deleted key" not in str(said)
    assert "status 0  M a.py\n" in said["stderr"]
    assert "diff --git a/a.py b/a.py\n" in said["diff"]
    assert "+changed\n" in said["diff"]
    (counted,) = bench.query("select distinct changed_files from cells")
    assert counted["changed_files"] == 1
    bench("verify-store")


def test_an_address_with_credentials_is_refused_before_anything_is_asked(project):
    bench, upstream = project
    file = bench.suite_dir / "suite.toml"
    file.write_text(file.read_text().replace(f"file://{upstream}", "https://me:secret@example.org/x.git"))
    done = bench("run", "tiny", "--run-id", "r", code=3)
    assert "[source-refused]" in done.stderr
    assert "secret" not in done.stderr
