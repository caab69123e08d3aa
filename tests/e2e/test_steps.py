"""What a suite does in a cell outside of the agent's clock: making its tree ready, and checking it afterwards."""

import json
import zipfile

import pytest

AGENT = """
import pathlib, sys
tree, scratch = map(pathlib.Path, sys.argv[1:3])
print((tree / "made.txt").read_text() if (tree / "made.txt").exists() else "nothing was made")
(tree / "a.py").write_text("changed\\n")
"""

MAKE = "import pathlib, sys; pathlib.Path(sys.argv[1], 'made.txt').write_text('made for ' + sys.argv[2]); print('made it')"
TOUCH = MAKE + "; pathlib.Path(sys.argv[1], 'b.py').write_text('made ready')"
FAIL = "import sys; print('no compiler here', file=sys.stderr); sys.exit(3)"
LOOK = "import pathlib, sys; sys.exit(pathlib.Path(sys.argv[1], 'a.py').read_text() == 'changed\\n')"

CELL = "select outcome, prepare_s is not null as made, check_failed, changed_files from cells"
ATTEMPTS = "select outcome, wall_s, parts from attempts order by attempt"


def step(program, *words):
    return json.dumps(["{python}", "-I", "-S", "-c", program, *words])


@pytest.fixture
def suite(bench):
    """Write the tiny suite with steps of its repository; the agent prints what was made and changes a file."""

    def write(*, agent=AGENT, **steps):
        bench.write(agent="maker.py", source=agent, reps=1)
        file = bench.suite_dir / "suite.toml"
        text = file.read_text()
        tables = "".join(f"[repos.corpus.{name}]\n{table}\n\n" for name, table in steps.items())
        text = text.replace("[arms.plain]", f"{tables}[arms.plain]", 1)
        text = text.replace('"{tree}", "{prompt_file}"]', '"{tree}", "{scratch}", "{prompt_file}"]')
        file.write_text(text[: text.index("[[questions]]", text.index("[[questions]]") + 1)])
        return bench

    return write


def collect(bench, *options, code=0, **env):
    return bench("run", "tiny", "--run-id", "r", "--no-page", *options, code=code, **env)


def kept(bench):
    return {
        row["stream"]: row["text"]
        for row in bench.query("select stream, text from transcripts where attempt = 1")
    }


def test_what_was_made_ready_is_there_and_is_none_of_the_agents_changes(suite):
    bench = suite(prepare=f"argv = {step(TOUCH, '{tree}', '{question}')}")
    collect(bench)
    (cell,) = bench.query(CELL)
    assert (cell["outcome"], cell["made"], cell["check_failed"], cell["changed_files"]) == (
        "ok",
        True,
        None,
        1,
    )
    said = kept(bench)
    assert said["stdout"] == "made for q-target\n"
    assert said["prepare"] == "made it\n"
    assert "a.py" in said["diff"]
    assert "made" not in said["diff"]
    bench("verify-store")


def test_a_file_that_was_made_ready_and_then_changed_is_the_agents(suite):
    agent = AGENT + "(tree / 'made.txt').write_text('the agent was here')\n"
    bench = suite(agent=agent, prepare=f"argv = {step(MAKE, '{tree}', '{question}')}")
    collect(bench)
    assert bench.query(CELL)[0]["changed_files"] == 2
    assert "the agent was here" in kept(bench)["diff"]


def test_a_step_that_fails_is_found_before_anything_is_spent(suite):
    bench = suite(prepare=f"argv = {step(FAIL)}")
    for options in ([], ["--preflight-only"]):
        said = collect(bench, *options, code=3).stderr
        assert "repos.corpus: its prepare step failed: exit_nonzero (exit status 3): no compiler here" in said
    assert not (bench.root / "data" / "runs").exists()


FLAKY = """
import pathlib, sys
log = pathlib.Path(sys.argv[1], "tries.log")
tries = len(log.read_text().split()) if log.exists() else 0
log.open("a").write("x ")
if 1 <= tries <= int(sys.argv[2]):
    sys.exit("the host is down")
"""


def flaky(suite, down, *, stop_after):
    """A suite whose preparation works in preflight, and then not for so many attempts."""
    bench = suite()
    words = step(FLAKY, str(bench.root), str(down))
    suite(prepare=f"argv = {words}")
    file = bench.suite_dir / "suite.toml"
    file.write_text(file.read_text().replace("seed = 11", f"seed = 11\nstop_after = {stop_after}"))
    return bench


