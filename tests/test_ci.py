"""What other repositories call in their CI: the action's steps and the hook, run as a runner and pre-commit run them."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
ACTION = ROOT / ".github" / "actions" / "verify-claims" / "action.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"
BIN = Path(sys.executable).parent
DEMO = "callers-v1-demo"

TRUE = f"<!-- benchctl: run={DEMO} -->\n\n36<!--= count[arm=grep] --> cells.\n"


def action():
    return yaml.safe_load(ACTION.read_text())


def step(name):
    (found,) = (step for step in action()["runs"]["steps"] if step.get("name") == name)
    return found


@pytest.fixture
def checkout(tmp_path):
    """A repository as a runner checks it out: a project with a true page and our demonstration run."""
    root = tmp_path / "checkout"
    (root / "site").mkdir(parents=True)
    (root / "benchctl.toml").write_text("")
    (root / "site" / "a page.md").write_text(TRUE)
    shutil.copytree(ROOT / "data" / "runs" / DEMO, root / "data" / "runs" / DEMO)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return root


def git(root, *words):
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *words], cwd=root, check=True)


def run_step(name, root, tools=BIN, **inputs):
    """Run a step's script as the runner does, every input at its default or as given."""
    defaults = {key: str(value.get("default", "")) for key, value in action()["inputs"].items()}
    chosen = defaults | inputs
    env = {
        key: re.sub(r"^\$\{\{ inputs\.([a-z-]+) \}\}$", lambda found: chosen[found[1]], value)
        for key, value in step(name)["env"].items()
    }
    files = {variable: root.parent / variable for variable in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step(name)["run"]],
        cwd=root,
        env={
            "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(root.parent), "GITHUB_WORKSPACE": str(root),
            "GITHUB_ACTION_PATH": str(ACTION.parent), **{key: str(path) for key, path in files.items()}, **env,
        },
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done, *(path.read_text() if path.exists() else "" for path in files.values())


def test_a_true_page_passes_and_is_seen(checkout):
    done, output, summary = run_step(
        "Verify claims", checkout, sarif="claims.sarif", junit="out/j.xml", json="c.json"
    )
    assert done.returncode == 0, done.stderr
    assert output == "ok=true\n"
    assert "a page.md: run callers-v1-demo: 1 number: 1 bound" in done.stdout
    assert summary.startswith("### verify-claims: ok: 1 number on 1 page")
    assert json.loads((checkout / "claims.sarif").read_text())["runs"][0]["results"] == []
    assert (checkout / "out/j.xml").exists()
    assert json.loads((checkout / "c.json").read_text())["ok"] is True


def test_a_false_page_fails_and_is_annotated(checkout):
    (checkout / "site" / "a page.md").write_text(TRUE.replace("36<", "37<"))
    done, output, summary = run_step("Verify claims", checkout, sarif="claims.sarif")
    assert done.returncode == 1
    assert output == "ok=false\n"
    assert done.stdout.startswith("::error file=site/a page.md,line=3,col=1,endColumn=3,title=number-false::")
    assert "number&#45;false" in summary
    assert len(json.loads((checkout / "claims.sarif").read_text())["runs"][0]["results"]) == 1


INPUTS = [
    # inputs, exit code
    ({"pages": "site/a page.md\n\nsite"}, 0),
    ({"pages": "site/none.md"}, 2),
    ({"pages": "-v"}, 2),  # a page and no option
    ({"pages": "$(touch owned)\n`touch owned`; touch owned"}, 2),
    ({"sarif": "$(touch owned).sarif"}, 0),
    ({"changed": "HEAD"}, 0),
    ({"changed": "--output=owned"}, 2),
    ({"changed": "nowhere"}, 2),
    ({"project": "site"}, 0),
    ({"project": "nowhere"}, 2),
]


@pytest.mark.parametrize(("inputs", "code"), INPUTS)
def test_inputs_are_words_and_never_commands(checkout, inputs, code):
    done, output, _ = run_step("Verify claims", checkout, **inputs)
    assert done.returncode == code, done.stderr
    assert output == f"ok={'true' if code == 0 else 'false'}\n"
    assert not list(checkout.rglob("owned"))


INSTALLS = [
    # inputs, what pip is asked for, exit code
    ({}, f"install --quiet {ROOT}", 0),
    ({"extras": "remote,site"}, f"install --quiet {ROOT}[remote,site]", 0),
    ({"version": "1.2.3"}, "install --quiet benchctl==1.2.3", 0),
    ({"version": "1.0rc1", "extras": "remote"}, "install --quiet benchctl[remote]==1.0rc1", 0),
    ({"version": "1.0 --index-url http://evil.example"}, None, 2),
    ({"version": "$(touch owned)"}, None, 2),
    ({"extras": "x]; touch owned; ["}, None, 2),
]


@pytest.mark.parametrize(("inputs", "asked", "code"), INSTALLS)
def test_the_action_installs_what_it_belongs_to_or_the_version_that_is_named(
    checkout, tmp_path, inputs, asked, code
):
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "python").write_text(
        '#!/bin/sh\n[ "$1 $2" = "-m pip" ] && shift 2 && echo "$@" > "$HOME/asked"\n'
    )
    (tools / "python").chmod(0o755)
    done, *_ = run_step("Install benchctl", checkout, tools, **inputs)
    assert done.returncode == code
    said = tmp_path / "asked"
    assert (said.read_text().strip() if said.exists() else None) == asked
    assert not list(tmp_path.rglob("owned"))


def test_nothing_is_pasted_into_a_script_and_every_action_is_pinned():
    for each in action()["runs"]["steps"]:
        assert "${{" not in each.get("run", "")
        assert each.get("shell", "bash") == "bash"
        if "uses" in each:
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", each["uses"])
    own = re.findall(r"uses: (\S+@\S+)", (ROOT / ".github/workflows/site.yml").read_text())
    assert {each["uses"] for each in action()["runs"]["steps"] if "uses" in each} <= set(own)


def hook():
    from pre_commit.clientlib import load_manifest

    (found,) = load_manifest(HOOKS)
    return found


HANDED = [
    # a path in a repository, and whether the hook wants it
    ("README.md", True),
    ("site/deep/x.md", True),
    ("site/x.claims.toml", True),
    ("bench/benchctl.toml", True),
    ("claims.lock", True),
    ("bench/data/runs/r9/rows/000.parquet", True),
    ("site/x.mdx", False),
    ("src/x.py", False),
    ("pyproject.toml", False),
    ("my-benchctl.toml", False),
    ("data/suites/s/suite.toml", False),
]


@pytest.mark.parametrize(("path", "wanted"), HANDED)
def test_the_hook_wants_what_decides_pages(path, wanted):
    assert bool(re.search(hook()["files"], path)) is wanted


def test_the_hook_starts_a_command_there_is():
    found = hook()
    assert (found["id"], found["language"], found["pass_filenames"]) == ("verify-claims", "python", True)
    assert found["require_serial"]
    command, *words = found["entry"].split()
    assert (BIN / command).exists()
    done = subprocess.run([BIN / command, *words, "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0


@pytest.mark.slow
def test_the_hook_stops_a_commit_of_a_false_number(checkout, tmp_path):
    """The hook as the manifest has it, run by pre-commit, but from this environment instead of one it would make."""
    local = hook() | {"language": "system", "entry": f"{BIN}/{hook()['entry']}"}
    kept = {
        key: local[key]
        for key in ("id", "name", "language", "entry", "files", "require_serial", "pass_filenames")
    }
    (checkout / ".pre-commit-config.yaml").write_text(
        json.dumps({"repos": [{"repo": "local", "hooks": [kept]}]})
    )
    git(checkout, "add", "-A")

    def commit():
        env = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
        return subprocess.run([BIN / "pre-commit", "run"], cwd=checkout, env=env, capture_output=True, text=True, check=False)  # fmt: skip

    assert "no files to check" in commit().stdout
    (checkout / "CHANGELOG.md").write_text("7 things of no page\n")
    git(checkout, "add", "-A")
    assert "Passed" in commit().stdout
    (checkout / "site" / "a page.md").write_text(TRUE.replace("36<", "37<"))
    git(checkout, "add", "-A")
    failed = commit()
    assert failed.returncode == 1
    assert "printed 37, and count[arm=grep] is 36" in failed.stdout
    (checkout / "site" / "a page.md").write_text(TRUE)
    git(checkout, "add", "-A")
    assert commit().returncode == 0