def test_a_run_whose_cells_the_machine_spoilt_stays_open_and_is_gone_on_with(suite):
    bench = flaky(suite, 4, stop_after=9)
    said = collect(bench, "--no-sandbox", code=1).stderr
    assert "1 cell could not be run in 4 attempts each (1 prepare_error)" in said
    assert "0 of 1 cells have a result, 1 are left" in said
    found = bench.status("r")
    assert (found["state"], found["left"], found["void"]) == ("stopped", 1, 0)
    assert "1 cell could not be run" in found["why"]
    attempts = bench.query(ATTEMPTS)
    assert [attempt["outcome"] for attempt in attempts] == ["prepare_error"] * 4
    assert {(attempt["wall_s"], attempt["parts"]) for attempt in attempts} == {(0.0, 0)}
    bench.query("select count(*) from cells")
    (detail,) = bench.query("select distinct detail from attempts")
    assert detail["detail"] == "its prepare step ended with status 1: the host is down"

    collect(bench, "--no-sandbox")
    (cell,) = bench.query("select outcome, attempts, wall_s > 0 as ran from cells")
    assert (cell["outcome"], cell["attempts"], cell["ran"]) == ("ok", 5, True)
    assert bench.status("r")["state"] == "done"
    bench("verify-store")


def test_preparations_that_fail_in_a_row_stop_a_run_at_once(suite):
    bench = flaky(suite, 9, stop_after=2)
    said = collect(bench, "--no-sandbox", code=1).stderr
    assert "2 failed preparations in a row" in said
    assert bench.status("r")["why"] == "2 failed preparations in a row"
    assert len(bench.query(ATTEMPTS)) == 2


@pytest.mark.parametrize(("program", "failed"), [("pass", False), (LOOK, True), (FAIL, True)])
def test_a_check_sees_what_the_agent_left_and_changes_no_outcome(suite, program, failed):
    bench = suite(check=f"argv = {step(program, '{tree}')}")
    collect(bench)
    (cell,) = bench.query(CELL)
    assert (cell["outcome"], cell["check_failed"], cell["changed_files"]) == ("ok", failed, 1)
    assert ("check_stderr" in kept(bench)) is (program == FAIL)


def test_a_step_that_never_ends_is_ended(suite):
    bench = suite(
        check=f"argv = {step('import time; time.sleep(600)')}\nwall_s = 0.5",
    )
    collect(bench)
    assert bench.query(CELL)[0]["check_failed"] is True


PYTEST = """
import pathlib, sys
ran = sorted(path.name for path in pathlib.Path().glob("test_*.py"))
for name in ran:
    exec(compile(pathlib.Path(name).read_text(), name, "exec"), {})
print("ran", *ran)
"""


@pytest.fixture
def wheels(tmp_path):
    """A folder with one wheel: a stand-in for pytest that runs what it finds."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / "pytest-0.0.1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("pytest/__init__.py", "")
        wheel.writestr("pytest/__main__.py", PYTEST)
        wheel.writestr(
            "pytest-0.0.1.dist-info/METADATA", "Metadata-Version: 2.1\nName: pytest\nVersion: 0.0.1\n"
        )
        wheel.writestr(
            "pytest-0.0.1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("pytest-0.0.1.dist-info/RECORD", "")
    return folder


def test_a_python_trees_tests_are_made_ready_offline_and_run_after_the_agent(suite, wheels):
    agent = AGENT + "import shutil; print(shutil.which('python'))\n"
    bench = suite(agent=agent, prepare='kind = "python-tests"', check='kind = "python-tests"')
    (bench.suite_dir / "corpus" / "test_a.py").write_text("assert open('a.py').read() == 'changed\\n'\n")
    collect(bench, PIP_FIND_LINKS=str(wheels), PIP_NO_INDEX="1")
    (cell,) = bench.query(CELL)
    said = kept(bench)
    assert "installing pytest alone" in said["prepare"]
    assert said["check"] == "ran test_a.py\n"
    assert (cell["outcome"], cell["check_failed"], cell["changed_files"]) == ("ok", False, 1)
    assert "/venv/bin/python" in said["stdout"]


@pytest.mark.parametrize(
    "spoil",
    [
        "os.mkdir(f'{scratch}/prompt.txt')",
        "shutil.rmtree(scratch)",
        "shutil.rmtree(scratch); os.symlink('/tmp', scratch)",
    ],
)
def test_a_step_that_leaves_no_place_for_the_prompt_spoils_that_cell_and_no_other(suite, spoil):
    program = (
        f"import os, shutil, sys\nscratch, model = sys.argv[1:3]\nif 'spoil' in model: {spoil.split('; ')[0]}"
    )
    if "; " in spoil:
        program += f"; {spoil.split('; ')[1]}"
    bench = suite(prepare=f"argv = {step(program, '{scratch}', '{question}')}")
    file = bench.suite_dir / "suite.toml"
    text = file.read_text()
    asked = text[text.index("[[questions]]") :]
    text = text.replace("[run]", "[run]\nstop_after = 9", 1)
    file.write_text(text + asked.replace('id = "q-target"', 'id = "q-spoilt"'))
    said = collect(bench, "--no-sandbox", code=1).stderr
    assert "system-error" not in said
    attempts = bench.query("select cell, outcome, detail, parts from attempts where cell like '%spoil%'")
    assert {row["outcome"] for row in attempts} == {"prepare_error"}, said
    assert {(row["detail"], row["parts"]) for row in attempts} == {
        ("its prepare step left no place for the prompt below {scratch}", 0)
    }
    others = bench.query("select outcome from attempts where cell not like '%spoil%'")
    assert [row["outcome"] for row in others] == ["ok"], said
